"""The steady state: trials are set aside until their own series has settled.

A drive that was just emptied is fast until it has to clean up, and a full one settles slowly.
The criterion is that of SNIA's Solid State Storage Performance Test Specification: over a window
of rounds the values keep within 20 % of their mean, and their best line moves by at most 10 %.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean, linear_regression
from typing import TYPE_CHECKING, NamedTuple

from gate.measure.trial import make_trial
from gate.model import UNSTEADY, Disturbance, TrialStatus
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.measure.recorder import SessionRecorder
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, Steady


class Window(NamedTuple):
    """How much the last values moved, as ratios of their mean."""

    range: float
    slope: float

    def within(self, steady: Steady) -> bool:
        """Whether that is steady."""
        return self.range <= steady.range and self.slope <= steady.slope


def window_of(values: Sequence[float]) -> Window:
    """Spread, and what the least-squares line moves from the first value to the last."""
    mean = fmean(values)
    moved = abs(linear_regression(range(len(values)), values).slope) * (len(values) - 1)
    return Window((max(values) - min(values)) / mean, moved / mean)


def settle(run: RunContext, recorder: SessionRecorder, benchmark: Benchmark) -> bool:
    """Run a benchmark until its values are steady; every trial of it is kept, and set aside.

    Whether trials that count may follow: at once where the profile asks for no steady state, and
    never where it is not reached at the limit, which a failed trial records.
    """
    steady = run.profile.storage.steady if run.profile.storage else None
    if steady is None:
        return True
    values: list[float] = []
    for number in range(1, steady.limit + 1):
        session = recorder.session
        index = sum(one.benchmark == benchmark.name for one in session.trials)
        trial = make_trial(run, session, benchmark, index)
        if trial.status is TrialStatus.OK:
            values += [one.value for one in trial.values if one.metric == steady.metric]
        last = values[-steady.window :]
        window = window_of(last) if len(last) == steady.window and min(last) > 0 else None
        settled = window is not None and window.within(steady)
        never = number == steady.limit and not settled
        text = _text(window, len(last), steady)
        if never:
            note = f"the storage was not steady after {steady.limit} trials: {text}"
            if trial.status not in {TrialStatus.OK, TrialStatus.ASIDE}:
                note = trial.note  # what failed by itself says more
            trial = replace(trial, status=TrialStatus.FAILED, values=(), note=note, aside=())
        elif trial.status is TrialStatus.OK:
            why = (Disturbance(kind=UNSTEADY, text=text),)
            trial = replace(trial, status=TrialStatus.ASIDE, aside=why)
        recorder.add(trial)
        run.report(session.side, trial, number, None)
        if settled or trial.status is not TrialStatus.ASIDE:
            return settled
    return False


def _text(window: Window | None, trials: int, steady: Steady) -> str:
    if window is None:
        return f"{trials} of the {steady.window} trials that show whether it is steady"
    spread, most, drift, most_drift = (
        percent(one, signed=False)
        for one in (window.range, steady.range, window.slope, steady.slope)
    )
    return (
        f"over {steady.window} trials {steady.metric} ranges over {spread} ({most} is steady) "
        f"and drifts by {drift} ({most_drift})"
    )
