"""The first stage: what it passes, flags, finds new, sliding or too noisy, with the exit status."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from judge.build import (
    LEVELS,
    WALL,
    at,
    baseline,
    decide,
    only,
    outcome,
    pairs,
    series,
    session,
    strikes,
)

from gate.model import Better, Leeway, Planned, Role, Verdict


def test_g001_screen_passes():
    """A head at the accepted level passes by the screen, status 0."""
    report = decide(session())
    assert outcome(report) == ("G001", "passed", 0)
    assert (report.gate, report.verdict) == ("open", "passed")
    assert only(report).method == "screen"
    assert report.promise.metrics_flagged == 0


def test_g003_improved():
    """A head clearly better than what was accepted is improved and leaves the gate open."""
    report = decide(session({"b": at(0.9)}))
    assert outcome(report) == ("G003", "improved", 0)
    assert report.gate == "open"


def test_g010_new_is_closed():
    """A benchmark without a baseline is new: closed with status 5, open with --allow new."""
    head = session({"b": at(1), "c": at(1)})
    report = decide(head)
    assert outcome(report, "c") == ("G010", "new", 5)
    assert report.gate == "closed"
    allowed = decide(head, allow_new=True)
    assert (allowed.gate, allowed.exit_status, allowed.verdict) == ("open", 0, "new")
    assert any("nothing was compared" in note for note in allowed.notes)


def test_allow_new_allows_nothing_else():
    """--allow new does not open a gate that anything worse than new has closed."""
    slow = [session({"b": at(1.2), "c": at(1)}, sides=True)]
    report = decide(slow, allow_new=True)
    assert (report.gate, report.exit_status) == ("closed", 5)


def test_no_baseline_at_all_is_new():
    """Without any baseline nothing passes."""
    assert outcome(decide(session(), [])) == ("G010", "new", 5)


def test_a_series_without_points_is_new():
    """A baseline series that holds no session compares nothing."""
    empty = replace(series(), points=())
    assert outcome(decide(session(), baseline(empty, sessions=()))) == ("G010", "new", 5)


def test_g021_flagged_and_not_confirmed():
    """A flagged metric without a confirmation is inconclusive, whatever it lost."""
    assert outcome(decide(session({"b": at(1.5)}, sides=True))) == ("G021", "inconclusive", 5)
    assert outcome(decide(session({"b": at(1.5)}))) == ("G021", "inconclusive", 5)


@pytest.mark.parametrize("count", [1, 4])
def test_g022_too_few_sessions(count):
    """With fewer than five accepted sessions and no base side nothing is cleared."""
    few = baseline(series(levels=LEVELS[:count]))
    assert outcome(decide(session(), few)) == ("G022", "inconclusive", 5)


@pytest.mark.parametrize("sides", [True, False])
def test_g026_a_single_trial_never_passes(sides):
    """One value shows no noise of its own: inconclusive at the accepted level, better or worse."""
    known = baseline(series(trials=(1.0,)))
    for level in (1.0, 0.5, 1.5):
        head = session({"b": (level * 1.0001,)}, sides=sides)
        report = decide(head, known)
        assert outcome(report) == ("G026", "inconclusive", 5)
        assert only(report).headline == f"one trial alone gave {level * 1.0001:g}"
    pair = session({"b": (1.0001, 1.0012)}, sides=sides)
    assert outcome(decide(pair, known)) == ("G001", "passed", 0)


def test_g026_is_not_cleared_by_a_confirmation():
    """Pairs and strikes beside a single screened trial do not make up for it."""
    known = baseline(series(trials=(1.0,)))
    head = session({"b": (1.2,)}, sides=True)
    assert outcome(decide([head, *pairs(0.0)], known)) == ("G026", "inconclusive", 5)
    alone = session({"b": (1.0001,)}, planned=(Planned(benchmark="b", trials=1),))
    assert outcome(decide([alone, *strikes([1.0] * 10)])) == ("G026", "inconclusive", 5)


def slide(step: float, count: int = 12, after: int = 0) -> tuple[float, ...]:
    """Levels that get worse by a step each, then that many times five at the last level."""
    last = math.exp(step * count)
    return (*(math.exp(step * i) for i in range(count)), *(last * one for one in LEVELS * after))


def test_g023_slide_since_the_anchor():
    """Small steps that add up to more than the tolerance since the anchor close the gate."""
    sliding = baseline(series(levels=slide(0.008, 10, 3)))
    report = decide(session({"b": at(math.exp(0.08))}), sliding)
    assert outcome(report) == ("G023", "inconclusive", 5)
    # The anchor is the second of the first three: 8.3 % less one step.
    assert only(report).headline.startswith("slid +7.5 % since")
    assert only(report).loss == pytest.approx(0, abs=0.005)


def test_a_slide_does_not_buy_itself_tolerance():
    """A slide makes the accepted sessions look loud; the anchor is held to the asked tolerance."""
    known = baseline(series(levels=slide(0.01, 12, 2)))
    found = only(decide(session({"b": at(math.exp(0.12))}), known))
    assert found.tolerance_used == pytest.approx(0.075)
    assert "too noisy" in found.warnings[0]
    assert found.code == "G023"


def test_a_new_epoch_ends_the_slide():
    """Accepting the level as a new epoch gives it an anchor of its own."""
    levels = [*slide(0.008), *(math.exp(0.008 * 11) * level for level in LEVELS)]
    known = baseline(series(levels=levels, epochs=[1] * 12 + [2] * 5))
    report = decide(session({"b": at(math.exp(0.008 * 11))}), known)
    assert outcome(report) == ("G001", "passed", 0)
    assert only(report).sessions_base == 5


LOUD = (1.0, 1.012, 0.99, 1.01, 0.986, 1.004)
"""Too loud for 5 %: it can detect 8.3 %."""


def test_g024_loud_refused():
    """loud = "refuse" judges no metric at a tolerance that its noise cannot bear."""
    report = decide(session(loud=Leeway(times=1.0)), baseline(series(levels=LOUD)))
    assert outcome(report) == ("G024", "inconclusive", 5)
    sides = decide(
        session(sides=True, loud=Leeway(times=1.0)), baseline(series(trials=(0.9, 1.0, 1.1)))
    )
    assert outcome(sides) == ("G021", "inconclusive", 5)  # pairs may still prove a loss


def test_g024_too_loud_to_be_raised():
    """Without a base side what needs more than half more is refused, with the line to commit."""
    wilder = [1 + 1.5 * (level - 1) for level in LOUD]
    found = only(decide(session(), baseline(series(levels=wilder))))
    assert (found.code, found.verdict) == ("G024", Verdict.INCONCLUSIVE)
    assert (found.can_detect, found.tolerance_used) == (0.13, pytest.approx(0.075))
    assert found.headline == (
        "too noisy for 5.0 %: can detect 13.0 %; line to commit, "
        'under [metric."wall"]: tolerance = "13%"'
    )


def test_up_to_half_more_is_judged_and_told_first():
    """7 % for 5 %: passed, and the first line says so."""
    milder = [1 + 0.8 * (level - 1) for level in LOUD]
    report = decide(session(), baseline(series(levels=milder)))
    found = only(report)
    assert (found.verdict, found.tolerance) == (Verdict.PASSED, 0.05)
    assert found.tolerance_used == found.can_detect == 0.066
    assert "too noisy" in found.warnings[0]
    assert report.headline == (
        "gate open: 1 passed; 1 of 1 judged coarser than asked: up to 6.6 % for 5.0 % "
        "(host class lab)"
    )


def test_a_stated_ceiling_is_told_before_anything_else():
    """Opted in, a metric is judged at what it can detect, at most at the ceiling."""
    loud = Leeway(ceiling=0.4)
    report = decide(session(loud=loud), baseline(series(levels=LOUD)))
    assert only(report).tolerance_used == 0.083
    assert report.headline == (
        "gate open: tolerances raised up to a ceiling of 40.0 %; 1 passed; "
        "1 of 1 judged coarser than asked: up to 8.3 % for 5.0 % (host class lab)"
    )
    low = decide(session(loud=Leeway(ceiling=0.051)), baseline(series(levels=LOUD)))
    assert outcome(low) == ("G024", "inconclusive", 5)


def test_higher_is_better():
    """Where higher is better a falling value is the loss."""
    rate = replace(WALL, name="rate", unit="op/s", better=Better.HIGHER)
    known = baseline(series(metric=rate))

    def head(level):
        return session({"b": at(level)}, metrics=(rate,))

    assert outcome(decide(head(1.2), known), "b", "rate") == ("G003", "improved", 0)
    assert outcome(decide(head(0.8), known), "b", "rate")[0] == "G021"


def test_watch_metrics_never_close():
    """A watched metric is shown with its verdict and closes nothing, whatever happened to it."""
    watch = replace(WALL, name="eye", role=Role.WATCH)
    known = baseline(series("b"), series("b", metric=watch))
    for values in (at(1.5), (0.0, 1.0, 1.1), (math.nan,) * 3, ()):
        head = session({"b": {"wall": at(1), "eye": values}}, metrics=(WALL, watch))
        report = decide(head, known)
        assert (report.gate, report.exit_status) == ("open", 0)
        assert only(report, "b", "eye").role is Role.WATCH
        assert not only(report, "b", "eye").verdict.opens


def test_negligible_beyond_the_tolerance_raises_it():
    """T stays clear of tau, tau / 0.64 at least, even where a file says otherwise."""
    odd = replace(WALL, negligible=0.2)
    found = only(decide(session(metrics=(odd,))))
    assert found.tolerance_used == pytest.approx(0.3125)
