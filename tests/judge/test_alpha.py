"""One alpha for a whole suite: how it is shared, and that never more than all of it is spent."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judge.build import (
    WALL,
    at,
    baseline,
    decide,
    only,
    pair_sessions,
    pairs,
    series,
    session,
    strikes,
)

from gate.judge.first_stage import first_stage
from gate.judge.verdict.suite import Policy, arrange
from gate.model import Role
from gate.stats.martingale import shares
from gate.stats.screen import SHARE

SECOND = (1 - SHARE) * 0.025
NAMES = ["b0", "b1", "b2"]
KNOWN = baseline(*(series(name) for name in NAMES))


def rows(level, count=30):
    """Values of a side in so many pairs of each benchmark."""
    return {name: [level + 0.001 * (i % 3) for i in range(count)] for name in NAMES}


def test_alpha_is_shared_by_the_flagged():
    """Three equally suspect metrics have a third of alpha each: seven pairs instead of five."""
    head = session({name: at(1.2) for name in NAMES}, sides=True)
    report = decide([head, *pair_sessions(rows(1.0), rows(1.2))], KNOWN)
    assert {f.trials_head for f in report.findings} == {7}
    for found in report.findings:
        assert found.confidence == pytest.approx(1 - 0.01 / 3 - SECOND, abs=1e-12)
    assert report.promise.metrics_flagged == 3


def test_one_flagged_metric_has_all_of_it():
    """What was cleared by the screen leaves its part of alpha to what was not."""
    head = session({"b0": at(1.2), "b1": at(1), "b2": at(1)}, sides=True)
    base, slow = rows(1.0), rows(1.2)
    report = decide([head, *pair_sessions({"b0": base["b0"]}, {"b0": slow["b0"]})], KNOWN)
    found = only(report, "b0")
    assert found.trials_head == 5
    assert found.confidence == pytest.approx(1 - 0.01 - SECOND)
    assert (report.promise.metrics_judged, report.promise.metrics_flagged) == (3, 1)


def test_a_clear_loss_has_nearly_all_of_it():
    """Beside two metrics flagged at 2.5 % the one at 20 % keeps enough for a proof by five pairs."""
    head = session({"b0": at(1.2), "b1": at(1.0255), "b2": at(1.0255)}, sides=True)
    base, slow = rows(1.0), {**rows(1.0), "b0": rows(1.2)["b0"]}
    report = decide([head, *pair_sessions(base, slow)], KNOWN)
    first = first_stage(arrange([head], [KNOWN], {}), Policy())
    expected = shares([flag.strength for flag in first.flagged])
    assert len(expected) == 3
    found = only(report, "b0")
    assert found.trials_head == 5
    assert found.confidence == pytest.approx(1 - 0.01 * expected[0] - SECOND)
    assert only(report, "b1").confidence == pytest.approx(1 - 0.01 * expected[1] - SECOND)
    assert expected == pytest.approx((0.825, 0.088, 0.088), abs=5e-4)


def test_pairs_and_strikes_share_one_alpha():
    """In a suite with both, the pairs leave the strikes their part: neither spends alpha alone."""
    other = replace(baseline(series("b")), profile="q")
    paired = [session({"b": at(1.2)}, sides=True), *pairs(0.2)]
    alone = decide(paired)
    struck = session({"b": at(1)}, profile="q", id="q-head")
    both = decide([*paired, struck], [baseline(), other])
    confidence = {f.profile: f.confidence for f in both.findings}
    assert alone.findings[0].confidence == pytest.approx(1 - 0.01 - SECOND)
    assert confidence["p"] == pytest.approx(1 - 0.01 / 2 - SECOND)


def test_strikes_spend_their_own_part_only():
    """The baseline that strikes meet was seen by the screen, so a flag earns them nothing."""
    head = session({"b0": at(1.2), "b1": at(1), "b2": at(1)})
    first = first_stage(arrange([head], [KNOWN], {}), Policy())
    assert first.alphas(0.01) == (pytest.approx(0.01 / 3),)


def test_watched_metrics_bring_and_take_nothing():
    """A watched metric, flagged or not, leaves the gate metrics their alpha."""
    eye = replace(WALL, name="eye", role=Role.WATCH)
    known = baseline(series("b"), series("b", metric=eye))
    metrics = (WALL, eye)
    head = session({"b": {"wall": at(1.2), "eye": at(1.4)}}, metrics=metrics, sides=True)
    first = first_stage(arrange([head], [known], {}), Policy())
    given_out = dict(
        zip((f.series.metric.name for f in first.flagged), first.alphas(0.01), strict=True)
    )
    assert given_out == {"wall": pytest.approx(0.01), "eye": pytest.approx(0.01)}
    assert (first.judged, first.m) == (1, 1)


levels = st.sampled_from([0.5, 1.0, 1.0, 1.0, 1.02, 1.03, 1.06, 1.2, 2.0])
kinds = st.sampled_from(["cleared by pairs", "pairs", "no pairs yet", "strikes", "alone"])


@st.composite
def profiles(draw, name):
    """The sessions and the baseline of one profile, of any kind, and how many of it gate."""
    kind = draw(kinds)
    names = [f"b{i}" for i in range(draw(st.integers(1, 4)))]
    eye = replace(WALL, name="eye", role=draw(st.sampled_from(Role)))
    metrics = (WALL, eye)
    head = session(
        {one: {"wall": at(draw(levels)), "eye": at(draw(levels))} for one in names},
        metrics=metrics,
        sides=kind not in {"strikes", "alone"},
        profile=name,
        id=f"{name}-head",
    )
    given_sessions = [head]
    if kind in {"pairs", "cleared by pairs"}:
        loss = 1.2 if kind == "pairs" else 1.0
        sides = [{one: {m.name: [x] * 9 for m in metrics} for one in names} for x in (1.0, loss)]
        given_sessions += [
            replace(one, id=f"{name}-{one.id}", profile=name)
            for one in pair_sessions(*sides, metrics=metrics)
        ]
    if kind == "strikes":
        given_sessions += [
            replace(one, id=f"{name}-{one.id}", profile=name)
            for one in strikes([1.2] * 10, names[0], metrics=metrics)
        ]
    known = baseline(
        *(series(one, metric=metric) for one in names for metric in metrics), profile=name
    )
    return given_sessions, known


suites = st.integers(1, 4).flatmap(lambda n: st.tuples(*(profiles(f"p{i}") for i in range(n))))


def handed_out(suite, alpha):
    """The error bounds of all gate metrics that the second stage decides."""
    sessions = [one for some, _ in suite for one in some]
    first = first_stage(arrange(sessions, [known for _, known in suite], {}), Policy(alpha=alpha))
    bounds = zip(first.flagged, first.alphas(alpha), strict=True)
    return [bound for flag, bound in bounds if flag.series.metric.role is Role.GATE]


@examples(1.5)
@given(suites, st.sampled_from([0.05, 0.01, 1e-4]))
def test_never_more_than_alpha(suite, alpha):
    """Whatever is flagged, watched, paired or struck: the bounds handed out sum to alpha at most."""
    bounds = handed_out(suite, alpha)
    assert math.fsum(bounds) <= alpha * (1 + 1e-12)
    assert all(bound > 0 for bound in bounds)


@given(suites, profiles("another"))
def test_adding_metrics_never_makes_false_alarms_likelier(suite, more):
    """A suite with a further profile hands out alpha at most, as it did without."""
    for one in (suite, (*suite, more)):
        assert math.fsum(handed_out(one, 0.01)) <= 0.01 * (1 + 1e-12)
