"""Whole calibrations on recorded values: what a round says, where the truth is known."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from builders import write_replay_project

from gate.formats.baseline.calibration_file import read_rounds
from gate.formats.session.session_file import read_session
from gate.model import Ending

STEADY = (1.0, 1.002, 0.998)
MANY = STEADY * 60


def rounds(project):
    """Everything stored, oldest first."""
    return read_rounds(project.baselines)


def test_an_unchanged_host_gives_no_alarm_and_every_plant_is_found(project, calibrate):
    """Eight rounds hold six unchanged ones and each plant once, and all end as they should."""
    answer = calibrate("--rounds", "8", "--seed", "7")
    assert answer.status == 0, answer
    stored = rounds(project)
    assert sorted((one.planted, one.ending.value) for one in stored) == [
        *[(0.0, "clear")] * 6,
        (0.05, "found"),
        (0.1, "found"),
    ]
    assert [one.number for one in stored] == list(range(1, 9))
    assert (
        "on this host, last 6 unchanged comparisons: 0 false alarms; planted 5 %: 1 of 1 found; "
        "planted 10 %: 1 of 1 found\n"
    ) in answer.out


def test_what_is_recorded_of_a_planted_round(project, calibrate):
    """Asked and achieved loss, the tolerance, the counts and the promise stand in the round."""
    assert calibrate("--rounds", "4", "--plant", "8%", "--seed", "1").status == 0
    (found,) = (one for one in rounds(project) if one.planted)
    place = project.root / f"reports/calibration/p/round-{found.number:04d}"
    sessions = [read_session(path) for path in place.glob("p/*.json")]
    assert (found.planted, found.achieved, found.tolerance) == (0.08, 0.08, 0.05)
    assert (found.benchmark, found.metrics, found.regressed, found.inconclusive) == ("b", 1, 1, 0)
    assert found.trials == sum(len(session.trials) for session in sessions)
    assert (found.alpha, found.beta, found.seed) == (0.01, 0.025, 1)
    assert {s.side.value: s.planted for s in sessions} == {"head": 0.08, "base": 0.0}
    report = json.loads((place / "report.json").read_text("utf-8"))
    assert "p: a calibration: the head was slowed by 8.0 %" in report["notes"]
    assert (place / "report.html").is_file()


def test_a_base_that_differs_is_a_false_alarm(project, calibrate):
    """Where nothing was planted and the sides differ all the same, the round says so."""
    project.record({"b": [1.2 * one for one in MANY]}, {"b": MANY})
    answer = calibrate("--rounds", "1", "--unchanged")
    assert [one.ending for one in rounds(project)] == [Ending.ALARM]
    assert answer.status == 5
    assert "1 unchanged comparison: 1 false alarm" in answer.out


def test_a_plant_that_passes_is_missed(project, calibrate):
    """A head that the plant brings back to the base's level passes, and counts as missed."""
    project.record({"b": [one / 1.1 for one in MANY]}, {"b": MANY})
    calibrate("--rounds", "4", "--plant", "10%", "--seed", "1")
    (missed,) = (one for one in rounds(project) if one.planted)
    assert missed.ending is Ending.MISSED
    assert missed.achieved == pytest.approx(0.0, abs=0.002)


@pytest.mark.parametrize("act", ["fail", "nan", "zero"])
def test_a_broken_round_is_neither_found_nor_an_alarm(project, calibrate, act):
    """A trial without a number voids the round, planted or not."""
    project.record({"b": [act, *MANY]}, {"b": MANY})
    answer = calibrate("--rounds", "4", "--plant", "10%", "--seed", "1", "--json")
    assert answer.status == 0
    assert {one.ending for one in rounds(project)} == {Ending.VOID}
    assert answer.json["record"] == (
        "4 rounds without comparable numbers, and no other: gate calibrate PROFILE"
    )


def test_a_round_that_cannot_decide_is_inconclusive(project, calibrate):
    """Pairs that are spent without proof are counted as such."""
    swing = [1.0, 1.5, 0.7, 1.3, 0.8] * 30
    project.record({"b": [1.03 * one for one in swing]}, {"b": swing[::-1]})
    calibrate("--rounds", "1", "--unchanged")
    (one,) = rounds(project)
    assert (one.ending, one.regressed, one.inconclusive) == (Ending.INCONCLUSIVE, 0, 1)


def test_only_one_benchmark_is_slowed_and_never_a_control(tmp_path):
    """The plant goes into one benchmark; a control keeps telling whether the host moved."""
    head = {"b": STEADY, "c": STEADY, "k": STEADY}
    project = write_replay_project(tmp_path, head=head, top='control = ["k"]')
    project.accept()
    project.record(dict.fromkeys(head, MANY))
    answer = project.gate("calibrate", "p", "--rounds", "12", "--plant", "10%", "--quiet")
    assert answer.status == 0, answer
    planted = [one for one in rounds(project) if one.planted]
    assert len(planted) == 3
    assert {one.benchmark for one in planted} <= {"b", "c"}
    assert {(one.ending, one.regressed) for one in planted} == {(Ending.FOUND, 1)}


def test_two_profiles_take_turns(project):
    """Rounds of several profiles alternate, so that a slow change of the host meets both."""
    text = project.profile.read_text("utf-8")
    (project.root / "profiles/q.toml").write_text(text, "utf-8")
    source = project.baseline.read_text("utf-8")
    project.baseline.with_name("q.toml").write_text(source.replace('"p"', '"q"'), "utf-8")
    answer = project.gate("calibrate", "p", "q", "--rounds", "2", "--unchanged", "--json")
    assert answer.status == 0, answer
    told = [(one["profile"], one["number"]) for one in answer.json["rounds"]]
    assert told == [("p", 1), ("q", 1), ("p", 2), ("q", 2)]
    assert answer.json["calibration"]["unchanged"] == 4


def test_a_planted_session_is_never_accepted(project, calibrate):
    """What a calibration slowed must not become the level that changes are compared with."""
    calibrate("--rounds", "4", "--plant", "10%", "--seed", "1")
    (planted,) = (one for one in rounds(project) if one.planted)
    path = project.root / f"reports/calibration/p/round-{planted.number:04d}/p/head.json"
    answer = project.gate("baseline", "accept", path, "--reason", "x", "--by", "me")
    assert answer.status == 2
    assert "error[G220]" in answer.err
    assert "a calibration slowed it on purpose" in answer.err


def test_a_planted_session_is_not_resumed_without_its_plant(project, calibrate):
    """`gate run --resume` would mix slowed and plain trials, and refuses."""
    calibrate("--rounds", "4", "--plant", "10%", "--seed", "1")
    (planted,) = (one for one in rounds(project) if one.planted)
    path = project.root / f"reports/calibration/p/round-{planted.number:04d}/p/head.json"
    answer = project.gate("run", "--resume", path)
    assert answer.status == 2
    assert "its planted loss is 0.1, now 0" in answer.err


def test_waivers_do_not_hide_what_a_round_found(project, calibrate):
    """A waiver lets a loss through a check; a calibration asks whether it is seen."""
    today = datetime.now(UTC).date()
    (project.baselines / "waivers.toml").write_text(
        '[[waiver]]\nprofile = "p"\nbenchmark = "b"\nmetric = "wall"\nceiling = "50%"\n'
        f'since = "{today}"\nexpires = "{today + timedelta(days=99)}"\nissue = "1"\nreason = "x"\n',
        "utf-8",
    )
    calibrate("--rounds", "4", "--plant", "10%", "--seed", "1")
    assert [one.ending for one in rounds(project) if one.planted] == [Ending.FOUND]
