"""What each benchmark cost the processors, by who paid, on both sides.

Two views of the same trials, which do not add up with each other. By owner: whose tasks ran, over
the life of the trial's process, from the scheduler's own sums. By context: what the processors
did in the measured window, as the tick sampled it.
"""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from gate.judge.verdict.suite import trials_by_benchmark
from gate.model import Bill, Share, TrialStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import CpuBill, Session

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
    """The bill of each benchmark that keeps one, by profile and benchmark.

    Both sides are those of the pairs where both sides of them keep bills, for these are of one
    day; else the head is that of the screen, and there is no base.
    """
    found = [one for case in cases for one in _of_case(case)]
    return tuple(sorted(found, key=lambda one: (one.profile, one.benchmark)))


def word_of(case: Case) -> str:
    """What one operation of a case's benchmarks is called."""
    return "I/O" if case.head.harness == "fio" else "operation"


def bills_of(session: Session | None) -> dict[str, tuple[CpuBill, ...]]:
    """The bills of each benchmark's counted trials; benchmarks without any are left out."""
    found: dict[str, tuple[CpuBill, ...]] = {}
    for benchmark, trials in trials_by_benchmark(session).items() if session else ():
        own = tuple(
            trial.cpu
            for trial in trials
            if trial.status is TrialStatus.OK and trial.cpu is not None and trial.cpu.operations > 0
        )
        if own:
            found[benchmark] = own
    return found


def owners_of(bill: CpuBill) -> dict[str, float]:
    """CPU-seconds of an operation by whose tasks ran; own, kernel threads by name, the rest.

    Owners are known over the process's whole life: their part of the window is taken as if they
    had worked evenly.
    """
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


def medians(
    sides: Sequence[CpuBill], view: Callable[[CpuBill], dict[str, float]]
) -> dict[str, float]:
    """The median of each payer over trials; a trial that does not know a payer paid it nothing."""
    shares = [view(one) for one in sides]
    names = dict.fromkeys(name for one in shares for name in one)
    return {name: median(one.get(name, 0.0) for one in shares) for name in names}


def _of_case(case: Case) -> Iterable[Bill]:
    base, pair_head = bills_of(case.pair_base), bills_of(case.pair_head)
    paired = base.keys() & pair_head.keys()
    head = bills_of(case.head) | {name: pair_head[name] for name in paired}
    for benchmark, own in head.items():
        made = _bill(case, benchmark, base[benchmark] if benchmark in paired else (), own)
        # Figures of a hostile session may overflow: then there is no bill to show.
        if math.isfinite(made.head) and (made.base is None or math.isfinite(made.base)):
            yield made


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
    base: Sequence[CpuBill],
    head: Sequence[CpuBill],
    view: Callable[[CpuBill], dict[str, float]],
) -> tuple[Share, ...]:
    """Every payer that paid anything on either side, in the order of the view, head first."""
    before, after = medians(base, view), medians(head, view)
    names = sorted({*before, *after}, key=lambda name: _rank(name, before, after))
    found = (
        Share(
            name=name,
            base=max(before.get(name, 0.0), 0.0) if base else None,
            head=max(after.get(name, 0.0), 0.0),
        )
        for name in names
    )
    return tuple(
        one for one in found if (one.base or one.head) and math.isfinite((one.base or 0) + one.head)
    )


_FIRST = (OWN_USER, OWN_KERNEL)
_LAST = (BACKGROUND, REST, *_CONTEXTS.values())


def _rank(name: str, before: dict[str, float], after: dict[str, float]) -> tuple[int, float, str]:
    """Own tasks first, then kernel threads by what they cost, then all else as it is listed."""
    if name in _FIRST:
        return _FIRST.index(name) - len(_FIRST), 0.0, name
    if name in _LAST:
        return 1 + _LAST.index(name), 0.0, name
    return 0, -max(before.get(name, 0.0), after.get(name, 0.0)), name
