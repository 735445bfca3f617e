"""Before and between measurements: trials to plan, what to confirm, and when to stop."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from judge.build import (
    WALL,
    at,
    baseline,
    decide,
    only,
    pair_sessions,
    pairs,
    reviewed,
    series,
    session,
    strikes,
)

from gate.judge.power.planning import expected_metrics, plan_screen
from gate.judge.verdict.interim_analysis import (
    EARLY_LOOK,
    all_cleared,
    plan_screens,
    plan_second_stage,
    undecided_benchmarks,
)
from gate.judge.verdict.suite import Policy, arrange
from gate.model import BaselinePoint, BaselineSeries, Leeway, Role, SideSpec, Trials, Verdict
from gate.stats.screen import SHARE

BETA = 0.025
BOTH = {"base": SideSpec(), "head": SideSpec()}
POLICY = Policy()
PAIRS = Trials().confirm_pairs
PLANNED = 8
"""What a check takes of the benchmark with loud trials below."""


def shaky(name, noise=0.045, trials=10, count=8, metric=WALL):
    """A series of steady sessions whose trials are loud."""
    dice = random.Random(name)
    points = tuple(
        BaselinePoint(
            session=f"a{i:02}",
            epoch=1,
            values=tuple(dice.lognormvariate(0, noise) for _ in range(trials)),
        )
        for i in range(count)
    )
    return BaselineSeries(
        benchmark=name, metric=metric.name, unit=metric.unit, better=metric.better, points=points
    )


def profile(*names, **more):
    return reviewed(*names, **({"sides": BOTH} | more))


def test_loud_trials_of_steady_sessions_take_more():
    """Only the benchmark whose trials are loud takes more of them than the profile asks for."""
    known = baseline(shaky("loud"), series("calm"))
    assert plan_screen(profile("loud", "calm"), known, BETA) == {"loud": PLANNED}


def test_the_plan_is_the_cheapest():
    """The trials planned are those that make an unchanged benchmark's expected cost least."""
    known = baseline(shaky("loud"))
    (one,) = expected_metrics(profile("loud"), known).values()
    costs = {n: n + 2 * one.pairs_to_pass * one.flagged(n, BETA) for n in range(3, 11)}
    assert plan_screen(profile("loud"), known, BETA) == {"loud": PLANNED}
    assert costs[PLANNED] < costs[3] - 3
    assert costs[PLANNED] == pytest.approx(min(costs.values()), abs=0.3)


@pytest.mark.parametrize(
    ("changed", "known"),
    [
        ({}, None),
        ({"digest": "sha256:2"}, baseline(shaky("loud"))),
        ({"metrics": (replace(WALL, role=Role.WATCH),)}, baseline(shaky("loud"))),
        ({"trials": Trials(screen=10)}, baseline(shaky("loud"))),
        ({}, baseline(shaky("loud", count=4))),
        ({}, baseline(series("loud", trials=(1.0, 0.0, 1.1)))),
    ],
    ids=[
        "no baseline", "another text", "watched", "enough asked for",
        "too few sessions", "a zero accepted",
    ],
)  # fmt: skip
def test_what_is_not_planned(changed, known):
    """Without pairs to save or sessions to tell the noise, the profile's own number holds."""
    assert plan_screen(profile("loud", **changed), known, BETA) == {}


@pytest.mark.parametrize("sides", [{}, {"head": SideSpec()}])
@pytest.mark.parametrize(("noise", "trials"), [(0.01, {}), (0.08, {"loud": 10})])
def test_without_sides_what_only_trials_make_loud_takes_more_of_them(sides, noise, trials):
    """No pairs can follow: the screen takes the trials that clear it unchanged, ten at most."""
    known = baseline(shaky("loud", noise=noise))
    assert plan_screen(profile("loud", sides=sides), known, BETA) == trials


def test_a_loud_metric_is_planned_at_the_tolerance_in_force():
    """What 100 pairs cannot hold at the asked tolerance is planned at most at half more."""
    (one,) = expected_metrics(profile("loud"), baseline(shaky("loud", noise=0.06))).values()
    assert one.can_detect == 0.15
    assert one.limits.tolerance == pytest.approx(0.075)
    ceiling = profile("loud", loud=Leeway(ceiling=0.2))
    (two,) = expected_metrics(ceiling, baseline(shaky("loud", noise=0.06))).values()
    assert two.limits.tolerance == two.can_detect == one.can_detect


@pytest.mark.parametrize("trials", [3, 4])
def test_sessions_of_few_trials_promise_nothing_of_more(trials):
    """Without sides no more certainty is planned than accepted sessions had.

    With a base side beside it, more head trials are known better than those sessions were.
    """
    known = baseline(shaky("loud", noise=0.04, trials=trials, count=12))
    (alone,) = expected_metrics(profile("loud", sides={}), known).values()
    assert alone.flagged(trials, BETA) == alone.flagged(10, BETA) > 0.3
    (beside,) = expected_metrics(profile("loud"), known).values()
    assert beside.flagged(10, BETA) < beside.flagged(trials, BETA)


