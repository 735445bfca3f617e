"""Stage 2 of the verdict: pairs where both sides can run, strikes where only the head can."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.epochs import accepted_change, block_costs
from gate.judge.verdict.exclusions import disturbs_itself
from gate.judge.verdict.findings import make_finding
from gate.judge.verdict.pair_words import words_of
from gate.judge.verdict.rank_test import by_strikes
from gate.judge.verdict.screening import screen_numbers
from gate.judge.verdict.series import at_blocks, too_coarse
from gate.judge.verdict.suite import Pairing, failures_in, trials_by_benchmark
from gate.judge.verdict.time_left import told_of_pairs, told_of_strikes
from gate.judge.verdict.tolerance import (
    beyond,
    by_pairs,
    in_force_of,
    is_deaf,
    own_sigma,
    too_noisy,
)
from gate.model import Evidence, Verdict, is_untimed
from gate.stats.costs import ratio, relative_limit, usable, value_of
from gate.stats.martingale import decide
from gate.stats.robust import mean_shift, shift
from gate.stats.strikes import newest, strikes_needed
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.verdict.screening import Flagged
    from gate.judge.verdict.suite import Values
    from gate.model import Finding
    from gate.stats.martingale import PairRule

_TELLING = 3
"""From so many equal values on, chance does not explain them."""
_CLEARED, _UNDECIDED = "G002", "G020"
_TAKEN = "{} pairs in random order"
"""What a decision rests on; further pairs that were taken meanwhile change nothing."""


def confirm_series(flag: Flagged, *, alpha: float, beta: float, levels: bool = True) -> Finding:
    """Decide one flagged series with its share of alpha; `levels` as the policy says."""
    case, benchmark = flag.series.case, flag.series.benchmark
    for session in (case.pair_head, case.pair_base, *case.strikes):
        if failures := failures_in(trials_by_benchmark(session).get(benchmark, ())):
            side = f"the {session.side.value} side failed: " if session and case.by_pairs else ""
            text = f"{'while confirming, ' if levels else ''}{side}{failures[0]}"
            code, verdict = "G050", Verdict.BROKEN
            if session is case.pair_base and levels and _is_new(flag):
                gap = "no accepted session holds it, and the base side cannot run it"
                text = f"{gap}: {failures[0]}"
                code, verdict = "G010", Verdict.NEW
            return make_finding(flag.series, code, verdict, text, path=flag.path)
    pairing = Pairing(case.pair_base, case.pair_head, benchmark)
    blocks = pairing.values(flag.series.metric.name)
    if len(blocks) < len(pairing.blocks):
        text = f"{len(blocks)} of {len(pairing.blocks)} blocks of pairs hold this metric"
        return make_finding(flag.series, "G053", Verdict.BROKEN, text, path=flag.path)
    if blocks:
        flag = _at_resolution(flag, pairing.resolution(flag.series.metric.name), blocks)
        return _by_pairs(flag, blocks, flag.rule(alpha, beta))
    strikes = tuple(s for s in case.strikes if any(p.benchmark == benchmark for p in s.planned))
    # Where pairs were taken they decide: their alpha was shared out by what the screen saw, and
    # strikes meet the very sessions that the screen looked at.
    if strikes and flag.noise and not case.by_pairs:
        needed = strikes_needed(len(newest(flag.series.session_costs)), alpha) or 0
        found = by_strikes(flag, strikes, alpha, beta)
        return told_of_strikes(found, flag, max(needed - len(strikes), 0))
    return _not_confirmed(flag, alpha, beta)


def _not_confirmed(flag: Flagged, alpha: float, beta: float) -> Finding:
    """What was flagged and never measured again."""
    numbers = screen_numbers(flag.screened) if flag.screened else {}
    shown = percent(ratio(flag.screened.loss)) if flag.screened else "not screened"
    watched = "" if flag.series.gates else ": watched only"
    text = f"flagged ({shown}) and not confirmed{watched}"
    found = make_finding(
        flag.series,
        "G021",
        Verdict.INCONCLUSIVE,
        text,
        limits=flag.limits,
        can_detect=flag.in_force.can_detect,
        path=(*flag.path, "not confirmed: no pairs and no fresh sessions of it to decide by"),
        warnings=flag.warnings,
        **numbers,
    )
    if flag.series.case.by_pairs:
        return told_of_pairs(found, flag, (), flag.rule(alpha, beta))
    return told_of_strikes(found, flag, strikes_needed(len(flag.series.sessions), alpha) or 0)


def _is_new(flag: Flagged) -> bool:
    """Whether nothing was ever accepted of it: not where what was is of another kind or class."""
    case = flag.series.case
    rows = case.baseline.series if case.baseline else ()
    return not case.other_classes and all(one.benchmark != flag.series.benchmark for one in rows)


def _at_resolution(flag: Flagged, coarse: float, blocks: Sequence[Values]) -> Flagged:
    """The flag with its limits at the resolution of the pairs, and a warning where that counts."""
    limits = at_blocks(flag.limits, coarse, blocks, flag.series.metric.better)
    if limits == flag.limits:
        return flag
    before = too_coarse(flag.series, flag.limits)
    kept = tuple(warning for warning in flag.warnings if warning != before)
    force = replace(flag.in_force, limits=limits)
    return replace(flag, in_force=force, warnings=(too_coarse(flag.series, limits), *kept))


def _stuck(base: Sequence[float], head: Sequence[float]) -> bool:
    """Whether nothing varies, or the head does not while the base never repeats a value."""
    return len({*base, *head}) == 1 or (
        len(set(head)) == 1 and len(set(base)) == len(base) >= _TELLING
    )


def _by_pairs(flag: Flagged, blocks: Sequence[Values], rule: PairRule) -> Finding:
    better = flag.series.metric.better
    base = tuple(value for before, _ in blocks for value in before)
    head = tuple(value for _, after in blocks for value in after)
    evidence = Evidence(pairs_base=base, pairs_head=head)
    if (refused := _refused_pairs(flag, evidence)) is not None:
        return replace(refused, path=(*flag.path, _TAKEN.format(len(base))))
    costs, allowed = block_costs(blocks, better, accepted_change(flag.series))
    decision = decide(costs, rule)
    decided_by = costs[: decision.blocks]
    loss = shift(decided_by)
    code, verdict, text, steps = words_of(decision, rule, loss)
    if decision.verdict == "sometimes_slow":  # its median tells nothing of what was proven
        loss = mean_shift(decided_by)
        decision = replace(decision, low=None, high=None)
    figure = _can_detect(flag, decided_by)
    if _too_noisy(flag, figure, code):
        code, verdict = "G024", Verdict.INCONCLUSIVE
        text = f"{text}; {too_noisy(flag.series.metric, figure)}"
    path = *flag.path, _TAKEN.format(decision.pairs), *steps
    if verdict.opens and (itself := disturbs_itself(flag.series.case, flag.series.benchmark)):
        code, verdict, text = "G042", Verdict.INCONCLUSIVE, f"{text}, but {itself}"
        path = (*path, f"not cleared: {itself}")
    middle = median([cost for before, _ in decided_by for cost in before]) + allowed
    hidden = _counted_change(allowed)
    found = make_finding(
        flag.series,
        code,
        verdict,
        text,
        loss=ratio(loss),
        loss_low=relative_limit(decision.low),
        loss_high=relative_limit(decision.high),
        base_value=value_of(middle, better),
        head_value=value_of(middle + loss, better),
        trials_base=decision.pairs,
        trials_head=decision.pairs,
        method="pairs",
        confidence=1 - rule.alpha - rule.beta,
        can_detect=figure,
        limits=flag.limits,
        path=path,
        warnings=(*flag.warnings, *hidden),
        evidence=evidence,
    )
    undecided = decision.verdict == "undecided"
    return told_of_pairs(found, flag, costs, rule) if undecided else found


def _refused_pairs(flag: Flagged, evidence: Evidence) -> Finding | None:
    base, head = evidence.pairs_base, evidence.pairs_head
    if not (usable(base) and usable(head)):
        text = "a confirming trial gave a value that is not above zero"
        return make_finding(flag.series, "G051", Verdict.BROKEN, text, evidence=evidence)
    known = flag.series.case.head
    if _stuck(base, head) and not is_untimed(known.harness, known.tools):
        whose = "trials" if base[0] == head[0] and len(set(base)) == 1 else "trials of the head"
        text = f"all {whose} of {len(base)} pairs gave exactly {head[0]:g}"
        return make_finding(flag.series, "G052", Verdict.BROKEN, text, evidence=evidence)
    return None


def _counted_change(allowed: float) -> Iterator[str]:
    """What the pairs alone would hide: that some of their loss was accepted."""
    if allowed:
        counted = f"{percent(ratio(allowed))} was accepted and is counted on its side"
        yield f"the base side is from before the newest accepted change; {counted}"


def _can_detect(flag: Flagged, blocks: Sequence[Values]) -> float | None:
    """By the noise of the accepted sessions; where that is not known, by that of the pairs."""
    if flag.in_force.can_detect is not None:
        return flag.in_force.can_detect
    provable = by_pairs(own_sigma(blocks), flag.series.case.head.pairs)
    return in_force_of(flag.series, provable).can_detect


def _too_noisy(flag: Flagged, figure: float | None, code: str) -> bool:
    """Whether it cannot be cleared: only a coarser loss is ruled out, or none ever would be."""
    most = flag.in_force.most
    if code == _CLEARED:
        return beyond(flag.limits.tolerance, most)
    return code == _UNDECIDED and figure is not None and is_deaf(figure, most)
