"""Groups through the command line on played values: made of their points, broken with them."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace

import pytest
from builders import run_gate

from gate.formats.session.session_file import read_session, write_session
from gate.judge.power.planning import with_points
from gate.model import State, TrialStatus
from gate.model.plan import FIRST_BLOCK

POINTS = ("p[n=1]", "p[n=2]", "p[n=4]")
LEVELS = {"p[n=1]": 100.0, "p[n=2]": 180.0, "p[n=4]": 320.0}
STEADY = (1.0, 1.002, 0.998)
ACCEPTED = (1.0, 1.001, 0.999, 1.0005, 0.9995)
PROFILE = """
harness = "replay"
replay = "p.json"
matrix = {{ n = [1, 2, 4] }}
trials = {{ screen = 3, confirm_pairs = 20 }}
{sides}
[metric.rate]
tolerance = "5%"
[metric.rate_scaling]
of = "rate"
over = "n"
take = "scaling"
tolerance = "10%"
"""
SIDES = "[side.base]\n[side.head]"


class Curve:
    """A project whose one profile sweeps `n` over three points."""

    def __init__(self, root, *, sides=False):
        self.root = root
        (root / "profiles").mkdir(parents=True)
        text = PROFILE.format(sides=SIDES if sides else "")
        (root / "profiles/p.toml").write_text(text, "utf-8")

    def gate(self, *arguments):
        return run_gate(arguments, cwd=self.root)

    def record(self, head, base=None):
        rows = {"head": head, "base": base or head}
        document = {
            "metrics": {"rate": {"unit": "op/s", "better": "higher"}},
            "benchmarks": {
                name: {side: {"rate": list(one[name])} for side, one in rows.items()}
                for name in POINTS
            },
        }
        (self.root / "profiles/p.json").write_text(json.dumps(document), "utf-8")

    def accept(self):
        paths = []
        for level in ACCEPTED:
            self.record(steady(level, 3))
            answer = self.gate("run", "p", "--json", "--quiet")
            assert answer.status == 0, answer
            paths.append(answer.json["sessions"][0]["path"])
        answer = self.gate("baseline", "accept", *paths, "--reason", "first", "--by", "me")
        assert answer.status == 0, answer
        return self

    def check(self, *more):
        answer = self.gate("check", "p", "--out", "out", "--quiet", *more)
        report = json.loads((self.root / "out/report.json").read_text("utf-8"))
        found = {(f["benchmark"], f["metric"]): f for f in report["findings"]}
        return answer, found

    def session(self, name):
        return read_session(self.root / "out/p" / name)


def steady(level=1.0, count=60, **points):
    """Trials of each point; a keyword such as n4 sets another factor, or the trials themselves."""
    rows = {}
    for name, base in LEVELS.items():
        given = points.get(f"n{name[4]}", 1.0)
        factors = [STEADY[i % 3] * (1 + 1e-4 * (i % 7)) for i in range(count)]
        rows[name] = (
            [base * level * given * one for one in factors]
            if isinstance(given, float)
            else list(given)
        )
    return rows


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    return {
        sides: Curve(tmp_path_factory.mktemp("curve") / "one", sides=sides).accept()
        for sides in (False, True)
    }


@pytest.fixture
def curve(accepted, tmp_path):
    def make(*, sides):
        shutil.copytree(accepted[sides].root, tmp_path / "p")
        one = Curve.__new__(Curve)
        one.root = tmp_path / "p"
        return one

    return make


def test_a_screen_makes_the_groups_trials_of_its_points(curve):
    """The i-th trial of a group is made of the i-th of each point and ran nothing itself."""
    one = curve(sides=False)
    one.record(steady())
    answer, found = one.check()
    assert answer.status == 0, answer
    assert {key: f["code"] for key, f in found.items()} == {
        **{(name, "rate"): "G001" for name in POINTS},
        ("p[n=*]", "rate_scaling"): "G001",
    }
    session = one.session("head.json")
    plan = {p.benchmark: (p.trials, p.group, p.members) for p in session.planned}
    assert plan["p[n=*]"] == (3, "n", POINTS)
    rows = {name: [t for t in session.trials if t.benchmark == name] for name in (*plan,)}
    for index, trial in enumerate(rows["p[n=*]"]):
        first, last = (rows[name][index].values[0].value for name in (POINTS[0], POINTS[-1]))
        assert [(v.metric, v.value) for v in trial.values] == [("rate_scaling", last / first)]
        assert trial.duration == pytest.approx(sum(rows[n][index].duration for n in POINTS))
        assert trial.sequence > max(rows[name][index].sequence for name in POINTS)
    assert [t.sequence for t in session.trials] == list(range(12))


@pytest.mark.parametrize("kept", [0, 3, 4, 11])
def test_a_session_cut_anywhere_goes_on(curve, kept):
    """Killed after so many records, also between a point's and its group's, it ends the same."""
    one = curve(sides=False)
    one.record(steady())
    one.check()
    path = one.root / "out/p/head.json"
    whole = read_session(path)
    cut = replace(whole, trials=whole.trials[:kept], state=State.PARTIAL)
    write_session(path, cut)
    answer = one.gate("run", "--resume", path)
    assert answer.status == 0, answer
    again = read_session(path)
    assert again.trials[:kept] == cut.trials

    def told(session):
        return [(t.benchmark, [v.value for v in t.values]) for t in session.trials]

    assert told(again) == told(whole)


def test_a_group_whose_record_was_lost_is_made_again(curve):
    """Killed between the last point's record and its group's: resuming adds just the group's."""
    one = curve(sides=False)
    one.record(steady())
    one.check()
    path = one.root / "out/p/head.json"
    whole = read_session(path)
    assert whole.trials[-1].benchmark == "p[n=*]"
    write_session(path, replace(whole, trials=whole.trials[:-1], state=State.PARTIAL))
    assert one.gate("run", "--resume", path).status == 0
    assert read_session(path).trials == whole.trials


