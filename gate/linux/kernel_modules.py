"""What the running kernel says of its modules, as /proc/modules and /sys/module have it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from gate.linux.elf_notes import build_id_in

PROC = Path("/proc/modules")
SYS = Path("/sys/module")
_DIED = 1 << 7
"""Bit of /proc/sys/kernel/tainted: the kernel died in an oops once."""


class LoadedModule(NamedTuple):
    """One module that is loaded."""

    build_id: str
    srcversion: str
    """Empty where the module was built without one."""
    entry: int
    """Number of its directory in /sys: another one after it was loaded again."""


def loads_modules() -> bool:
    """Whether this kernel can load any."""
    return PROC.exists()


def loaded_names() -> frozenset[str]:
    """Names of all loaded modules, with underscores; empty where the kernel has no modules."""
    try:
        return frozenset(line.split()[0] for line in PROC.read_text("ascii").splitlines() if line)
    except OSError:
        return frozenset()


def loaded_module(name: str) -> LoadedModule | None:
    """A loaded module; None where there is none, or where the kernel has it built in."""
    place = SYS / name
    try:
        if (place / "initstate").read_text("ascii").strip() != "live":
            return None
        return LoadedModule(
            build_id=build_id_in((place / "notes" / ".note.gnu.build-id").read_bytes()),
            srcversion=_read(place / "srcversion"),
            entry=place.stat().st_ino,
        )
    except OSError:
        return None


def kernel_had_oops() -> bool:
    """Whether this kernel had an oops since it was booted."""
    try:
        return bool(int(Path("/proc/sys/kernel/tainted").read_text("ascii")) & _DIED)
    except (OSError, ValueError):
        return False


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", errors="replace").strip()
    except OSError:
        return ""
