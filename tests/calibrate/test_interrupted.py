"""A calibration that is killed, stopped or in somebody's way: nothing is lost or counted twice."""

from __future__ import annotations

import itertools
import json
import os
import signal
import time
from unittest import mock

import pytest
from builders import LOCK, start_gate, tree
from recorded_machine import RecordedMachine

from gate.errors import InputError
from gate.formats.baseline.calibration_file import read_rounds
from gate.formats.session.session_file import read_session
from gate.harness.planted.planting import planted_loss
from gate.host.lock import exclusive
from gate.linux.proc_stat import StatTicks, busy_share, read_stat

COMMAND = ("calibrate", "p", "--rounds", "2", "--seed", "4", "--plant", "10%", "--json")


@pytest.fixture
def slow(project):
    """The project with trials that take a moment."""
    raw = json.loads(project.recording.read_text("utf-8"))
    project.recording.write_text(json.dumps({**raw, "delay": 0.03}), "utf-8")
    return project


def rounds(project):
    return read_rounds(project.baselines)


def wait_for(condition, process):
    """Sleep until something is true of a running gate."""
    until = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until, "nothing happened"
        time.sleep(0.005)


def taken(path):
    """Trials that a session holds so far."""
    return len(read_session(path).trials) if path.exists() else 0


ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}


MOMENTS = [("screen", signal.SIGINT), ("second round", signal.SIGKILL)]
"""What is tested by default; each signal at each moment is a proof."""
CASES = [
    pytest.param(
        *one, id=f"{one[0]}-{one[1].name}", marks=() if one in MOMENTS else pytest.mark.proof
    )
    for one in itertools.product(("screen", "second round"), ENDS)
]


@pytest.mark.parametrize(("where", "number"), CASES)
def test_the_same_command_goes_on(slow, where, number):
    """Finished rounds count, an unfinished one keeps its plan and its trials, none is doubled."""
    place = slow.root / "reports/calibration/p"
    path = place / ("round-0001" if where == "screen" else "round-0002") / "p/head.json"
    process = start_gate(COMMAND, cwd=slow.root)
    wait_for(lambda: taken(path) >= 1, process)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == ENDS[number], err
    before, plan = rounds(slow), path.parents[1] / "plan.json"
    assert len(before) == (0 if where == "screen" else 1)
    if number is not signal.SIGKILL:
        finished = len(before)
        assert f"interrupted; {finished} rounds were finished and are stored." in err
        assert "The same command goes on." in err
    kept, planned = read_session(path).trials, plan.read_text("utf-8")
    answer = slow.gate(*COMMAND, "--quiet")
    assert answer.status == 0, answer
    after = rounds(slow)
    assert after[: len(before)] == before
    assert [one.number for one in after] == [1, 2]
    assert [one.planted for one in after] == [planted_loss(4, n, (0.1,)) for n in range(2)]
    assert plan.read_text("utf-8") == planned
    assert read_session(path).trials[: len(kept)] == kept
    assert after[len(before)].id == json.loads(planned)["id"]
    assert [row["number"] for row in answer.json["rounds"]] == list(range(len(before) + 1, 3))


def test_a_finished_calibration_begins_the_next_one(project, calibrate):
    """The same command once more asks for as many rounds again, of the same draw."""
    calibrate("--rounds", "3", "--seed", "4", "--plant", "10%")
    calibrate("--rounds", "3", "--seed", "4", "--plant", "10%")
    after = rounds(project)
    assert [one.number for one in after] == [1, 2, 3, 4, 5, 6]
    assert [one.planted for one in after] == [planted_loss(4, n, (0.1,)) for n in range(6)]


