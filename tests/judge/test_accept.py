"""Accepting sessions: what is refused, what appends, what opens an epoch."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import HOST, WALL, at, baseline, series, session, strikes

from gate.errors import InputError
from gate.formats.baseline.baseline_text import baseline_text
from gate.judge.accept import Acceptance, accept
from gate.model import Better, Host, Planned, Role, Stage, State

WHY = Acceptance(by="me", reason="a new allocator", accepted="2026-01-12T00:00:00Z")


def fresh(level: float = 1.0, name: str = "n1", **more):
    return session({"b": at(level)}, id=name, started="2026-02-01T00:00:00Z", **more)


def epochs(result, name="b"):
    (one,) = (s for s in result.baseline.series if s.benchmark == name)
    return [point.epoch for point in one.points]


def test_first_acceptance():
    """The first sessions make a baseline of epoch 1 with who, when and why."""
    result = accept(None, [fresh(), fresh(1.001, "n2")], WHY)
    assert epochs(result) == [1, 1]
    assert {one.reason for one in result.baseline.sessions} == {"a new allocator"}
    assert result.baseline.stable == HOST.stable
    assert result.changes == ("new: b wall",)


def test_the_same_level_appends():
    """A session at the accepted level joins the epoch."""
    result = accept(baseline(), [fresh(1.002)], WHY)
    assert epochs(result) == [1] * 6
    assert result.changes == ("appended: b wall",)


@pytest.mark.parametrize("level", [1.1, 0.9])
def test_another_level_opens_an_epoch(level):
    """A slower or faster session opens a new epoch, with the reason where a reviewer reads it."""
    result = accept(baseline(), [fresh(level)], WHY)
    assert epochs(result) == [1] * 5 + [2]
    (line,) = (row for row in baseline_text(result.baseline).splitlines() if "# epoch 2" in row)
    assert "because: a new allocator" in line
    assert ("(+10.2 %)" if level > 1 else "(-9.9 %)") in line


def test_sessions_accepted_together_share_a_level():
    """Five sessions of the new level make one epoch, not five."""
    new = [fresh(1.2 * level, f"n{i}") for i, level in enumerate((1, 1.06, 0.95, 1.02, 0.99))]
    assert epochs(accept(baseline(), new, WHY)) == [1] * 5 + [2] * 5


def test_a_loud_metric_keeps_its_epoch():
    """Sessions of a loud metric accepted one by one do not open an epoch each."""
    known = accept(None, [session({"b": (1.0, 1.2, 0.85)}, id="n0")], WHY).baseline
    for i, level in enumerate((1.07, 0.93, 1.06, 0.94, 1.08, 0.95)):
        one = session({"b": at(level, (1.0, 1.2, 0.85))}, id=f"m{i}")
        known = accept(known, [one], WHY).baseline
    assert {point.epoch for point in known.series[0].points} == {1}


def test_a_new_profile_text_opens_epochs_and_retires():
    """A changed profile opens an epoch everywhere and retires what it no longer runs."""
    known = baseline(series("b"), series("gone"))
    result = accept(known, [fresh(profile_digest="sha256:2")], WHY)
    assert epochs(result) == [1] * 5 + [2]
    assert [one.benchmark for one in result.baseline.series] == ["b"]
    assert "retired: gone wall" in result.changes
    assert result.baseline.profile_digest == "sha256:2"


def test_a_metric_that_is_no_longer_declared_is_retired():
    """Metrics are not part of the profile's digest: one taken out can still be retired."""
    cpu = replace(WALL, name="cpu")
    result = accept(baseline(series("b"), series("b", metric=cpu)), [fresh()], WHY)
    assert [one.metric for one in result.baseline.series] == ["wall"]


