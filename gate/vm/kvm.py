"""Whether KVM runs a kernel here: told by a boot of that kernel, and by nothing else.

A /dev/kvm that opens proves little: under nested or partly emulated virtualisation a kernel may die
in an instruction that the hypervisor does not know, or hang.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gate.files import disk
from gate.vm.archive import Archive
from gate.vm.machine import MachineBoot, machine_command
from gate.vm.plugin import kept_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

DEVICE = Path("/dev/kvm")
_SAID = "driftgate: KVM works"
_INIT = f"""#!/bin/busybox sh
echo "{_SAID}"
/bin/busybox poweroff -f
"""
_PATIENCE = 30.0
"""Seconds in which a kernel must come up: under KVM a second or two."""
_MEMORY = 512


def why_not_kvm(accelerator: str, kernel: bytes, environment: Mapping[str, str]) -> str:
    """Why KVM is not used for this kernel; empty where it is asked for, or a probe boot worked.

    `accelerator` is `kvm`, `tcg`, or `auto` for whatever the probe says; `kernel` is an image that
    QEMU takes.
    """
    if accelerator != "auto":
        return "" if accelerator == "kvm" else "asked for"
    if not os.access(DEVICE, os.R_OK | os.W_OK):
        return f"there is no {DEVICE} that may be used"
    # What a probe said holds for this kernel until this machine boots again.
    boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    known = hashlib.sha256(boot.encode() + kernel).hexdigest()[:16]
    kept = kept_directory() / f"kvm-{known}"
    try:
        return kept.read_text("utf-8")
    except OSError:
        why = _probed(kernel, environment.get("PATH", ""))
        disk.write_text(kept, why)  # in one step: half of it would mean that KVM works
        return why


def _probed(kernel: bytes, path: str) -> str:
    archive = Archive()
    archive.add_program("busybox", {"PATH": path})
    archive.add("init", _INIT.encode(), runs=True)
    with tempfile.TemporaryDirectory(prefix="driftgate-kvm-") as name:
        place = Path(name)
        (place / "archive").write_bytes(archive.content())
        (place / "kernel").write_bytes(kernel)
        boot = MachineBoot(
            kernel=place / "kernel",
            archive=place / "archive",
            directory=place,
            share=None,
            memory=_MEMORY,
            cpus=1,
            kvm=True,
            seed=1,
        )
        try:
            subprocess.run(  # noqa: S603 - our own words
                machine_command(boot),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            took = isinstance(error, subprocess.TimeoutExpired)
            return "a probe boot under it hung" if took else f"QEMU does not start: {error}"
        try:
            said = (place / "console").read_text("utf-8", "replace")
        except OSError:
            said = ""
    return "" if _SAID in said else "a probe boot under it failed"