def test_a_result_that_cannot_be_stored_is_stored_later(project, calibrate):
    """The round is not finished before its result stands beside the baselines."""
    refusal = InputError("G208", "cannot be written: No space left on device.", place="x")
    with mock.patch("gate.pipeline.calibrate.append_round", side_effect=refusal):
        answer = calibrate("--rounds", "1", "--unchanged")
    assert (answer.status, rounds(project)) == (2, ())
    plan = project.root / "reports/calibration/p/round-0001/plan.json"
    before = tree(project.root / "reports/calibration/p/round-0001/p")
    assert calibrate("--rounds", "1", "--unchanged").status == 0
    (stored,) = rounds(project)
    assert stored.id == json.loads(plan.read_text("utf-8"))["id"]
    after = tree(project.root / "reports/calibration/p/round-0001/p")
    assert after["head.json"] == before["head.json"]


def test_a_round_stored_but_not_finished_is_not_counted_twice(project, calibrate):
    """Killed between the two writes, the next command judges it again and replaces it."""
    calibrate("--rounds", "1", "--unchanged")
    (project.root / "reports/calibration/p/round-0001/round.json").unlink()
    calibrate("--rounds", "1", "--unchanged")
    assert [one.number for one in rounds(project)] == [1]


def test_a_round_of_another_boot_begins_anew_with_its_plan(project, calibrate):
    """Trials cannot be continued after a reboot; the draw must not change for that."""
    place = project.root / "reports/calibration/p"
    with mock.patch("gate.pipeline.calibrate.append_round", side_effect=InputError("G208", "no")):
        calibrate("--rounds", "1", "--seed", "4")
    path = place / "round-0001/p/head.json"
    session = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(session | {"boot": "yesterday", "state": "partial"}), "utf-8")
    plan = json.loads((place / "round-0001/plan.json").read_text("utf-8"))
    answer = calibrate("--rounds", "1", "--seed", "4", quiet=False)
    assert answer.status == 0, answer
    assert "this round cannot go on: " in answer.err
    assert json.loads((place / "round-0001/plan.json").read_text("utf-8"))["id"] == plan["id"]
    aside = place / "round-0001-given-up-1/p/head.json"
    assert json.loads(aside.read_text("utf-8"))["boot"] == "yesterday"
    assert [one.number for one in rounds(project)] == [1]


def test_a_benchmark_that_is_gone_is_not_slowed(project, calibrate):
    """A round planned for a benchmark that the profile no longer has is drawn anew."""
    place = project.root / "reports/calibration/p/round-0001/plan.json"
    calibrate("--rounds", "1", "--plant", "10%", "--seed", "1", "--plan")
    assert not place.exists()
    with mock.patch("gate.pipeline.calibrate.append_round", side_effect=InputError("G208", "no")):
        calibrate("--rounds", "1", "--plant", "10%", "--seed", "1")
    plan = json.loads(place.read_text("utf-8"))
    plan["plant"] = {"loss": 0.1, "benchmark": "gone", "settings": {}}
    place.write_text(json.dumps(plan | {"sized": False}), "utf-8")
    assert calibrate("--rounds", "1", "--plant", "10%", "--seed", "1").status == 0
    assert [one.planted for one in rounds(project)] == [planted_loss(1, 0, (0.1,))]


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("schedule.json", "{", "G205"),
        ("schedule.json", '{"schema": 1}', "G206"),
        ("schedule.json", '{"schema": 2}', "G207"),
        ("round-0002/plan.json", '{"schema": 1, "x": 1}', "G206"),
    ],
)
def test_a_broken_state_is_told_with_its_cure(project, calibrate, name, text, code):
    """The directory of the rounds may be removed: results stand beside the baselines."""
    calibrate("--rounds", "1", "--unchanged")
    path = project.root / "reports/calibration/p" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    answer = calibrate("--rounds", "2", "--unchanged")
    assert answer.status == 2
    assert f"error[{code}]: reports/calibration/p/{name}" in answer.err
    assert "Remove reports/calibration/p" in answer.err


