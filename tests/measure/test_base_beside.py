"""Base trials among those of the screen: how many, where, resumed, and what they are for."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from builders import write_replay_project
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.session.session_file import read_session
from gate.measure.order import mixed_in, rounds
from gate.model import Side, State
from gate.model.plan import BASE_TRIALS

QUIET = (1.0, 1.002, 0.998)
CHECK = ("check", "p", "--out", "out")


def taken(project, name):
    return Counter(t.benchmark for t in read_session(project.root / f"out/p/{name}.json").trials)


@pytest.fixture
def project(tmp_path):
    """Two benchmarks with five accepted sessions each, and both sides."""
    made = write_replay_project(tmp_path, head={"b": QUIET, "c": QUIET}, sides=True)
    made.accept()
    return made


@given(
    st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5), min_size=1),
    st.sets(st.sampled_from("abcd")),
    st.integers(0, 99),
)
def test_a_base_trial_stands_anywhere_among_the_heads(head, base, seed):
    """The head's order stays; each base trial is next to a head trial of its own benchmark."""
    planned = tuple((Side.HEAD, name) for name in rounds(head, seed))
    mixed = mixed_in(planned, Side.BASE, dict.fromkeys(base & head.keys(), 1), seed)
    assert tuple(one for one in mixed if one[0] is Side.HEAD) == planned
    assert Counter(name for side, name in mixed if side is Side.BASE) == Counter(base & head.keys())
    assert mixed == mixed_in(planned, Side.BASE, dict.fromkeys(base & head.keys(), 1), seed)


def test_every_place_is_as_likely():
    """Among three head trials a base trial takes each of the four places in a quarter of the seeds."""
    head = ((Side.HEAD, "b"),) * 3
    places = Counter(
        mixed_in(head, Side.BASE, {"b": 1}, seed).index((Side.BASE, "b")) for seed in range(2000)
    )
    assert sorted(places) == [0, 1, 2, 3]
    assert all(abs(count - 500) < 90 for count in places.values())


def test_a_check_takes_a_base_trial_of_what_it_can_screen(project):
    """One of each benchmark with an accepted level; in a session of its own."""
    project.record({"b": QUIET * 9, "c": QUIET * 9}, {"b": QUIET * 9, "c": QUIET * 9})
    assert project.gate(*CHECK).status == 0
    assert taken(project, "head") == {"b": 3, "c": 3}
    assert taken(project, "base") == {"b": BASE_TRIALS, "c": BASE_TRIALS}
    base = read_session(project.root / "out/p/base.json")
    assert (base.side, base.state) == (Side.BASE, State.COMPLETE)


@pytest.mark.parametrize("sides", [True, False])
def test_nothing_is_taken_where_nothing_can_be_screened(sides, tmp_path):
    """Without accepted sessions all goes to pairs, and without a base side there is nothing."""
    project = write_replay_project(tmp_path, sides=sides)
    if not sides:
        project.accept()
    project.gate(*CHECK)
    assert not (project.root / "out/p/base.json").exists()


def test_a_stale_level_hides_no_loss(project):
    """The host got 10 % faster since; a head that lost 10 % stands where it was accepted."""
    faster = [0.9 * one for one in QUIET * 40]
    project.record({"b": QUIET * 40, "c": faster}, {"b": faster, "c": faster})
    answer = project.gate(*CHECK)
    assert answer.status == 10, answer
    report = json.loads((project.root / "out/report.json").read_text("utf-8"))
    verdicts = {one["benchmark"]: one["verdict"] for one in report["findings"]}
    assert verdicts == {"b": "regressed", "c": "passed"}


@pytest.mark.parametrize("kept", [(1, 0), (3, 1), (6, 0), (6, 2)])
def test_an_interrupted_screen_goes_on_with_both(project, kept):
    """Whatever of both was taken when it was cut is kept, and the rest is taken."""
    project.record({"b": QUIET * 9, "c": QUIET * 9}, {"b": QUIET * 9, "c": QUIET * 9})
    assert project.gate(*CHECK).status == 0
    before = {}
    for name, count in zip(("head", "base"), kept, strict=True):
        path = project.root / f"out/p/{name}.json"
        data = json.loads(path.read_text(encoding="utf-8"))
        data["state"], data["trials"] = "partial", data["trials"][:count]
        path.write_text(json.dumps(data), encoding="utf-8")
        before[name] = read_session(path).trials
    assert project.gate(*CHECK, "--resume").status == 0
    assert taken(project, "head") == {"b": 3, "c": 3}
    assert taken(project, "base") == {"b": 1, "c": 1}
    for name, trials in before.items():
        session = read_session(project.root / f"out/p/{name}.json")
        assert session.trials[: len(trials)] == trials
        assert session.state is State.COMPLETE


def test_a_base_that_cannot_run_breaks_the_check(project):
    """Its trial fails, so pairs decide, and they fail as well: closed, and never passed."""
    project.record({"b": QUIET * 40, "c": QUIET * 40}, {"b": ["fail"] * 40, "c": QUIET * 40})
    answer = project.gate(*CHECK)
    assert answer.status == 4, answer
    report = json.loads((project.root / "out/report.json").read_text("utf-8"))
    verdicts = {one["benchmark"]: one["verdict"] for one in report["findings"]}
    assert verdicts == {"b": "broken", "c": "passed"}
