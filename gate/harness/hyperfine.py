"""The hyperfine harness: one command, run once per trial, so that every trial is its own.

And hyperfine's JSON export, of 1.x and of 2.x, read as runs, each with the values it has.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.formats.profile.metric_kinds import HYPERFINE_KINDS
from gate.formats.strict import document, export, finite, items, mapping, quote, safe_text, text_of
from gate.harness.base import Harness, Reading
from gate.harness.expand import completed_count, expand, output_values, work_done
from gate.harness.process import Clock, ask_version, demand, finish
from gate.linux.shell import has_pipe, sh_words, shell_words
from gate.model import Expectation, Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.harness.base import Outcome, TrialContext
    from gate.model import Profile

_OLDEST, _UNKNOWN = (1, 15), (3, 0)
_CURE = (
    "Install hyperfine 1.15 or newer, below 3, with the system's package manager: "
    "apt install hyperfine."
)
_PIPED = 'Write shell = "bash"; a "|" that is a word of the command stands in quotes.'
_MISSING_PROGRAM, _SIGNALLED = 127, 128
_VERSION = re.compile(r"\Ahyperfine ((\d+)\.(\d+)\S*)\s*\Z")
_MISSING = {
    "memory": "hyperfine gives peak memory from version 1.20 on, and the kernel cannot report that "
    "of a command smaller than the gate itself, some 50 MB: install a newer hyperfine"
}


class Hyperfine(Harness):
    """Runs one command under hyperfine and reads the export."""

    name = "hyperfine"
    kinds: Mapping[str, MetricKind] = HYPERFINE_KINDS

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Ask hyperfine for its version."""
        version = ask_version(
            "hyperfine", _VERSION, environment, oldest=_OLDEST, below=_UNKNOWN, cure=_CURE
        )
        return {"hyperfine": version}

    def check(self, context: TrialContext) -> None:
        """Refuse a command that cannot be expanded or split."""
        _commands(context)

    def trial(self, context: TrialContext) -> Reading:
        """Prepare, warm up, then run the command once under hyperfine."""
        work, clock, root = context.profile.work, Clock(context), Path(context.profile.root)
        prepare, warm_up, measured = _commands(context)
        if prepare is not None:
            finish(clock.run(prepare, root), "the prepare command")
        for _ in range(work.warmup):
            finish(clock.run(warm_up, root), "a warm-up run")
        output, printed = (context.scratch / name for name in ("hyperfine.json", "printed.txt"))
        for left_behind in (output, printed):
            left_behind.unlink(missing_ok=True)
        # Only flags that 1.15 and 2.x share. How the command ended is read from the export.
        argv = ("hyperfine", "--runs", "1", "--shell=none", "--export-json", str(output))
        expect = work.expect or Expectation()
        reads = bool(work.outputs or expect.stdout or expect.figure)
        redirect = (f"--output={printed}",) if reads else ()
        words = (*argv, *redirect, "--ignore-failure", "--", measured)
        outcome = finish(clock.run(words, root), "hyperfine")
        run = _only_run(export(output, "hyperfine"), expect.status)
        said = export(printed, "the command", empty=True) if reads else ""
        done, figures = work_done(said, expect), output_values(said, work.outputs)
        values = (*run.values, *_memory(run, outcome), *figures, *done)
        demand(context, self.kinds, values, _MISSING)
        return Reading(values=values, work=completed_count(work, figures))


def _memory(run: HyperfineRun, outcome: Outcome) -> tuple[Value, ...]:
    """Peak memory as the kernel tells it, where the export has none."""
    exported = any(value.metric == "memory" for value in run.values)
    if exported or outcome.usage is None or outcome.usage.memory <= 0:
        return ()
    return (Value(metric="memory", value=outcome.usage.memory),)


def _only_run(text: str, status: int = 0) -> HyperfineRun:
    """Find the one run of the one result, which must have ended so and taken time."""
    _, results = parse(text)
    counts = [len(result.runs) for result in results]
    if counts != [1]:
        raise TrialFailed(
            f"hyperfine's export holds {len(results)} results with {sum(counts)} runs; "
            "expected 1 with 1"
        )
    run = results[0].runs[0]
    if run.exit_code != status:
        end = "a signal" if run.exit_code is None else f"status {run.exit_code}"
        wanted = f", not with {status} as expected" if status else ""
        why = _of_shell(run.exit_code or 0)
        raise TrialFailed(f"the command ended with {end}{why}{wanted}")
    if next(value.value for value in run.values if value.metric == "wall") <= 0:
        raise TrialFailed(
            "the wall-clock time is 0: the command is below the clock's resolution; "
            'let it do more work, or use shell = "none"'
        )
    return run


