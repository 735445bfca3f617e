"""Facts that somebody else can set: history, the clock, and sessions that were never measured."""

import json
import math
import os
import random
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from unittest import mock

import pytest
from builders import QUIET, tree, write_replay_project
from silent.passes import OUT, SLOW, check, codes, edit, report

TODAY = datetime.now(UTC).date()
ROW = """\
[[waiver]]
profile = "p"
benchmark = "b"
metric = "wall"
ceiling = "60%"
since = {since}
expires = {expires}
issue = "#7"
reason = "known"
"""


class Forge:
    """A git repository of a project with both sides, whose head lost 30 %."""

    def __init__(self, root):
        self.project, self.root = write_replay_project(root, sides=True), root
        self.project.accept()
        (root / ".gitignore").write_text("reports/\nout*/\n", encoding="utf-8")
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *words, date=""):
        env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        if date:
            env |= {"GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date}
        known = ["git", "-c", "user.name=me", "-c", "user.email=me@example.org"]
        subprocess.run([*known, *words], cwd=self.root, check=True, capture_output=True, env=env)

    def commit(self, date=""):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "x", date=date)

    def slow_head(self):
        self.project.record({"b": SLOW * 30}, {"b": list(QUIET) * 30})


@pytest.fixture
def forge(tmp_path):
    return Forge(tmp_path)


def test_a_change_does_not_choose_among_two_merge_bases(forge):
    """Where branches were merged crosswise git names the newest of two: that may be the change's.

    The change raised its tolerance in a commit that the main branch merged and put back. By that
    commit the loss would pass; both are named, and the gate is closed.
    """
    forge.git("checkout", "-q", "-b", "change")
    edit(forge.project.profile, 'tolerance = "5%"', 'tolerance = "60%"')
    forge.commit(date="2099-01-01T00:00:00Z")
    forge.git("tag", "raised")
    forge.git("checkout", "-q", "main")
    (forge.root / "other").write_text("x", encoding="utf-8")
    forge.commit()
    forge.git("tag", "other")
    forge.git("merge", "-q", "--no-ff", "--no-commit", "raised")
    edit(forge.project.profile, 'tolerance = "60%"', 'tolerance = "5%"')
    forge.commit()
    forge.git("checkout", "-q", "change")
    forge.git("merge", "-q", "--no-ff", "-m", "x", "other")
    forge.slow_head()
    answer = check(forge.project, "--merge-base", "main")
    assert answer.status == 2, answer
    assert "error[G239]" in answer.err
    for name in ("raised", "other"):
        shown = subprocess.run(
            ["git", "rev-parse", name], cwd=forge.root, capture_output=True, text=True, check=True
        ).stdout
        assert shown[:12] in answer.err


def at(day):
    """The clock of the machine that judges, set to a day."""
    clock = mock.Mock(wraps=datetime)
    clock.now.return_value = datetime(day.year, day.month, day.day, tzinfo=UTC)
    return mock.patch("gate.review.policy_reader.datetime", clock)


def waive(forge, since, expires):
    path = forge.root / "baselines" / "waivers.toml"
    path.write_text(ROW.format(since=since, expires=expires), encoding="utf-8")


def test_a_clock_set_back_revives_no_waiver(forge):
    """A session was accepted after the waiver's end, so that end is over, whatever the clock says."""
    waive(forge, TODAY - timedelta(days=50), TODAY - timedelta(days=5))
    forge.slow_head()
    with at(TODAY - timedelta(days=20)):
        answer = check(forge.project)
    assert answer.status == 10, answer
    (found,) = report(forge.project)["findings"]
    assert any(
        f"ended on {TODAY - timedelta(days=5)}" in one and f"{TODAY}" in one
        for one in found["warnings"]
    ), found["warnings"]


@pytest.mark.parametrize("merged", [True, False], ids=["merge-base", "tree"])
def test_a_commit_is_not_judged_before_it_was_made(forge, merged):
    """The commit under test is of today, so a waiver that ended long ago has ended."""
    waive(forge, "2001-01-01", "2001-06-30")
    text = forge.project.baseline.read_text(encoding="utf-8")
    year = str(TODAY.year)
    forge.project.baseline.write_text(text.replace(f"{year}-", "2001-"), encoding="utf-8")
    forge.commit(date="2001-02-01T00:00:00Z")
    forge.git("checkout", "-q", "-b", "change")
    forge.commit()
    forge.slow_head()
    with at(datetime(2001, 3, 1, tzinfo=UTC)):
        answer = check(forge.project, *(["--merge-base", "main"] if merged else []))
    assert answer.status == 10, answer
    assert any("2001-06-30" in one for one in report(forge.project)["findings"][0]["warnings"])


