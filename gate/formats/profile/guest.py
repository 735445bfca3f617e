"""`[guest]` of a profile: the machine that is booted with the side's kernel for each trial."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from gate.model import Guest, Untouched
from gate.units import parse_quantity

if TYPE_CHECKING:
    from gate.formats.profile.profile_form import GuestForm
    from gate.formats.profile.sizes import Sized

_LEAST_GUEST_MEMORY, _MOST_GUEST_MEMORY = 128, 64 << 10
"""MiB that a guest can have."""


def guest_of(form: GuestForm, source: Sized) -> Guest:
    """The machine that is booted for a trial.

    Raises:
        InputError: a figure is none, or no command line.
    """
    if len(form.operations) != 2 or not 0 < form.operations[0] < form.operations[1]:
        raise source.wrong(
            f"guest.operations: {form.operations} is no short and no long run.",
            *("guest", "operations"),
            cure="Write two numbers, the second larger: operations = [2000, 6000].",
        )
    try:
        memory = int(parse_quantity(form.memory, "B")) >> 20
    except ValueError as error:
        raise source.wrong(f"guest.memory: {error}.", "guest", "memory") from error
    if not _LEAST_GUEST_MEMORY <= memory <= _MOST_GUEST_MEMORY:
        raise source.wrong(
            f"guest.memory must be {_LEAST_GUEST_MEMORY} MiB to {_MOST_GUEST_MEMORY >> 10} GiB.",
            *("guest", "memory"),
        )
    for key in ("modules", "programs"):
        for one in getattr(form, key):
            if not one.strip() or not one.isprintable():
                raise source.wrong(f"guest.{key}: {one[:80]!r} is no name.", "guest", key)
    if not form.command_line.isprintable():
        raise source.wrong("guest.command_line is not one line.", "guest", "command_line")
    return Guest(
        modules=tuple(form.modules),
        programs=tuple(form.programs),
        prepare=form.prepare,
        memory=memory,
        command_line=form.command_line,
        operations=(form.operations[0], form.operations[1]),
        untouched=Untouched(form.untouched),
    )


def run_in_guest(guest: Guest) -> dict[str, object]:
    """What of it decides what is run, for a digest: what is made of a pass is no part of that."""
    return {key: value for key, value in asdict(guest).items() if key != "untouched"}
