"""The account of real processes: what it costs, what it says here, what it leaves behind."""

from __future__ import annotations

import os
import sys
import time

import pytest
from measure.cpu.made import profile_of

from gate.errors import MeasureError, TrialFailed
from gate.harness.base import Command, Reading, WorkDone
from gate.linux.perf_event import NoCounters
from gate.linux.proc_stat import TICK, StatFile, parse_proc_stat
from gate.measure.cpu import account as under_test
from gate.measure.cpu.account import Accountant, make_accountant
from gate.measure.cpu.samples import Sources, measure_idle
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop, StopRequested
from gate.model import IdleReference, Role

pytestmark = pytest.mark.alone

QUIET = IdleReference(seconds=1.5, busy=0.0)
WHOLE = Reading(values=(), work=WorkDone(ended=None, seconds=None, operations=1.0))
SPIN = "import time\nwhile time.process_time() < {}: pass"


def steal():
    """Seconds that the hypervisor took from the processors so far."""
    return parse_proc_stat(StatFile().look()).total[7]


def command(script, tmp_path):
    """A Python process."""
    return Command(
        argv=(sys.executable, "-c", script),
        directory=tmp_path,
        environment=dict(os.environ),
        timeout=60.0,
    )


@pytest.fixture
def accountant():
    """One that asks for nothing in particular."""
    return Accountant(
        sources=Sources(stat=StatFile()),
        gated=frozenset(),
        watched=frozenset(),
        unavailable={},
        idle=QUIET,
    )


def metered(accountant, one, stop=None, *, around=lambda sample: sample):
    """Run a command under account; `around` may put something around each look."""
    meter = accountant.open_meter()
    outcome = run_process(one, stop or Stop(), sample=around(meter.sample))
    meter.end(outcome.usage)
    return outcome


@pytest.fixture
def account(accountant, tmp_path):
    """Run a script under account; gives the bill and the outcome."""

    def take(script, stop=None):
        outcome = metered(accountant, command(script, tmp_path), stop)
        bill, _, _ = accountant.account(WHOLE, QUIET)
        return bill, outcome

    return take


def test_measuring_costs_less_than_a_thousandth_of_a_processor(accountant, tmp_path):
    """By its own clock, the gate uses less than 0.1 % of one processor while a trial runs.

    Told of the time between the start of the child and its end; the best of three counts, as a
    neighbour can only add to it.
    """
    shares = []
    for _ in range(3):
        marks = []

        def around(sample, marks=marks):
            def marked():
                wait = sample()
                marks.append((time.monotonic(), time.process_time()))
                return wait

            return marked

        metered(accountant, command("import time; time.sleep(4)", tmp_path), around=around)
        # The first look is before the start of the child, the second right after it.
        (begun, used_then), (ended, used_now) = marks[1], marks[-1]
        shares.append((used_now - used_then) / (ended - begun))
        if shares[-1] < 0.001:
            break
    assert min(shares) < 0.001, shares


def test_a_dear_look_is_taken_rarely(accountant):
    """Where one look costs 2 ms, looks are so rare that they stay below the thousandth."""

    class Dear(StatFile):
        def look(self):
            until = time.process_time() + 0.002
            while time.process_time() < until:
                pass
            return super().look()

    from gate.measure.cpu.samples import Meter

    meter = Meter(Sources(stat=Dear()))
    for _ in range(3):
        wait = meter.sample()
    assert wait >= 0.002 / 0.001


def test_long_trials_are_looked_at_more_rarely(seen):
    """After ten minutes a look every second is enough; the first ones are 0.2 s apart."""
    meter = seen([(0.0, [(0.0,) * 8])], sources=Sources(stat=StatFile()))
    first = meter.looks[0]
    assert meter.sample() == pytest.approx(0.2)
    object.__setattr__(first.stat, "at", time.monotonic() - 600)
    assert meter.sample() >= 600 / 500


def test_what_a_process_used_is_found(account):
    """A process that spins for half a second is billed for it: as its own, and as busy.

    Its own time may hold what the hypervisor took meanwhile, which the machine's does not.
    """
    stolen = steal()
    bill, outcome = account(SPIN.format(0.5))
    stolen = steal() - stolen
    used = outcome.usage.user + outcome.usage.system
    assert used >= 0.5
    assert bill.owners.own_user + bill.owners.own_system == pytest.approx(used)
    assert bill.busy + stolen >= 0.5 - 2 * TICK
    assert bill.life == bill.window
    assert sum(bill.per_cpu) == pytest.approx(bill.busy, abs=8 * TICK)
    assert bill.switches > 0


def test_children_that_were_waited_for_are_its_own(account):
    """What a process's children used is the trial's too."""
    script = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {SPIN.format(0.3)!r}])"
    _, outcome = account(script)
    assert outcome.usage.user + outcome.usage.system >= 0.3


def test_memory_is_told_only_above_our_own(account):
    """A child is born with the gate's memory, so only a larger one's peak is known."""
    _, small = account("pass")
    assert small.usage.memory == 0.0
    _, large = account("x = b'x' * (400 << 20)")
    assert large.usage.memory > 400 << 20