def test_a_commit_of_tomorrow_begins_no_waiver(forge):
    """Its date is the author's own: it ends waivers, and never lets one begin."""
    waive(forge, TODAY + timedelta(days=30), TODAY + timedelta(days=60))
    forge.commit()
    forge.git("checkout", "-q", "-b", "change")
    forge.commit(date=f"{TODAY + timedelta(days=40)}T12:00:00Z")
    forge.slow_head()
    answer = check(forge.project, "--merge-base", "main")
    assert answer.status == 10, answer


@pytest.fixture
def timed(measured):
    """Accepted sessions of hyperfine whose times have all the digits that a real clock gives."""
    paths = sorted((measured.root / "reports" / "sessions").glob("*.json"))[:5]
    for number, path in enumerate(paths):
        data = json.loads(path.read_text(encoding="utf-8"))
        for place, trial in enumerate(data["trials"]):
            for value in trial["values"]:
                value["value"] *= 1 + (number * 100 + place + 1) / 1.23e7
        path.write_text(json.dumps(data), encoding="utf-8")
    shutil.rmtree(measured.root / "baselines")
    answer = measured.gate("baseline", "accept", *paths, "--reason", "first")
    assert answer.status == 0, answer
    return measured


def copied(measured, change=lambda trials: trials):
    """An accepted session once more, under another id and of another time."""
    first = min((measured.root / "reports" / "sessions").glob("*.json"))
    data = json.loads(first.read_text(encoding="utf-8"))
    data |= {"id": "fresh-one", "started": "2098-01-01T00:00:00Z", "ended": "2098-01-01T00:01:00Z"}
    data["trials"] = change(data["trials"])
    path = measured.root / "copied.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def in_another_order(trials):
    values = [trial["values"] for trial in trials]
    random.Random(1).shuffle(values)
    return [{**trial, "values": own} for trial, own in zip(trials, values, strict=True)]


def with_one_changed(change):
    """The shuffled trials, one value of which is another."""

    def changed(trials):
        first, *others = in_another_order(trials)
        values = [{**one, "value": change(one["value"])} for one in first["values"]]
        return [{**first, "values": values}, *others]

    return changed


def above_the_largest(value):
    return math.nextafter(value, math.inf)


@pytest.mark.parametrize(
    "change",
    [
        list,
        in_another_order,
        with_one_changed(above_the_largest),
        with_one_changed(lambda value: value * 0.9),
    ],
    ids=["as it was", "shuffled", "one value by its last bit", "one value by much"],
)
def test_a_copy_of_an_accepted_session_is_told(timed, change):
    """Two sittings never time the same to the last bit, nor most of it: it passes nothing."""
    path = copied(timed, change)
    answer = timed.gate("judge", "--session", path, "--json")
    assert answer.status == 5, answer
    (found,) = answer.json["findings"]
    assert found["code"] == "G038"
    assert "to the last bit" in found["headline"]


def test_a_copy_of_an_accepted_session_is_not_accepted(timed):
    """It would make the noise look smaller than it is."""
    before = tree(timed.root / "baselines")
    answer = timed.gate("baseline", "accept", copied(timed), "--reason", "again")
    assert answer.status == 2, answer
    assert "error[G220]" in answer.err
    assert "to the last bit" in answer.err
    assert tree(timed.root / "baselines") == before


def test_two_copies_of_one_sitting_are_not_accepted_together(timed):
    """One sitting handed in twice is no second sitting."""
    data = json.loads(copied(timed).read_text(encoding="utf-8"))
    for trial in data["trials"]:
        for value in trial["values"]:
            value["value"] *= 1.001
    paths = []
    for name in ("one", "two"):
        paths.append(timed.root / f"{name}.json")
        paths[-1].write_text(json.dumps({**data, "id": f"id-of-{name}"}), encoding="utf-8")
    answer = timed.gate("baseline", "accept", *paths, "--reason", "again")
    assert answer.status == 2, answer
    assert "to the last bit" in answer.err


