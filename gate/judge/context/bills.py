"""What each benchmark cost the processors, who paid, and who paid for a cost that moved.

Two views of the same trials, which do not add up with each other. By owner: whose tasks ran, over
the life of the trial's process, from the scheduler's own sums. By context: what the processors
did in the measured window, as the kernel's tick accounting sampled it. Where the trials count the
kernel's instructions, the functions that execute them stand in for both.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.suite import on_both_sides, trials_by_benchmark
from gate.model import Bill, Paid, Share, TrialStatus, Verdict
from gate.units import show_pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gate.judge.verdict.suite import Case, Suite
    from gate.model import CpuBill, Finding, Session

OWN_USER, OWN_KERNEL = "own processes in user space", "own processes in the kernel"
BACKGROUND, REST = "background load", "other processes, and interrupts at rest"
_CONTEXTS = {
    "user": "user space",
    "nice": "user space at low priority",
    "system": "the kernel",
    "softirq": "soft interrupts",
    "irq": "interrupts",
}
"""Without steal and iowait: they are no cost."""


def bills(cases: Iterable[Case]) -> tuple[Bill, ...]:
    """The bill of each benchmark that keeps one, by profile and benchmark."""
    found = [
        _bill(case, benchmark, base, head)
        for case in cases
        for benchmark, (base, head) in on_both_sides(case, bills_of).items()
    ]
    # Figures of a hostile session may overflow: then there is no bill to show.
    known = (one for one in found if math.isfinite(one.head) and math.isfinite(one.base or 0))
    return tuple(sorted(known, key=lambda one: (one.profile, one.benchmark)))


def word_of(case: Case) -> str:
    """What one operation of a case's benchmarks is called."""
    return "I/O" if case.head.harness == "fio" else "operation"


def bills_of(session: Session | None) -> dict[str, tuple[CpuBill, ...]]:
    """The bills of each benchmark's counted trials; benchmarks without any are left out."""
    found = {
        benchmark: tuple(
            trial.cpu
            for trial in trials
            if trial.status is TrialStatus.OK and trial.cpu is not None and trial.cpu.operations > 0
        )
        for benchmark, trials in trials_by_benchmark(session).items()
    }
    return {benchmark: own for benchmark, own in found.items() if own}


def owners_of(bill: CpuBill) -> dict[str, float]:
    """CPU-seconds of an operation by whose tasks ran, as if they worked evenly over their life."""
    owners = bill.owners
    part = bill.window / bill.life / bill.operations if bill.life > 0 else 0.0
    threads = sorted(owners.kthreads.items(), key=lambda one: (-one[1], one[0]))
    return {
        OWN_USER: owners.own_user * part,
        OWN_KERNEL: owners.own_system * part,
        **{f"kernel threads ({name})": seconds * part for name, seconds in threads},
        BACKGROUND: owners.background * part,
        REST: owners.rest * part,
    }


def contexts_of(bill: CpuBill) -> dict[str, float]:
    """CPU-seconds of an operation by what the processors did."""
    return {
        name: getattr(bill.contexts, field) / bill.operations for field, name in _CONTEXTS.items()
    }


