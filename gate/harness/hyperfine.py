"""The hyperfine harness: one command, run once per trial, so that every trial is its own."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError, TrialFailed
from gate.formats.profile.metric_kinds import HYPERFINE_KINDS
from gate.formats.strict import export, quote
from gate.harness.base import Reading
from gate.harness.expand import completed_count, expand, output_values, printed_text
from gate.harness.hyperfine_output import parse
from gate.harness.process import Clock, ask, demand, finish
from gate.model import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.harness.base import Outcome, TrialContext
    from gate.harness.hyperfine_output import HyperfineRun
    from gate.model import Profile

OLDEST = (1, 15)
FIRST_UNKNOWN = 3
_CURE = (
    "Install hyperfine 1.15 or newer, below 3, with the system's package manager: "
    "apt install hyperfine."
)
_VERSION = re.compile(r"hyperfine ((\d+)\.(\d+)\S*)\s*")
_MISSING = {
    "memory": "hyperfine gives peak memory from version 1.20 on, and the kernel cannot tell it of "
    "a command smaller than the gate itself, some 50 MB: install a newer hyperfine"
}


class Hyperfine:
    """Runs one command under hyperfine and reads the export."""

    name = "hyperfine"
    kinds: Mapping[str, MetricKind] = HYPERFINE_KINDS

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Ask hyperfine for its version."""
        del profile
        said = ask(("hyperfine", "--version"), environment, cure=_CURE)
        match = _VERSION.fullmatch(said)
        if match is None:
            message = f"hyperfine does not say its version: {quote(said)}."
            raise MeasureError("G231", message, cure=_CURE)
        if (int(match[2]), int(match[3])) < OLDEST or int(match[2]) >= FIRST_UNKNOWN:
            message = f"hyperfine {quote(match[1])} is not a version that the gate knows."
            raise MeasureError("G231", message, cure=_CURE)
        return {"hyperfine": quote(match[1])}

    def check(self, context: TrialContext) -> None:
        """Refuse a command that cannot be expanded or split."""
        command = _command(context)
        _prepare_command(context)
        _warmup_argv(context, command)
        if not context.profile.work.shell.strip():
            raise _wrong(context, "shell is empty.", 'Write shell = "none", or name a shell.')

    def prepare(self, context: TrialContext) -> None:
        """Nothing: `prepare` of the profile belongs to every trial."""

    def trial(self, context: TrialContext) -> Reading:
        """Prepare, warm up, then run the command once under hyperfine."""
        clock = Clock(context)
        root = Path(context.profile.root)
        command = _command(context)
        prepare = _prepare_command(context)
        if prepare is not None:
            finish(clock.run(("sh", "-c", prepare), root), "the prepare command")
        for _ in range(context.profile.work.warmup):
            finish(clock.run(_warmup_argv(context, command), root), "a warm-up run")
        output = context.scratch / "hyperfine.json"
        output.unlink(missing_ok=True)
        # Only flags that 1.15 and 2.x share. A shell is put before the command here: hyperfine
        # would try it out first, and that would be a part of what the trial costs.
        shell = context.profile.work.shell
        started = command if shell == "none" else shlex.join(_warmup_argv(context, command))
        flags: tuple[str, ...] = ("--runs", "1", "--shell=none", "--export-json", str(output))
        printed = context.scratch / "printed.txt"
        printed.unlink(missing_ok=True)
        outputs = context.profile.work.outputs
        redirect = (f"--output={printed}",) if outputs else ()
        outcome = finish(
            clock.run(("hyperfine", *flags, *redirect, "--", started), root), "hyperfine"
        )
        run = _only_run(export(output, "hyperfine"))
        figures = output_values(printed_text(printed), outputs) if outputs else ()
        values = (*run.values, *_memory(run, outcome), *figures)
        demand(context, self.kinds, values, _MISSING)
        return Reading(values=values, work=completed_count(context.profile.work, figures))


def _memory(run: HyperfineRun, outcome: Outcome) -> tuple[Value, ...]:
    """Peak memory as the kernel tells it, where the export has none."""
    told = any(value.metric == "memory" for value in run.values)
    if told or outcome.usage is None or outcome.usage.memory <= 0:
        return ()
    return (Value(metric="memory", value=outcome.usage.memory),)


def _only_run(text: str) -> HyperfineRun:
    """Find the one run of the one result, which must have ended well and taken time."""
    results = parse(text).results
    counts = [len(result.runs) for result in results]
    if counts != [1]:
        raise TrialFailed(
            f"hyperfine's export holds {len(results)} results with {sum(counts)} runs; "
            "expected 1 with 1"
        )
    run = results[0].runs[0]
    if run.exit_code != 0:
        end = "a signal" if run.exit_code is None else f"status {run.exit_code}"
        raise TrialFailed(f"the command ended with {end}")
    if next(value.value for value in run.values if value.metric == "wall") <= 0:
        raise TrialFailed(
            "the wall-clock time is 0: the command is below the clock's resolution; "
            'let it do more work, or use shell = "none"'
        )
    return run


def _command(context: TrialContext) -> str:
    command = context.profile.work.command
    if command is None or not command.strip():
        raise _wrong(context, "the profile names no command.", 'Add command = "...".')
    return expand(command, context)


def _prepare_command(context: TrialContext) -> str | None:
    prepare = context.profile.work.prepare
    return None if prepare is None else expand(prepare, context)


def _warmup_argv(context: TrialContext, command: str) -> tuple[str, ...]:
    """Give the command as hyperfine would start it."""
    shell = context.profile.work.shell
    try:
        if shell == "none":
            return tuple(shlex.split(command))
        words = ["sh"] if shell == "default" else shlex.split(shell)
    except ValueError as error:
        cure = "Close every quotation mark."
        raise _wrong(context, f"the command cannot be split into words: {error}.", cure) from None
    return (*words, "-c", command)


def _wrong(context: TrialContext, message: str, cure: str) -> InputError:
    return InputError("G233", message, place=context.profile.path, cure=cure)