def _of_shell(status: int) -> str:
    """What a shell means by such a status, where it means more than its number."""
    if status == _MISSING_PROGRAM:
        return ", as a shell does that finds no such program"
    number = status - _SIGNALLED
    return f", as a shell does whose program signal {number} ended" if 0 < number < 65 else ""


def _commands(context: TrialContext) -> tuple[tuple[str, ...] | None, tuple[str, ...], str]:
    """The words of the prepare command and of the measured one, and the latter for hyperfine.

    A shell is put before the command here: hyperfine would try it out first, and that would be a
    part of what the trial costs.
    """
    work = context.profile.work
    if work.command is None or not work.command.strip():
        raise context.error("G233", "the profile names no command.", 'Add command = "...".')
    command = expand(work.command, context)
    own = context.environment
    prepare = None if work.prepare is None else sh_words(expand(work.prepare, context), own)
    try:
        words = tuple(shlex.split(command if work.shell == "none" else work.shell))
    except ValueError as error:
        why = f"the command cannot be split into words: {error}."
        raise context.error("G233", why, "Close every quotation mark.") from None
    if work.shell == "none":
        if "|" in words and has_pipe(command):
            why = f"“{quote(command)}” has a pipe, and no shell runs it."
            raise context.error("G283", why, _PIPED)
        return prepare, words, command
    if not words:
        cure = 'Write shell = "none", or name a shell.'
        raise context.error("G233", "shell is empty.", cure)
    words = shell_words(command, own, ("sh",) if work.shell == "default" else words)
    return prepare, words, shlex.join(words)


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


def parse(text: str) -> tuple[str, tuple[CommandRuns, ...]]:
    """The version of an export, as exact as it tells (`1` for all of 1.x), and its results.

    Raises:
        TrialFailed: it is broken, partial, of an unknown schema, or its counts disagree.
    """
    raw = mapping(document(text, "hyperfine's export"), "hyperfine's export")
    entries = [mapping(one, "a result") for one in items(raw.get("results"), "results")]
    if not entries:
        raise TrialFailed("hyperfine's export holds no result")
    version, runs, label = "1", _runs_1, "command"
    if "schema_version" in raw:
        schema = raw["schema_version"]
        if schema != 2 or isinstance(schema, bool):
            raise TrialFailed(
                f"hyperfine's export has schema_version {safe_text(schema)}; "
                "known are 2 and the exports of hyperfine 1, which have none"
            )
        metadata = mapping(raw.get("metadata"), "metadata")
        version = quote(text_of(metadata.get("hyperfine_version"), "hyperfine_version"))
        runs, label = _runs_2, "name"
    named = [(_name(entry, label), entry) for entry in entries]
    results = tuple(
        CommandRuns(name=name, runs=tuple(runs(entry, quote(name)))) for name, entry in named
    )
    return version, results


def _runs_1(entry: dict[str, object], name: str) -> Iterator[HyperfineRun]:
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
    for time, code, size in zip(times, codes, sizes, strict=True):
        yield _run(code, {"wall": time, "memory": size, **single}, name)


def _runs_2(entry: dict[str, object], name: str) -> Iterator[HyperfineRun]:
    rows = items(entry.get("measurements"), f"measurements of {name}")
    if not rows:
        raise TrialFailed(f"hyperfine's export holds no run of {name}")
    for one in rows:
        row = mapping(one, f"a measurement of {name}")
        raw: dict[str, object] = {}
        for key, (metric, unit) in _MEASURED.items():
            if key in row:
                quantity = mapping(row[key], f"{key} of {name}")
                if quantity.get("unit") != unit:
                    raise TrialFailed(f"{key} of {name} is not in the unit {unit}")
                raw[metric] = finite(quantity.get("value"), f"{key} of {name}")
        if "exit_code" not in row:
            raise TrialFailed(f"a run of {name} has no exit code")
        yield _run(row["exit_code"], raw, name)


def _name(entry: dict[str, object], label: str) -> str:
    """What stands under the label, or else the command, with its parameters."""
    name = text_of(entry.get(label) or entry.get("command"), "a command")
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
