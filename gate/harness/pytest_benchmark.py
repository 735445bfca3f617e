"""The pytest-benchmark harness: one test, one fresh pytest process per trial.

Rounds inside a process share its hash seed, its memory layout and its luck: its JSON gives one
value per metric and test, the summary of its rounds. pytest-benchmark is the stopwatch; its own
comparison, which passes renamed, missing and NaN results, is not used.

The tests themselves are the project's own code and do as they like. What a profile adds must let
pytest start, and write, inside the project: `--basetemp=DIR` empties that directory, and a dozen
other options write a file by name.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError, TrialFailed
from gate.formats.names import why_not_literal, why_outside
from gate.formats.profile.metric_kinds import PYTEST_KINDS
from gate.formats.strict import (
    count,
    document,
    export,
    finite,
    items,
    last_line,
    mapping,
    quote,
    text_of,
)
from gate.harness.base import Harness, Reading
from gate.harness.expand import expand
from gate.harness.process import Clock, ask, demand, finish
from gate.model import Value
from gate.scratch import scratch_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.harness.base import Outcome, TrialContext
    from gate.model import Profile


_FIELDS = {"median": "median", "mean": "mean", "minimum": "min"}


def parse(text: str) -> tuple[str, dict[str, tuple[Value, ...]]]:
    """The version in the file of one process, and each measured test's values by its node id.

    Raises:
        TrialFailed: it is broken, a test is there twice or failed, or a figure is no time.
    """
    what = "pytest-benchmark's JSON"
    raw = mapping(document(text, what), what)
    version = quote(text_of(raw.get("version"), f"the version in {what}"))
    found: dict[str, tuple[Value, ...]] = {}
    for entry in items(raw.get("benchmarks"), f"benchmarks in {what}"):
        test = mapping(entry, f"a benchmark in {what}")
        name = text_of(test.get("fullname"), f"a test's fullname in {what}")
        if name in found:
            raise TrialFailed(f"{quote(name)} is there twice in {what}")
        found[name] = _values(test, quote(name))
    return version, found


def _values(test: dict[str, object], name: str) -> tuple[Value, ...]:
    if test.get("has_error"):
        raise TrialFailed(f"{name} failed")
    stats = mapping(test.get("stats"), f"stats of {name}")
    rounds = count(stats.get("rounds"), f"rounds of {name}")
    if rounds == 0:
        raise TrialFailed(f"{name} ran no round")
    values = []
    for metric, field in _FIELDS.items():
        value = finite(stats.get(field), f"{field} of {name}")
        if value <= 0:
            raise TrialFailed(f"{field} of {name} is {value:g} s: that is no time")
        values.append(Value(metric=metric, value=value, samples=rounds))
    return tuple(values)


_OPTIONS = "PYTEST_ADDOPTS"
_EMPTIES = "basetemp"
_SPLIT = re.compile(r"[=,:\s]")
_SHORT = re.compile(r"-[a-zA-Z](?=[^-])")


def confinement(context: TrialContext, directory: Path) -> str:
    """Why pytest must not be started so; empty when it may."""
    given = context.profile.work.directory or ""
    inside = [Path(context.profile.root), context.work]
    inside += [context.side_directory] if context.side_directory else []
    why = why_not_literal(given) or why_outside(directory, inside)
    if why:
        return f"pytest is not started in {quote(given or str(directory))}: {why}."
    for argument in _arguments(context):
        if _EMPTIES in argument:
            return f"pytest's argument {quote(argument)} would empty a directory."
        for piece in _pieces(argument):
            why = "it holds a variable" if "$" in piece else ""  # pytest expands it, and ~ too
            why = why or ("it holds a ~" if piece.startswith("~") else "")
            why = why or why_outside(directory / piece, inside)
            if why:
                return f"pytest's argument {quote(argument)} is refused: {why}."
    return ""


def _arguments(context: TrialContext) -> Iterator[str]:
    """What the profile gives to pytest, in the open or by the variable that pytest reads."""
    yield from context.profile.work.arguments
    sides = context.profile.sides.values()
    for variables in (context.profile.work.environment, *(one.environment for one in sides)):
        try:
            yield from shlex.split(variables.get(_OPTIONS, ""))
        except ValueError:
            yield variables[_OPTIONS]


def _pieces(argument: str) -> Iterator[str]:
    """Everything in an argument that pytest may take for a path."""
    for word in _SPLIT.split(argument):
        yield word
        if _SHORT.match(word):
            yield word[2:]


MAJOR = "5"
_NONE = "expected a measurement of exactly {}, got none: it was skipped or measures nothing"
_CURE = "Install it for the profile's interpreter: pip install 'pytest-benchmark>=5,<6'."
_VERSIONS = """
import importlib.metadata, platform
print(platform.python_version())
for name in ("pytest", "pytest-benchmark"):
    try:
        print(importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        print("-")
"""
_PLANNED = re.compile(r"^\s+(\S.*?::.*?) \(fixtures used: (.*)\)$", re.MULTILINE)
_PATIENCE = 60.0
"""Seconds for pytest to say which tests there are."""


def tests_in(directory: Path, wanted: str) -> tuple[str, ...]:
    """The ids of the tests in a pytest file, or below an id, that take the benchmark fixture.

    Raises:
        InputError: G201, pytest finds none.
    """
    plan = (sys.executable, "-m", "pytest", "--setup-plan", "-q", "-p", "no:cacheprovider", wanted)
    with scratch_directory("any") as place:  # else the plug-in makes a directory in the tree
        argv = (*plan, f"--benchmark-storage=file://{place}")
        try:
            done = subprocess.run(
                argv, cwd=directory, capture_output=True, text=True, timeout=_PATIENCE, check=False
            )
            said = done.stdout + done.stderr
        except (OSError, subprocess.TimeoutExpired) as error:
            said = str(error)
    found = _PLANNED.findall(said)
    tests = tuple(dict.fromkeys(name for name, used in found if "benchmark" in used.split(", ")))
    if not tests:
        heard = quote(said.strip()[-200:])
        why = f"pytest finds no test there that takes the benchmark fixture: {heard}"
        raise InputError(
            "G201", why, cure=f"Try: pytest --setup-plan {wanted}", place=str(directory / wanted)
        )
    return tests


_STATUS = {
    1: "the test failed",
    2: "pytest was interrupted",
    3: "pytest had an internal error",
    4: "pytest was called wrongly: the test or an option is not there",
    5: "pytest found no test of that name",
    6: "there were too many warnings",
}


class PytestBenchmark(Harness):
    """Runs one test under pytest-benchmark and reads its JSON."""

    name = "pytest-benchmark"
    kinds: Mapping[str, MetricKind] = PYTEST_KINDS

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Ask for the versions of Python, pytest and pytest-benchmark."""
        argv = (profile.work.python or sys.executable, "-c", _VERSIONS)
        said = ask(argv, environment, cure="Name an interpreter that is there: python = ...")
        names = ("python", "pytest", "pytest-benchmark")
        versions = dict(zip(names, (quote(word) for word in said.split()), strict=False))
        for name in names:
            if versions.get(name, "-") == "-":
                raise MeasureError("G230", f"{name} is not installed for {argv[0]}.", cure=_CURE)
        if versions["pytest-benchmark"].split(".")[0] != MAJOR:
            message = f"pytest-benchmark {versions['pytest-benchmark']} is not a version 5."
            raise MeasureError("G231", message, cure=_CURE)
        return versions

    def check(self, context: TrialContext) -> None:
        """Refuse a directory that is not there, and a test id that pytest takes for an option."""
        directory = _directory(context)
        if why := confinement(context, directory):
            cure = "Stay inside the project, or name the side with --base DIR or --head DIR."
            raise context.error("G254", why, cure)
        if not directory.is_dir():
            why = f"pytest is to start in {directory}, which is no directory."
            cure = "Correct directory in the profile, or the side's directory."
            raise context.error("G233", why, cure)
        if (target := _target(context)).startswith("-"):
            why = f"the test id {target} looks like an option."
            raise context.error("G233", why, "Write file.py::test_name.")

    def trial(self, context: TrialContext) -> Reading:
        """Run the test once in a fresh process."""
        directory = _directory(context)
        target = _target(context)
        output = context.scratch / "pytest-benchmark.json"
        output.unlink(missing_ok=True)
        work = context.profile.work
        argv = (
            *(work.python or sys.executable, "-m", "pytest"),
            # First, so that none of them can undo what follows.
            *work.arguments,
            *("-p", "no:cacheprovider", "-p", "no:xdist"),
            "--benchmark-enable",  # a project may disable benchmarks in its own settings
            "--benchmark-only",
            f"--benchmark-json={output}",
            # fullname counts from here, wherever an ini file is found.
            f"--rootdir={directory}",
            "-q",
            target,
        )
        _finish(Clock(context).run(argv, directory), target)
        if not output.exists():
            raise TrialFailed(_NONE.format(target))
        values = _only(export(output, "pytest"), target)
        demand(context, self.kinds, values, {})
        return Reading(values=values)


def _target(context: TrialContext) -> str:
    """The test's id; a benchmark's name may have parameters behind it."""
    return context.benchmark.target or context.benchmark.name


def _directory(context: TrialContext) -> Path:
    root = Path(context.profile.root)
    given = context.profile.work.directory
    if given is not None:
        return root / expand(given, context, quoted=False)
    return context.side_directory or root


def _finish(outcome: Outcome, expected: str) -> None:
    """Say what happened in the words of pytest's own statuses."""
    why = None if outcome.timed_out else _STATUS.get(outcome.status)
    if why is not None:
        said = last_line(outcome.output) or last_line(outcome.errors)
        raise TrialFailed(
            f"expected a measurement of {expected}, but {why} (status {outcome.status}): {said}"
        )
    finish(outcome, "pytest")


def _only(text: str, expected: str) -> tuple[Value, ...]:
    """Take the values of the expected test, which must be the only one measured."""
    _, found = parse(text)
    if not found:
        raise TrialFailed(_NONE.format(expected))
    if set(found) != {expected}:
        names = ", ".join(quote(name) for name in sorted(found)[:5])
        message = f"expected a measurement of exactly {expected}, got {len(found)}: {names}"
        raise TrialFailed(message)
    return found[expected]