def test_plans_of_several_profiles_keep_their_order():
    """One plan per profile, also where one has no baseline."""
    loud, other = profile("loud"), replace(profile("calm"), name="q")
    known = baseline(shaky("loud"))
    assert plan_screens([other, loud, loud], [None, known, None], BETA) == [
        {},
        {"loud": PLANNED},
        {},
    ]


def cases(*sessions, known=None):
    return arrange(sessions, [known or baseline()], {})


def test_tasks_of_the_second_stage():
    """Each flagged series with its rule at its share of alpha, and the strikes it would take."""
    eye = replace(WALL, name="eye", role=Role.WATCH)
    known = baseline(series("b"), series("b", metric=eye), series("c"))
    rows = {"b": {"wall": at(1.2), "eye": at(1.2)}, "c": {"wall": at(1)}}
    head = session(rows, metrics=(WALL, eye), sides=True)
    tasks = plan_second_stage(cases(head, known=known), POLICY)
    assert [(t.benchmark, t.metric, t.gates) for t in tasks] == [
        ("b", "eye", False), ("b", "wall", True),
    ]  # fmt: skip
    (_, wall) = tasks
    assert wall.rule.alpha == pytest.approx(0.01)
    assert wall.rule.beta == pytest.approx((1 - SHARE) * BETA)
    assert (wall.rule.negligible, wall.rule.tolerance) == (math.log1p(0.01), math.log1p(0.05))
    assert (wall.rule.limit, wall.strikes) == (PAIRS, 10)


def task_of(loss=1.06):
    (task,) = plan_second_stage(cases(session({"b": at(loss)}, sides=True)), POLICY)
    return task


@pytest.mark.parametrize(
    ("count", "loss", "open_"),
    [(4, 0.2, True), (5, 0.2, False), (5, 0.0, False), (5, 0.028, True), (PAIRS, 0.028, False)],
    ids=["no block yet", "proven", "ruled out", "undecided", "spent"],
)
def test_undecided(count, loss, open_):
    """A benchmark waits for a further block until it is proven, cleared or spent."""
    base, head = pairs(loss, count=count, noise=0.05 if loss == 0.028 else 0.004)
    assert undecided_benchmarks([task_of()], base, head) == ({"b"} if open_ else set())


def test_undecided_looks_at_complete_blocks_only():
    """Pairs of a block that is not complete decide nothing yet: a look inside a block is none."""
    both = pairs(0.2, count=9)
    for taken in range(5):
        some = [replace(one, trials=one.trials[:taken]) for one in both]
        assert undecided_benchmarks([task_of()], *some) == {"b"}


def test_undecided_asks_for_nothing_in_vain():
    """A failed trial, a value that is none, or a lacking metric ends the confirmation at once."""
    task = task_of()
    good = [1.0, 1.002] * 3
    for bad in ([*good[:4], None], [*good[:4], 0.0], [*good[:4], math.nan]):
        assert undecided_benchmarks([task], *pair_sessions({"b": good[:5]}, {"b": bad})) == set()
    lacking = [{"b": {"other": good[:5]}} for _ in range(2)]
    assert undecided_benchmarks([task], *pair_sessions(*lacking)) == set()


def test_undecided_serves_gate_metrics_only():
    """A watched metric costs no block of its own."""
    watched = replace(task_of(), gates=False)
    assert undecided_benchmarks([watched], *pairs(0.0, count=0)) == set()
    assert undecided_benchmarks([watched, task_of()], *pairs(0.0, count=0)) == {"b"}


@pytest.mark.parametrize(
    ("levels", "cleared"),
    [([1.0, 0.999, 1.001, 1.0, 1.002, 0.998], True), ([1.06] * 6, False), ([1.03] * 6, False)],
)
def test_the_early_look_clears_or_goes_on(levels, cleared):
    """After six strikes at the old level no more are taken; it never proves a loss early."""
    assert len(levels) == EARLY_LOOK
    given_sessions = [session({"b": at(1.06)}), *strikes(levels)]
    assert all_cleared(cases(*given_sessions), POLICY) is cleared
    verdict = only(decide(given_sessions)).verdict
    assert verdict is (Verdict.PASSED if cleared else Verdict.INCONCLUSIVE)


def test_the_early_look_waits_for_every_gate_metric():
    """One metric that is not cleared keeps the strikes going, a watched one does not."""
    eye = replace(WALL, name="eye")
    known = baseline(series("b"), series("b", metric=eye))

    def looked(role):
        metrics = (WALL, replace(eye, role=role))
        rows = [
            {"b": {"wall": at(level), "eye": at(1.2)}}
            for level in (1.06, 1.0, 0.999, 1.001, 1.0, 1.002, 0.998)
        ]
        sessions = [
            session(row, id=f"s{i}", started=f"2026-01-11T00:{i:02}", metrics=metrics)
            for i, row in enumerate(rows)
        ]
        return all_cleared(cases(*sessions, known=known), POLICY)

    assert not looked(Role.GATE)
    assert looked(Role.WATCH)
