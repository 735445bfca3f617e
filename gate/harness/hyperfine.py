"""The hyperfine harness: one command, run once per trial, so that every trial is its own.

And hyperfine's JSON export, of 1.x and of 2.x, read as runs, each with the values it has.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError, TrialFailed
from gate.formats.profile.metric_kinds import HYPERFINE_KINDS
from gate.formats.strict import document, export, finite, items, mapping, quote, safe_text, text_of
from gate.harness.base import Reading
from gate.harness.expand import completed_count, expand, output_values, printed_text
from gate.harness.process import Clock, ask, demand, finish
from gate.model import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.harness.base import Outcome, TrialContext
    from gate.model import Profile

OLDEST = (1, 15)
FIRST_UNKNOWN = 3
_CURE = (
    "Install hyperfine 1.15 or newer, below 3, with the system's package manager: "
    "apt install hyperfine."
)
_VERSION = re.compile(r"hyperfine ((\d+)\.(\d+)\S*)\s*")
_MISSING = {
    "memory": "hyperfine gives peak memory from version 1.20 on, and the kernel cannot report that "
    "of a command smaller than the gate itself, some 50 MB: install a newer hyperfine"
}


class Hyperfine:
    """Runs one command under hyperfine and reads the export."""

    name = "hyperfine"
    kinds: Mapping[str, MetricKind] = HYPERFINE_KINDS

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Ask hyperfine for its version."""
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
    exported = any(value.metric == "memory" for value in run.values)
    if exported or outcome.usage is None or outcome.usage.memory <= 0:
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


_MEASURED = {
    "time_wall_clock": ("wall", "second"),
    "time_user": ("user", "second"),
    "time_system": ("system", "second"),
    "memory_peak_resident": ("memory", "byte"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperfineRun:
    """One execution of a command."""

    exit_code: int | None
    """None where a signal ended it."""
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRuns:
    """All executions of one command, in the order in which they ran."""

    name: str
    """Its name, or the command where it has none, with its parameters; not made safe to show."""
    runs: tuple[HyperfineRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperfineDocument:
    """One export."""

    version: str
    """As exact as the export tells: 1.x exports name no version."""
    results: tuple[CommandRuns, ...]


def parse(text: str) -> HyperfineDocument:
    """Read an export of either schema.

    Raises:
        TrialFailed: it is broken, partial, of an unknown schema, or its counts disagree.
    """
    raw = mapping(document(text, "hyperfine's export"), "hyperfine's export")
    entries = [mapping(one, "a result") for one in items(raw.get("results"), "results")]
    if not entries:
        raise TrialFailed("hyperfine's export holds no result")
    if "schema_version" not in raw:
        return HyperfineDocument(version="1", results=tuple(_result_1(one) for one in entries))
    schema = raw["schema_version"]
    if schema != 2 or isinstance(schema, bool):
        raise TrialFailed(
            f"hyperfine's export has schema_version {safe_text(schema)}; "
            "known are 2 and the exports of hyperfine 1, which have none"
        )
    metadata = mapping(raw.get("metadata"), "metadata")
    version = quote(text_of(metadata.get("hyperfine_version"), "hyperfine_version"))
    return HyperfineDocument(version=version, results=tuple(_result_2(one) for one in entries))


def _result_1(entry: dict[str, object]) -> CommandRuns:
    full = _name(entry, entry.get("command"))
    name = quote(full)
    times = items(entry.get("times"), f"times of {name}")
    codes = items(entry.get("exit_codes"), f"exit_codes of {name}")
    memory = entry.get("memory_usage_byte")
    sizes = [None] * len(times) if memory is None else items(memory, f"memory of {name}")
    if not times or not len(times) == len(codes) == len(sizes):
        raise TrialFailed(
            f"hyperfine's export is partial: {len(times)} times, {len(codes)} exit codes "
            f"and {len(sizes)} memory figures for {name}"
        )
    # 1.x exports only the means of user and system: they are a run's own where it is the only
    # one, and no replicate of anything otherwise.
    single = {key: entry.get(key) for key in ("user", "system")} if len(times) == 1 else {}
    runs = [
        _run(code, {"wall": time, "memory": size, **single}, name)
        for time, code, size in zip(times, codes, sizes, strict=True)
    ]
    return CommandRuns(name=full, runs=tuple(runs))


def _result_2(entry: dict[str, object]) -> CommandRuns:
    full = _name(entry, entry.get("name") or entry.get("command"))
    name = quote(full)
    rows = [
        mapping(row, f"a measurement of {name}")
        for row in items(entry.get("measurements"), f"measurements of {name}")
    ]
    if not rows:
        raise TrialFailed(f"hyperfine's export holds no run of {name}")
    runs = []
    for row in rows:
        raw: dict[str, object] = {}
        for key, (metric, unit) in _MEASURED.items():
            if key in row:
                quantity = mapping(row[key], f"{key} of {name}")
                if quantity.get("unit") != unit:
                    raise TrialFailed(f"{key} of {name} is not in the unit {unit}")
                raw[metric] = finite(quantity.get("value"), f"{key} of {name}")
        if "exit_code" not in row:
            raise TrialFailed(f"a run of {name} has no exit code")
        runs.append(_run(row["exit_code"], raw, name))
    return CommandRuns(name=full, runs=tuple(runs))


def _name(entry: dict[str, object], label: object) -> str:
    name = text_of(label, "a command")
    given = mapping(entry.get("parameters") or {}, f"parameters of {quote(name)}")
    pairs = []
    for key, raw in given.items():
        value = raw.get("value") if isinstance(raw, dict) else raw
        pairs.append(f"{key}={safe_text(value)}")
    return f"{name}[{','.join(pairs)}]" if pairs else name


def _run(code: object, raw: dict[str, object], name: str) -> HyperfineRun:
    exit_code = None if code is None else int(finite(code, f"an exit code of {name}"))
    found = {
        metric: finite(value, f"{metric} of {name}")
        for metric, value in raw.items()
        if value is not None
    }
    if "wall" not in found:
        raise TrialFailed(f"a run of {name} has no wall-clock time")
    if min(found.values()) < 0:
        raise TrialFailed(f"a run of {name} has a negative figure")
    if "user" in found and "system" in found:
        found["cpu"] = found["user"] + found["system"]
    values = tuple(Value(metric=key, value=found[key]) for key in HYPERFINE_KINDS if key in found)
    return HyperfineRun(exit_code=exit_code, values=values)
