"""The instructions harness: a kernel booted in an emulated machine that counts what it executes.

A trial is one boot of the side's kernel. In it the command runs three times: once unmarked, to warm
up, then with few operations and with many. What an operation costs is the difference of the two
counts by the difference of the operations, so that starting the command costs nothing.

It counts work, not time: caches, locks that wait, and devices are no part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.formats.profile.metric_kinds import INSTRUCTION_KINDS
from gate.formats.strict import export, last_line, quote
from gate.harness.base import Harness, Reading
from gate.harness.expand import expand
from gate.harness.guest.side_boot import (
    demand_no_fault,
    demand_proof,
    kernel_directory,
    laying_out,
    qemu_version,
    read_guest_file,
)
from gate.harness.process import Clock, finish
from gate.model import MOST_FUNCTIONS, Ran, Side, Value
from gate.vm.build import lay_out, read_side
from gate.vm.changes import FunctionRuns, changes_between, executed_functions
from gate.vm.guest_output import last_lines, read_answers, read_counts
from gate.vm.machine import CountingBoot, counting_command
from gate.vm.plugin import compile_plugin
from gate.vm.symbols import Symbols, by_function

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.harness.base import Outcome, TrialContext
    from gate.model import Changes, Profile, Touch
    from gate.model import Guest as GuestWanted
    from gate.vm.build import GuestFiles
    from gate.vm.guest_output import Answers, Interval


class Instructions(Harness):
    """Boots a side's kernel in QEMU and reads what our plugin counted."""

    name = "instructions"
    kinds: Mapping[str, MetricKind] = INSTRUCTION_KINDS

    def __init__(self) -> None:
        self._guests: dict[Path, GuestFiles] = {}
        """By the directory that each was laid out in."""
        self._sides: dict[tuple[str, Side], tuple[Path, tuple[str, ...]]] = {}
        self._changes: dict[str, Changes] = {}

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Ask QEMU for its version; build our plugin where it is not yet."""
        version = qemu_version(environment)
        compile_plugin("mark")
        return {"qemu": version, "plugin": compile_plugin("count").name.rpartition("-")[2]}

    def check(self, context: TrialContext) -> None:
        """Refuse a side without a kernel, or without the modules that the profile loads."""
        _steps(context)
        directory, modules = kernel_directory(context), _modules(context)
        read_side(directory, modules)
        self._sides[context.benchmark.name, context.side] = directory, modules

    def prepare(self, context: TrialContext) -> None:
        """Lay out the kernel and the first file system of this benchmark and side."""
        parts = _modules(context), _guest(context).programs, _steps(context)
        directory, place = kernel_directory(context), _place(context)
        with laying_out():
            self._guests[place] = lay_out(directory, *parts, place, context.environment)

    def trial(self, context: TrialContext) -> Reading:
        """Boot once, and read what was proven and counted."""
        guest, wanted = self._guests[_place(context)], _guest(context)
        boot = CountingBoot(
            kernel=guest.kernel,
            archive=guest.archive,
            plugin=compile_plugin("count"),
            directory=context.scratch,
            # Both sides of a pair get the same: what chance decides in a boot, it decides for both.
            seed=context.index + 1,
            machine=wanted,
        )
        guest.image.demand_unchanged()
        outcome = Clock(context).run(counting_command(boot), context.scratch)
        said, console = (read_guest_file(context.scratch / name) for name in ("answers", "console"))
        answers = answers_of_guest(said, console, outcome)
        demand_proof(answers, guest)
        changes = self._differing(context.benchmark.name)
        short, long = runs(export(context.scratch / "counts", "the plugin"))
        operations, symbols = wanted.operations, answers.symbols
        return Reading(
            values=values(short, long, operations),
            functions=functions(short, long, operations, symbols),
            coverage=changes and patch_coverage(changes, short, long, operations, symbols),
        )

    def _differing(self, benchmark: str) -> Changes | None:
        """What differs between the sides; None where only one of them is there."""
        if benchmark not in self._changes:
            base, head = (self._sides.get((benchmark, side)) for side in (Side.BASE, Side.HEAD))
            if base is None or head is None:
                return None
            self._changes[benchmark] = changes_between(base, head)
        return self._changes[benchmark]


def _place(context: TrialContext) -> Path:
    """Where the guest of a benchmark and side is laid out; profiles that take turns share none."""
    profile = context.profile
    number = profile.benchmarks.index(context.benchmark)
    return context.work / "guests" / profile.name / f"{context.side.value}-{number}"


def _guest(context: TrialContext) -> GuestWanted:
    guest = context.profile.work.guest
    if guest is None:
        raise context.error("G233", "the profile has no [guest].", "Add it.")
    return guest


def _modules(context: TrialContext) -> tuple[str, ...]:
    return tuple(expand(line, context, quoted=False) for line in _guest(context).modules)


def _steps(context: TrialContext) -> tuple[tuple[str, str, bool], ...]:
    """The guest's steps: each a name, its shell text, and whether it is counted."""
    guest, text = _guest(context), context.profile.work.command or ""
    few, many = (
        expand(text, context, more={"operations": str(number)}) for number in guest.operations
    )
    if few == many:
        why = "the command does not use {operations}, so the cost of one is unknown."
        cure = 'Use it, for example "dd if=/dev/nullb0 of=/dev/null count={operations}".'
        raise context.error("G233", why, cure)
    before = (("prepare", expand(guest.prepare, context), False),) if guest.prepare else ()
    return (*before, ("warm", few, False), ("short", few, True), ("long", many, True))


