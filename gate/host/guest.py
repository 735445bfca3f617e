"""Whether this machine is one that the gate booted, emulated: its clock counts instructions."""

from __future__ import annotations

from pathlib import Path

from gate.model import BY_INSTRUCTIONS, CLOCK

WORD = "driftgate.clock=instructions"
"""Among the words that such a kernel was booted with."""
_CMDLINE = Path("/proc/cmdline")


def guest_clock() -> dict[str, str]:
    """What it has for a clock, among the tools of a session; empty on any other machine."""
    try:
        words = _CMDLINE.read_text("utf-8", "replace").split()
    except OSError:
        return {}
    return {CLOCK: BY_INSTRUCTIONS} if WORD in words else {}


def guest_notes() -> tuple[str, ...]:
    """What a reader must know of everything that is measured on it."""
    if not guest_clock():
        return ()
    return ("measured in an emulated machine: its time is 8 ns for each instruction, not time",)
