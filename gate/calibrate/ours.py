"""Our own rule, played on a suite by the judge's own functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.calibrate.drawing import block, slow_values, some
from gate.calibrate.outcome import AT_TOLERANCE, MetricEnding
from gate.calibrate.stage import PLAN, POLICY, Screening, first_stage, plant_loss, session
from gate.judge.first_stage import FirstStage
from gate.judge.verdict.interim_analysis import EARLY_LOOK
from gate.judge.verdict.pair_words import words_of
from gate.judge.verdict.rank_test import by_strikes
from gate.judge.verdict.screening import Flagged
from gate.judge.verdict.tolerance import promises
from gate.model import Finding, Verdict
from gate.model.plan import pairs_in
from gate.stats.costs import log_costs
from gate.stats.martingale import decide
from gate.stats.strikes import strikes_needed

if TYPE_CHECKING:
    from random import Random

    from gate.calibrate.drawing import DrawnSuite, Pool, Trials
    from gate.judge.verdict.series import Series
    from gate.model.calibration import RecordedSeries

SESSIONS_WITH_SIDES = 10
SESSIONS_WITHOUT = 20
_PROFILE = "recorded"
_WORDS = {
    Verdict.REGRESSED: "closed",
    Verdict.PASSED: "passed",
    Verdict.IMPROVED: "passed",
    Verdict.BROKEN: "refused",
}

Endings = tuple[tuple[MetricEnding, ...], tuple[MetricEnding, ...]]
"""Of the unchanged suite, and of its first metric with each loss planted."""


def play(
    pool: Pool,
    suite: DrawnSuite,
    plants: tuple[float, ...],
    dice: Random,
    *,
    sides: bool,
    builds: str = "same",
    today: bool = False,
) -> Endings:
    """Our rule on a suite: a screen, then blocks of pairs or fresh head sessions.

    `builds` asks what rebuilding does where each recorded session is another build of one
    source: `one` per side, or a `fresh` one for each trial. `today` takes all fresh head sessions
    from the candidate's own sitting, as a check in one go does.
    """
    sessions = SESSIONS_WITH_SIDES if sides else SESSIONS_WITHOUT
    screening = first_stage(pool, suite, dice, sessions=sessions, sides=sides, builds=builds)
    if screening.unfit:
        ends = tuple(MetricEnding(verdict="refused", trials=_spent(s)) for s in screening.series)
        return ends, (ends[0],) * len(plants)
    stage = _Confirmation(pool, suite, screening, dice, sides, builds, today)
    unchanged = stage.endings(screening.answers, (0.0,) * len(suite.series))
    first, *others = screening.answers
    own = first.limits.tolerance if isinstance(first, Flagged) else first.tolerance_used
    slower: list[MetricEnding] = []
    for loss in (own if plant == AT_TOLERANCE else plant for plant in plants):
        slower += stage.endings((plant_loss(screening, loss), *others), (loss,))
    return unchanged, tuple(slower)


def _spent(series: Series) -> int:
    return len(series.head) + len(series.base or ())


def _ending(finding: Finding | None, trials: int) -> MetricEnding:
    verdict = _WORDS.get(finding.verdict, "inconclusive") if finding else "inconclusive"
    return MetricEnding(verdict=verdict, trials=trials)


@dataclass(frozen=True, slots=True)
class _Confirmation:
    """The second stage of one suite."""

    pool: Pool
    suite: DrawnSuite
    screening: Screening
    dice: Random
    sides: bool
    builds: str
    today: bool

    def endings(
        self, answers: tuple[Finding | Flagged, ...], losses: tuple[float, ...]
    ) -> tuple[MetricEnding, ...]:
        """Of a metric for each loss; the others matter by their share of alpha alone."""
        alphas = FirstStage(
            settled=tuple(answer for answer in answers if isinstance(answer, Finding)),
            flagged=tuple(answer for answer in answers if isinstance(answer, Flagged)),
            paired=frozenset([_PROFILE] if self.sides else []),
        ).alphas(POLICY.alpha)
        played = answers[: len(losses)]
        flagged = [(at, one) for at, one in enumerate(played) if isinstance(one, Flagged)]
        flags = [(at, one, alpha) for (at, one), alpha in zip(flagged, alphas, strict=False)]
        ended = self._confirm(flags, losses)
        return tuple(
            ended[at]
            if isinstance(one, Flagged)
            else _ending(one, _spent(self.screening.series[at]))
            for at, one in enumerate(played)
        )

    def _confirm(
        self, flags: list[tuple[int, Flagged, float]], losses: tuple[float, ...]
    ) -> dict[int, MetricEnding]:
        if self.sides:
            return {
                place: self._by_pairs(place, flag, alpha, losses[place])
                for place, flag, alpha in flags
            }
        early = self._by_strikes(flags, losses, EARLY_LOOK)
        if all(ending.verdict == "passed" for ending in early.values()):
            return early
        return self._by_strikes(flags, losses, None)

    def _by_pairs(self, place: int, flag: Flagged, alpha: float, loss: float) -> MetricEnding:
        source = self.suite.series[place]
        today = self.pool.session(source, self.suite.place)
        rule = flag.rule(alpha, POLICY.beta)
        blocks: list[tuple[Trials, Trials]] = []
        while True:
            pairs = len(pairs_in(len(blocks)))
            if self.builds == "fresh":
                base, head = self._fresh(source, pairs), self._fresh(source, pairs)
            else:
                base, head = block(today, pairs, self.dice)
            if self.builds == "one":
                other = self.pool.session(source, self.suite.place + 1)
                base = some(other, pairs, self.dice)
            head = slow_values(head, loss, source.better)
            blocks.append((log_costs(base, source.better), log_costs(head, source.better)))
            decision = decide(blocks, rule, limits=False)
            if decision.verdict != "undecided" or not promises(flag.in_force, rule, blocks):
                break
        trials = _spent(flag.series) + 2 * decision.pairs
        return MetricEnding(
            verdict=_WORDS.get(words_of(decision, rule, 0.0).verdict, "inconclusive"), trials=trials
        )

    def _fresh(self, source: RecordedSeries, count: int) -> Trials:
        """A trial each of as many sessions, any of the recording."""
        numbers = self.dice.sample(self.pool.numbers, count)
        return tuple(self.dice.choice(source.sessions[number]) for number in numbers)

    def _by_strikes(
        self,
        flags: list[tuple[int, Flagged, float]],
        losses: tuple[float, ...],
        count: int | None,
    ) -> dict[int, MetricEnding]:
        """With `count` fresh sessions, or as many as each needs: those after the candidate."""
        ended = {}
        for place, flag, alpha in flags:
            needed = strikes_needed(len(flag.series.sessions), alpha)
            fresh = tuple(
                session({flag.series.benchmark: self._strike(place, losses[place], after)})
                for after in range(1, (count or needed or 0) + 1)
            )
            found = by_strikes(flag, fresh, alpha, POLICY.beta) if fresh else None
            ended[place] = _ending(found, len(flag.series.head) + len(fresh) * PLAN.screen)
        return ended

    def _strike(self, place: int, loss: float, after: int) -> Trials:
        source = self.suite.series[place]
        trials = self.pool.session(source, self.suite.place + (0 if self.today else after))
        drawn = (
            tuple(self.dice.choices(trials, k=PLAN.screen))  # one sitting has too few for all
            if self.today
            else some(trials, PLAN.screen, self.dice)
        )
        return slow_values(drawn, loss, source.better)
