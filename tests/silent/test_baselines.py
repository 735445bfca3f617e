"""Silent passes by the baseline: missing, unreadable, of something else, or the loss itself."""

from __future__ import annotations

import pytest
from builders import QUIET, unchanged, write_replay_project
from silent.passes import SLOW, check, closed, edit, report


def test_baseline_missing(single):
    """Without a baseline nothing is passed: closed with 5, at any place that holds none."""
    single.baseline.unlink()
    closed(single, check(single, "p"), 5, "G010")
    closed(single, check(single, "p", "--baseline", "no-such-directory"), 5, "G010")


@pytest.mark.parametrize("text", ["", "schema = 1\n", "not toml", "\0", "[series.b]\n"])
def test_baseline_unreadable(single, text):
    """A baseline that cannot be read fails the command; it never counts as none."""
    single.baseline.write_text(text, encoding="utf-8")
    answer = check(single, "p", "--allow", "new")
    assert answer.status == 2
    assert "error[G20" in answer.err


def test_baseline_is_a_directory(single):
    """Something that is no file where the baseline stands is an error, not an absence."""
    single.baseline.unlink()
    single.baseline.mkdir()
    assert check(single, "p", "--allow", "new").status == 2


def test_baseline_of_another_host_class(single):
    """Another kind of machine is not compared with, also with --allow new."""
    answer = check(single, "p", "--allow", "new", env={"GATE_HOST_CLASS": "other"})
    closed(single, answer, 5, "G030")


def test_baseline_of_another_host_of_the_class(single):
    """A machine that only claims the class is found out by its facts."""
    host = single.baseline.parent / "host.toml"
    edit(host, "[stable]", '[stable]\n"cpu.sockets.imagined" = "7"')
    closed(single, check(single, "p"), 5, "G031")


@pytest.mark.parametrize(
    ("before", "after"), [('unit = "s"', 'unit = "B"'), ('better = "lower"', 'better = "higher"')]
)
def test_baseline_of_another_unit(single, before, after):
    """Values of another unit or direction are not compared."""
    edit(single.baseline, before, after)
    closed(single, check(single, "p"), 5, "G033")


def test_baseline_of_another_tool_version(single):
    """Values of another major version of the tool are not compared."""
    edit(single.baseline, 'replay = "1"', 'replay = "9"')
    closed(single, check(single, "p"), 5, "G034")


def test_check_never_writes_baselines(single):
    """A check that is slow, fast or broken leaves every baseline byte as it was."""
    for trials in (SLOW, QUIET, [0.5 * one for one in QUIET], ["fail"] * 3):
        single.record({"b": list(trials) * 12})
        with unchanged(single.baselines):
            check(single, "p", "--allow", "new")


def test_a_regression_that_became_its_own_baseline(single):
    """Only a reasoned acceptance makes a slower level the baseline, and each verdict tells of it."""
    slower = single.session({"b": SLOW})
    reason = "checksums are now on by default"
    answer = single.gate("baseline", "accept", slower, "--reason", reason)
    assert answer.status == 0, answer
    text = single.baseline.read_text(encoding="utf-8")
    (line,) = (row for row in text.splitlines() if "# epoch 2" in row)
    assert "(+30.1 %)" in line
    assert reason in line
    assert "epoch = 1" in text
    answer = single.gate("judge", "--session", slower, "--out", "out")
    closed(single, answer, 5, "G038")
    single.record({"b": SLOW})
    answer = check(single, "p")
    assert answer.status == 0
    told = " ".join(answer.out.split())  # wrapped anywhere, by the length of who accepts
    assert "+30.0 % was accepted on" in told
    assert reason in told
    single.record({"b": [1.3 * one for one in SLOW]})
    closed(single, check(single, "p"), 5, "G021")


def test_nothing_is_accepted_without_a_reason(single):
    """A slower session does not become the baseline in silence."""
    slower = single.session({"b": SLOW})
    with unchanged(single.baselines):
        assert single.gate("baseline", "accept", slower).status == 2
        assert single.gate("baseline", "accept", slower, "--reason", " ").status == 2


def test_confirming_trials_do_not_become_a_baseline(tmp_path):
    """Trials that were taken because something looked slow are no baseline."""
    project = write_replay_project(tmp_path, sides=True)
    project.accept()
    project.record({"b": SLOW * 12}, {"b": list(QUIET) * 12})
    closed(project, check(project, "p"), 10, "G060")
    with unchanged(project.baselines):
        for name in ("pairs-head.json", "pairs-base.json"):
            path = project.root / "out" / "p" / name
            answer = project.gate("baseline", "accept", path, "--reason", "by accident")
            assert (answer.status, "error[G220]" in answer.err) == (2, True)


def test_the_same_content_on_both_sides_is_told(tmp_path):
    """Where base and head are one directory, the report says that no change was under test."""
    project = write_replay_project(tmp_path, sides=True)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_text("content", encoding="utf-8")
    for side in ("base", "head"):
        edit(project.profile, f"[side.{side}]", f'[side.{side}]\ndir = "tree"')
    project.accept()
    project.record({"b": [1.3 * one for one in QUIET] * 20})
    assert check(project, "p").status == 0
    assert any("no change was under test" in note for note in report(project)["notes"])