def test_what_was_measured_again_is_no_copy(timed):
    """A fresh sitting of the same tool is judged as always."""
    answer = check(timed, "h")
    assert answer.status == 0, answer
    assert "G038" not in codes(timed)


def counted(trials):
    """Times of its own, beside a counter that repeats exactly."""
    return [
        {
            **trial,
            "values": [
                {**one, "value": one["value"] * (1.01 + place / 1e4)} for one in trial["values"]
            ]
            + [{"metric": "instructions_per_io", "value": 123456789.25 + place, "samples": 1}],
        }
        for place, trial in enumerate(trials)
    ]


def test_counters_that_repeat_make_no_copy(timed):
    """Instructions may be the same in every sitting; what was timed beside them was not."""
    paths = []
    for name, factor in (("one", 1.0), ("two", 1.003)):
        data = json.loads(copied(timed, counted).read_text(encoding="utf-8"))
        data["metrics"] += [
            {**data["metrics"][0], "name": "instructions_per_io", "unit": "instr/op"}
        ]
        for trial in data["trials"]:
            trial["values"][0]["value"] *= factor
        paths.append(timed.root / f"{name}.json")
        paths[-1].write_text(json.dumps({**data, "id": f"id-of-{name}"}), encoding="utf-8")
    answer = timed.gate("judge", "--session", paths[0], "--session", paths[1], "--json")
    assert "G038" not in {one["code"] for one in answer.json["findings"]}, answer


def test_a_session_does_not_choose_its_harness(timed):
    """A copy that calls itself replayed would be asked nothing; the profile says who measures."""
    data = json.loads(copied(timed).read_text(encoding="utf-8"))
    path = timed.root / "replayed.json"
    path.write_text(json.dumps({**data, "harness": "replay"}), encoding="utf-8")
    (timed.root / "none").mkdir()
    answer = timed.gate(
        *("judge", "--session", path, "--profiles", "profiles", "--baseline", "none"),
        *("--allow", "new", "--json"),
    )
    assert answer.status == 5, answer
    (found,) = answer.json["findings"]
    assert found["code"] == "G034"


@pytest.fixture
def screened(tmp_path):
    """A check of both sides: the host is 10 % faster than accepted, and the head lost that."""
    project = write_replay_project(tmp_path, sides=True)
    project.accept()
    project.record({"b": list(QUIET) * 40}, {"b": [0.9 * one for one in QUIET] * 40})
    assert check(project).status == 10
    return project, tmp_path / "out" / "p"


def test_a_head_without_its_base_trials_is_not_judged_by_the_level(screened):
    """By the accepted level alone it stands where it stood; the session names what is lacking."""
    project, place = screened
    answer = project.gate("judge", "--session", place / "head.json", "--json")
    assert answer.status == 5, answer
    (found,) = answer.json["findings"]
    base = json.loads((place / "base.json").read_text(encoding="utf-8"))["id"]
    assert found["code"] == "G037"
    assert base in found["headline"]


def test_base_trials_of_another_screen_do_not_stand_in(screened):
    """A base session under another id is not the one that the head names."""
    project, place = screened
    data = json.loads((place / "base.json").read_text(encoding="utf-8"))
    for trial in data["trials"]:
        trial["values"] = [{**one, "value": one["value"] / 0.9} for one in trial["values"]]
    other = place / "other.json"
    other.write_text(json.dumps({**data, "id": "another"}), encoding="utf-8")
    given = ("--session", place / "head.json", "--session", other)
    answer = project.gate("judge", *given, "--json")
    assert answer.status == 5, answer
    assert [one["code"] for one in answer.json["findings"]] == ["G037"]


def test_base_trials_taken_after_the_screen_stand_in_for_none(screened):
    """Who removes them and resumes gets new ones, which did not stand among the head's."""
    project, place = screened
    for name in ("base.json", "pairs-base.json", "pairs-head.json"):
        (place / name).unlink()
    answer = project.gate("check", *OUT, "--resume")
    assert answer.status == 5, answer
    assert codes(project) == {"G037"}


def test_a_session_of_its_own_needs_no_base(screened):
    """`gate run` takes no base trials, and its session is judged by the level as before."""
    project, _ = screened
    answer = project.gate("run", "p", "--quiet", "--out", "own")
    assert answer.status == 0, answer
    (path,) = (project.root / "own").glob("*.json")
    answer = project.gate("judge", "--session", path, "--json")
    assert "G037" not in {one["code"] for one in answer.json["findings"]}, answer