def test_a_watched_series_with_a_gap_is_left_out():
    """A watched metric with 2 of 3 values stops no acceptance; a gated one does: 2 of 3 trials."""
    eye = replace(WALL, name="eye", role=Role.WATCH)
    made = session({"b": {"wall": at(1), "eye": at(1)}}, id="n1", metrics=(WALL, eye))
    trials = list(made.trials)
    trials[1] = replace(trials[1], values=trials[1].values[:1])
    gap = replace(made, trials=tuple(trials))
    whole = replace(made, id="n2")
    for given in ([gap], [gap, whole], [whole, gap]):
        result = accept(None, given, WHY)
        assert [one.metric for one in result.baseline.series] == ["wall"]
        assert result.changes == ("new: b wall", "left out: b eye, which some trial lacks")
    assert len(accept(None, [whole], WHY).baseline.series) == 2
    gated = replace(gap, metrics=(WALL, replace(eye, role=Role.GATE)))
    with pytest.raises(InputError, match="b eye has 2 of 3 trials"):
        accept(None, [gated], WHY)


def test_another_unit_opens_an_epoch():
    """Values of another unit never join an epoch."""
    other = replace(WALL, better=Better.HIGHER)
    assert epochs(accept(baseline(), [fresh(metrics=(other,))], WHY)) == [1] * 5 + [2]


def test_another_tool_opens_an_epoch():
    """Values of another major version never join an epoch, even at the same level."""
    result = accept(baseline(), [fresh(tools={"replay": "2.0"})], WHY)
    assert epochs(result) == [1] * 5 + [2]


def test_unusable_accepted_values_open_an_epoch():
    """A baseline edited to hold a zero does not stop its own replacement."""
    known = baseline(series(trials=(0.0, 1.0, 0.0)))
    assert epochs(accept(known, [fresh()], WHY)) == [1] * 5 + [2]


def test_the_order_of_acceptance_does_not_matter():
    """Sessions stand oldest first whatever the order they were accepted in."""
    old = fresh(1.001, "old")
    old = replace(old, started="2025-01-01T00:00:00Z")
    result = accept(baseline(), [old], WHY)
    assert result.baseline.series[0].points[0].session == "old"
    assert result.baseline.sessions[0].id == "old"


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (fresh(state=State.PARTIAL), "partial"),
        (fresh(stage=Stage.CONFIRM), "confirming"),
        (fresh(disturbances=("it slept",)), "it slept"),
        (session({}, id="n1"), "no benchmark"),
        (session({"b": (1.0, None, 1.1)}, id="n1"), "it fell over"),
        (session({"b": (1.0, 0.0, 1.1)}, id="n1"), "above zero"),
        (session({"b": (1.0, float("nan"), 1.1)}, id="n1"), "above zero"),
        (fresh(planned=(Planned(benchmark="b", trials=5),)), "3 of 5"),
        (fresh(host=replace(HOST, host_class="other")), "host class"),
        (fresh(host=Host(host_class="lab", fingerprint="", stable={"cpu": "y"}, epoch={})), "cpu"),
        (session({"b": at(1)}, id="a01"), "before"),
        (session({"other": at(1)}, id="n1"), "lacks b wall"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_refusals(bad, why):
    """Whatever is not a whole, sound, comparable session is refused with its reason: G220."""
    with pytest.raises(InputError, match=why) as error:
        accept(baseline(), [bad], WHY)
    assert (error.value.code, error.value.status) == ("G220", 2)


@pytest.mark.parametrize("reason", ["", "  ", "\n"])
def test_no_reason_no_baseline(reason):
    """Nothing is accepted without a reason."""
    with pytest.raises(InputError, match="reason"):
        accept(baseline(), [fresh()], replace(WHY, reason=reason))


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (fresh(), "twice"),
        (fresh(name="n2", profile_digest="sha256:2"), "profile text"),
        (fresh(name="n2", tools={"replay": "2.0"}), "replay"),
        (fresh(name="n2", metrics=(replace(WALL, unit="1"),)), "metrics"),
        (fresh(name="n2", host=replace(HOST, stable={"cpu": "y"})), "cpu"),
        (session({"b": at(1), "c": at(1)}, id="n2"), "benchmarks"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("known", [baseline(), None])
def test_refused_together(second, why, known):
    """Sessions that do not belong together are refused together, also for a first baseline."""
    with pytest.raises(InputError, match=why):
        accept(known, [fresh(), second], WHY)


def test_strikes_are_no_baseline():
    """Strikes hold only what looked slow: they are refused beside a whole session."""
    whole = session({"b": at(1), "c": at(1)}, id="n1")
    with pytest.raises(InputError, match="benchmarks"):
        accept(None, [whole, *strikes([1.2])], WHY)
