"""The pytest-benchmark harness: one test, one fresh pytest process per trial.

Rounds inside a process share its hash seed, its memory layout and its luck; they are
summarised, never counted. pytest-benchmark is the stopwatch; its own comparison, which passes
renamed, missing and NaN results, is not used.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError
from gate.harness.base import Reading, TrialFailed
from gate.harness.expand import expand
from gate.harness.process import Clock, ask, demand, export, finish
from gate.harness.pytest_confined import confinement
from gate.harness.pytest_output import PYTEST_KINDS, parse
from gate.harness.strict import last_line, quote

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.harness.base import MetricKind, Outcome, TrialContext
    from gate.model import Profile, Value

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
_STATUS = {
    1: "the test failed",
    2: "pytest was interrupted",
    3: "pytest had an internal error",
    4: "pytest was called wrongly: the test or an option is not there",
    5: "pytest found no test of that name",
    6: "there were too many warnings",
}


class PytestBenchmark:
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
        place = context.profile.path
        if why := confinement(context, directory):
            raise InputError(
                "G254",
                why,
                place=place,
                cure="Stay inside the project, or name the side with --base DIR or --head DIR.",
            )
        if not directory.is_dir():
            raise InputError(
                "G233",
                f"pytest is to start in {directory}, which is no directory.",
                place=place,
                cure="Mend directory in the profile, or the side's directory.",
            )
        target = _target(context)
        if target.startswith("-"):
            message = f"the test id {target} looks like an option."
            raise InputError("G233", message, place=place, cure="Write file.py::test_name.")

    def prepare(self, context: TrialContext) -> None:
        """Nothing: every trial starts from the files as they are."""

    def trial(self, context: TrialContext) -> Reading:
        """Run the test once in a fresh process."""
        directory = _directory(context)
        target = _target(context)
        output = context.scratch / "pytest-benchmark.json"
        output.unlink(missing_ok=True)
        work = context.profile.work
        argv = (
            work.python or sys.executable,
            "-m",
            "pytest",
            # First, so that none of them can undo what follows.
            *work.arguments,
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
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
    found = dict(parse(text).benchmarks)
    if not found:
        raise TrialFailed(_NONE.format(expected))
    if set(found) != {expected}:
        names = ", ".join(quote(name) for name in sorted(found)[:5])
        message = f"expected a measurement of exactly {expected}, got {len(found)}: {names}"
        raise TrialFailed(message)
    return found[expected]
