"""The write budget: what was written by the kernel's account, and what still fits."""

import os
import signal
import subprocess
import sys
import time

import pytest

from gate.errors import MeasureError
from gate.measure.process.process import trial_processes, with_gate_mark
from gate.measure.storage.budget import Budget, BudgetSpent, written_by

MIB = 1 << 20
WRITE = """
import os, sys
with open(sys.argv[1], "wb") as stream:
    stream.write(b"x" * int(sys.argv[2]))
    stream.flush()
    os.fsync(stream.fileno())
"""


def write(place, size):
    subprocess.run([sys.executable, "-c", WRITE, str(place), str(size)], check=True)


@pytest.fixture
def place(tmp_path):
    before = written_by("self")
    write(tmp_path / "probe", MIB)
    assert written_by("self") - before >= MIB, "this test needs storage that the kernel accounts"
    return tmp_path


def test_what_a_child_wrote_counts_once_it_was_waited_for(place):
    budget = Budget(limit=None, profile="p.toml")
    write(place / "a", 3 * MIB)
    assert 3 * MIB <= budget.used < 4 * MIB
    assert budget.since_last() == pytest.approx(budget.used)
    assert budget.since_last() == 0
    write(place / "b", MIB)
    assert MIB <= budget.since_last() < 2 * MIB


def test_another_trial_as_dear_as_the_dearest_must_fit(place):
    budget = Budget(limit=5 * MIB, profile="p.toml")
    budget.demand("b")
    budget.begin()
    write(place / "a", 2 * MIB)
    budget.end("b")
    budget.demand("b")
    write(place / "b", 2 * MIB)
    with pytest.raises(MeasureError, match="another trial of b writes about 2") as error:
        budget.demand("b")
    assert error.value.code == "G257"
    assert error.value.status == 4
    budget.demand("other")


def test_preparing_counts_but_is_no_part_of_what_a_trial_costs(place):
    budget = Budget(limit=5 * MIB, profile="p.toml")
    write(place / "prepared", 3 * MIB)
    budget.begin()
    budget.end("b")
    budget.demand("b")
    assert budget.used >= 3 * MIB


def test_what_goes_elsewhere_is_not_counted(place):
    """A guest's kernel, laid out beside the device, wears out no drive that is measured."""
    budget = Budget(limit=5 * MIB, profile="p.toml")
    write(place / "before", MIB)
    with budget.elsewhere():
        write(place / "kernel", 3 * MIB)
    write(place / "after", MIB)
    assert 2 * MIB <= budget.used < 3 * MIB


def test_what_resumed_sessions_wrote_counts(place):
    budget = Budget(limit=5 * MIB, profile="p.toml", before=5.0 * MIB)
    with pytest.raises(MeasureError, match="preconditioning writes about 1"):
        budget.demand_bytes(MIB, "preconditioning")
    assert budget.since_last() == 0


def test_a_running_trial_that_exceeds_it_is_stopped(place):
    child = subprocess.Popen(
        [sys.executable, "-c", WRITE + "input()", str(place / "a"), str(2 * MIB)],
        stdin=subprocess.PIPE,
    )
    budget = Budget(limit=MIB, profile="p.toml", running=lambda: [child.pid])
    try:
        while written_by(child.pid) < 2 * MIB:
            time.sleep(0.01)
        with pytest.raises(BudgetSpent, match="the profile's budget is 1"):
            budget.look()
    finally:
        child.communicate(b"\n")


def test_only_the_trial_of_this_gate_counts():
    """What another gate's trial writes meanwhile, on a host that two of them share, is not ours."""
    trial = {"DRIFTGATE_TRIAL": "1"}
    environments = (with_gate_mark(trial), trial | {"DRIFTGATE_GATE": "another"}, trial)
    children = [
        subprocess.Popen(["cat"], stdin=subprocess.PIPE, env=os.environ | one)
        for one in environments
    ]
    try:
        found = set(trial_processes()) & {child.pid for child in children}
    finally:
        for child in children:
            child.communicate()
    assert found == {children[0].pid}


def test_the_reader_is_told_what_it_cost_the_drive():
    budget = Budget(limit=2e9, profile="p.toml", endurance=600e12, before=1.5e9)
    budget._start = written_by("self")
    assert budget.summary().startswith("wrote 1.500 GB of the 2.000 GB that it may, 0.00 % of what")
    assert "600.0 TB" in budget.summary()


def test_what_a_process_wrote_that_nobody_waited_for_counts_as_it_was_last_seen(place):
    """A worker that outlives its parent is in no sum of the kernel's once it is gone."""
    told = place / "pid"
    script = (
        f"(exec {sys.executable} -c '{WRITE}import time; time.sleep(60)' {place}/a {2 * MIB}) & "
    )
    subprocess.run(["sh", "-c", f"{script} echo $! > {told}"], check=True)
    orphan = int(told.read_text())
    budget = Budget(limit=100 * MIB, profile="p.toml", running=lambda: [orphan])
    budget.begin()
    try:
        while written_by(orphan) < 2 * MIB:
            time.sleep(0.01)
        budget.look()
    finally:
        os.kill(orphan, signal.SIGKILL)
    budget.end("b")
    assert budget.used >= 2 * MIB
    assert budget.since_last() >= 2 * MIB
