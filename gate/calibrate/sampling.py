"""Playing a rule on many drawn suites, in parts that may run anywhere and in any order."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from gate.calibrate.drawing import draw_suite
from gate.calibrate.outcome import AT_TOLERANCE, PLANTS, Tally
from gate.calibrate.rules import LEAST_HISTORY

if TYPE_CHECKING:
    from gate.calibrate.drawing import Pool
    from gate.calibrate.rules import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some of the draws of one rule."""

    rule: int
    """Place in the list of rules."""
    size: int
    """Metrics of a suite."""
    draws: int
    planted: bool
    """Whether losses are planted, too."""
    seed: str
    """Of its own, so that parts can be computed in any order."""


def played(part: Part, rule: Rule, pool: Pool) -> Tally:
    """The tally of one part."""
    dice = Random(part.seed)  # noqa: S311 - not for secrets
    tally = Tally()
    history = pool.history(rule.history, LEAST_HISTORY)
    plants = (*PLANTS, AT_TOLERANCE) if part.planted else ()
    for _ in range(part.draws):
        suite = draw_suite(pool, part.size, dice, history)
        unchanged, slower = rule.play(pool, suite, plants, dice)
        tally.add_unchanged(unchanged)
        quiet = suite.series[0].name in pool.quiet
        for loss, ending in zip(plants, slower, strict=True):
            tally.add_planted(loss, ending, quiet=quiet)
    return tally
