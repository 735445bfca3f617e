"""What the harnesses share that boot a side's kernel: its directory, and QEMU."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError
from gate.harness.process import ask
from gate.harness.strict import quote
from gate.vm.emulator import OLDEST, PROGRAM, VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.harness.base import TrialContext

_CURE = "Install QEMU 9.0 or newer: apt install qemu-system-x86 (from backports where it is older)."


def qemu_version(environment: Mapping[str, str]) -> str:
    """The emulator's version.

    Raises:
        MeasureError: it is missing (`G230`), too old, or does not say its version (`G231`).
    """
    said = ask((PROGRAM, "--version"), environment, cure=_CURE)
    match = VERSION.search(said)
    if match is None or (int(match[2]), int(match[3])) < OLDEST:
        found = match[1] if match else quote(said)
        raise MeasureError("G231", f"QEMU {found} is too old.", cure=_CURE)
    return quote(match[1])


def kernel_directory(context: TrialContext) -> Path:
    """Where the side's kernel lies.

    Raises:
        InputError: G265, it has no directory.
    """
    if context.side_directory is None:
        side = context.side.value
        raise InputError(
            "G265",
            f"the {side} side has no directory, and so no kernel.",
            place=context.profile.path,
            cure=f"Pass --{side} DIR with a kernel in it, or declare [side.{side}].",
        )
    return context.side_directory
