"""Which functions of the kernel a difference in instructions lies in."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.model import Paid, TrialStatus
from gate.units import show_pair

if TYPE_CHECKING:
    from gate.judge.suite import Case
    from gate.model import Finding, Session

KERNEL_INSTRUCTIONS = "kernel_instructions"
"""How the metrics begin that functions are told for."""
_SHARE = 0.1
"""Of the whole change: a function that moved by less is not told."""
_MOST, _IN_SENTENCE = 8, 3


def by_functions(found: Finding, case: Case) -> Finding:
    """The finding with the functions that moved most, where its pairs keep them."""
    base = _medians(case.pair_base, found.benchmark)
    head = _medians(case.pair_head, found.benchmark)
    if not base or not head:
        return found
    moves = {name: head.get(name, 0.0) - base.get(name, 0.0) for name in base | head}
    least = max(_SHARE * abs(sum(moves.values())), 1.0)
    order = sorted(moves, key=lambda name: (-abs(moves[name]), name))
    paid = tuple(
        Paid(context=name, base=base.get(name, 0.0), head=head.get(name, 0.0), unit="1")
        for name in order[:_MOST]
        if abs(moves[name]) >= least
    )
    if not paid:
        return found
    told = ", ".join(
        f"{one.context} {show_pair(one.base, one.head, '1')}" for one in paid[:_IN_SENTENCE]
    )
    return replace(found, paid=paid, path=(*found.path, f"instructions by function: {told}"))


def _medians(session: Session | None, benchmark: str) -> dict[str, float]:
    """Instructions of one operation by function, over the trials that count.

    A function that a trial does not name had none in it, or was among its smallest.
    """
    trials = [
        one.functions
        for one in (session.trials if session else ())
        if one.benchmark == benchmark and one.status is TrialStatus.OK and one.functions
    ]
    names = {name for one in trials for name in one}
    return {name: median(one.get(name, 0.0) for one in trials) for name in sorted(names)}
