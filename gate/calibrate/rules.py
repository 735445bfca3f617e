"""The rules that can be tried, by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gate.calibrate import ours, peer
from gate.stats.peers.registry import PEERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from gate.calibrate.drawing import Pool, Suite
    from gate.calibrate.outcome import Ending

    Play = Callable[
        [Pool, Suite, tuple[float, ...], Random], tuple[tuple[Ending, ...], tuple[Ending, ...]]
    ]

LEAST_HISTORY = 10
"""No candidate has fewer sessions before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule."""

    name: str
    sides: bool
    """Whether it measures base and head beside each other."""
    history: int
    """Sessions before the candidate that it wants; a short recording gives `LEAST_HISTORY`."""
    play: Play
    """Endings of an unchanged suite, and of its first metric with each loss planted."""
    source: str
    """Its formula and defaults, in a line."""


QUESTIONS = tuple(
    Rule(
        name=f"driftgate-{builds}-build{'s' * (builds == 'fresh')}",
        sides=True,
        history=ours.SESSIONS_WITH_SIDES,
        play=partial(ours.play, sides=True, builds=builds),
        source=f"driftgate where each recorded session is another build: {what}",
    )
    for builds, what in (("one", "one build a side"), ("fresh", "a build for each trial"))
)
"""Not rules to use but questions to ask: tried only by name."""
_MOST_HISTORY = 31
"""Of another tool's longer history, what there is is taken."""

RULES = (
    Rule(
        name="driftgate",
        sides=True,
        history=ours.SESSIONS_WITH_SIDES,
        play=partial(ours.play, sides=True),
        source="screen against 10 sessions, then blocks of pairs; tolerance 5 %, tau 1 %",
    ),
    Rule(
        name="driftgate-strikes",
        sides=False,
        history=ours.SESSIONS_WITHOUT,
        play=partial(ours.play, sides=False),
        source="screen against 20 sessions, then fresh head sessions by ranks; 5 %, tau 1 %",
    ),
    *(
        Rule(
            name=one.name,
            sides=one.sides,
            history=max(LEAST_HISTORY, min(one.history, _MOST_HISTORY)),
            play=partial(peer.play, one),
            source=one.source,
        )
        for one in PEERS
    ),
)