def test_two_calibrations_do_not_share_a_directory(slow):
    """The second one is told so and touches nothing."""
    process = start_gate(COMMAND, cwd=slow.root)
    path = slow.root / "reports/calibration/p/round-0001/p/head.json"
    wait_for(lambda: taken(path) >= 1, process)
    answer = slow.gate(*COMMAND)
    assert answer.status == 2
    assert "error[G222]: reports/calibration/p: another calibration goes on" in answer.err
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


@pytest.fixture
def short_pauses():
    """Look again at once."""
    with mock.patch("gate.pipeline.idle_wait._PAUSE", 0.02):
        yield


def test_it_waits_while_another_gate_measures(project, calibrate, short_pauses):
    """A busy host is waited for, and the wait is told once."""
    held = exclusive(LOCK)
    held.__enter__()
    looks = []

    def look(number, frame):
        looks.append(number)
        held.__exit__(None, None, None)

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, 2)  # longer than one look at the lock
    try:
        answer = calibrate("--rounds", "1", "--unchanged", quiet=False)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert answer.status == 0, answer
    assert looks == [signal.SIGALRM]
    assert answer.err.count(f"waiting: process {os.getpid()} (") == 1
    assert [one.number for one in rounds(project)] == [1]


def test_it_stops_politely_when_the_other_does_not_end(project, calibrate, short_pauses):
    """With a limit of time the wait ends with it; the round is there to go on."""
    with exclusive(LOCK):
        answer = calibrate("--for", "100ms", "--unchanged", quiet=False)
    assert answer.status == 0
    assert "time is up; the same command goes on" in answer.err
    assert rounds(project) == ()
    assert calibrate("--rounds", "1", "--unchanged").status == 0


def test_a_wait_can_be_interrupted(slow):
    """Ctrl-C while another gate measures ends the wait at once."""
    lock = slow.root.parent / "lock"
    with exclusive(lock):
        process = start_gate(COMMAND, cwd=slow.root, lock=lock)
        plan = slow.root / "reports/calibration/p/round-0001/plan.json"
        wait_for(plan.exists, process)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "waiting: process " in err
    assert "interrupted; 0 rounds were finished" in err


def test_no_round_is_begun_that_would_not_end_in_time(project, calibrate, make_round):
    """What earlier rounds took tells whether another one fits."""
    calibrate("--rounds", "1", "--unchanged")
    (first,) = rounds(project)
    path = project.baselines / "lab/calibration.toml"
    text = path.read_text("utf-8").replace(f"seconds = {first.seconds!r}", "seconds = 7200.0")
    path.write_text(text, "utf-8")
    answer = calibrate("--for", "1h", "--unchanged", quiet=False)
    assert answer.status == 0
    assert "time is up" in answer.err
    assert len(rounds(project)) == 1


def test_when_idle_waits_for_an_idle_machine(project, calibrate, short_pauses):
    """Each round waits until less than a tenth of the processors is used."""
    shares = iter([0.9, 0.11, 0.09, 0.0])
    with mock.patch("gate.pipeline.idle_wait.busy_now", side_effect=lambda: next(shares)):
        answer = calibrate("--rounds", "2", "--unchanged", "--when-idle", quiet=False)
    assert answer.status == 0, answer
    assert answer.err.count("waiting: 90% of the processors are used") == 1
    assert len(rounds(project)) == 2
    assert next(shares, None) is None


def test_how_busy_the_machine_is():
    """Idle and iowait are spare; what the kernel does not tell counts as idle."""
    nothing = read_stat(RecordedMachine({}))
    assert nothing == StatTicks()
    assert busy_share(nothing, nothing) == 0
    early = "cpu  100 5 45 800 40 3 5 2 7 7\ncpu0 1 2 3\n"
    late = "cpu  120 5 45 980 40 3 5 2 7 7\ncpu0 1 2 3\n"
    before, after = (
        read_stat(RecordedMachine({"files": {"/proc/stat": one}})) for one in (early, late)
    )
    assert (before.busy, sum(before.total)) == (160, 1000)
    assert busy_share(before, after) == 0.1