def medians(trials: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The median of each name over trials; a trial that does not name it had nothing of it."""
    names = dict.fromkeys(name for one in trials for name in one)
    return {name: median(one.get(name, 0.0) for one in trials) for name in names}


def _bill(case: Case, benchmark: str, base: Sequence[CpuBill], head: Sequence[CpuBill]) -> Bill:
    return Bill(
        profile=case.profile,
        benchmark=benchmark,
        word=word_of(case),
        trials_base=len(base),
        trials_head=len(head),
        base=_net(base) if base else None,
        head=_net(head),
        owners=_shares(base, head, owners_of),
        contexts=_shares(base, head, contexts_of),
    )


def _net(sides: Sequence[CpuBill]) -> float:
    return median(one.net / one.operations for one in sides)


def _shares(
    base: Sequence[CpuBill], head: Sequence[CpuBill], view: Callable[[CpuBill], dict[str, float]]
) -> tuple[Share, ...]:
    """Every payer that paid anything on either side, in the order of the view, head first."""
    before, after = (medians([*map(view, side)]) for side in (base, head))
    found = []
    for name in sorted({*before, *after}, key=lambda name: _rank(name, before, after)):
        was, now = (max(side.get(name, 0.0), 0.0) for side in (before, after))
        if (was or now) and math.isfinite(was + now):
            found.append(Share(name=name, base=was if base else None, head=now))
    return tuple(found)


_FIRST = (OWN_USER, OWN_KERNEL)
_LAST = (BACKGROUND, REST, *_CONTEXTS.values())


def _rank(name: str, before: dict[str, float], after: dict[str, float]) -> tuple[int, float, str]:
    """Own tasks first, then kernel threads by what they cost, then all else as it is listed."""
    if name in _FIRST:
        return _FIRST.index(name) - len(_FIRST), 0.0, name
    if name in _LAST:
        return 1 + _LAST.index(name), 0.0, name
    return 0, -max(before.get(name, 0.0), after.get(name, 0.0)), name


def instructions_of(session: Session | None, benchmark: str) -> dict[str, float]:
    """Medians by function; one that a trial does not name may be among its smallest."""
    trials = [
        one.functions
        for one in (session.trials if session else ())
        if one.benchmark == benchmark and one.status is TrialStatus.OK and one.functions
    ]
    return dict(sorted(medians(trials).items()))


_EXPLAINED = frozenset({Verdict.REGRESSED, Verdict.IMPROVED, Verdict.INCONCLUSIVE})
_OF_INTEREST = (
    *("cpu", "efficiency", "user", "system", "context_switches"),
    *("cycles", "instructions", "energy"),
)
_COUNTED = "kernel_instructions"
"""How the metrics begin that are shown by function of the kernel."""
_SHARE = 0.1
"""Of the whole change: who moved by less is not named."""
_MOST, _IN_SENTENCE = 8, 3
CONTEXT = "by the kernel's tick accounting: "
"""How a context differs in name from an owner."""


def attribute_costs(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings, those of costs that moved with who paid."""
    cases = suite.by_profile
    return tuple(attribute_cost(one, cases[one.profile]) for one in findings)


def attribute_cost(found: Finding, case: Case) -> Finding:
    """The finding with who paid, where its pairs keep CPU bills."""
    if found.verdict not in _EXPLAINED or found.method != "pairs":
        return found
    if found.metric.startswith(_COUNTED):
        return _by_function(found, case)
    if not any(word in found.metric for word in _OF_INTEREST):
        return found
    base = bills_of(case.pair_base).get(found.benchmark, ())
    head = bills_of(case.pair_head).get(found.benchmark, ())
    paid = payers(base, head) if base and head else ()
    return _with_payers(found, paid, f"who paid: {sentence(paid, case)}")


def _with_payers(found: Finding, paid: tuple[Paid, ...], step: str) -> Finding:
    return replace(found, paid=paid, path=(*found.path, step)) if paid else found


def payers(base: Sequence[CpuBill], head: Sequence[CpuBill]) -> tuple[Paid, ...]:
    """Who moved between the sides, in CPU-seconds of an operation, largest move first."""
    change = median(map(_busy, head)) - median(map(_busy, base))
    before, after = (medians([*map(_both_views, side)]) for side in (base, head))
    return _moved(before, after, max(_SHARE * abs(change), 1e-12), "s")


def _by_function(found: Finding, case: Case) -> Finding:
    before = instructions_of(case.pair_base, found.benchmark)
    after = instructions_of(case.pair_head, found.benchmark)
    change = sum(after.values()) - sum(before.values())
    least = max(_SHARE * abs(change), 1.0)
    paid = _moved(before, after, least, "1") if before and after else ()
    moves = _moves_in_words(paid[:_IN_SENTENCE])
    return _with_payers(found, paid, f"instructions by function: {moves}")


def _moved(
    before: Mapping[str, float], after: Mapping[str, float], least: float, unit: str
) -> tuple[Paid, ...]:
    sides = {name: (before.get(name, 0.0), after.get(name, 0.0)) for name in {**before, **after}}
    moved = [
        Paid(context=name, base=base, head=head, unit=unit)
        for name, (base, head) in sides.items()
        if math.isfinite(base + head) and abs(head - base) >= least
    ]
    moved.sort(key=lambda one: -abs(one.head - one.base))
    return tuple(moved[:_MOST])


def _busy(bill: CpuBill) -> float:
    return bill.busy / bill.operations


def _both_views(bill: CpuBill) -> dict[str, float]:
    ticks = {f"{CONTEXT}{name}": seconds for name, seconds in contexts_of(bill).items()}
    return owners_of(bill) | ticks


def sentence(paid: Sequence[Paid], case: Case) -> str:
    """The owners that moved most: `kernel threads (loop) 3.100 -> 9.400 µs of each I/O`."""
    owners = [one for one in paid if not one.context.startswith(CONTEXT)][:_IN_SENTENCE]
    return f"{_moves_in_words(owners or paid[:_IN_SENTENCE])} of each {word_of(case)}"


def _moves_in_words(paid: Sequence[Paid]) -> str:
    return ", ".join(f"{one.context} {show_pair(one.base, one.head, one.unit)}" for one in paid)
