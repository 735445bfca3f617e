"""CPU bills of a judged suite: every payer in both views, base beside head."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import baseline, decide, pair_sessions, session
from measure.cpu.made import bill_of

from gate.judge.context.bills import BACKGROUND, OWN_KERNEL, OWN_USER, REST, contexts_of
from gate.model import Contexts, Owners, TrialStatus

OWNERS = Owners(own_user=0.3, own_system=0.5, kthreads={"loop": 0.1, "kworker": 0.2}, rest=0.2)
TICKS = Contexts(user=0.2, system=0.6, softirq=0.1, irq=0.05, steal=5.0, iowait=7.0)


def bill(**changes):
    """1000 I/Os in a window as long as the life of the process, so that shares are easy to read."""
    plain = {"life": 2.0, "busy": 1.2, "owners": OWNERS, "contexts": TICKS}
    return bill_of(**plain | changes)


def billed(made, *bills):
    """The session with these bills, repeated over its trials."""
    return replace(
        made,
        harness="fio",
        trials=tuple(
            replace(one, cpu=bills[at % len(bills)]) for at, one in enumerate(made.trials)
        ),
    )


def micro(shares):
    return {
        one.name: tuple(None if v is None else round(v * 1e6, 3) for v in (one.base, one.head))
        for one in shares
    }


def judged(*sessions):
    return decide(list(sessions), replace(baseline(), harness="fio"))


def test_the_screen_alone_has_no_base():
    """Every payer of the head is told, own tasks first, kernel threads by size, then the rest."""
    (found,) = judged(billed(session(), bill())).bills
    assert (found.profile, found.benchmark, found.word) == ("p", "b", "I/O")
    assert (found.trials_base, found.trials_head) == (0, 3)
    assert found.base is None
    assert found.head == pytest.approx((1.2 - 0.1) / 1000)
    assert list(micro(found.owners).items()) == [
        (OWN_USER, (None, 300.0)),
        (OWN_KERNEL, (None, 500.0)),
        ("kernel threads (kworker)", (None, 200.0)),
        ("kernel threads (loop)", (None, 100.0)),
        (REST, (None, 200.0)),
    ]
    assert list(micro(found.contexts).items()) == [
        ("user space", (None, 200.0)),
        ("the kernel", (None, 600.0)),
        ("soft interrupts", (None, 100.0)),
        ("interrupts", (None, 50.0)),
    ]


def pairs(base, head):
    """A screen, and pairs with these bills on their sides; without one a side has none."""
    made = pair_sessions({"b": (1.0,) * 4}, {"b": (1.0,) * 4})
    sides = [
        billed(one, own) if own else replace(one, harness="fio")
        for one, own in zip(made, (base, head), strict=True)
    ]
    return judged(billed(session(sides=True), bill(busy=9.9)), *sides).bills


def test_pairs_stand_for_both_sides():
    """Where both sides of the pairs have bills they are compared, and the screen's is not."""
    threads = {"loop": 0.4, "dmcrypt_write": 0.3}
    (found,) = pairs(
        bill(), bill(busy=2.2, owners=replace(OWNERS, background=0.1, kthreads=threads))
    )
    assert (found.trials_base, found.trials_head) == (4, 4)
    assert found.base == pytest.approx(1.1e-3)
    assert found.head == pytest.approx((2.2 - 0.1 - 0.1) / 1000)
    assert list(micro(found.owners).items()) == [
        (OWN_USER, (300.0, 300.0)),
        (OWN_KERNEL, (500.0, 500.0)),
        ("kernel threads (loop)", (100.0, 400.0)),
        ("kernel threads (dmcrypt_write)", (0.0, 300.0)),
        ("kernel threads (kworker)", (200.0, 0.0)),
        (BACKGROUND, (0.0, 100.0)),
        (REST, (200.0, 200.0)),
    ]
    assert micro(found.contexts)["soft interrupts"] == (100.0, 100.0)


@pytest.mark.parametrize(("base", "head"), [(bill(), None), (None, bill()), (None, None)])
def test_half_a_pair_is_no_comparison(base, head):
    """Where one side of the pairs has no bill the screen's head is shown, with nothing beside."""
    (found,) = pairs(base, head)
    assert (found.base, found.trials_base, found.trials_head) == (None, 0, 3)
    assert found.head == pytest.approx(9.8e-3)


def test_who_paid_nothing_is_left_out():
    """Zero on both sides is no payer, steal and waiting are no cost."""
    (found,) = judged(billed(session(), bill(contexts=Contexts(steal=5.0, iowait=7.0)))).bills
    assert found.contexts == ()
    assert set(contexts_of(bill()).values()) & {5.0 / 1000, 7.0 / 1000} == set()


def test_medians_over_trials_that_count():
    """One odd trial moves nothing, and one that was set aside or did no operation is not there."""
    made = session({"b": (1.0, 1.002, 0.9985, 1.0, 1.0)})
    made = billed(made, bill(), bill(busy=99.0), bill(), bill(operations=0.0), bill(busy=50.0))
    *kept, last = made.trials
    made = replace(made, trials=(*kept, replace(last, status=TrialStatus.ASIDE)))
    (found,) = judged(made).bills
    assert found.trials_head == 3
    assert found.head == pytest.approx(1.1e-3)


def test_of_a_command_it_is_an_operation():
    """Only fio does I/Os; a session without bills has none in its report."""
    made = replace(billed(session(), bill()), harness="replay")
    (found,) = decide(made).bills
    assert found.word == "operation"
    assert decide(session()).bills == ()


def test_absurd_bills_are_not_shown():
    """Figures of a hostile session that overflow make no infinity in the report."""
    assert judged(billed(session(), bill(busy=1e300, operations=1e-300))).bills == ()
    mad = replace(OWNERS, own_user=1e308, own_system=1e308)
    (found,) = judged(billed(session(), bill(window=1e10, owners=mad))).bills
    assert OWN_USER not in micro(found.owners)
    assert micro(found.owners)["kernel threads (kworker)"][1] > 0
