"""A check end to end: how many trials it plans, which blocks count, and when it stops early."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from builders import QUIET, write_replay_project
from measure.remains import blocks_of, report_of

from gate.formats.baseline.baseline_file import read_baselines
from gate.formats.profile.profile_file import read_profile
from gate.formats.session.session_file import read_session
from gate.judge.power.planning import plan_screen
from gate.measure.order import block_order
from gate.model import Side
from gate.model.plan import pairs_in

CHECK = ("check", "p", "--out", "out", "--quiet")
SLOW = [1.3 * one for one in QUIET]


def findings(project):
    return {one["benchmark"]: one for one in report_of(project.root)["findings"]}


def loud(dice, count, noise=0.045):
    return [dice.lognormvariate(0, noise) for _ in range(count)]


@pytest.fixture
def shaky(tmp_path):
    """Two benchmarks: one with loud trials in steady sessions of ten, one quiet altogether."""
    project = write_replay_project(
        tmp_path, head={"loud": QUIET, "calm": QUIET}, sides=True, trials=10
    )
    dice = random.Random(5)
    paths = [
        project.session({"loud": loud(dice, 10), "calm": [level * one for one in QUIET * 4]})
        for level in (1.0, 1.001, 0.999, 1.002, 0.998, 1.0005, 0.9995, 1.0)
    ]
    answer = project.gate("baseline", "accept", *paths, "--reason", "first", "--by", "me")
    assert answer.status == 0, answer
    text = project.profile.read_text(encoding="utf-8")
    trials = "screen = 10, confirm_pairs = 30"
    assert trials in text
    text = text.replace(trials, "screen = 3, confirm_pairs = 80")
    project.profile.write_text(text, encoding="utf-8")
    project.record({"loud": loud(dice, 80), "calm": list(QUIET) * 30})
    return project


def longer(project):
    """The plan for the loud benchmark, the only one that takes more than three trials."""
    profile, (known,) = read_profile(project.profile), read_baselines(project.baselines)
    plan = plan_screen(profile, known, 0.025)
    assert list(plan) == ["loud"]
    assert 5 <= plan["loud"] <= 9
    return plan["loud"]


def planned(path):
    session = read_session(path)
    counts = Counter(trial.benchmark for trial in session.trials)
    assert {plan.benchmark: plan.trials for plan in session.planned} == counts
    return dict(counts)


def test_loud_trials_take_a_longer_screen(shaky):
    """A check plans more trials where the baseline shows that it saves pairs, and records it."""
    more = longer(shaky)
    assert shaky.gate(*CHECK).status == 0
    assert planned(shaky.root / "out/p/head.json") == {"loud": more, "calm": 3}
    taken = {name: len(one["evidence"]["head"]) for name, one in findings(shaky).items()}
    assert taken == {"loud": more, "calm": 3}


def test_the_longer_screen_survives_an_interruption(shaky):
    """A screen cut short goes on to what was planned at its start, whatever is planned now."""
    more = longer(shaky)
    assert shaky.gate(*CHECK).status == 0
    path = shaky.root / "out/p/head.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["state"], data["trials"] = "partial", data["trials"][:4]
    path.write_text(json.dumps(data), encoding="utf-8")
    shaky.baseline.rename(shaky.root / "away.toml")
    shaky.gate(*CHECK, "--resume")
    assert planned(path) == {"loud": more, "calm": 3}


def test_a_baseline_session_takes_what_the_profile_says(shaky):
    """`gate run` plans nothing of its own: accepted sessions all have as many trials."""
    path = shaky.session()
    assert planned(path) == {"loud": 3, "calm": 3}


@pytest.fixture
def proven(tmp_path):
    """A check that proved a loss of 30 % by one block of five pairs."""
    project = write_replay_project(tmp_path, head={"b": QUIET, "c": QUIET}, sides=True)
    project.accept()
    steady = list(QUIET) * 30
    project.record({"b": [1.3 * one for one in steady], "c": steady}, {"b": steady, "c": steady})
    assert project.gate(*CHECK).status == 10
    assert findings(project)["b"]["trials_head"] == 5
    return project


def seed(project):
    return read_session(project.root / "out/p/pairs-head.json").seed


def test_a_block_is_run_in_the_order_of_its_shuffle(proven):
    """The trials' slots are those of the seed's arrangement, from the first to the last."""
    (rows,) = blocks_of(proven.root).values()
    assert [(side, pair) for _, side, pair in rows] == list(block_order(seed(proven), "b", 0))
    assert [slot for slot, _, _ in rows] == list(range(10))
    started = {
        trial.slot: trial.started
        for name in ("base", "head")
        for trial in read_session(proven.root / f"out/p/pairs-{name}.json").trials
    }
    assert [started[slot] for slot in range(10)] == sorted(started.values())


def cut(project, kept):
    """What a kill leaves after that many trials of the first block."""
    for name in ("base", "head"):
        path = project.root / f"out/p/pairs-{name}.json"
        data = json.loads(path.read_text(encoding="utf-8"))
        data["trials"] = [trial for trial in data["trials"] if trial["slot"] < kept]
        data["state"] = "partial"
        path.write_text(json.dumps(data), encoding="utf-8")
    for path in (project.root / "out").glob("report.*"):
        path.unlink()


@pytest.mark.parametrize("kept", range(10))
def test_interrupted_inside_a_block(proven, kept):
    """After any trial but the last: the block is never completed nor counted; the next ones are."""
    before = {key: rows[:kept] for key, rows in blocks_of(proven.root).items()}
    cut(proven, kept)
    assert proven.gate(*CHECK, "--resume").status == 10
    after = blocks_of(proven.root)
    found = findings(proven)["b"]
    assert found["code"] == "G060"
    if kept == 0:
        assert {block for _, block in after} == {0}
        assert found["trials_head"] == 5
        return
    assert after[("b", 0)] == before[("b", 0)]
    assert sorted(block for _, block in after) == [0, 1, 2, 3]
    for block in (1, 2, 3):
        order = block_order(seed(proven), "b", block)
        assert [(side, pair) for _, side, pair in after[("b", block)]] == list(order)
    assert found["trials_head"] == found["trials_base"] == 6
    assert len(found["evidence"]["pairs_head"]) == 6


def test_interrupted_after_the_last_trial_of_a_block(proven):
    """A block that was complete is counted, and nothing more is measured."""
    cut(proven, 10)
    before = blocks_of(proven.root)
    assert proven.gate(*CHECK, "--resume").status == 10
    assert blocks_of(proven.root) == before
    assert findings(proven)["b"]["trials_head"] == 5


def test_the_limit_of_pairs_holds(tmp_path):
    """Pairs that prove nothing are spent at the last block that fits: 29 of at most 30."""
    dice = random.Random(3)
    project = write_replay_project(tmp_path, head={"b": QUIET}, sides=True)
    project.accept(trials=loud(dice, 3, 0.01))
    project.record(
        {"b": [1.1] * 3 + [1.03 * one for one in loud(dice, 60, 0.08)]}, {"b": loud(dice, 60, 0.08)}
    )
    raw = json.loads(project.recording.read_text(encoding="utf-8"))
    raw["benchmarks"]["b"]["head"]["wall"][1] = 1.101
    project.recording.write_text(json.dumps(raw), encoding="utf-8")
    assert project.gate(*CHECK).status == 5
    found = findings(project)["b"]
    assert (found["code"], found["trials_head"]) == ("G020", 29)
    assert {block for _, block in blocks_of(project.root)} == set(range(13))


def test_a_failing_trial_ends_the_confirmation(tmp_path):
    """A trial that fails while confirming is the last of its block and of its benchmark."""
    project = write_replay_project(tmp_path, head={"b": QUIET}, sides=True)
    project.accept()
    project.record({"b": [*SLOW, "fail", *SLOW]}, {"b": list(QUIET) * 9})
    assert project.gate(*CHECK).status == 4
    head = read_session(project.root / "out/p/pairs-head.json")
    assert [trial.status.value for trial in head.trials] == ["ok", "ok", "ok", "failed"]
    ((_, rows),) = blocks_of(project.root).items()
    assert max(rows)[1:] == (Side.HEAD, 3)
    assert len(rows) < 2 * len(pairs_in(0))


def test_an_unsteady_host_is_not_confirmed_without_a_base_side(tmp_path):
    """Where all trials scatter as never before, nothing is judged nor taken further: G039."""
    names = [f"b{i}" for i in range(6)]
    project = write_replay_project(tmp_path, head=dict.fromkeys(names, QUIET))
    project.accept()
    project.record(dict.fromkeys(names, (1.3, 1.6, 1.0)))
    assert project.gate(*CHECK).status == 5
    assert {one["code"] for one in findings(project).values()} == {"G039"}
    assert [path.name for path in (project.root / "out/p").iterdir()] == ["head.json"]


@pytest.fixture
def flagged(tmp_path):
    """A project without a base side whose check took ten strikes, and what it then played."""
    project = write_replay_project(tmp_path)
    project.accept()
    project.record({"b": SLOW * 4})
    assert project.gate(*CHECK).status == 10
    assert findings(project)["b"]["code"] == "G061"
    assert strikes(project) == 10
    return project


def strikes(project):
    return len(list((project.root / "out/p").glob("strike-*.json")))


def again(project, kept):
    """Go on from so many strikes."""
    for path in (project.root / "out/p").glob("strike-*.json"):
        if int(path.stem.partition("-")[2]) > kept:
            path.unlink()
    for path in (project.root / "out").glob("report.*"):
        path.unlink()
    return project.gate(*CHECK, "--resume").status


@pytest.mark.parametrize("kept", [0, 2])
def test_the_early_look_at_strikes(flagged, kept):
    """Six strikes that show the flag to be an accident of the screen are the last ones."""
    flagged.record({"b": list(QUIET)})
    assert again(flagged, kept) == 0
    assert strikes(flagged) == 6
    found = findings(flagged)["b"]
    assert (found["code"], found["method"]) == ("G001", "strikes")


def test_the_early_look_never_proves(flagged):
    """Six slow strikes are no reason to stop: the proof takes all ten."""
    assert again(flagged, 3) == 10
    assert strikes(flagged) == 10


@pytest.mark.parametrize("kept", [4, 6, 9])
def test_strikes_go_on_where_they_stopped(flagged, kept):
    """Interrupted before, at or after the early look, the strikes taken stay as they are."""
    taken = [flagged.root / f"out/p/strike-{n}.json" for n in range(1, kept + 1)]
    before = [path.read_bytes() for path in taken]
    assert again(flagged, kept) == 10
    assert [path.read_bytes() for path in taken] == before
    assert strikes(flagged) == 10
