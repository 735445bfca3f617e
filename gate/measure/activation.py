"""The sides of a subject around the trials: activated, proven before and after, put back."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import MeasureError, TrialFailed
from gate.harness.base import Command
from gate.host.journal import state_directory
from gate.linux.kernel_log import KernelLog
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop
from gate.model import SubjectKind
from gate.subject.metal import Metals
from gate.subject.module import Modules
from gate.subject.switch import CommandFailed, Custom, NotActive

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.model import Profile, Side
    from gate.subject.command import ActiveSide
    from gate.subject.switch import Switch


def make_switch(
    profile: Profile, sides: Mapping[Side, ActiveSide], environment: Mapping[str, str]
) -> Switch | None:
    """What activates a profile's sides (or G265, G267); None where there is nothing to activate."""
    # The directory outlives a killed gate.
    state, execute = state_directory(), partial(_execute, Path(profile.root), environment)
    match profile.subject.kind:
        case SubjectKind.MODULE:
            modules = Modules(profile.subject, execute, state)
            modules.check(sides, profile.path)
            return modules
        case SubjectKind.KERNEL if profile.subject.metal is not None:
            metals = Metals(profile, state)
            metals.check(sides)
            return metals
        case SubjectKind.CUSTOM:
            return Custom(profile.subject, execute)
        case _:
            return None


def _execute(
    root: Path,
    environment: Mapping[str, str],
    argv: tuple[str, ...],
    own: Mapping[str, str],
    timeout: float,
) -> str:
    """Run a command that changes sides, to its end: half a change of sides helps nobody."""
    complete = {**environment, **own}
    command = Command(argv=argv, directory=root, environment=complete, timeout=timeout)
    try:
        outcome = run_process(command, Stop())
    except OSError as error:
        raise NotActive(f"{argv[0]} cannot be started: {error.strerror}") from None
    if outcome.status == 0 and not outcome.timed_out:
        return outcome.output
    last, *_ = (outcome.errors or outcome.output).strip().splitlines()[-1:] or ["it said nothing"]
    ending = f"ended with status {outcome.status}: {last}"
    raise CommandFailed(f"took more than {timeout:g} s" if outcome.timed_out else ending, last)


@contextmanager
def activate_side(switch: Switch | None, side: ActiveSide) -> Iterator[str]:
    """Inside, the side is active and was proven; it is proven again at the end. Gives the proof.

    `TrialFailed` where it is not active, not proven, or cannot be put back.
    """
    if switch is None:
        yield ""
        return
    log = KernelLog()
    try:
        proof = switch.activate(side)
    except NotActive as why:
        raise TrialFailed(f"not activated: {why}{_kernel_faults(log)}{_undo(switch)}") from None
    kept = switch.held
    try:
        yield proof
        switch.prove(side)
    except NotActive as why:
        kept = True  # it is put back here, so that the next trial activates it anew
        raise TrialFailed(f"not proven: {why}{_kernel_faults(log)}{_undo(switch)}") from None
    except TrialFailed as failure:
        raise type(failure)(f"{failure}{_kernel_faults(log)}") from None
    finally:
        left = "" if kept else _undo(switch)
    if left:
        raise TrialFailed(left.removeprefix("; "))


def _kernel_faults(log: KernelLog) -> str:
    """What the kernel's log reports since it was opened."""
    return "".join(f"; the kernel's log reports {name}: {text}" for name, text in log.faults())


def _undo(switch: Switch) -> str:
    """Put the subject back; what to add to the error's text where that does not work."""
    try:
        switch.deactivate()
    except NotActive as why:
        return f"; not put back: {why}"
    return ""


@contextmanager
def put_back(switch: Switch | None) -> Iterator[None]:
    """At the end, whatever side is active is put back; where it cannot be, that is G268."""
    try:
        yield
    finally:
        if switch is not None:
            try:
                switch.deactivate()
            except NotActive as why:
                raise MeasureError(
                    "G268",
                    f"the subject could not be put back: {why}.",
                    cure="Put it back by hand; what was measured is kept.",
                ) from None
