"""Silent passes seen in the field, each driven through the command line: none ends with 0.

One test for each entry of the design's list, named after it; those about programs and baselines
stand in the files beside this one. Not reached by this version:

- *baseline taken from the pull request itself*: baselines, profiles and waivers are read from the
  working tree, not from the merge base. What is held: an accepted session is never judged against
  itself, and an acceptance shows in the diff with its reason (see below).
- *the workload never touched the changed code*: nothing measures coverage. What is held: when base
  and head have one content, the report says that no change was under test.
- *a regression so gradual that every step was accepted*, with both sides at its end: pairs of
  base and head pass, and the slide since the anchor is only told beside them.
"""

from __future__ import annotations

import json

import pytest
from builders import QUIET, write_replay_project
from silent.passes import SLOW, check, closed, codes, edit, report


def test_the_control_case_opens(project):
    """Nothing below is closed for want of a working set-up: as it stands the gate is open."""
    answer = check(project, "p")
    assert answer.status == 0, answer
    assert report(project)["gate"] == "open"


def test_benchmark_removed(project):
    """A benchmark taken out of the profile is missing, not gone."""
    edit(project.profile, '["b", "c"]', '["b"]')
    closed(project, check(project, "p"), 4, "G040")


def test_benchmark_renamed(project):
    """A renamed benchmark is missing under its old name, also with --allow new."""
    edit(project.profile, '["b", "c"]', '["b", "d"]')
    project.record({"b": QUIET, "d": QUIET})
    closed(project, check(project, "p", "--allow", "new"), 4, "G040")


def test_profile_removed(project):
    """A whole profile that only its baseline remembers is not passed over."""
    write_replay_project(project.root, name="q")
    project.profile.unlink()
    answer = check(project)
    assert answer.status == 2
    assert "error[G211]" in answer.err


def test_filter_matched_nothing(project):
    """A name that matches no profile, or a directory without any, is an error of its own."""
    assert check(project, "nothing-like-it").status == 2
    (project.root / "empty").mkdir()
    answer = check(project, "--profiles", "empty")
    assert (answer.status, "error[G280]" in answer.err) == (3, True)


@pytest.mark.parametrize("act", ["nan", "inf", "zero", 0, -1.0, "fail", "timeout"])
def test_no_positive_number(single, act):
    """NaN, infinite, zero and negative values are broken, also a single one among good ones."""
    single.record({"b": [QUIET[0], act, QUIET[2]]})
    assert check(single, "p").status == 4
    assert codes(single) <= {"G050", "G051"}
    assert report(single)["gate"] == "closed"


def test_nan_in_a_session_file(single):
    """A session file with NaN in it is refused when it is read."""
    path = single.session({"b": QUIET})
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"value": 1.0', '"value": NaN', 1), encoding="utf-8")
    answer = single.gate("judge", "--session", path)
    assert (answer.status, "error[G205]" in answer.err) == (2, True)


def test_constant_values(single):
    """A canned number is broken although it is exactly the accepted level."""
    single.record({"b": [1.0, 1.0, 1.0]})
    closed(single, check(single, "p"), 4, "G052")


def test_zero_variance_is_no_certainty(tmp_path):
    """Where neither the baseline nor the head ever varied, nothing is certain: broken."""
    project = write_replay_project(tmp_path, head={"b": [1.0, 1.0, 1.0]})
    project.accept(levels=[1.0] * 5, trials=[1.0, 1.0, 1.0])
    closed(project, check(project, "p"), 4, "G052")


def test_zero_variance_in_the_baseline_proves_no_regression(tmp_path):
    """A baseline without any spread does not turn a little noise into a proven regression."""
    project = write_replay_project(tmp_path, head={"b": [1.012, 1.013, 1.011]})
    project.accept(levels=[1.0] * 5, trials=[1.0, 1.0, 1.0])
    assert check(project, "p").status != 10


def test_a_single_trial(single):
    """A profile cannot ask for one trial, and a session that holds one passes nothing."""
    path = single.session({"b": QUIET})
    data = json.loads(path.read_text(encoding="utf-8"))
    data["trials"] = data["trials"][1:2]
    data["planned"][0]["trials"] = 1
    path.write_text(json.dumps(data), encoding="utf-8")
    closed(single, single.gate("judge", "--session", path, "--out", "out"), 5, "G026")
    edit(single.profile, "screen = 3", "screen = 1")
    answer = check(single, "p")
    assert (answer.status, "error[G206]" in answer.err) == (2, True)


def test_pairs_of_a_stale_number(tmp_path):
    """Pairs in which both sides give one number do not clear what the screen flagged."""
    project = write_replay_project(tmp_path, sides=True)
    project.accept(trials=[1.0, 1.0, 1.01])
    project.record({"b": [1.2] * 60})
    closed(project, check(project, "p"), 4, "G052")
    project.record({"b": [1.2, 1.2, 1.201] * 20})
    assert check(project, "p").status == 0


def test_job_never_started(single):
    """Judging what no job wrote is an error, and judging nothing is status 3."""
    assert single.gate("judge").status == 3
    answer = single.gate("judge", "--session", "reports/sessions/never.json")
    assert (answer.status, "error[G201]" in answer.err) == (2, True)


def test_job_skipped_half_way(single):
    """A session that was cut short is not judged on what there is."""
    path = single.session({"b": QUIET})
    data = json.loads(path.read_text(encoding="utf-8"))
    data["trials"] = data["trials"][:1]
    data["state"] = "partial"
    path.write_text(json.dumps(data), encoding="utf-8")
    closed(single, single.gate("judge", "--session", path, "--out", "out"), 4, "G053")


def test_one_of_two_profiles_was_not_measured(project):
    """Trials that were planned and are all lacking are broken, benchmark by benchmark."""
    path = project.session()
    data = json.loads(path.read_text(encoding="utf-8"))
    data["trials"] = [trial for trial in data["trials"] if trial["benchmark"] == "b"]
    path.write_text(json.dumps(data), encoding="utf-8")
    closed(project, project.gate("judge", "--session", path, "--out", "out"), 4, "G053")
    data["planned"] = [plan for plan in data["planned"] if plan["benchmark"] == "b"]
    path.write_text(json.dumps(data), encoding="utf-8")
    closed(project, project.gate("judge", "--session", path, "--out", "out"), 4, "G040")


def test_report_step_skipped_because_the_gate_failed(single):
    """A closed gate leaves report.json and report.html, and the text on stdout."""
    single.record({"b": SLOW * 12})
    answer = check(single, "p")
    closed(single, answer, 10, "G061")
    page = (single.root / "out" / "report.html").read_text(encoding="utf-8")
    assert "closed" in page
    assert "regressed" in answer.out
    single.record({"b": ["fail"] * 3})
    closed(single, check(single, "p"), 4, "G050")
    assert (single.root / "out" / "report.html").stat().st_size > 0
