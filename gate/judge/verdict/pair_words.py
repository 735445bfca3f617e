"""What a decision by pairs is called: code, verdict, headline, and the last steps to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate.model import Verdict
from gate.stats.costs import ratio, relative_limit
from gate.units import percent

if TYPE_CHECKING:
    from gate.stats.martingale import PairDecision, PairRule

_SMALL = 1e-4
"""Chances below it need more digits."""


class Words(NamedTuple):
    """How a finding tells a decision."""

    code: str
    verdict: Verdict
    headline: str
    steps: tuple[str, ...]


def words_of(decision: PairDecision, rule: PairRule, loss: float) -> Words:
    """The words for a decision; `loss` is the log loss of the pairs that it rests on."""
    say = _BY_NAME.get(decision.verdict, _undecided)
    words = say(decision, rule, percent(ratio(loss)))
    if not decision.runs.head:
        return words
    usual = percent(rule.tails.usual, signed=False)
    return words._replace(
        steps=(*words.steps, f"slow runs: {_slow(decision, rule)}, {usual} of the accepted")
    )


def _regressed(decision: PairDecision, rule: PairRule, shown: str) -> Words:
    least = percent(relative_limit(decision.low))
    dead = percent(ratio(rule.negligible), signed=False)
    text = (
        f"{shown} loss, at least {least}, proven by {decision.pairs} pairs in random order "
        f"({dead} would be negligible)"
    )
    bound = _bound(rule.shift_alpha)
    step = f"loss above {dead} proven at pair {decision.pairs} (error bound {bound})"
    return Words("G060", Verdict.REGRESSED, text, (step,))


def _sometimes_slow(decision: PairDecision, rule: PairRule, shown: str) -> Words:
    proven = f"proven by {decision.pairs} pairs in random order"
    text = f"sometimes slow: {_slow(decision, rule)}; {proven} (median {shown})"
    bound = _bound(rule.tails.stake * rule.alpha)
    step = f"slow runs of the head proven at pair {decision.pairs} (error bound {bound})"
    return Words("G062", Verdict.REGRESSED, text, (step,))


def _passed(decision: PairDecision, rule: PairRule, shown: str) -> Words:
    most = percent(ratio(rule.tolerance), signed=False)
    text = f"{shown} over {decision.pairs} pairs; a loss of {most} is ruled out"
    return Words("G002", Verdict.PASSED, text, (_ruled_out(decision, rule, most),))


def _improved(decision: PairDecision, rule: PairRule, shown: str) -> Words:
    least = percent(-(relative_limit(decision.high) or 0.0), signed=False)
    text = (
        f"{shown.lstrip('-')} gain, at least {least}, proven by {decision.pairs} pairs "
        "in random order"
    )
    most = percent(ratio(rule.tolerance), signed=False)
    dead = percent(ratio(rule.negligible), signed=False)
    step = f"gain above {dead} proven by then (error bound {_bound(rule.beta)})"
    return Words("G006", Verdict.IMPROVED, text, (_ruled_out(decision, rule, most), step))


def _suspected(decision: PairDecision, rule: PairRule, shown: str) -> Words:
    spent = f"{decision.pairs} of at most {rule.limit}"
    text = f"{shown} over {spent} pairs, but sometimes slow: {_slow(decision, rule)}"
    step = f"not cleared of slow runs at pair {spent}"
    return Words("G047", Verdict.INCONCLUSIVE, text, (step,))


def _undecided(decision: PairDecision, rule: PairRule, shown: str) -> Words:
    spent = f"{decision.pairs} of at most {rule.limit}"
    text = f"{shown} over {spent} pairs; neither loss nor its absence proven"
    return Words("G020", Verdict.INCONCLUSIVE, text, (f"undecided at pair {spent}",))


_BY_NAME = {
    "regressed": _regressed,
    "sometimes_slow": _sometimes_slow,
    "passed": _passed,
    "improved": _improved,
    "suspected": _suspected,
}


def _ruled_out(decision: PairDecision, rule: PairRule, most: str) -> str:
    return f"loss of {most} ruled out at pair {decision.pairs} (error bound {_bound(rule.beta)})"


def _slow(decision: PairDecision, rule: PairRule) -> str:
    """`9 of 48 runs of the head more than 20 % beyond their median, 0 of 45 of the base`."""
    runs, far = decision.runs, percent(ratio(rule.slow), signed=False)
    head = f"{runs.head} of {runs.head_runs} runs of the head more than {far} beyond their median"
    return f"{head}, {runs.base} of {runs.base_runs} of the base"


def _bound(chance: float) -> str:
    return percent(chance, signed=False) if chance >= _SMALL else f"{chance * 100:.1g} %"
