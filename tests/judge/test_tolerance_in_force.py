"""The tolerance in force is the one that was reviewed: what a loud metric may still be judged at."""

from __future__ import annotations

import random
from dataclasses import replace
from math import exp

import pytest
from judge.build import WALL, baseline, decide, only, pair_sessions, reviewed, session

from gate.model import BaselinePoint, BaselineSeries, SideSpec, Trials, Verdict

SIDES = {"base": SideSpec(), "head": SideSpec()}


def scattered(spread, name="b", sessions=10, trials=3, seed=1):
    """An accepted series whose trials scatter by `spread` and whose sessions by a third of it."""
    dice = random.Random(seed)
    points = []
    for number in range(sessions):
        level = dice.gauss(0, spread / 3)
        values = tuple(exp(level + dice.gauss(0, spread)) for _ in range(trials))
        points.append(BaselinePoint(session=f"a{number:02}", epoch=1, values=values))
    return BaselineSeries(
        benchmark=name, metric=WALL.name, unit=WALL.unit, better=WALL.better, points=tuple(points)
    )


def profile_of(tolerance, pairs=100, names=("b",), **more):
    """A reviewed profile with both sides and this tolerance."""
    metric = replace(WALL, tolerance=tolerance)
    trials = Trials(screen=3, confirm_pairs=pairs)
    return reviewed(*names, metrics=[metric], sides=SIDES, trials=trials, **more)


def loud_pairs(loss, spread, count, name="b", seed=2):
    """Pairs of trials that scatter by `spread`, the head slower by `loss`."""
    dice = random.Random(seed)
    base, head = ([exp(dice.gauss(0, spread)) for _ in range(count)] for _ in range(2))
    return pair_sessions({name: base}, {name: [one * (1 + loss) for one in head]})


def head_of(loss, name="b"):
    """A screened head that lost this much."""
    return session({name: [(1 + loss) * one for one in (1.0, 1.02, 0.97)]}, sides=True)


@pytest.mark.parametrize(
    ("tolerance", "spread", "loss"),
    [
        pytest.param(0.10, 0.2, 0.20, id="fio at 10 %, slowed by 20 %, was judged at 41.7 %"),
        pytest.param(0.20, 0.6, 0.25, id="25 % at 20 %, was judged at 196.7 %"),
    ],
)
def test_a_loss_beyond_the_tolerance_never_passes_in_the_noise(tolerance, spread, loss):
    """A metric too loud for its tolerance lets no loss through at one that nobody asked for."""
    report = decide(
        [head_of(loss), *loud_pairs(loss, spread, 21, seed=3)],
        baseline(scattered(spread, seed=3)),
        profile=profile_of(tolerance),
    )
    assert report.gate == "closed"
    assert not only(report).verdict.opens


def test_beyond_half_more_it_is_inconclusive_with_the_line_to_commit():
    """G024 names the metric's table and the tolerance that it can hold, to be reviewed."""
    report = decide(
        [head_of(0.2), *loud_pairs(0.0, 0.1, 5)],
        baseline(scattered(0.1)),
        profile=profile_of(0.05),
    )
    found = only(report)
    assert (found.code, found.verdict) == ("G024", Verdict.INCONCLUSIVE)
    assert found.tolerance_used == pytest.approx(0.075)
    assert 'under [metric."wall"]: tolerance = "' in found.headline


def test_a_coarser_judgement_is_told_in_the_first_line():
    """Up to half more than was asked is judged, counted and shown where nobody can miss it."""
    report = decide(
        session({"b": [1.0, 1.0, 0.99], "c": [1.0, 1.01, 0.99]}, sides=True),
        baseline(scattered(0.03, seed=6), scattered(0.002, "c")),
        profile=profile_of(0.05, names=("b", "c")),
    )
    assert report.gate == "open"
    used = only(report).tolerance_used
    assert 0.05 < used <= 0.075
    shown = f"{used * 100:.1f} %"
    assert f"1 of 2 judged coarser than asked: up to {shown} for 5.0 %" in report.headline
    assert report.headline.startswith("gate open: 2 passed; 1 of 2 judged coarser")


def test_a_large_loss_of_a_loud_metric_is_proven():
    """What pairs prove stands at any tolerance: too noisy to pass is not too noisy to fail."""
    report = decide(
        [head_of(1.9), *loud_pairs(1.9, 0.2, 21)],
        baseline(scattered(0.2)),
        profile=profile_of(0.05),
    )
    found = only(report)
    assert (found.code, report.exit_status) == ("G060", 10)
    assert found.can_detect <= found.loss


def test_an_undecided_loss_is_not_called_detectable():
    """No row says that it can detect less than what it left undecided."""
    report = decide(
        [head_of(1.9), *loud_pairs(1.9, 1.0, 7, seed=6)],
        baseline(scattered(0.2)),
        profile=profile_of(0.05),
    )
    found = only(report)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.can_detect >= found.loss > 1
