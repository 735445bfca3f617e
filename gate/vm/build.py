"""A side made bootable: its kernel and a first file system that does the trial's steps.

What the guest reports goes to the second serial line, a record a line: a word and what belongs to
it. Output of programs is in base64, for a serial line would change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.vm.archive import Archive
from gate.vm.image import Image, bootable, find_image, read_image
from gate.vm.modules import ModuleTree, loading
from gate.vm.plugin import compile_plugin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from gate.vm.modules import Module

ANSWERS = "/dev/ttyS1"
_EMPTY = ("proc", "sys", "dev", "tmp", "gate", "usr/bin", "sbin")
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
    runs = (_STEP.format(name=name, mark="gate-mark " if marked else "") for name, marked in steps)
    return "".join((_HEAD.format(answers=ANSWERS), loading(_MODULE, modules), *runs, _TAIL))


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestFiles:
    """What a boot needs, laid out in files."""

    image: Image
    modules: tuple[Module, ...]
    kernel: Path
    archive: Path


def read_side(directory: Path, modules: Iterable[str]) -> tuple[Image, tuple[Module, ...], bytes]:
    """The kernel and the modules of a side, or G265 where one is missing or cannot be read."""
    image, kernel = read_image(find_image(directory))
    return image, ModuleTree(directory, image.release).loaded(modules), kernel


def lay_out(
    directory: Path,
    lines: Iterable[str],
    programs: Iterable[str],
    steps: Sequence[tuple[str, str, bool]],
    place: Path,
    environment: Mapping[str, str],
) -> GuestFiles:
    """Write the guest of a side into `place`, which is made.

    `lines` name its modules, as `null_blk nr_devices=1`, and `programs` those of this machine that
    it has beside busybox. A step is its name, its shell text, and whether it runs between marks.

    Raises:
        InputError: G265, the side cannot be booted.
        MeasureError: G266, a part of ours cannot be built.
        MissingProgram: a program is not here.
        OSError: it cannot be written.
    """
    image, modules, kernel = read_side(directory, lines)
    archive = Archive()
    archive.add_directories(*_EMPTY)
    archive.add_program("busybox", environment)
    archive.add("bin/gate-mark", compile_plugin("mark").read_bytes(), runs=True)
    for program in programs:
        archive.add_program(program, environment)
    for one in modules:
        archive.add(f"gate/{one.name}.ko", one.content)
    for name, text, _ in steps:
        whole = "set -o pipefail\n" * ("|" in text)  # which busybox has
        archive.add(f"gate/{name}", f"{whole}{text}\n".encode())
    first = script(modules, [(name, marked) for name, _, marked in steps])
    archive.add("init", first.encode(), runs=True)
    return GuestFiles(image=image, modules=modules, **write_boot(place, image, kernel, archive))


def write_boot(place: Path, image: Image, kernel: bytes, archive: Archive) -> dict[str, Path]:
    """Write kernel and first file system, as QEMU boots them, into `place`, which is made."""
    place.mkdir(parents=True, exist_ok=True)
    files = {"kernel": bootable(image, kernel), "archive": archive.content()}
    for name, content in files.items():
        (place / name).write_bytes(content)
    return {name: place / name for name in files}
