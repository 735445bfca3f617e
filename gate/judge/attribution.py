"""Who paid for a CPU cost that moved: the kernel, user space, which kernel threads, interrupts.

Two views of the same trials, which do not add up with each other. By owner: whose tasks ran, over
the life of the trial's process, from the scheduler's own sums. By context: what the processors
did in the measured window, as the tick sampled it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.model import Paid, TrialStatus, Verdict
from gate.units import show_pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.suite import Case
    from gate.model import CpuBill, Finding, Session

_TOLD = frozenset({Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INCONCLUSIVE})
_OF_INTEREST = (
    *("cpu", "efficiency", "user", "system", "context_switches"),
    *("cycles", "instructions", "energy"),
)
_SHARE = 0.1
"""Of the whole change: who moved by less is not told."""
_MOST, _IN_SENTENCE = 8, 3
OWN_USER, OWN_KERNEL = "own processes in user space", "own processes in the kernel"
BACKGROUND, REST = "background load", "other processes, and interrupts at rest"
_CONTEXTS = {
    "user": "user space",
    "nice": "user space at low priority",
    "system": "the kernel",
    "irq": "interrupts",
    "softirq": "soft interrupts",
}
CONTEXT = "by the tick: "
"""How a context is told apart from an owner."""


def attributed(found: Finding, case: Case) -> Finding:
    """The finding with who paid, where its pairs keep CPU bills."""
    cost = any(word in found.metric for word in _OF_INTEREST)
    if not cost or found.verdict not in _TOLD or found.method != "pairs":
        return found
    base = _bills(case.pair_base, found.benchmark)
    head = _bills(case.pair_head, found.benchmark)
    if not base or not head:
        return found
    paid = payers(base, head)
    if not paid:
        return found
    return replace(found, paid=paid, path=(*found.path, f"who paid: {sentence(paid, case)}"))


def _bills(session: Session | None, benchmark: str) -> tuple[CpuBill, ...]:
    return tuple(
        trial.cpu
        for trial in (session.trials if session else ())
        if trial.benchmark == benchmark
        and trial.status is TrialStatus.OK
        and trial.cpu is not None
        and trial.cpu.operations > 0
    )


def payers(base: Sequence[CpuBill], head: Sequence[CpuBill]) -> tuple[Paid, ...]:
    """Who moved between the sides, in CPU-seconds of an operation, largest move first."""
    change = abs(median(map(_busy, head)) - median(map(_busy, base)))
    before, after = [_shares(one) for one in base], [_shares(one) for one in head]
    names = dict.fromkeys(name for shares in (*before, *after) for name in shares)
    found = [
        Paid(
            context=name,
            base=median(shares.get(name, 0.0) for shares in before),
            head=median(shares.get(name, 0.0) for shares in after),
        )
        for name in names
    ]
    least = max(_SHARE * change, 1e-12)
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
    owners = bill.owners
    part = bill.window / bill.life / bill.operations if bill.life > 0 else 0.0
    shares = {
        OWN_USER: owners.own_user * part,
        OWN_KERNEL: owners.own_system * part,
        BACKGROUND: owners.background * part,
        REST: owners.rest * part,
    }
    for name, seconds in owners.kthreads.items():
        shares[f"kernel threads ({name})"] = seconds * part
    for field, name in _CONTEXTS.items():
        shares[f"{CONTEXT}{name}"] = getattr(bill.contexts, field) / bill.operations
    return shares


def sentence(paid: Sequence[Paid], case: Case) -> str:
    """The owners that moved most, and what the tick saw of interrupts.

    `kernel threads (loop) 3.100 -> 9.400 µs of each I/O`
    """
    word = "I/O" if case.head.harness == "fio" else "operation"
    owners = [one for one in paid if not one.context.startswith(CONTEXT)][:_IN_SENTENCE]
    told = owners or list(paid[:_IN_SENTENCE])
    return ", ".join(f"{one.context} {show_pair(one.base, one.head, 's')}" for one in told) + (
        f" of each {word}"
    )
