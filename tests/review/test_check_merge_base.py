"""`gate check --merge-base`: the tree is measured, and nothing in it decides how it is judged."""

from __future__ import annotations

import subprocess

import pytest
from builders import QUIET, write_replay_project
from pipeline.ends import left

CHECK = ("check", "--merge-base", "main", "--out", "out", "--quiet")
SLOW = (1.08, 1.082, 1.078)


def git(root, *words):
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words],
        cwd=root,
        check=True,
        capture_output=True,
    )


@pytest.fixture
def proposed(tmp_path):
    """An accepted project committed on main, and a branch checked out on which nothing differs."""
    project = write_replay_project(tmp_path / "p")
    project.accept()
    write_replay_project(project.root, name="q").accept()
    _commit(project.root)
    return project


def _commit(root):
    """All of it on main, and a branch for the change."""
    (root / ".gitignore").write_text("reports/\nout*/\n")
    git(root, "init", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-m", "x")
    git(root, "checkout", "-b", "change")


def test_a_tree_that_changes_nothing_passes(proposed):
    """Judged by the merge base as by the tree: open, without an edit."""
    answer = proposed.gate(*CHECK)
    report, handover = left(proposed.root)
    assert (answer.status, report.gate, report.edits) == (0, "open", ()), answer
    assert [one.profile for one in handover.sessions] == ["p", "q"]


def test_a_tolerance_raised_in_the_tree_is_not_in_force(proposed):
    """5 % -> 50 % in the change: a loss of 8 % is still flagged and proven at 5 %, and told."""
    proposed.profile.write_text(proposed.profile.read_text().replace('"5%"', '"50%"'))
    proposed.record({"b": SLOW * 40})
    answer = proposed.gate(*CHECK)
    report, handover = left(proposed.root)
    assert answer.status == 10, answer
    worst = report.findings[0]
    assert (worst.profile, worst.verdict.value, worst.tolerance) == ("p", "regressed", 0.05)
    assert worst.method == "strikes"
    assert len([s for s in handover.sessions if s.profile == "p"]) > 1, "no strike was taken"
    assert [(e.code, e.before, e.after, e.loosens) for e in report.edits] == [
        ("G070", "5 %", "50 %", True),
        ("G071", "1 %", "10 %", True),
    ]
    without = proposed.gate("check", "p", "--out", "out-2", "--quiet")
    assert without.status == 0, "the tree's own tolerance would have let it through"


def test_pairs_are_judged_by_the_merge_base_too(tmp_path):
    """With both sides: 30 pairs at 5 % of the merge base, not 10 at 50 % of the tree."""
    project = write_replay_project(tmp_path / "p", sides=True)
    project.accept()
    _commit(project.root)
    text = project.profile.read_text().replace('"5%"', '"50%"')
    project.profile.write_text(text.replace("confirm_pairs = 30", "confirm_pairs = 10"))
    project.record({"b": SLOW * 40}, {"b": QUIET * 40})
    answer = project.gate(*CHECK)
    report, handover = left(project.root)
    worst = report.findings[0]
    assert (answer.status, worst.method, worst.tolerance) == (10, "pairs", 0.05), answer
    assert {session.pairs for session in handover.sessions} == {30}
    assert {e.metric for e in report.edits} == {"wall", ""}


def test_fewer_trials_in_the_tree_are_not_in_force(proposed):
    """The merge base says 3 trials: the tree's 2 are told, and 3 are taken."""
    proposed.profile.write_text(proposed.profile.read_text().replace("screen = 3", "screen = 2"))
    answer = proposed.gate(*CHECK)
    report, handover = left(proposed.root)
    assert (answer.status, len(report.edits)) == (0, 1), answer
    assert [len(s.trials) for s in handover.sessions] == [3, 3]


def test_a_baseline_and_a_waiver_of_the_tree_are_not_in_force(proposed):
    """The change brings its own baseline and waives its own loss: neither counts."""
    proposed.record({"b": [one * 1.3 for one in QUIET] * 40})
    proposed.baseline.unlink()
    (proposed.root / "baselines/waivers.toml").write_text(
        '[[waiver]]\nprofile = "p"\nbenchmark = "b"\nmetric = "wall"\nceiling = "90%"\n'
        'expires = "2099-01-01"\nissue = "#1"\nreason = "mine"\n'
    )
    answer = proposed.gate(*CHECK)
    report, _ = left(proposed.root)
    assert answer.status in {5, 10}, answer
    assert report.findings[0].verdict.value in {"inconclusive", "regressed"}
    assert report.findings[0].sessions_base == 5
    assert len(report.edits) >= 2


def test_a_profile_that_the_change_removes_is_missing(proposed):
    """Nothing was measured of it, and that closes the gate; its baseline alone is no error."""
    (proposed.root / "profiles/q.toml").unlink()
    answer = proposed.gate(*CHECK)
    report, handover = left(proposed.root)
    assert (answer.status, report.verdict) == (4, "missing"), answer
    assert [(f.code, f.profile, f.benchmark) for f in report.findings[:1]] == [("G044", "q", "b")]
    assert report.findings[0].headline == "not measured: the change removes the profile"
    assert [one.profile for one in handover.sessions] == ["p"]


def test_a_profile_that_the_change_adds_is_judged_by_its_own_words(proposed):
    """A new profile has no baseline at the merge base: new, and closed."""
    write_replay_project(proposed.root, name="r")
    answer = proposed.gate(*CHECK)
    report, _ = left(proposed.root)
    assert (answer.status, report.verdict) == (5, "new"), answer
    assert {f.profile: f.verdict.value for f in report.findings} == {
        "r": "new",
        "p": "passed",
        "q": "passed",
    }


def test_a_benchmark_that_the_change_removes_is_not_forgotten(proposed):
    """Another text of what is run is not what was accepted: closed, with both told."""
    proposed.profile.write_text(proposed.profile.read_text().replace('["b"]', '["c"]'))
    proposed.record({"c": QUIET})
    answer = proposed.gate(*CHECK)
    assert (answer.status, left(proposed.root)[0].gate) == (4, "closed"), answer


def test_the_removed_profile_is_told_by_its_own_part_alone(proposed):
    """Two parts of a spread check: the part that would have measured it tells that it is gone."""
    write_replay_project(proposed.root, name="r").accept()
    git(proposed.root, "add", "-A")
    git(proposed.root, "commit", "-m", "r")
    git(proposed.root, "branch", "-f", "main")
    (proposed.root / "profiles/q.toml").unlink()
    found = []
    for part in ("1/2", "2/2"):
        proposed.gate(*CHECK[:-2], f"out-{part[0]}", "--quiet", "--shard", part)
        report, handover = left(proposed.root, f"out-{part[0]}")
        found.append((report.verdict, [one.profile for one in handover.sessions]))
    assert found == [("passed", ["p", "r"]), ("missing", [])]


def test_a_commit_that_git_does_not_know_leaves_a_report(proposed):
    """No merge base, no judgement: closed with 2, and the report says what to fetch."""
    answer = proposed.gate("check", "--merge-base", "none", "--out", "out")
    report, handover = left(proposed.root)
    assert (answer.status, report.exit_status, handover.sessions) == (2, 2, ())
    assert report.notes[0].startswith("G239: ")


def test_the_plan_takes_durations_of_the_merge_base(proposed):
    """What the tree says of durations does not decide which machine measures what."""
    text = proposed.baseline.read_text()
    proposed.baseline.write_text(text.replace("epoch_facts", "duration = 900.0\nepoch_facts"))
    mine = proposed.gate("plan", "--json").json["profiles"]
    assert [row["known"] for row in mine] == [True, False]
    theirs = proposed.gate("plan", "--json", "--merge-base", "main").json["profiles"]
    assert [row["known"] for row in theirs] == [False, False]