def test_kernel_threads_and_background_are_asked_outside(accountant, tmp_path, monkeypatch):
    """Kernel threads are read twice, never while the process runs; so is the background load."""
    calls = []
    inside = []
    monkeypatch.setattr(
        "gate.measure.cpu.samples.processes.read_kthreads", lambda: calls.append(list(inside)) or {}
    )
    clock = iter((1.0, 3.5))

    meter = accountant.open_meter(lambda: next(clock))
    inside.append("started")
    outcome = run_process(command("pass", tmp_path), Stop(), sample=meter.sample)
    inside.append("ended")
    meter.end(outcome.usage)
    bill, _, _ = accountant.account(WHOLE, QUIET)
    assert calls == [[], ["started", "ended"]]
    assert bill.owners.background == pytest.approx(2.5)


def test_the_idle_machine():
    """At rest this machine uses no more than it has, and the look takes the time it says."""
    began = time.monotonic()
    found = measure_idle(Sources(stat=StatFile()), Stop())
    assert 1.4 < found.seconds <= time.monotonic() - began
    assert 0.0 <= found.busy <= os.cpu_count() + 0.1
    assert found.energy is None


def test_one_reference_for_the_whole_sitting(accountant, monkeypatch):
    """The idle machine is looked at once, and a resumed session's own is kept for both sides."""
    monkeypatch.setattr(
        under_test, "measure_idle", lambda *_: pytest.fail("it was looked at again")
    )
    assert accountant.reference(Stop()) is QUIET
    resumed = IdleReference(seconds=1.5, busy=0.7)
    accountant.renew(resumed)
    assert accountant.reference(Stop()) is resumed
    assert accountant.reference(Stop()) is resumed


def test_a_stop_ends_the_look_at_the_idle_machine():
    """A signal during the quiet time stops the gate there."""
    stop = Stop()
    stop.number = 15
    with pytest.raises(StopRequested):
        measure_idle(Sources(stat=StatFile()), stop)


def test_nothing_is_open_after_it(tmp_path):
    """Looks leave no open file behind when their sitting is over."""
    before = set(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names alone
    made = make_accountant(profile_of("fio", cpu_per_io=Role.GATE))
    assert made is not None
    del made
    assert set(os.listdir("/proc/self/fd")) <= before  # noqa: PTH208 - names alone


def test_who_asks_for_no_cost_pays_for_no_account():
    """Without a CPU metric there is no accountant, and other harnesses never have one."""
    assert make_accountant(profile_of("fio", iops=Role.GATE)) is None
    assert make_accountant(profile_of("hyperfine", cpu=Role.GATE)) is None
    assert make_accountant(profile_of("replay", cpu_per_io=Role.GATE)) is None


@pytest.fixture
def bare(monkeypatch):
    """A host without cycle counters and without RAPL."""

    def none(*_):
        raise NoCounters("perf offers no cycle counter on this machine")

    from gate.linux.kernel_counters import Energy

    monkeypatch.setattr(under_test, "CounterFiles", none)
    monkeypatch.setattr(under_test, "find_energy", lambda: Energy((), "no RAPL here"))


def test_what_the_host_lacks_is_told(bare):
    """A watched metric that the host cannot give is named with its reason; the rest is kept."""
    made = make_accountant(
        profile_of("fio", cpu_per_io=Role.GATE, cycles_per_io=Role.WATCH, energy_per_io=Role.WATCH)
    )
    assert made.unavailable == {
        "cycles_per_io": "perf offers no cycle counter on this machine",
        "energy_per_io": "no RAPL here",
    }
    assert made.gated == {"cpu_per_io"}


@pytest.mark.parametrize("name", ["cycles_per_io", "instructions_kernel_per_io", "energy_per_io"])
def test_a_gate_metric_that_the_host_lacks(bare, name):
    """Nothing is measured at all where a metric that closes the gate cannot be had."""
    with pytest.raises(MeasureError, match=rf'{name} is not available.*role = "watch"') as error:
        make_accountant(profile_of("fio", **{name: Role.GATE}))
    assert (error.value.code, error.value.status) == ("G238", 4)


def test_a_group_asks_for_the_metric_of_its_points(bare):
    """A curve of cpu_per_io needs cpu_per_io of its points, whether or not they are judged."""
    made = make_accountant(profile_of("fio", curve=("cpu_per_io", Role.GATE)))
    assert made.gated == {"cpu_per_io"}


def test_a_trial_without_a_window(accountant):
    """A harness that does not place its work in time gives no bill, and the trial fails."""
    with pytest.raises(TrialFailed, match="startdelay"):
        accountant.account(Reading(values=()), QUIET)


@pytest.mark.parametrize("gated", [True, False], ids=["gate", "watch"])
def test_below_the_resolution(accountant, tmp_path, gated):
    """A cost too small to be told fails a trial that rests on it, and is noted where watched."""
    names = frozenset({"cpu_per_io"})
    accountant.gated, accountant.watched = (names, frozenset()) if gated else (frozenset(), names)
    metered(accountant, command("pass", tmp_path))
    busy = IdleReference(seconds=1.5, busy=float(os.cpu_count()))
    if gated:
        with pytest.raises(TrialFailed, match=r"no value for cpu_per_io: .*CPU-seconds"):
            accountant.account(WHOLE, busy)
        return
    bill, values, notes = accountant.account(WHOLE, busy)
    assert bill is not None
    assert values == ()
    assert notes[0].startswith("no value for cpu_per_io: ")
