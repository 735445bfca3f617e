"""What a time budget left open, and what more time would buy; no verdict comes from it.

Light: the measuring process shares out its time by the same figures.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.findings import advice_of
from gate.judge.verdict.tolerance import promises
from gate.model import BudgetStanding, MoreTime, Verdict
from gate.stats.detectable import further_pairs
from gate.units import percent, show_duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from gate.judge.verdict.screening import Flagged
    from gate.judge.verdict.suite import Case
    from gate.model import Finding, Session
    from gate.stats.martingale import Block, PairRule

_BESIDE = 1.1
"""What a trial takes with all that is around it, for each second of its own."""
_CODE = "G048"
_UNDECIDED = frozenset({"G001", "G020", "G021", "G024", "G025"})
"""What a finding may be called that more time might have decided: noisy by the few pairs that there
were, or, with G001, not flagged again by too few strikes."""


def seconds_of_trial(session: Session, benchmark: str) -> float:
    """What a trial of a benchmark took, with what is around it; 0 if none ran."""
    took = [one.duration for one in session.trials if one.benchmark == benchmark]
    return _BESIDE * median(took) if took else 0.0


def seconds_of_session(screen: Session, benchmarks: AbstractSet[str]) -> float:
    """What a further session of these benchmarks is likely to take, by the screen's."""
    planned = {one.benchmark: one for one in screen.planned}
    points = {
        name
        for one in benchmarks & planned.keys()
        for name in (planned[one].members or (one,))
        if name in planned
    }
    return sum(planned[name].trials * seconds_of_trial(screen, name) for name in sorted(points))


def told_of_pairs(
    found: Finding, flag: Flagged, blocks: Sequence[Block], rule: PairRule
) -> Finding:
    """The finding on a metric that these pairs, or none, left undecided: for lack of time.

    As it is where the time budget did not end its pairs, or no more of them promise an answer.
    """
    if not _is_open(found, flag) or not promises(flag.in_force, rule, blocks):
        return found
    more = further_pairs(blocks, rule)
    seconds = 2 * more * seconds_of_trial(flag.series.case.head, found.benchmark)
    return _left_open(found, f"{more} more pairs", MoreTime(pairs=more, seconds=seconds))


def told_of_strikes(found: Finding, flag: Flagged, missing: int) -> Finding:
    """The same of one that needs so many further head sessions more; they clear none too noisy."""
    if not _is_open(found, flag) or found.code == "G024":
        return found
    seconds = missing * seconds_of_session(flag.series.case.head, {found.benchmark})
    return _left_open(found, f"{missing} more head sessions", MoreTime(seconds=seconds))


def _is_open(found: Finding, flag: Flagged) -> bool:
    budgets = (one.budget for one in flag.series.case.sessions)
    left_open = {name for one in budgets if one is not None for name in one.left_open}
    return found.code in _UNDECIDED and found.benchmark in left_open


def _left_open(found: Finding, what: str, more: MoreTime) -> Finding:
    asked = percent(found.tolerance_used, signed=False)
    ended = found.headline.partition(";")[0]
    text = (
        f"{ended} when the time budget was spent; about {what} "
        f"({show_duration(more.seconds)}) would decide on a loss of {asked}"
    )
    return replace(
        found,
        code=_CODE,
        verdict=Verdict.INCONCLUSIVE,
        headline=text,
        advice=advice_of(_CODE, found.role),
        path=(*found.path, f"left open by the time budget: about {what} to go"),
        more_time=more,
    )


def budget_of(cases: Sequence[Case], findings: Iterable[Finding]) -> BudgetStanding | None:
    """Where the time budget stands at the end; absent where there was none."""
    budgets = [one.budget for case in cases for one in case.sessions if one.budget is not None]
    if not budgets:
        return None
    left_open = [one for one in findings if one.more_time is not None]
    needs: dict[tuple[str, str], float] = {}
    for one in left_open:  # the pairs of a benchmark serve all of its metrics
        key, more = (one.profile, one.benchmark), one.more_time
        needs[key] = max(needs.get(key, 0.0), more.seconds if more is not None else 0.0)
    return BudgetStanding(
        seconds=max(one.seconds for one in budgets),
        spent=max(one.spent for one in budgets),
        left_open=len(left_open),
        more=sum(needs.values()),
    )


def budget_note(budget: BudgetStanding) -> str:
    """`time budget 20 min 00 s: 18 min 03 s spent; nothing is left open`."""
    whole, spent = show_duration(budget.seconds), show_duration(budget.spent)
    if not budget.left_open:
        return f"time budget {whole}: {spent} spent; nothing is left open"
    count = budget.left_open
    metrics = f"{count} metric{'s are' if count > 1 else ' is'} left open"
    more = show_duration(budget.more)
    return f"time budget {whole}: {spent} spent; {metrics}, which about {more} more would decide"
