"""The noise of every series of a suite, each with the help of the others."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from judge.build import LEVELS, WALL, at, baseline, decide, only, series, session

from gate.judge.verdict.screening import noises_in
from gate.judge.verdict.series import series_of
from gate.judge.verdict.suite import arrange
from gate.model import Better
from gate.stats.costs import log_costs
from gate.stats.noise import moderate_noise, noise_of, prior_of

NAMES = [f"b{i}" for i in range(6)]
SPREADS = (0.5, 1.0, 2.0, 4.0, 1.0, 8.0)


def restless(spread):
    """Accepted levels that scatter so many times as much as the usual ones."""
    return [1 + spread * (level - 1) for level in LEVELS]


def noises(known, rows=None):
    head = session(rows or {name: at(1) for name in NAMES})
    (case,) = arrange([head], [known], {})
    return noises_in(tuple(series_of(case)))


def own(levels):
    return noise_of([log_costs(at(level), Better.LOWER) for level in levels])


def test_each_has_the_help_of_all():
    """Six series of five sessions: each scale is moderated by the prior of all six."""
    known = baseline(
        *(series(name, restless(spread)) for name, spread in zip(NAMES, SPREADS, strict=True))
    )
    alone = [own(restless(spread)) for spread in SPREADS]
    prior = prior_of(alone)
    found = noises(known)
    assert len(found) == 6
    for name, one in zip(NAMES, alone, strict=True):
        assert found["p", name, "wall"] == moderate_noise(one, prior)
    assert found["p", "b5", "wall"].between < alone[5].between
    assert found["p", "b0", "wall"].freedom > alone[0].freedom == 1.98


def test_four_series_stand_alone():
    """Fewer than five series say nothing of each other."""
    known = baseline(*(series(name, restless(2.0)) for name in NAMES[:4]))
    found = noises(known, {name: at(1) for name in NAMES[:4]})
    assert set(found.values()) == {own(restless(2.0))}


def test_series_that_cannot_tell_are_left_out():
    """Too few sessions, none at all, or a value above nothing: no noise, and no say in others'."""
    known = baseline(
        series("b0"),
        series("b1", LEVELS[:4]),
        series("b2", trials=(1.0, 0.0, 1.1)),
        series("gone"),
    )
    found = noises(known)
    assert {benchmark for _, benchmark, _ in found} == {"b0", "gone"}


def test_a_young_epoch_has_the_noise_of_the_one_before():
    """After an acceptance the level is one session's, the scale between sessions the old one."""
    known = baseline(series("b0", [*LEVELS, 1.3], epochs=[1] * 5 + [2]))
    found = noises(known, {"b0": at(1.3)})["p", "b0", "wall"]
    assert found.level == 1
    assert found.between == pytest.approx(own(LEVELS).between)
    assert (found.freedom, found.usual) == (1.98, 3.0)
    assert found.error(3) == pytest.approx(found.between * math.sqrt(1 + math.pi / 2))


def test_the_suites_help_clears_what_a_metric_alone_could_not():
    """A metric whose five sessions scatter by bad luck is cleared by what its suite tells of it."""
    levels = restless(4.0)
    head = session({"b0": at(1.012)}, sides=True)
    assert only(decide(head, baseline(series("b0", levels))), "b0").code == "G021"
    rows = {name: at(1.012 if name == "b0" else 1) for name in NAMES}
    known = baseline(series("b0", levels), *(series(name) for name in NAMES[1:]))
    assert only(decide(session(rows, sides=True), known), "b0").code == "G001"


def test_profiles_of_one_suite_inform_each_other():
    """The prior is the whole suite's: profiles judged together are screened together."""
    rows = {name: at(1) for name in NAMES[:3]}
    one = baseline(*(series(name, restless(2.0)) for name in rows))
    two = replace(baseline(*(series(name, restless(0.5)) for name in rows)), profile="q", path="q")
    heads = [session(rows), session(rows, id="head-2", profile="q")]
    found = noises_in(tuple(s for case in arrange(heads, [one, two], {}) for s in series_of(case)))
    prior = prior_of([own(restless(spread)) for spread in (2.0,) * 3 + (0.5,) * 3])
    assert found["p", "b0", "wall"] == moderate_noise(own(restless(2.0)), prior)
    assert found["q", "b0", "wall"] == moderate_noise(own(restless(0.5)), prior)


def test_a_metric_of_either_direction_has_the_same_noise():
    """Times and rates are compared as log costs, so they inform each other."""
    rate = replace(WALL, name="rate", unit="op/s", better=Better.HIGHER)
    known = baseline(series("b0"), series("b0", [1 / x for x in LEVELS], metric=rate))
    rows = {"b0": {"wall": at(1), "rate": at(1)}}
    (case,) = arrange([session(rows, metrics=(WALL, rate))], [known], {})
    found = noises_in(tuple(series_of(case)))
    assert found["p", "b0", "rate"].between == pytest.approx(found["p", "b0", "wall"].between)
