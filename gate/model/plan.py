"""What a session plans of each benchmark, which metrics apply to it, and the blocks of its pairs.

The first block is five pairs: ten trials in an order drawn from all 252, so that one block alone
can prove a loss at 1 %. Later ones are two pairs, so that a decision comes soon and a drifting
host has little time to drift inside one. A block is the unit of randomisation; a pair is a base
and a head trial of one block, and pairs are what is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model.profile import LOADED
from gate.model.session import Planned

if TYPE_CHECKING:
    from gate.model.metric import Metric
    from gate.model.profile import Benchmark, Profile


BACKGROUND_RATE = "background_rate"
"""What a background load did per second: there is none where it does not run."""


def plan_of(profile: Profile, benchmark: Benchmark, trials: int) -> Planned:
    """The plan of one benchmark of a profile."""
    loaded = is_loaded(profile, benchmark)
    return Planned(
        benchmark=benchmark.name,
        trials=trials,
        control=benchmark.control,
        group=benchmark.group,
        members=benchmark.members,
        without=(BACKGROUND_RATE,) if profile.background and not loaded else (),
    )


def applies(metric: Metric, plan: Planned) -> bool:
    """Whether a benchmark has a metric: groups have those that are made of their points' alone."""
    source = metric.derived.of if metric.derived else metric.name
    return metric.group == plan.group and source not in plan.without


def parameters_of(profile: Profile, benchmark: Benchmark) -> dict[str, str]:
    """The profile's fixed parameters and the benchmark's point of the matrix."""
    return profile.work.parameters | benchmark.params


def is_loaded(profile: Profile, benchmark: Benchmark) -> bool:
    """Whether the background load runs beside it; without a parameter `load` it always does."""
    if profile.background is None:
        return False
    return parameters_of(profile, benchmark).get("load", LOADED) == LOADED


BASE_TRIALS = 1
"""Trials of the base side among those of the screen, where both sides can run."""
FIRST_BLOCK = 5
NEXT_BLOCK = 2


def block_of(pair: int) -> int:
    """The block of a pair, both numbered from 0."""
    return 0 if pair < FIRST_BLOCK else 1 + (pair - FIRST_BLOCK) // NEXT_BLOCK


def pairs_in(block: int) -> range:
    """The numbers of a block's pairs."""
    if block == 0:
        return range(FIRST_BLOCK)
    start = FIRST_BLOCK + (block - 1) * NEXT_BLOCK
    return range(start, start + NEXT_BLOCK)
