"""From looks at the machine to the bill of the measured window, on made-up machines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measure.cpu.made import row

from gate.errors import TrialFailed
from gate.harness.base import WorkDone
from gate.linux.proc_stat import TICK
from gate.measure.cpu.bill import Curve, make_bill
from gate.measure.cpu.samples import Sources
from gate.model import IdleReference

QUIET = IdleReference(seconds=1.5, busy=0.0)
WALL = 1e9
"""Unix time less the monotonic clock of the made-up machines."""


def work(start, end, operations=1000.0):
    """Work done from one moment to another of the monotonic clock."""
    return WorkDone(
        ended=end + WALL, seconds=end - start, operations=operations, transferred=8192.0
    )


def burst(start, end, until, every=0.2):
    """Looks at one processor that is busy from start to end and idle otherwise."""
    looks, at = [], 0.0
    while at <= until + 1e-9:
        busy = min(max(at - start, 0.0), end - start)
        looks.append((at, [row(system=busy, idle=at - busy)]))
        at += every
    return looks


@pytest.mark.parametrize("start", [1.0, 1.05, 1.1, 1.15, 1.19])
@pytest.mark.parametrize("end", [3.0, 3.05, 3.1, 3.15, 3.19])
def test_work_that_begins_between_two_looks(start, end, seen):
    """Wherever the edges lie between the looks, a burst costs what it lasted, to two ticks.

    Between looks 0.2 s apart a straight line would be wrong by up to 50 ms at each edge.
    """
    bill = make_bill(seen(burst(start, end, 4.0)), work(start, end), QUIET)
    assert bill.busy == pytest.approx(end - start, abs=2 * TICK)
    assert bill.window == pytest.approx(end - start)
    assert bill.life == pytest.approx(4.0)


def test_the_ramp_is_no_part(seen):
    """Work before the window, as busy as the work in it, is not on the bill."""
    bill = make_bill(seen(burst(0.5, 3.0, 3.4)), work(1.5, 3.0), QUIET)
    assert bill.busy == pytest.approx(1.5, abs=2 * TICK)


def test_iowait_and_steal_are_no_work(seen):
    """Waiting for a disk and time taken by the host are told, and are not busy."""
    looks = [
        (0.0, [row(), row()]),
        (10.0, [row(user=2, idle=5, iowait=3), row(system=1, softirq=1, idle=6, steal=2)]),
    ]
    bill = make_bill(seen(looks), work(0.0, 10.0), QUIET)
    assert bill.busy == pytest.approx(4.0)
    assert bill.per_cpu == pytest.approx((2.0, 2.0))
    contexts = bill.contexts
    assert (contexts.user, contexts.system, contexts.softirq) == pytest.approx((2.0, 1.0, 1.0))
    assert (contexts.iowait, contexts.steal) == pytest.approx((3.0, 2.0))
    assert bill.resolution == pytest.approx(3 * TICK), "idle, iowait and steal moved"
    assert bill.switches == pytest.approx(10000)


def test_what_is_idle_and_stolen_at_once_is_taken_off_once(seen):
    """A recorded trial on a busy host: more seconds were told than passed, 0.18 of them as work.

    Own processor time was 0.45 s, so 0.18 s cannot be; given back is never more than was stolen.
    """
    told = row(user=0.17, system=0.24, softirq=0.13, idle=1.93, steal=0.57)
    looks = [(0.0, [row(), row()]), (1.34, [told, row()])]
    assert make_bill(seen(looks), work(0.0, 1.34), QUIET).busy == pytest.approx(0.54, abs=0.001)
    looks = [(0.0, [row()]), (1.0, [row(user=0.6, idle=0.7, steal=0.1)])]
    assert make_bill(seen(looks), work(0.0, 1.0), QUIET).busy == pytest.approx(0.3)


def test_work_between_two_ticks_is_found(seen):
    """What the tick never saw is busy all the same: it was not idle."""
    looks = [(0.0, [row()]), (10.0, [row(idle=7.0)])]
    bill = make_bill(seen(looks), work(0.0, 10.0), QUIET)
    assert bill.busy == pytest.approx(3.0)
    assert bill.contexts.user == bill.contexts.system == 0.0
    assert bill.resolution == pytest.approx(TICK)


def test_the_whole_life_where_no_window_is_told(seen):
    """hyperfine's trials are measured from start to end."""
    whole = WorkDone(ended=None, seconds=None, operations=1.0)
    bill = make_bill(seen(burst(0.3, 1.7, 2.0)), whole, QUIET)
    assert bill.window == bill.life == pytest.approx(2.0)
    assert bill.busy == pytest.approx(1.4, abs=TICK)


