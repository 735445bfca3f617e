"""What a guest does from its first process on, and the lines by which it tells.

Everything goes to the second serial line, a record a line: a word and what belongs to it. Output of
programs is in base64, for a serial line would change it.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.vm.modules import Module

ANSWERS = "/dev/ttyS1"
_HEAD = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/usr/bin:/sbin LC_ALL=C.UTF-8 HOME=/
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
mount -t tmpfs tmp /tmp; mkdir -p /tmp/work; cd /tmp/work
exec </dev/null
stty -F {answers} raw -echo
say() {{ echo "$*" >{answers}; }}
told() {{ say "$1 $2 $(base64 -w 0 /tmp/out)"; }}
off() {{ say "end $1"; sync; poweroff -f; sleep 60; }}
hex() {{ od -An -v -tx1 "$1" | tr -d ' \\n'; }}
proof() {{
  say "release $(uname -r)"
  say "version $(uname -v)"
  say "notes $(hex /sys/kernel/notes)"
}}
say "begin 1"
proof
"""
_MODULE = """say "at loading {name}"
if insmod /gate/{name}.ko {parameters} >/tmp/out 2>&1; then
  say "module {name} $(hex /sys/module/{name}/notes/.note.gnu.build-id)"
else
  dmesg | tail -n 3 >>/tmp/out; told refused {name}; off 1
fi
"""
_STEP = """say "at {name}"
{mark}sh /gate/{name} >/tmp/out 2>&1; status=$?
told step {name}=$status
[ $status = 0 ] || off 1
"""
_TAIL = """proof
say "tainted $(cat /proc/sys/kernel/tainted)"
grep -i ' [tw] ' /proc/kallsyms | gzip -1 >/tmp/out
told symbols 0
off 0
"""


def script(modules: Sequence[Module], steps: Sequence[tuple[str, bool]]) -> str:
    """The first process of the guest: proof, modules, steps, proof again, power off.

    Each step is a file in the guest's /gate, run between two marks where it says so.
    """
    parts = [_HEAD.format(answers=ANSWERS)]
    parts += [
        _MODULE.format(name=one.name, parameters=shlex.join(one.parameters)) for one in modules
    ]
    parts += [
        _STEP.format(name=name, mark="gate-mark " if marked else "") for name, marked in steps
    ]
    return "".join((*parts, _TAIL))
