"""The noise of every series of a suite, each with the help of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.stats.costs import LEAST_SESSIONS, usable
from gate.stats.noise import moderated, noise_of, prior_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.judge.series import Series
    from gate.stats.noise import Noise

Key = tuple[str, str, str]


def key_of(series: Series) -> Key:
    """Profile, benchmark and metric."""
    return series.case.profile, series.benchmark, series.metric.name


def suite_noises(suite: Iterable[Series]) -> dict[Key, Noise]:
    """The noise of each series that has enough accepted sessions to tell."""
    alone: dict[Key, Noise] = {}
    for series in suite:
        if not series.sessions or not all(usable(values) for values in series.sessions):
            continue
        known, level = series.reference
        if len(known) >= LEAST_SESSIONS:
            alone[key_of(series)] = noise_of(known, level=level)
    prior = prior_of(tuple(alone.values()))
    return {key: moderated(noise, prior) for key, noise in alone.items()}
