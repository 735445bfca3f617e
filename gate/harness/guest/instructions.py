"""The instructions harness: a kernel booted in an emulated machine that counts what it executes.

A trial is one boot of the side's kernel. In it the command runs three times: once unmarked, to warm
up, then with few operations and with many. What an operation costs is the difference of the two
counts by the difference of the operations, so that starting the command costs nothing.

It counts work, not time: caches, locks that wait, and devices are no part of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError, TrialFailed
from gate.formats.profile.metric_kinds import INSTRUCTION_KINDS
from gate.formats.strict import export
from gate.harness.base import Reading
from gate.harness.expand import expand
from gate.harness.guest.booted_output import kernel_directory, qemu_version, read_guest_file
from gate.harness.guest.instructions_output import (
    answers_of_guest,
    demand_proof,
    functions,
    runs,
    timeout_error,
    values,
)
from gate.harness.process import Clock
from gate.model import Ran, Side
from gate.vm.archive import MissingProgram
from gate.vm.build import lay_out, read_side
from gate.vm.changes import changes_between, executed_functions
from gate.vm.machine import CountingBoot, counting_command
from gate.vm.plugin import compile_plugin
from gate.vm.symbols import Symbols

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.harness.base import TrialContext
    from gate.model import Changes, Profile, Touch
    from gate.model import Guest as GuestWanted
    from gate.vm.build import GuestFiles
    from gate.vm.changes import FunctionRuns
    from gate.vm.guest_output import Interval


def patch_coverage(
    changes: Changes, short: Interval, long: Interval, operations: tuple[int, int], symbols: str
) -> Touch:
    """Which of the changed functions both runs of a trial executed, counted on this side."""
    known = Symbols(symbols)
    functions = changes.functions
    unknown = changes.unknown
    if functions and "" not in known.owners():
        unknown = "; ".join(filter(None, (unknown, "the guest reported no function of its kernel")))
    few, many = (executed_functions(run.blocks, known, functions) for run in (short, long))
    more = operations[1] - operations[0]
    ran = {name: _ran(few.get(name), many.get(name), more) for name in {**few, **many}}
    order = sorted(ran, key=lambda name: (-ran[name].instructions, name))
    return changes.touch({name: ran[name] for name in order}, unknown)


def _ran(few: FunctionRuns | None, many: FunctionRuns | None, more: int) -> Ran:
    short, long = (one.instructions if one else 0 for one in (few, many))
    return Ran(
        instructions=float(long or short),
        per_operation=max(0.0, (long - short) / more),
        shared=any(one.shared for one in (few, many) if one),
    )


_SHORT, _LONG = "short", "long"


class Instructions:
    """Boots a side's kernel in QEMU and reads what our plugin counted."""

    name = "instructions"
    kinds: Mapping[str, MetricKind] = INSTRUCTION_KINDS

    def __init__(self) -> None:
        self._guests: dict[tuple[Path, str, str], GuestFiles] = {}
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
        number = context.profile.benchmarks.index(context.benchmark)
        place = context.work / "guests" / f"{context.side.value}-{number}"
        parts = _modules(context), _guest(context).programs, _steps(context)
        try:
            guest = lay_out(kernel_directory(context), *parts, place, context.environment)
        except (MissingProgram, OSError, InputError, MeasureError) as error:
            raise TrialFailed(f"the guest cannot be laid out: {error}") from error
        self._guests[_key(context)] = guest

    def trial(self, context: TrialContext) -> Reading:
        """Boot once, and read what was proven and counted."""
        guest = self._guests[_key(context)]
        wanted = _guest(context)
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
        console = read_guest_file(context.scratch / "console")
        text = read_guest_file(context.scratch / "answers")
        if outcome.timed_out:
            raise timeout_error(text, console, outcome)
        answers = answers_of_guest(text, console, outcome)
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


def _key(context: TrialContext) -> tuple[Path, str, str]:
    return context.work, context.benchmark.name, context.side.value


def _guest(context: TrialContext) -> GuestWanted:
    guest = context.profile.work.guest
    if guest is None:
        message = "the profile has no [guest]."
        raise InputError("G233", message, place=context.profile.path, cure="Add it.")
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
        raise InputError(
            "G233",
            "the command does not use {operations}, so the cost of one is unknown.",
            place=context.profile.path,
            cure='Use it, for example "dd if=/dev/nullb0 of=/dev/null count={operations}".',
        )
    before = (("prepare", expand(guest.prepare, context), False),) if guest.prepare else ()
    return (*before, ("warm", few, False), (_SHORT, few, True), (_LONG, many, True))
