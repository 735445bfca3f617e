"""From what a guest reported and the plugin counted to values, or to why there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import TrialFailed, TrialTimeout
from gate.formats.strict import last_line, quote
from gate.harness.process import finish
from gate.model import MOST_FUNCTIONS, Value
from gate.vm.guest_output import Answers, Interval, fault_of, last_lines, read_answers, read_counts
from gate.vm.symbols import Symbols, by_function

if TYPE_CHECKING:
    from gate.harness.base import Outcome
    from gate.vm.build import GuestFiles
    from gate.vm.root import RootGuest

INTERVALS = 2
_REST = "all other functions"


def answers_of_guest(text: str, console: str, outcome: Outcome) -> Answers:
    """The guest's answers, provided it came to its end and its kernel reported no fault.

    Raises:
        TrialFailed: its kernel failed, a module or a step did, or it ended early; quotes the log.
    """
    answers = read_answers(text)
    fault = fault_of(console)
    if fault:
        raise TrialFailed(fault)
    if answers.refused:
        module, said = answers.refused
        raise TrialFailed(f"the module {module} does not load: {_first(said)}")
    for name, (status, said) in answers.steps.items():
        if status != 0:
            raise TrialFailed(f"in the guest, the {name} run ended with {status}: {_last(said)}")
    if answers.ended:
        finish(outcome, "QEMU")
        return answers
    if not answers.releases:
        finish(outcome, "QEMU")
        raise TrialFailed(f"the kernel did not boot; it said last: {_words(console)}")
    raise TrialFailed(
        f"the guest ended while it was at {quote(answers.at)}; it said last: {_words(console)}"
    )


def timeout_error(text: str, console: str, outcome: Outcome) -> TrialTimeout:
    """The error of a guest whose time was up: what it was at, and its last words."""
    at = read_answers(text).at
    where = f"while it was at {quote(at)}" if at else "before its kernel had booted"
    return TrialTimeout(
        f"the guest was killed after {outcome.duration:.1f} s, {where}: its time was up; "
        f"{fault_of(console) or f'it said last: {_words(console)}'}"
    )


def _words(console: str) -> str:
    return last_lines(console) or "nothing"


def _first(said: str) -> str:
    return quote(next((line for line in said.splitlines() if line.strip()), "it said nothing"))


def _last(said: str) -> str:
    return quote(last_line(said) or "it said nothing")


def demand_proof(answers: Answers, guest: GuestFiles | RootGuest) -> None:
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
        if len(said) != INTERVALS:
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


def runs(counts: str) -> tuple[Interval, Interval]:
    """The counts of the short and of the long run; there must be these two."""
    try:
        intervals = read_counts(counts)
    except ValueError as error:
        raise TrialFailed(f"the plugin's counts cannot be read: {error}") from error
    if len(intervals) != INTERVALS:
        raise TrialFailed(f"the plugin counted {len(intervals)} runs; expected {INTERVALS}")
    return intervals[0], intervals[1]


def functions(
    short: Interval, long: Interval, operations: tuple[int, int], symbols: str
) -> dict[str, float]:
    """Instructions of one operation by kernel function: those that took most, and the rest."""
    known = Symbols(symbols)
    few, many = by_function(short.blocks, known), by_function(long.blocks, known)
    more = operations[1] - operations[0]
    found = {name: (count - few.get(name, 0)) / more for name, count in many.items()}
    order = sorted(found, key=lambda name: (-found[name], name))[: MOST_FUNCTIONS - 1]
    kept = {name: found[name] for name in order if found[name] > 0}
    rest = (long.kernel - short.kernel) / more - sum(kept.values())
    return kept | ({_REST: rest} if rest > 0 else {})


def values(short: Interval, long: Interval, operations: tuple[int, int]) -> tuple[Value, ...]:
    """The four metrics out of the counts of the two runs; the longer must cost more."""
    more = operations[1] - operations[0]
    found = []
    for who, few, many in (
        ("kernel", short.kernel, long.kernel),
        ("user", short.programs, long.programs),
    ):
        if many <= few:
            raise TrialFailed(
                f"{operations[1]} operations cost the {who} {many} instructions, and "
                f"{operations[0]} cost {few}: the command does not do more of them"
            )
        found += [
            Value(metric=f"{who}_instructions_per_io", value=(many - few) / more, samples=more),
            Value(metric=f"{who}_instructions", value=float(many), samples=operations[1]),
        ]
    return tuple(found)