def answers_of_guest(text: str, console: str, outcome: Outcome) -> Answers:
    """The guest's answers, provided it came to its end and its kernel reported no fault.

    Raises:
        TrialFailed: its kernel failed, a module or a step did, or it ended early; quotes the log.
    """
    answers = read_answers(text)
    demand_no_fault(answers, console, outcome)
    for name, (status, said) in answers.steps.items():
        if status != 0:
            last = quote(last_line(said) or "it said nothing")
            raise TrialFailed(f"in the guest, the {name} run ended with {status}: {last}")
    if answers.ended or not answers.releases:
        finish(outcome, "QEMU")
    if not answers.ended:
        at = f"the guest ended while it was at {quote(answers.at)}"
        end = at if answers.releases else "the kernel did not boot"
        raise TrialFailed(f"{end}; it said last: {last_lines(console) or 'nothing'}")
    return answers


def runs(counts: str) -> tuple[Interval, Interval]:
    """The counts of the short and of the long run; there must be these two."""
    try:
        intervals = read_counts(counts)
    except ValueError as error:
        raise TrialFailed(f"the plugin's counts cannot be read: {error}") from error
    if len(intervals) != 2:
        raise TrialFailed(f"the plugin counted {len(intervals)} runs; expected 2")
    return intervals[0], intervals[1]


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


def functions(
    short: Interval, long: Interval, operations: tuple[int, int], symbols: str
) -> dict[str, float]:
    """Instructions of one operation by kernel function: those that took most, and the rest."""
    known, more = Symbols(symbols), operations[1] - operations[0]
    few, many = by_function(short.blocks, known), by_function(long.blocks, known)
    found = {name: (count - few.get(name, 0)) / more for name, count in many.items()}
    order = sorted(found, key=lambda name: (-found[name], name))[: MOST_FUNCTIONS - 1]
    kept = {name: found[name] for name in order if found[name] > 0}
    rest = (long.kernel - short.kernel) / more - sum(kept.values())
    return kept | ({"all other functions": rest} if rest > 0 else {})


def patch_coverage(
    changes: Changes, short: Interval, long: Interval, operations: tuple[int, int], symbols: str
) -> Touch:
    """Which of the changed functions both runs of a trial executed, counted on this side."""
    known, more = Symbols(symbols), operations[1] - operations[0]
    changed, unknown = changes.functions, changes.unknown
    if changed and "" not in known.owners():
        unknown = "; ".join(filter(None, (unknown, "the guest reported no function of its kernel")))
    few, many = (executed_functions(run.blocks, known, changed) for run in (short, long))
    none = FunctionRuns(0, shared=False)
    both = {name: (few.get(name, none), many.get(name, none)) for name in {**few, **many}}
    ran = {
        name: Ran(
            instructions=float(larger.instructions or smaller.instructions),
            per_operation=max(0.0, (larger.instructions - smaller.instructions) / more),
            shared=smaller.shared or larger.shared,
        )
        for name, (smaller, larger) in both.items()
    }
    order = sorted(ran, key=lambda name: (-ran[name].instructions, name))
    return changes.touch({name: ran[name] for name in order}, unknown)
