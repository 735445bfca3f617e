"""What the harnesses share that boot a side's kernel: where it lies, QEMU, and how a boot ended.

A boot counts that came to its end, whose kernel reported no fault, and that was proven, before its
trial and after it, to be of the side.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError, TrialFailed, TrialTimeout
from gate.formats.strict import export, last_line, quote
from gate.harness.process import ask_version
from gate.vm.archive import MissingProgram
from gate.vm.guest_output import fault_of, last_lines, read_answers
from gate.vm.machine import OLDEST, PROGRAM, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from gate.harness.base import Outcome, TrialContext
    from gate.vm.build import GuestFiles
    from gate.vm.guest_output import Answers

PROOFS = 2
"""How often a guest reports what it is: before its trial and after it."""
_STATUS = re.compile(r"[0-9]{1,3}")
_SILENT = "it said nothing"
_CURE = "Install QEMU 8.2 or newer: apt install qemu-system-x86 (from backports where it is older)."


def qemu_version(environment: Mapping[str, str]) -> str:
    """The emulator's version; raises as `ask_version`."""
    return ask_version(PROGRAM, VERSION, environment, oldest=OLDEST, name="QEMU", cure=_CURE)


def kernel_directory(context: TrialContext) -> Path:
    """Where the side's kernel lies.

    Raises:
        InputError: G265, it has no directory.
    """
    if context.side_directory is None:
        side = context.side.value
        why = f"the {side} side has no directory, and so no kernel."
        cure = f"Pass --{side} DIR with a kernel in it, or declare [side.{side}]."
        raise context.error("G265", why, cure)
    return context.side_directory


@contextmanager
def laying_out() -> Iterator[None]:
    """Whatever keeps a guest from being laid out inside fails the trial."""
    try:
        yield
    except (MissingProgram, OSError, InputError, MeasureError) as error:
        raise TrialFailed(f"the guest cannot be laid out: {error}") from error


def guest_exit_status(share: Path, console: Path, outcome: Outcome, guest: GuestFiles) -> int:
    """The status of what ran, in a boot that came to its end and was proven to be of the side.

    Raises:
        TrialTimeout: it was killed because its time was up.
        TrialFailed: it crashed, its kernel reported a fault, or is not the side's.
    """
    answers = read_answers(read_guest_file(share / "before") + read_guest_file(share / "after"))
    log, status = read_guest_file(console), read_guest_file(share / "status").strip()
    demand_no_fault(answers, log, outcome)
    if not _STATUS.fullmatch(status) or len(answers.releases) != PROOFS:
        last = last_line(outcome.errors) or last_lines(log) or _SILENT
        raise TrialFailed(f"the guest ended before its trial did: {quote(last)}")
    demand_proof(answers, guest)
    return int(status)


def demand_success(share: Path, status: int) -> None:
    """Refuse a boot whose command failed, by what it said last."""
    if status != 0:
        why = last_line(read_guest_file(share / "err")) or last_line(read_guest_file(share / "out"))
        raise TrialFailed(f"in the guest: {quote(why or _SILENT)} (status {status})")


def demand_no_fault(answers: Answers, console: str, outcome: Outcome) -> None:
    """Refuse a guest that was killed, whose kernel reported a fault, or that lacks a module.

    Raises:
        TrialTimeout: its time was up; tells what it was at, and its last words.
        TrialFailed: its kernel failed, or refused a module; quotes the log.
    """
    fault, last = fault_of(console), last_lines(console) or "nothing"
    if outcome.timed_out:
        where = "in the trial" if answers.releases else "before its kernel had booted"
        where = f"while it was at {quote(answers.at)}" if answers.at else where
        raise TrialTimeout(
            f"the guest was killed after {outcome.duration:.1f} s, {where}: its time was up; "
            f"{fault or f'it said last: {last}'}"
        )
    if fault:
        raise TrialFailed(fault)
    if answers.refused is not None:
        module, said = answers.refused
        first = next((line for line in said.splitlines() if line.strip()), _SILENT)
        raise TrialFailed(f"the module {quote(module)} does not load: {quote(first)}")


def demand_proof(answers: Answers, guest: GuestFiles) -> None:
    """Refuse a guest that is not, before and after its trial, what the side's directory holds.

    Raises:
        TrialFailed: it says another release, version or build-id, or another one of a module.
    """
    image = guest.image
    for what, said, expected in (
        ("release", answers.releases, image.release),
        ("version", answers.versions, image.version),
        ("build-id", answers.build_ids, image.build_id),
    ):
        if len(said) != PROOFS:
            raise TrialFailed(
                f"the side is not proven: the guest reported its {what} {len(said)} times"
            )
        for one in said:
            if one != expected:
                raise TrialFailed(
                    f"the side is not proven: the running kernel's {what} is {quote(one)}, and the "
                    f"image's {quote(expected)}"
                )
    for module in guest.modules:
        running = answers.modules.get(module.name)
        if running is None:
            raise TrialFailed(f"the side is not proven: the module {module.name} was not loaded")
        if running != module.build_id:
            raise TrialFailed(
                f"the side is not proven: the loaded module {module.name} has the build-id "
                f"{quote(running)}, and the file {quote(module.build_id)}"
            )


def proof_of(guest: GuestFiles) -> str:
    """What was proven, in a line."""
    modules = "".join(f", {one.name} {one.build_id[:12]}" for one in guest.modules)
    return f"{guest.image.release} build-id {guest.image.build_id[:12]}{modules}"


def read_guest_file(path: Path) -> str:
    """What a guest wrote; empty where it wrote nothing, which its reader reports."""
    try:
        return export(path, path.name, empty=True)
    except TrialFailed:
        return ""