def test_the_idle_machine_is_taken_off(seen):
    """Net is what was busy, less what the machine uses at rest in as long a window."""
    idle = IdleReference(seconds=1.5, busy=0.1)
    bill = make_bill(seen(burst(1.0, 3.0, 4.0)), work(1.0, 3.0), idle)
    assert bill.idle_reference == pytest.approx(0.2)
    assert bill.net == pytest.approx(1.8, abs=2 * TICK)


def test_owners_and_the_rest(seen):
    """What neither the benchmark, the background nor kernel threads used is the rest's."""
    meter = seen(burst(0.0, 3.0, 4.0), user=0.5, system=1.0)
    meter.threads = {"loop": 0.75}
    meter.background = 0.25
    owners = make_bill(meter, work(0.0, 3.0), QUIET).owners
    assert (owners.own_user, owners.own_system, owners.background) == (0.5, 1.0, 0.25)
    assert owners.kthreads == {"loop": 0.75}
    assert owners.rest == pytest.approx(0.5, abs=TICK)


def test_the_background_is_not_the_trials_cost(seen):
    """The background load's own time comes off the net, as far as it fell into the window."""
    meter = seen(burst(0.0, 4.0, 4.0))
    meter.background = 1.0
    bill = make_bill(meter, work(2.0, 4.0), QUIET)
    assert bill.net == pytest.approx(2.0 - 0.5, abs=2 * TICK)


def test_processors_that_come_or_go(seen):
    """With another number of processors there is no bill, and the trial says so."""
    looks = [(0.0, [row(), row()]), (1.0, [row(idle=1)])]
    with pytest.raises(TrialFailed, match=r"\(2, then 1 online\)"):
        make_bill(seen(looks), work(0.0, 1.0), QUIET)


def test_a_clock_that_was_set(seen):
    """A window that does not lie in the process's life is refused, not clipped."""
    with pytest.raises(TrialFailed, match="was the clock set"):
        make_bill(seen(burst(1.0, 3.0, 4.0)), work(7.0, 9.0), QUIET)


def test_counters_and_energy_of_the_window(seen):
    """Cycles and Joule are those of the window, a RAPL counter's new beginning included."""

    class Two:
        def used(self, before, after):
            return (after[0] - before[0]) % 100.0

    meter = seen(burst(1.0, 3.0, 4.0), sources=Sources(stat=None, energy=Two(), counters=object()))
    for i, look in enumerate(meter.looks):
        at = look.stat.at
        object.__setattr__(look, "energy", ((90.0 + 5.0 * at) % 100.0,))
        object.__setattr__(look, "counters", tuple(1e9 * k * at for k in (1, 2, 3, 4)))
        assert i < 100
    bill = make_bill(meter, work(1.0, 3.0), QUIET)
    assert bill.energy == pytest.approx(10.0)
    assert bill.counters.cycles_user == pytest.approx(2e9)
    assert bill.counters.instructions_kernel == pytest.approx(8e9)


@given(
    gaps=st.lists(st.floats(0.01, 0.5), min_size=1, max_size=30),
    steps=st.lists(st.floats(0.0, 1.0), min_size=30, max_size=30),
    share=st.floats(0.0, 1.0),
)
def test_a_curve_never_leaves_its_readings(gaps, steps, share):
    """Between two readings the quantity lies between them, and at a reading it is that reading."""
    times, values = [0.0], [0.0]
    for gap, step in zip(gaps, steps, strict=False):
        times.append(times[-1] + gap)
        values.append(values[-1] + step)
    curve = Curve(times, values)
    moment = share * times[-1]
    found = curve.at(moment)
    below = max(i for i, at in enumerate(times) if at <= moment)
    above = min(below + 1, len(times) - 1)
    assert values[below] - 1e-9 <= found <= values[above] + 1e-9
    for at, value in zip(times, values, strict=True):
        assert curve.at(at) == pytest.approx(value)


@given(
    rate=st.floats(0.0, 4.0),
    start=st.floats(0.0, 5.0),
    length=st.floats(0.0, 5.0),
)
def test_a_steady_load_is_exact(rate, start, length):
    """A load that never changes costs its rate times the window, wherever that lies."""
    times = [0.2 * i for i in range(51)]
    curve = Curve(times, [rate * at for at in times])
    assert curve.gained(start, start + length) == pytest.approx(rate * length, abs=1e-9)
