"""Many machines: who measures what is the same for whoever asks, and each part spends its share."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from builders import HOST_CLASS, QUIET, Project, write_replay_project
from pipeline.ends import left

from gate.formats.baseline.baseline_file import read_baseline
from gate.formats.baseline.baseline_text import baseline_text
from gate.judge.accept import seconds_of


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    """Four accepted profiles that take 400, 300, 200 and an unknown number of seconds, made once."""
    root = tmp_path_factory.mktemp("accepted") / "suite"
    projects = {name: write_replay_project(root, name=name) for name in ("a", "b", "c", "d")}
    for name, seconds in (("a", 400), ("b", 300), ("c", 200), ("d", 0)):
        projects[name].accept()
        if seconds:
            path = projects[name].baseline
            text = path.read_text()
            path.write_text(
                re.sub(
                    r"^epoch_facts = ", f"duration = {seconds}.0\n\\g<0>", text, flags=re.MULTILINE
                )
            )
    return root


@pytest.fixture
def suite(accepted, tmp_path):
    """That suite anew."""
    return Project(shutil.copytree(accepted, tmp_path / "suite"), "a")


def parts(answer):
    assert answer.status == 0, answer
    return [one["profiles"] for one in answer.json["include"]]


def test_the_matrix_is_one_line_and_the_longest_first(suite):
    """400 | 300 | 200 + unknown, which is taken to need the usual 300."""
    answer = suite.gate("plan", "--shards", "3", "--matrix")
    assert answer.out == (
        '{"include":[{"shard":"1/3","profiles":"a"},{"shard":"2/3","profiles":"b c"},'
        '{"shard":"3/3","profiles":"d"}]}\n'
    )
    assert parts(suite.gate("plan", "--shards", "2", "--matrix")) == ["a c", "b d"]
    assert parts(suite.gate("plan", "--shards", "2", "--matrix", "d", "a", "a")) == ["a", "d"]


def test_the_listing_says_what_is_not_known(suite):
    """A profile that was never timed is told as unknown, in text and in JSON."""
    out = suite.gate("plan", "--shards", "3").out.splitlines()
    assert out == [
        "a  1/3  6 min 40 s",
        "b  2/3  5 min 00 s",
        "c  2/3  3 min 20 s",
        "d  3/3  5 min 00 s (unknown)",
        "part 1/3: 6 min 40 s, a",
        "part 2/3: 8 min 20 s, b c",
        "part 3/3: 5 min 00 s, d",
    ]
    rows = suite.gate("plan", "--json").json["profiles"]
    assert [(row["name"], row["seconds"], row["known"], row["shard"]) for row in rows] == [
        ("a", 400.0, True, 1),
        ("b", 300.0, True, 1),
        ("c", 200.0, True, 1),
        ("d", 300.0, False, 1),
    ]


def test_another_host_class_tells_nothing_of_this_one(suite):
    """With a class only its own sessions count; where none does, each profile takes a minute."""
    rows = suite.gate("plan", "--json", "--host-class", "other").json["profiles"]
    assert {(row["seconds"], row["known"]) for row in rows} == {(60.0, False)}


def test_fewer_profiles_than_parts_are_refused(suite):
    """A part that measures nothing is no part: G263, in the plan and in the check."""
    for command in (
        ("plan", "--shards", "5"),
        ("plan", "--shards", "5", "--matrix"),
        ("check", "--shard", "5/5", "--out", "out"),
    ):
        answer = suite.gate(*command)
        assert (answer.status, answer.err[:12]) == (2, "error[G263]:"), answer
        assert "4 profiles" in answer.err
    assert left(suite.root)[0].exit_status == 2


@pytest.mark.parametrize(
    "given", ["0/1", "2/1", "1/257", "1", "a/b", "1/", "/1", "-1/2", "1/2/3", "", "²/3", "1/0002"]
)
def test_no_part_of_a_whole_is_refused(suite, given):
    """--shard is K/N with 1 <= K <= N <= 256, and nothing else."""
    answer = suite.gate("check", "--shard", given, "--out", "out")
    assert (answer.status, answer.err[:12]) == (2, "error[G200]:"), answer


@pytest.mark.parametrize("name", ["a b", "$(id)", "a;b", "x'y", "::error::x", "*", "a`b"])
def test_a_name_that_is_no_word_enters_no_matrix(tmp_path, name):
    """What a shell or a runner would take for more than a word is refused; the listing shows it."""
    project = write_replay_project(tmp_path / "p", name=name)
    answer = project.gate("plan", "--matrix")
    assert (answer.status, answer.err[:12], answer.out) == (2, "error[G263]:", ""), answer
    shown = project.gate("plan")
    assert shown.status == 0
    assert not any(line.startswith("::") for line in shown.out.splitlines())


def test_every_machine_finds_its_own_part(suite):
    """Three checks without names measure what the plan says, together everything once."""
    planned = parts(suite.gate("plan", "--shards", "3", "--matrix"))
    seen = []
    for number in (1, 2, 3):
        out = f"out-{number}"
        answer = suite.gate("check", "--shard", f"{number}/3", "--out", out, "--quiet")
        report, handover = left(suite.root, out)
        assert answer.status == 0, answer
        assert (handover.shard, handover.shards) == (number, 3)
        assert report.promise.alpha == pytest.approx(0.01 / 3, rel=1e-12)
        assert report.notes[0] == f"part {number} of 3; the whole is judged of all"
        seen.append(" ".join(sorted(one.profile for one in handover.sessions)))
    assert seen == planned


def test_a_part_with_names_measures_these(suite):
    """A job of the matrix names its profiles, and says only which part it is."""
    answer = suite.gate("check", "c", "d", "--shard", "3/3", "--out", "out", "--quiet")
    handover = left(suite.root)[1]
    assert answer.status == 0, answer
    assert [one.profile for one in handover.sessions] == ["c", "d"]


def test_a_part_that_fails_says_which_part_it_is(suite):
    """The handover of an error still tells K of N, so that nobody waits for that part."""
    (suite.root / "profiles/a.json").write_text("{")
    suite.gate("check", "--shard", "2/3", "--out", "out", "--quiet")
    report, handover = left(suite.root)
    assert (handover.shard, handover.shards, report.verdict) == (2, 3, "error")


@pytest.mark.parametrize(
    ("started", "ended", "seconds"),
    [
        ("2026-11-22T10:00:00.000Z", "2026-11-22T10:02:03.449Z", 123.4),
        ("2026-11-22T10:00:00Z", "2026-11-22T10:00:00.02Z", 0.0),
        ("2026-11-22T10:00:00Z", "2026-11-22T09:00:00Z", 0.0),
        ("2026-11-22T10:00:00Z", "2027-11-22T10:00:00Z", 0.0),
        ("2026-11-22T10:00:00", "2026-11-22T10:00:09Z", 0.0),
        ("", "", 0.0),
        ("soon", "later", 0.0),
    ],
)
def test_the_duration_of_a_sitting_is_written_into_the_baseline(suite, started, ended, seconds):
    """Start to last write, to a tenth of a second; what tells no time is left out."""
    path = suite.session({"b": QUIET})
    times = {"started": started, "ended": ended, "id": "timed"}
    data = json.loads(path.read_text()) | times | {"source": "measured"}
    path.write_text(json.dumps(data))
    from gate.formats.session.session_file import read_session

    assert seconds_of(read_session(path)) == seconds
    accept = suite.gate("baseline", "accept", path, "--reason", "x", "--by", "me")
    assert accept.status == 0, accept
    baseline = read_baseline(suite.root / "baselines" / HOST_CLASS / "a.toml")
    assert [s.duration for s in baseline.sessions if s.id == "timed"] == [seconds]
    assert f"duration = {seconds}" in baseline_text(baseline) or not seconds


def test_a_replay_tells_no_duration(suite):
    """How long recorded values took to play says nothing of a sitting."""
    text = suite.baseline.with_stem("d").read_text()
    assert "duration" not in text


def test_a_baseline_with_a_negative_duration_is_refused(suite):
    """Nobody measures for less than no time."""
    suite.baseline.write_text(
        suite.baseline.read_text().replace("duration = 400.0", "duration = -1.0")
    )
    assert "error[G206]" in suite.gate("plan").err
