"""`gate calibrate` on the command line: wrong input, the plan, the answer for machines, unfit."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from unittest import mock

import pytest
from builders import HOST_CLASS, unchanged, write_replay_project

from gate.docs import PAGES
from gate.formats.baseline.calibration_file import append_round, calibration_text, read_rounds
from gate.model import Ending

WRONG = [
    (["--rounds", "2"], "G200", "no profile is named"),
    (["p"], "G200", "how many rounds, or for how long?"),
    (["p", "--rounds", "0"], "G200", "--rounds"),
    (["p", "--rounds", "x"], "G200", "--rounds"),
    (["p", "--for", "soon"], "G200", '--for: "soon" is not a quantity in ns, us'),
    (["p", "--for", "0s"], "G200", "--for must be above zero"),
    (["p", "--rounds", "1", "--plant", "5"], "G200", '--plant: "5" is not a percentage'),
    (["p", "--rounds", "1", "--plant", "0%"], "G200", "--plant must lie between 0.1% and 500%"),
    (["p", "--rounds", "1", "--plant", "501%"], "G200", "--plant must lie between"),
    (["p", "--rounds", "1", "--plant", "5%", "--unchanged"], "G200", "exclude each other"),
    (["p", "--rounds", "1", "--alpha", "nan"], "G200", "nan"),
    (["p", "--rounds", "1", "--seed", "-1"], "G200", "--seed"),
    (["q", "--rounds", "1"], "G211", "no profile q"),
    (["p", "--rounds", "1", "--head-env", "x"], "G200", "--head-env: 'x' is not NAME=VALUE"),
    (["p", "--recorded", "x.csv.gz"], "G200", "PROFILE cannot be used with --recorded FILE"),
    (["--recorded", "x", "--rounds", "1"], "G200", "--rounds cannot be used with --recorded FILE"),
    (["--recorded", "x", "--for", "1h"], "G200", "--for cannot be used with --recorded FILE"),
    (["--recorded", "x", "--plant", "5%"], "G200", "--plant cannot be used with --recorded FILE"),
    (["--recorded", "x", "--head", "y"], "G200", "--head cannot be used with --recorded FILE"),
    (["p", "--rounds", "1", "--draws", "5"], "G200", "--draws needs --recorded FILE"),
    (["p", "--rounds", "1", "--rule", "x"], "G200", "--rule needs --recorded FILE"),
    (["p", "--rounds", "1", "--suite-size", "5"], "G200", "--suite-size needs --recorded FILE"),
    (["p", "--rounds", "1", "--markdown"], "G200", "--markdown needs --recorded FILE"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "words"), WRONG, ids=lambda one: str(one)[:40])
def test_wrong_input_is_refused(project, arguments, code, words):
    """One paragraph that names the option and the cure, before anything is written."""
    with unchanged(project.root):
        answer = project.gate("calibrate", *arguments)
    assert answer.status == 2, answer
    assert answer.err.startswith(f"error[{code}]: "), answer.err
    assert words in answer.err
    assert answer.err.count("\n") == 1
    assert not (project.root / "reports/calibration").exists()


def test_a_profile_without_a_baseline_is_told_how_to_get_one(tmp_path):
    """Without accepted sessions a round would compare with nothing."""
    project = write_replay_project(tmp_path)
    answer = project.gate("calibrate", "p", "--rounds", "1")
    assert answer.status == 5
    assert answer.err == (
        "error[G246]: profiles/p.toml: nothing can be calibrated: the baseline of p is not there; "
        "this host is of class lab. Take one: gate run p --repeat 5, then gate baseline accept.\n"
    )


def test_a_baseline_of_another_class_or_text_is_none(project):
    """Its sessions could not be compared with, so that is said before measuring."""
    answer = project.gate("calibrate", "p", "--rounds", "1", "--host-class", "other")
    assert (answer.status, "is of host class lab; this host is of class other" in answer.err) == (
        5,
        True,
    )
    text = project.profile.read_text("utf-8").replace('["b"]', '["b", "c"]')
    project.profile.write_text(text, "utf-8")
    answer = project.gate("calibrate", "p", "--rounds", "1")
    assert (answer.status, "was accepted with another profile text" in answer.err) == (5, True)


def test_a_side_that_does_not_exist_is_refused(project):
    """The directory of --head is that of both sides."""
    answer = project.gate("calibrate", "p", "--rounds", "1", "--head", "nowhere", "--quiet")
    assert answer.status == 2
    assert "error[G234]" in answer.err
    assert read_rounds(project.baselines) == ()


def test_recorded_series_are_another_part(project):
    """With --recorded the options are handed over, and nothing is measured."""
    with mock.patch("gate.cli.calibrate.recorded.calibrate_recorded", return_value=0) as part:
        answer = project.gate(
            *("calibrate", "--recorded", "x.csv.gz", "--rule", "a", "--rule", "b"),
            *("--suite-size", "20", "--seed", "3", "--json", "--markdown"),
        )
    assert answer.status == 0, answer
    chosen, seed = part.call_args.args
    assert (str(chosen.recorded), chosen.rule, chosen.suite_size) == ("x.csv.gz", ("a", "b"), 20)
    assert (chosen.draws, seed, chosen.markdown) == (None, 3, True)
    assert part.call_args.kwargs == {"json_": True}


def test_the_plan_is_told_and_nothing_is_measured(project, calibrate):
    """How many of which kind, and how long, from what earlier rounds took."""
    with unchanged(project.root):
        answer = calibrate("--rounds", "16", "--plan", "--seed", "1")
    assert answer == (
        0,
        (
            "p: 16 rounds, 12 unchanged, 2 with 5 %, 2 with 10 %; how long a round takes is known after "
            "the first\n"
        ),
        "",
    )
    assert not (project.root / "reports/calibration").exists()
    calibrate("--rounds", "1", "--seed", "1")
    path = project.baselines / HOST_CLASS / "calibration.toml"
    path.write_text(re.sub(r"seconds = [\d.]+", "seconds = 90.0", path.read_text("utf-8")), "utf-8")
    answer = calibrate("--rounds", "8", "--plan", "--seed", "1")
    assert answer.out == (
        "p: 8 rounds, 5 unchanged, 1 with 5 %, 2 with 10 %; about 1 min 30 s each, 12 min 00 s "
        "together\n"
    )
    (row,) = calibrate("--for", "1h", "--plan", "--seed", "1", "--json").json["plan"]
    assert (row["first"], row["rounds"], row["seconds_each"]) == (2, 40, 90.0)
    assert (row["unchanged"], row["planted"]) == (30, {"5 %": 5, "10 %": 5})


def test_progress_tells_each_round(project, calibrate):
    """Which round of how many, what is planted, how it ended, and what is known so far."""
    answer = calibrate("--rounds", "4", "--plant", "10%", "--seed", "1", quiet=False)
    lines = answer.err.splitlines()
    assert lines[0] == "p round 1 of 4: unchanged"
    assert re.fullmatch(
        r"p round 1 of 4: nothing called regressed, as it should be; \d+ trials in 0 s", lines[1]
    )
    assert lines[2] == "so far on this host, last 1 unchanged comparison: 0 false alarms"
    assert [line for line in lines if "planted into" in line] == [
        "p round 3 of 4: 10 % planted into b"
    ]
    found = [line for line in lines if "found, achieved" in line]
    assert len(found) == 1
    assert re.fullmatch(r"p round 3 of 4: found, achieved 10 %; \d+ trials in 0 s", found[0])
    assert lines[-1] == (
        "so far on this host, last 3 unchanged comparisons: 0 false alarms; planted 10 %: 1 of 1 found"
    )


def test_quiet_says_nothing_on_stderr(calibrate):
    """With --quiet only the result is printed."""
    assert calibrate("--rounds", "1", "--unchanged").err == ""


def test_the_answer_for_machines(project, calibrate):
    """New rounds, what is known of all, where it stands; JSON and nothing else."""
    calibrate("--rounds", "1", "--unchanged")
    told = calibrate("--rounds", "2", "--unchanged", "--json").json
    assert told["schema"] == 1
    assert [row["number"] for row in told["rounds"]] == [2, 3]
    assert (told["calibration"]["unchanged"], told["unfit"]) == (3, "")
    assert told["path"] == "baselines/lab/calibration.toml"
    assert told["record"] == "on this host, last 3 unchanged comparisons: 0 false alarms"


def test_an_unfit_host_ends_with_5_and_says_what_to_do(project, make_round, calibrate):
    """Rounds that contradict the promise fail the command, in text and in JSON."""
    calibrate("--rounds", "1", "--unchanged")
    (known,) = read_rounds(project.baselines)
    bad = [
        replace(known, id=f"alarm-{n:04d}", number=n, ending=Ending.ALARM, regressed=1)
        for n in range(2, 8)
    ]
    path = project.baselines / HOST_CLASS / "calibration.toml"
    path.write_text(calibration_text(HOST_CLASS, [known, *bad]), "utf-8")
    answer = calibrate("--rounds", "1", "--unchanged")
    assert answer.status == 5
    assert answer.err == (
        "error[G245]: host class lab is unfit: 6 of 8 unchanged comparisons were called regressed, "
        "a rate of at least 34.9 %, where 1 % is promised. Look at the rounds in "
        "reports/calibration, quieten the host, see gate explain G245.\n"
    )
    answer = calibrate("--rounds", "1", "--unchanged", "--json")
    assert answer.status == 5
    assert answer.json["unfit"].startswith("host class lab is unfit: 6 of 9")
    assert {"G245", "G246"} <= PAGES.keys()


def test_a_host_that_gives_no_answers_is_unfit(project, calibrate):
    """More than half of the rounds broken: the promise is not tried at all."""
    project.record({"b": ["fail"] * 200})
    answer = calibrate("--rounds", "5", "--unchanged")
    assert answer.status == 5
    assert "5 of 5 rounds of p ended without an answer" in answer.err


def test_a_profile_whose_gate_metrics_no_plant_reaches_is_only_compared_with_itself(tmp_path):
    """That nothing is planted is said, and every round is unchanged."""
    project = write_replay_project(tmp_path, top='control = ["b"]')
    project.accept()
    project.record({"b": (1.0, 1.002, 0.998) * 40})
    answer = project.gate("calibrate", "p", "--rounds", "4")
    assert answer.status == 0, answer
    assert "p: only controls" in answer.err
    assert {one.planted for one in read_rounds(project.baselines)} == {0.0}


def test_rounds_of_a_newer_promise_are_counted_apart(project, calibrate):
    """A calibration with another alpha starts its own count."""
    calibrate("--rounds", "2", "--unchanged")
    told = calibrate("--rounds", "1", "--unchanged", "--alpha", "0.05", "--json").json
    assert (told["calibration"]["unchanged"], told["calibration"]["outdated"]) == (1, 2)


def test_rounds_of_the_same_class_from_elsewhere_count(project, make_round, calibrate):
    """Hosts of one class share their record: that is what a class is for."""
    calibrate("--rounds", "1", "--unchanged")
    (own,) = read_rounds(project.baselines)
    append_round(project.baselines, replace(own, id="from-another-host"))
    told = calibrate("--rounds", "1", "--unchanged", "--json").json
    assert told["calibration"]["unchanged"] == 3


def test_plans_are_whole_documents(project, calibrate):
    """What stands in the directory of a round can be read by others."""
    calibrate("--rounds", "4", "--plant", "10%", "--seed", "1")
    place = project.root / "reports/calibration/p"
    schedule = json.loads((place / "schedule.json").read_text("utf-8"))
    assert (schedule["seed"], schedule["plants"], schedule["rounds"]) == (1, [0.1], 4)
    plan = json.loads((place / "round-0003/plan.json").read_text("utf-8"))
    assert plan["plant"] == {"loss": 0.1, "benchmark": "b", "settings": {"factor": "1.1"}}
    done = json.loads((place / "round-0003/round.json").read_text("utf-8"))
    assert (done["ending"], done["id"]) == ("found", plan["id"])
