"""Who paid for a CPU cost that moved: the kernel, user space, which kernel threads, interrupts.

Of the two views that a bill has, by owner and by context, those who moved between the sides.

What each function of the kernel executes for one operation, over a session's trials.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.context.bills import bills_of, contexts_of, medians, owners_of, word_of
from gate.model import Paid, TrialStatus, Verdict
from gate.units import show_pair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import CpuBill, Finding, Session


def instructions_of(session: Session | None, benchmark: str) -> dict[str, float]:
    """Medians by function; empty where no trial that counts keeps them.

    A function that a trial does not name had none in it, or was among its smallest.
    """
    trials = [
        one.functions
        for one in (session.trials if session else ())
        if one.benchmark == benchmark and one.status is TrialStatus.OK and one.functions
    ]
    names = {name for one in trials for name in one}
    return {name: median(one.get(name, 0.0) for one in trials) for name in sorted(names)}


_TOLD = frozenset({Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INCONCLUSIVE})
_OF_INTEREST = (
    *("cpu", "efficiency", "user", "system", "context_switches"),
    *("cycles", "instructions", "energy"),
)
_COUNTED = "kernel_instructions"
"""How the metrics begin that are told by function of the kernel."""
_SHARE = 0.1
"""Of the whole change: who moved by less is not told."""
_MOST, _IN_SENTENCE = 8, 3
CONTEXT = "by the tick: "
"""How a context is told apart from an owner."""


def attribute_cost(found: Finding, case: Case) -> Finding:
    """The finding with who paid, where its pairs keep CPU bills."""
    if found.verdict not in _TOLD or found.method != "pairs":
        return found
    if found.metric.startswith(_COUNTED):
        return _by_function(found, case)
    if not any(word in found.metric for word in _OF_INTEREST):
        return found
    base = bills_of(case.pair_base).get(found.benchmark, ())
    head = bills_of(case.pair_head).get(found.benchmark, ())
    if not base or not head:
        return found
    paid = payers(base, head)
    if not paid:
        return found
    return replace(found, paid=paid, path=(*found.path, f"who paid: {sentence(paid, case)}"))


def payers(base: Sequence[CpuBill], head: Sequence[CpuBill]) -> tuple[Paid, ...]:
    """Who moved between the sides, in CPU-seconds of an operation, largest move first."""
    change = median(map(_busy, head)) - median(map(_busy, base))
    before, after = medians(base, _shares), medians(head, _shares)
    return _moved(before, after, max(_SHARE * abs(change), 1e-12), "s")


def _by_function(found: Finding, case: Case) -> Finding:
    """The finding with the kernel's functions that moved most, where its pairs keep them."""
    before = instructions_of(case.pair_base, found.benchmark)
    after = instructions_of(case.pair_head, found.benchmark)
    if not before or not after:
        return found
    change = sum(after.values()) - sum(before.values())
    paid = _moved(before, after, max(_SHARE * abs(change), 1.0), "1")
    if not paid:
        return found
    told = _told(paid[:_IN_SENTENCE])
    return replace(found, paid=paid, path=(*found.path, f"instructions by function: {told}"))


def _moved(
    before: Mapping[str, float], after: Mapping[str, float], least: float, unit: str
) -> tuple[Paid, ...]:
    """Those that moved by `least` or more, largest move first."""
    found = [
        Paid(context=name, base=before.get(name, 0.0), head=after.get(name, 0.0), unit=unit)
        for name in {**before, **after}
    ]
    moved = [
        one
        for one in found
        if math.isfinite(one.base + one.head) and abs(one.head - one.base) >= least
    ]
    moved.sort(key=lambda one: -abs(one.head - one.base))
    return tuple(moved[:_MOST])


def _busy(bill: CpuBill) -> float:
    return bill.busy / bill.operations


def _shares(bill: CpuBill) -> dict[str, float]:
    """CPU-seconds of an operation by owner, then by context."""
    ticks = {f"{CONTEXT}{name}": seconds for name, seconds in contexts_of(bill).items()}
    return owners_of(bill) | ticks


def sentence(paid: Sequence[Paid], case: Case) -> str:
    """The owners that moved most, and what the tick saw of interrupts.

    `kernel threads (loop) 3.100 -> 9.400 µs of each I/O`
    """
    owners = [one for one in paid if not one.context.startswith(CONTEXT)][:_IN_SENTENCE]
    return f"{_told(owners or paid[:_IN_SENTENCE])} of each {word_of(case)}"


def _told(paid: Sequence[Paid]) -> str:
    return ", ".join(f"{one.context} {show_pair(one.base, one.head, one.unit)}" for one in paid)
