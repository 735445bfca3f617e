"""Rows of `gate power`: from a baseline and what a profile asks for to a standing and a sentence."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from judge import build
from judge.build import WALL, at, decide, only, reviewed, series, session

from gate.judge.power.power import ToleranceStanding, asked_by, asked_in, power_rows
from gate.judge.power.sentences import proposals, sentence
from gate.model import BaselinePoint, BaselineSeries, Better, Leeway, Metric, Role, SideSpec, Trials
from gate.units import percent

SIDES = {"base": SideSpec(), "head": SideSpec()}


def noisy(spread, name="b", sessions=10, trials=3, seed=1, metric=WALL):
    """A series whose trials scatter by `spread` and whose sessions by a third of it."""
    dice = random.Random(seed)
    points = []
    for number in range(sessions):
        level = dice.gauss(0, spread / 3)
        values = tuple(math.exp(level + dice.gauss(0, spread)) for _ in range(trials))
        points.append(BaselinePoint(session=f"a{number:02}", epoch=1, values=values))
    return BaselineSeries(
        benchmark=name,
        metric=metric.name,
        unit=metric.unit,
        better=metric.better,
        points=tuple(points),
    )


def rows_of(profile, *rows, brief=False, **more):
    """The rows of one profile against a baseline of these series, or none."""
    known = {"p": build.baseline(*rows, **more)} if rows else {}
    return power_rows(
        [asked_by(profile)], known, host_class="lab", alpha=0.01, beta=0.025, brief=brief
    )


def row(profile, *rows, **more):
    (found,) = rows_of(profile, *rows, **more)
    return found


def test_a_quiet_metric_is_held_and_has_nothing_to_say():
    """Its detectable loss is below the tolerance, with sides and without."""
    for sides in ({}, SIDES):
        found = row(reviewed(sides=sides), noisy(0.002))
        assert (found.standing, sentence(found)) == (ToleranceStanding.HELD, "")
        assert found.power.can_detect < found.tolerance == found.power.judged_at
        assert found.power.chance > 0.98
        assert (found.sessions, found.trials, found.sides) == (10, 3, bool(sides))


def test_too_loud_is_raised_to_what_the_judge_uses():
    """The tolerance printed is the one that a check of that baseline uses."""
    loud = noisy(0.035)
    found = row(reviewed(sides=SIDES), loud)
    assert found.standing is ToleranceStanding.RAISED
    report = decide(
        [session({"b": [1.0, 1.01, 0.99]}, sides=True)],
        build.baseline(loud),
        profile=reviewed(sides=SIDES),
    )
    assert found.power.judged_at == only(report).tolerance_used
    assert found.power.can_detect == found.power.judged_at
    assert sentence(found).startswith(
        "can detect 5.7 %: judged at 5.7 % for 5.0 %; what would do: "
    )
    assert sentence(found).endswith('under [metric."wall"]: tolerance = "5.7%"')


def test_too_loud_without_sides_is_raised_to_what_the_judge_uses():
    """Likewise where only the head can be run."""
    loud = noisy(0.022)
    found = row(reviewed(), loud)
    report = decide([session({"b": [1.0, 1.01, 0.99]})], build.baseline(loud), profile=reviewed())
    assert found.standing is ToleranceStanding.RAISED
    assert found.power.judged_at == only(report).tolerance_used


def test_the_proposed_tolerance_is_held():
    """What the sentence proposes holds, and a digit less does not."""
    loud = noisy(0.05)
    for sides in ({}, SIDES):
        found = row(reviewed(sides=sides), loud)
        proposed = found.power.can_detect
        again = row(reviewed(metrics=[replace(WALL, tolerance=proposed)], sides=sides), loud)
        assert again.standing is ToleranceStanding.HELD
        less = replace(WALL, tolerance=found.power.can_detect * 0.89)
        assert (
            row(reviewed(metrics=[less], sides=sides), loud).standing is not ToleranceStanding.HELD
        )


def test_the_proposed_pairs_hold_the_tolerance():
    """The number of pairs named is enough."""
    loud = noisy(0.02)
    few = reviewed(sides=SIDES, trials=Trials(confirm_pairs=20))
    found = row(few, loud)
    assert found.standing is ToleranceStanding.RAISED
    assert "confirm_pairs = 80" in sentence(found)
    enough = reviewed(sides=SIDES, trials=Trials(confirm_pairs=80))
    assert row(enough, loud).standing is ToleranceStanding.HELD


def test_what_no_check_clears_is_told():
    """Beyond 1.5 times what was asked, the stated ceiling, or what was asked where that is all."""
    strict = row(reviewed(sides=SIDES, loud=Leeway(times=1.0)), noisy(0.035))
    loud = row(reviewed(sides=SIDES), noisy(0.05))
    deaf = row(reviewed(sides=SIDES, loud=Leeway(ceiling=0.5)), noisy(0.6))
    assert {one.standing for one in (strict, loud, deaf)} == {ToleranceStanding.DEAF}
    assert [one.power.judged_at for one in (strict, loud, deaf)] == pytest.approx(
        [0.05, 0.075, 0.5]
    )
    able = strict.power.can_detect
    assert sentence(strict).startswith(
        f"can detect {percent(able, signed=False)}: too noisy for 5.0 %"
    )
    raised = row(reviewed(sides=SIDES, loud=Leeway(ceiling=0.5)), noisy(0.05))
    assert raised.standing is ToleranceStanding.RAISED
    assert 0.075 < raised.power.judged_at == raised.power.can_detect < 0.5


def test_a_floor_is_named_as_the_cause():
    """A floor near the tolerance raises it, and no further pair would help."""
    floored = replace(WALL, floor=0.04)
    found = row(reviewed(metrics=[floored], sides=SIDES), noisy(0.002))
    assert found.standing is ToleranceStanding.RAISED
    assert sentence(found) == (
        'can detect 6.3 %: judged at 6.2 % for 5.0 %; what would do: under [metric."wall"]: '
        'tolerance = "6.3%"'
    )


def test_strikes_that_cannot_prove_are_told():
    """Five sessions and a small part of alpha: a loss closes the gate, nothing is proven."""
    names = [f"b{number}" for number in range(200)]
    many = reviewed(*names)
    found = rows_of(many, *(noisy(0.002, name, 5, seed=i) for i, name in enumerate(names)))
    assert {one.standing for one in found} == {ToleranceStanding.WEAK}
    text = sentence(found[0])
    assert text.startswith("5 sessions are too few to prove any loss by ranks; what would do: 10 ")


@pytest.mark.parametrize(
    ("rows", "more", "standing", "says"),
    [
        ((), {}, ToleranceStanding.NEW, "no accepted session of lab holds it (G010)"),
        ((series("other"),), {}, ToleranceStanding.NEW, "gate run p --repeat 10"),
        (
            (series(levels=(1.0, 1.01)),),
            {},
            ToleranceStanding.FEW,
            "in this epoch, 5 are needed and 10 wanted: `gate run p --repeat 8`",
        ),
        ((series(levels=(1.0,)),), {}, ToleranceStanding.FEW, "only 1 accepted session in"),
        (
            (series(levels=(1.0,) * 6, trials=(1.0,) * 3),),
            {},
            ToleranceStanding.CONSTANT,
            "every accepted value is the same",
        ),
        (
            (series(levels=(1.0,) * 5 + (0.0,)),),
            {},
            ToleranceStanding.UNUSABLE,
            "not above zero (G051)",
        ),
        (
            (series(),),
            {"profile_digest": "sha256:2"},
            ToleranceStanding.OTHER,
            "the baseline is of another profile text",
        ),
    ],
    ids=["no baseline", "new", "few", "one", "constant", "zero", "other text"],
)
def test_what_has_no_figures_says_why(rows, more, standing, says):
    """Each has its own standing and its own clear sentence, and no figure."""
    found = row(reviewed(), *rows, **more)
    assert (found.standing, found.power, found.more) == (standing, None, ())
    assert says in sentence(found)
    assert proposals([found]) == ()


def test_another_unit_has_no_figures():
    """A baseline in another unit tells nothing of this metric."""
    other = replace(series(), unit="ms", better=Better.HIGHER)
    assert row(reviewed(), other).standing is ToleranceStanding.OTHER


def test_watched_metrics_have_no_row():
    """Only what may close the gate has a tolerance to hold."""
    watched = Metric(name="rss", unit="B", better=Better.LOWER, role=Role.WATCH)
    (found,) = rows_of(reviewed(metrics=[WALL, watched]), noisy(0.002))
    assert found.metric == "wall"


def test_alpha_is_divided_among_strikes_and_not_among_pairs():
    """More metrics lower the chance of a proof by ranks; pairs share what the screen decides."""
    names = [f"b{number}" for number in range(30)]
    rows = [noisy(0.02, name, seed=1) for name in names]
    for sides, same in (({}, False), (SIDES, True)):
        alone = row(reviewed("b0", sides=sides), rows[0])
        (first, *_) = rows_of(reviewed(*names, sides=sides), *rows)
        assert (first.power.can_detect == alone.power.can_detect) is same


def test_more_is_told_of_every_setting():
    """With sides pairs, sessions and trials; without, no pairs; never fewer than there are."""
    told = [(one.what, one.count) for one in row(reviewed(sides=SIDES), noisy(0.01)).more]
    expected = [("pairs", 30), ("pairs", 80), ("pairs", 160), ("pairs", 320), ("sessions", 20)]
    assert told == [*expected, ("sessions", 40), ("trials", 5), ("trials", 6), ("trials", 10)]
    without = [one.what for one in row(reviewed(), noisy(0.01)).more]
    assert set(without) == {"sessions", "trials"}
    assert row(reviewed(), noisy(0.002), brief=True).more == ()


def test_a_session_asks_what_its_profile_asked():
    """What a session recorded of its profile gives the same rows."""
    one = session({"b": at(1)}, pairs=40, loud=Leeway(times=1.0), sides=True)
    profile = reviewed(
        sides=SIDES, loud=Leeway(times=1.0), trials=Trials(screen=3, confirm_pairs=40)
    )
    assert asked_in(one) == asked_by(profile)


def test_proposals_are_one_line_each():
    """Metrics whose tolerance is not held, named, with what would do."""
    rows = [noisy(0.05, "loud"), noisy(0.002, "quiet")]
    (line,) = proposals(rows_of(reviewed("loud", "quiet", sides=SIDES), *rows, brief=True))
    assert line.startswith(
        "loud wall: can detect 8.3 %: too noisy for 5.0 %, judged at 7.5 % at most; "
    )
    assert "\n" not in line