@pytest.mark.parametrize("act", ["fail", "timeout", "nan", "zero"])
def test_a_point_that_fails_in_the_screen_breaks_its_group(curve, act):
    """The failed point and its group are broken, each saying why; the other points pass."""
    one = curve(sides=False)
    one.record(steady(n2=[act, 180.1, 180.2]))
    answer, found = one.check()
    assert answer.status == 4
    assert found["p[n=2]", "rate"]["verdict"] == "broken"
    group = found["p[n=*]", "rate_scaling"]
    if act == "zero":
        # 0 is no failure of the trial, and a scaling from first to last does not hold the middle;
        # but nothing is made of a curve with a point that is no number.
        assert "rate of p[n=2] is 0" in group["headline"]
    else:
        assert "its point p[n=2]: " in group["headline"]
    assert (group["verdict"], group["code"]) == ("broken", "G050")
    assert {found[name, "rate"]["verdict"] for name in (POINTS[0], POINTS[2])} == {"passed"}
    trial = next(t for t in one.session("head.json").trials if t.benchmark == "p[n=*]")
    assert trial.status is (TrialStatus.TIMEOUT if act == "timeout" else TrialStatus.FAILED)


def test_pairs_run_the_whole_curve_in_each_slot(curve):
    """A group is confirmed as one: its trials hold its own values, and no point's are recorded."""
    one = curve(sides=True)
    one.record(steady(n4=0.5), steady())
    answer, found = one.check()
    assert answer.status == 10
    group = found["p[n=*]", "rate_scaling"]
    assert (group["verdict"], group["code"], group["method"]) == ("regressed", "G060", "pairs")
    assert group["loss"] == pytest.approx(1.0, abs=0.02)
    assert re.match(
        r"no longer grows with n as it did: n 4 gave 3\.\d+ times n 1, now 1\.\d+ times; \+\d",
        group["headline"],
    )
    for name in ("pairs-base.json", "pairs-head.json"):
        session = one.session(name)
        own = [t for t in session.trials if t.benchmark == "p[n=*]"]
        assert len(own) == group["trials_head"]
        assert {v.metric for t in own for v in t.values} == {"rate_scaling"}
        assert {t.note for t in own} == {"made of one run of each of 3 points"}
        assert "p[n=1]" not in {t.benchmark for t in session.trials}
    slots = sorted(
        (t.slot, name)
        for name in ("base", "head")
        for t in one.session(f"pairs-{name}.json").trials
        if t.benchmark == "p[n=*]" and t.pair < FIRST_BLOCK
    )
    assert [slot for slot, _ in slots] == list(range(10))


