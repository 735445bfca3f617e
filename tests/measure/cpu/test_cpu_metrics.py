"""From a bill to values: units, resolutions, and what is no value."""

from __future__ import annotations

from dataclasses import replace

import pytest
from measure.cpu.made import bill_of

from gate.formats.profile.metric_kinds import counter_metrics, cpu_kinds
from gate.linux.proc_stat import TICK
from gate.measure.cpu.metrics import cpu_values
from gate.model import Better, Counters, IdleReference, Work

IDLE = IdleReference(seconds=1.5, busy=0.05, energy=10.0)


def figures(bill, *names, idle=IDLE):
    """Value and resolution by name, and what is lacking."""
    values, lacking = cpu_values(bill, idle, names)
    return {v.metric: (v.value, v.resolution) for v in values}, lacking


def test_the_figures_of_a_bill():
    """0.9 net CPU-seconds of 1000 I/Os and 4 MB in 2 s on 2 processors, each with its tick."""
    found, lacking = figures(
        bill_of(), "cpu_per_io", "cpu_per_byte", "cpu_utilisation", "efficiency", "context_switches"
    )
    assert not lacking
    assert found["cpu_per_io"] == pytest.approx((0.9e-3, 0.01e-3))
    assert found["cpu_per_byte"] == pytest.approx((0.9 / 4096000, 0.01 / 4096000))
    assert found["cpu_utilisation"] == pytest.approx((0.225, 0.0025))
    assert found["efficiency"] == pytest.approx((1000 / 0.9, 1000 / 0.9 * 0.01 / 0.9))
    assert found["context_switches"] == pytest.approx((3.0, 0.001))


def test_the_figures_of_owners():
    """Own tasks and kernel threads are taken over the life, 2.5 s, and told of the window, 2 s."""
    found, _ = figures(
        bill_of(), "cpu_share", "own_cpu_per_io", "kthread_cpu_per_io", "softirq_cpu_per_io"
    )
    assert found["cpu_share"][0] == pytest.approx(0.75 / 2.5)
    assert found["own_cpu_per_io"][0] == pytest.approx(0.75 * 0.8 / 1000)
    assert found["kthread_cpu_per_io"][0] == pytest.approx(0.25 * 0.8 / 1000)
    assert found["softirq_cpu_per_io"][0] == pytest.approx(0.1 / 1000)


def test_the_resolution_of_owners():
    """Each is told to one tick: of 1000 I/Os, or of the life of 2.5 s."""
    names = ("own_cpu_per_io", "kthread_cpu_per_io", "softirq_cpu_per_io", "cpu_share")
    found, _ = figures(bill_of(), *names)
    assert [found[name][1] for name in names] == pytest.approx([TICK / 1000] * 3 + [TICK / 2.5])


def test_a_command_has_the_same_by_other_names():
    """What fio has for each I/O, hyperfine has for each operation."""
    found, lacking = figures(bill_of(), "cpu_per_op", "own_cpu_per_op", "cpu_utilisation")
    assert not lacking
    assert found["cpu_per_op"] == pytest.approx((0.9e-3, 0.01e-3))


def test_cycles_and_energy():
    """Events and net Joule for each I/O; 25 J less 10 J/s of the idle machine are 5 J."""
    counters = Counters(
        cycles_user=1e6, cycles_kernel=3e6, instructions_user=2e6, instructions_kernel=5e6
    )
    bill = replace(bill_of(), counters=counters, energy=25.0)
    found, lacking = figures(
        bill, "cycles_per_io", "cycles_kernel_per_io", "instructions_user_per_io", "energy_per_io"
    )
    assert not lacking
    assert [found[name][0] for name in found] == pytest.approx([4000.0, 3000.0, 2000.0, 0.005])


@pytest.mark.parametrize(
    ("busy", "words"),
    [(0.1, "0.000 CPU-seconds"), (0.05, "-0.050 CPU-seconds"), (0.109, "0.009 CPU-seconds")],
    ids=["zero", "negative", "below-resolution"],
)
def test_no_value_below_the_resolution(busy, words):
    """A cost that is not above a tick is no value; the figure, the tick and the cure are told."""
    found, lacking = figures(bill_of(busy=busy), "cpu_per_io", "efficiency", "context_switches")
    assert list(found) == ["context_switches"]
    assert set(lacking) == {"cpu_per_io", "efficiency"}
    assert words in lacking["cpu_per_io"]
    assert "below 0.010 s cannot be seen: let a trial do more work" in lacking["cpu_per_io"]


def test_a_machine_that_is_not_idle():
    """Where other work fills the machine, that is the reason told."""
    idle = IdleReference(seconds=1.5, busy=1.9)
    _, lacking = figures(bill_of(busy=0.1), "cpu_per_io", idle=idle)
    assert "1.90 of 2 processors busy while nothing is measured" in lacking["cpu_per_io"]
    assert "quieten the host" in lacking["cpu_per_io"]


def test_nothing_is_divided_by_nothing():
    """Without operations or bytes there is a reason and no infinite cost."""
    _, lacking = figures(bill_of(operations=0.0), "cpu_per_io", "context_switches")
    assert set(lacking) == {"cpu_per_io", "context_switches"}
    _, lacking = figures(bill_of(transferred=0.0), "cpu_per_byte")
    assert "number of bytes transferred is not known" in lacking["cpu_per_byte"]


def test_a_context_that_was_never_seen_is_no_value():
    """Zero soft interrupts is told as such: no ratio can be formed of it."""
    bill = bill_of()
    bill = replace(bill, contexts=replace(bill.contexts, softirq=0.0))
    _, lacking = figures(bill, "softirq_cpu_per_io")
    assert "came out as 0" in lacking["softirq_cpu_per_io"]


def test_the_kinds_of_each_harness():
    """fio has I/Os, hyperfine operations and bytes only where declared, others have no account."""
    fio, plain = cpu_kinds("fio", Work()), cpu_kinds("hyperfine", Work())
    assert {"cpu_per_io", "cpu_per_byte", "efficiency", "energy_per_io"} <= set(fio)
    assert "cpu_per_op" in plain
    assert "cpu_per_io" not in plain
    assert "cpu_per_byte" not in plain
    assert "cpu_per_byte" in cpu_kinds("hyperfine", Work(transferred="copied"))
    assert cpu_kinds("replay", Work()) == cpu_kinds("pytest-benchmark", Work()) == {}
    assert counter_metrics("replay") == frozenset()
    assert (fio["efficiency"].unit, fio["efficiency"].better) == ("op/s", Better.HIGHER)
    assert (fio["energy_per_io"].unit, fio["energy_per_io"].better) == ("J", Better.LOWER)
    assert counter_metrics("fio") <= set(fio)


def test_every_kind_has_a_figure():
    """No metric is offered that a full bill does not give."""
    counters = Counters(
        cycles_user=1e6, cycles_kernel=3e6, instructions_user=2e6, instructions_kernel=5e6
    )
    bill = replace(bill_of(), counters=counters, energy=25.0)
    for harness in ("fio", "hyperfine"):
        names = cpu_kinds(harness, Work(transferred="copied"))
        values, lacking = cpu_values(bill, IDLE, names)
        assert not lacking
        assert {value.metric for value in values} == set(names)
