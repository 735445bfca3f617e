"""Losses planted into a command of hyperfine, and into a function that pytest-benchmark times.

A shell counts for a while before it becomes the command. The counting is CPU work in user space, so
`user`, `cpu` and `wall` all grow. The shell then replaces itself by the command, so that nothing
stands between it and hyperfine. What starting the shell costs is measured too and is part of the
plant.

A timed function waits busily after each call. A plugin of a few lines is laid beside the trial and
named with `-p`. It wraps what the stopwatch runs, inside the timed stretch, so every call of every
round grows by the same time.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.harness.base import Planter
from gate.model import Work

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.harness.base import Harness, TrialContext
    from gate.model import Benchmark, Profile


_TRIALS = 3
_SAMPLE = 400_000
"""Counts that take long enough to be timed, and not long."""
_SHELLS = frozenset({"default", "sh", "bash", "dash", "ash", "ksh", "zsh"})
_BUSY = """\
n=$1
shift
while [ "$n" -gt 0 ]; do n=$((n - 1)); done
[ $# -eq 0 ] || exec "$@"
"""


class PlantCommand(Planter):
    """Makes a command of hyperfine work longer."""

    def reaches(self, profile: Profile) -> tuple[str, ...]:
        """CPU first: it is the quietest."""
        return ("cpu", "user", "wall")

    def refusal(self, profile: Profile, benchmark: Benchmark) -> str:
        """A shell of unknown grammar cannot be given a line of its own."""
        words = profile.work.shell.split()
        shell = words[0].rpartition("/")[2] if words else ""
        if shell == "none" or shell in _SHELLS:
            return ""
        return f"no loss can be planted into a command of the shell {shell or 'given'}"

    def size(
        self, inner: Harness, context: TrialContext, loss: float, metric: str
    ) -> dict[str, str]:
        """Measure the command, the wrapper alone, and the wrapper counting."""
        own = typical_value(inner, context, metric)
        wrapper = typical_value(inner, _alone(context, 0), metric)
        counting = typical_value(inner, _alone(context, _SAMPLE), metric)
        each = (counting - wrapper) / _SAMPLE
        if each <= 0:
            raise TrialFailed("the planted work could not be timed: the host is too noisy")
        count = round((loss * own - wrapper) / each)
        if count < 1:
            raise TrialFailed(
                f"the command is too short for so small a loss: the wrapper that plants it takes "
                f"{wrapper * 1e3:.2f} ms, {loss:.1%} of the command are {loss * own * 1e3:.2f} ms"
            )
        return {"counts": str(count)}

    def slowed(self, context: TrialContext, settings: Mapping[str, str]) -> TrialContext:
        """The command behind its wrapper."""
        work = context.profile.work
        busy = _busy(context, int(settings["counts"]))
        between = " " if work.shell.strip() == "none" else "\n"
        return _with(context, replace(work, command=f"{busy}{between}{work.command}"))


def typical_value(inner: Harness, context: TrialContext, metric: str) -> float:
    """The median of a metric over the few trials that a plant is sized by."""
    readings = [inner.trial(context) for _ in range(_TRIALS)]
    return median([v.value for r in readings for v in r.values if v.metric == metric])


def _lay_out(context: TrialContext, name: str, text: str) -> Path:
    """A file of the plant in this trial's scratch."""
    place = context.scratch / name
    try:
        place.write_text(text, encoding="utf-8")
    except OSError as error:
        raise TrialFailed(f"the plant cannot be laid out: {error.strerror}") from None
    return place


def _alone(context: TrialContext, counts: int) -> TrialContext:
    return _with(context, Work(command=_busy(context, counts)))


def _with(context: TrialContext, work: Work) -> TrialContext:
    return replace(context, profile=replace(context.profile, work=work))


def _busy(context: TrialContext, counts: int) -> str:
    """The words that start the wrapper."""
    script = shlex.quote(str(_lay_out(context, "planted.sh", _BUSY)))
    return f"sh {script.replace('{', '{{').replace('}', '}}')} {counts}"


_LEAST = 2000
"""Nanoseconds; below this the clock of the waiting loop is too coarse."""
_VARIABLE = "DRIFTGATE_PLANTED_NS"
_PLUGIN = f'''\
"""Laid here by a calibration of driftgate: every timed call takes a known time longer."""
import functools
import os
from time import perf_counter_ns

from pytest_benchmark.fixture import BenchmarkFixture

_EXTRA = int(os.environ["{_VARIABLE}"])
_make_runner = BenchmarkFixture._make_runner


def _slowed(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        result = function(*args, **kwargs)
        end = perf_counter_ns() + _EXTRA
        while perf_counter_ns() < end:
            pass
        return result

    return call


def _slow_runner(self, function_to_benchmark, args, kwargs):
    return _make_runner(self, _slowed(function_to_benchmark), args, kwargs)


BenchmarkFixture._make_runner = _slow_runner
'''


class PlantPytest(Planter):
    """Makes a timed function take longer."""

    def reaches(self, profile: Profile) -> tuple[str, ...]:
        """Every summary of the rounds."""
        return ("minimum", "median", "mean")

    def size(
        self, inner: Harness, context: TrialContext, loss: float, metric: str
    ) -> dict[str, str]:
        """Measure the function."""
        extra = round(loss * typical_value(inner, context, metric) * 1e9)
        if extra < _LEAST:
            raise TrialFailed(
                f"the function is too short for so small a loss: {extra} ns cannot be waited for"
            )
        return {"nanoseconds": str(extra)}

    def slowed(self, context: TrialContext, settings: Mapping[str, str]) -> TrialContext:
        """The context with the plugin in it."""
        _lay_out(context, "driftgate_planted.py", _PLUGIN)
        paths = (str(context.scratch), context.environment.get("PYTHONPATH", ""))
        environment = dict(context.environment) | {
            "PYTHONPATH": ":".join(filter(None, paths)),
            _VARIABLE: settings["nanoseconds"],
        }
        work = context.profile.work
        work = replace(work, arguments=(*work.arguments, "-p", "driftgate_planted"))
        return replace(_with(context, work), environment=environment)