def test_a_point_that_fails_in_pairs_breaks_the_group(curve):
    """One failed run of one point while confirming: broken, naming the point, never a pass."""
    one = curve(sides=True)
    head = steady(n4=0.5)
    head["p[n=1]"][4] = "fail"
    one.record(head, steady())
    answer, found = one.check()
    group = found["p[n=*]", "rate_scaling"]
    assert (group["verdict"], group["code"]) == ("broken", "G050")
    assert "while confirming" in group["headline"]
    assert "its point p[n=1]: the recorded trial failed" in group["headline"]
    assert found["p[n=4]", "rate"]["verdict"] == "regressed"
    assert answer.status == 10


def test_strikes_of_a_group_run_its_points(curve):
    """Without a base side, a flagged group's further sessions hold its points and are judged."""
    one = curve(sides=False)
    one.record(steady(n1=1.03, n4=0.965))
    answer, found = one.check()
    strike = one.session("strike-1.json")
    assert {p.benchmark for p in strike.planned} >= {*POINTS, "p[n=*]"}
    assert found["p[n=*]", "rate_scaling"]["method"] == "strikes"
    assert found["p[n=*]", "rate_scaling"]["verdict"] != "passed"
    assert answer.status in {5, 10}


def test_a_group_that_was_not_recorded_is_broken(curve):
    """A session from which the group's trials were taken is broken there, never passed."""
    one = curve(sides=False)
    one.record(steady())
    one.check()
    path = one.root / "out/p/head.json"
    whole = read_session(path)
    bare = tuple(t for t in whole.trials if t.benchmark != "p[n=*]")
    write_session(path, replace(whole, trials=bare))
    answer = one.gate("judge", "--session", path, "--profiles", "profiles", "--json")
    found = {(f["benchmark"], f["metric"]): f for f in answer.json["findings"]}
    assert found["p[n=*]", "rate_scaling"]["code"] == "G053"
    assert answer.status == 4


@pytest.mark.parametrize(
    ("asked", "planned"),
    [
        ({"g": 5}, {"g": 5, "a": 5, "b": 5}),
        ({"g": 5, "a": 8}, {"g": 5, "a": 8, "b": 5}),
        ({"a": 8, "b": 6}, {"g": 6, "a": 8, "b": 6}),
        ({"a": 8}, {"g": 0, "a": 8, "b": 0}),
    ],
)
def test_more_trials_for_a_group_are_more_of_its_points(asked, planned):
    """A group gets its trials by its points having them, and has as many as the fewest of them."""
    assert with_points(asked, {"g": ("a", "b"), "a": (), "b": ()}) == planned


def test_a_report_with_groups_keeps_to_80_columns(curve):
    """The text of a closed gate with a curve in it: every line fits, the shape is told."""
    one = curve(sides=True)
    one.record(steady(n4=0.8), steady())
    answer, _ = one.check()
    lines = answer.out.splitlines()
    assert max(map(len, lines)) <= 80
    joined = " ".join(line.strip() for line in lines)
    assert "no longer grows with n as it did: n 4 gave" in joined
