"""A loss planted into a function that pytest-benchmark times: each call waits busily afterwards.

A plugin of a few lines is laid beside the trial and named with `-p`. It wraps what the stopwatch
runs, inside the timed stretch, so every call of every round grows by the same time.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.harness.base import TrialFailed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.harness.base import Harness, Reading, TrialContext
    from gate.model import Benchmark, Profile

TRIALS = 3
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


class PlantPytest:
    """Makes a timed function take longer."""

    def reaches(self, profile: Profile) -> tuple[str, ...]:
        """Every summary of the rounds."""
        del profile
        return ("minimum", "median", "mean")

    def refusal(self, profile: Profile, benchmark: Benchmark) -> str:
        """Nothing stands against it before it is sized."""
        del profile, benchmark
        return ""

    def size(
        self, inner: Harness, context: TrialContext, loss: float, metric: str
    ) -> dict[str, str]:
        """Measure the function."""
        readings = [inner.trial(context) for _ in range(TRIALS)]
        own = median([v.value for r in readings for v in r.values if v.metric == metric])
        extra = round(loss * own * 1e9)
        if extra < _LEAST:
            raise TrialFailed(
                f"the function is too short for so small a loss: {extra} ns cannot be waited for"
            )
        return {"nanoseconds": str(extra)}

    def slowed(self, context: TrialContext, settings: Mapping[str, str]) -> TrialContext:
        """The context with the plugin in it."""
        try:
            plugin = context.scratch / "driftgate_planted.py"
            plugin.write_text(_PLUGIN, encoding="utf-8")
        except OSError as error:
            raise TrialFailed(f"the plant cannot be laid out: {error.strerror}") from None
        paths = [str(context.scratch), context.environment.get("PYTHONPATH", "")]
        environment = dict(context.environment) | {
            "PYTHONPATH": ":".join(path for path in paths if path),
            _VARIABLE: settings["nanoseconds"],
        }
        work = context.profile.work
        work = replace(work, arguments=(*work.arguments, "-p", "driftgate_planted"))
        profile = replace(context.profile, work=work)
        return replace(context, profile=profile, environment=environment)

    def reading(
        self, context: TrialContext, reading: Reading, settings: Mapping[str, str]
    ) -> Reading:
        """As it was measured."""
        del context, settings
        return reading
