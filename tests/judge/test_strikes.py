"""The second stage by strikes: fresh head sessions ranked against the accepted ones."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from judge.build import (
    LEVELS,
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

from gate.model import State
from gate.report.wording.words import promise

SLOW = [1.2 + 0.001 * (i % 3) for i in range(10)]
"""Ten strikes at a loss of 20 %."""


def near(level, count=10):
    """Strikes about a level."""
    return strikes([level + 0.001 * (i % 3) for i in range(count)])


def test_g061_strikes_prove():
    """Ten fresh sessions beyond all five accepted ones prove a regression, status 10."""
    report = decide([session({"b": at(1.2)}), *strikes(SLOW)])
    assert outcome(report) == ("G061", "regressed", 10)
    found = only(report)
    assert found.headline == "+20.1 % loss: 10 fresh sessions rank beyond 5 accepted ones"
    assert found.path == (
        "flagged in the screen at +20.0 % (flagged above +2.5 %, 5 accepted sessions)",
        "10 fresh head sessions of 10 needed, ranked against 5 accepted",
        "loss proven: by luck with chance 0.03 % on a steady host, 1.0 % allowed",
    )
    assert any("steady" in warning for warning in found.warnings)
    assert (found.method, found.trials_head) == ("strikes", 33)
    assert found.loss_low < found.loss < found.loss_high


def test_one_strike_that_is_not_slow_spoils_no_proof():
    """Ranks need not all be beyond: one session of ten at the old level leaves the proof."""
    report = decide([session({"b": at(1.2)}), *strikes([*SLOW[:9], 1.0])])
    assert outcome(report) == ("G061", "regressed", 10)
    assert "by luck with chance 0.63 %" in only(report).path[-1]


def test_g025_neither_borne_out_nor_cleared():
    """Half of the strikes slow: luck is not ruled out, and all together may not pass either."""
    report = decide([session({"b": at(1.2)}), *strikes([*[1.2] * 5, *[1.0] * 5])])
    assert outcome(report) == ("G025", "inconclusive", 5)
    assert only(report).headline == "+20.0 % over 11 head sessions; neither proven nor cleared"


@pytest.mark.parametrize(("level", "code"), [(1.033, "G025"), (1.039, "G061")])
def test_a_small_loss_is_not_proven_however_unlikely(level, code):
    """A host that moved a little for good ranks beyond, too: below 0.7 T it is none."""
    report = decide([session({"b": at(1.06)}), *near(level)])
    assert only(report).code == code
    assert "by luck with chance 0.03 %" in only(report).path[-1]


@pytest.mark.parametrize(("newest", "code"), [(1.05, "G061"), (1.065, "G025")])
def test_a_host_that_stepped_before_the_end_of_the_baseline(newest, code):
    """Where the newest accepted session is as slow as the strikes, the host moved, not the head."""
    levels = [*LEVELS * 3, newest]
    report = decide([session({"b": at(1.07)}), *near(1.07)], baseline(series(levels=levels)))
    assert outcome(report)[0] == code


def test_a_host_that_stepped_within_the_newest_session():
    """Where only its last trials are as slow as the strikes, its first ones prove no loss."""
    known = series(levels=LEVELS * 3)
    newest = replace(known.points[-1], values=(1.0, 1.0, 1.07, 1.07, 1.07))
    known = replace(known, points=(*known.points[:-1], newest))
    report = decide([session({"b": at(1.07)}), *near(1.07)], baseline(known))
    assert outcome(report)[0] == "G025"


@pytest.mark.parametrize("ago", [0, 60])
def test_sessions_of_long_ago_prove_nothing(ago):
    """Strikes at the level of the newest twelve sessions are no loss, whatever was before."""
    report = decide(
        [session({"b": at(1.07)}), *near(1.072)],
        baseline(series(levels=[1.0] * ago + [1.09, 1.06, 1.08, 1.07, 1.07, 1.05] * 2)),
    )
    assert outcome(report)[0] != "G061"


def test_without_sides_the_promise_says_what_it_rests_on():
    """Accepted sessions are replayed as a head's: the report counts those that would have closed."""
    steady = decide([session({"b": at(1.0)})], baseline(series(levels=LEVELS * 4)))
    told = steady.promise
    assert (told.replayed, told.replayed_regressed) == (15, 0)
    assert told.replayed_limit == pytest.approx(1 - 0.05 ** (1 / 15))
    assert "of the last 15 accepted, 0 would have been (a true share of up to 18.1 %)" in promise(
        steady
    )
    levels = [*LEVELS * 2, *[1.08] * 3, *LEVELS]
    stepped = decide([session({"b": at(1.0)})], baseline(series(levels=levels)))
    assert (stepped.promise.replayed, stepped.promise.replayed_regressed) == (13, 1)
    sides = decide([session({"b": at(1.0)}, sides=True)], baseline(series(levels=levels)))
    assert sides.promise.replayed == 0
    assert "steady" not in promise(sides)


def test_strikes_clear_a_flag():
    """Further sessions at the accepted level clear a metric that one session had flagged."""
    report = decide([session({"b": at(1.06)}), *strikes([1.0, 0.999, 1.001, 1.0, 1.002, 0.998])])
    assert outcome(report) == ("G001", "passed", 0)
    found = only(report)
    assert found.method == "strikes"
    assert found.headline == "0.00 % over 7 head sessions; the flag was not borne out"
    assert found.path == (
        "flagged in the screen at +6.0 % (flagged above +2.5 %, 5 accepted sessions)",
        "6 fresh head sessions of 10 needed, ranked against 5 accepted",
        "not borne out: by luck with chance 100.0 % on a steady host, 1.0 % allowed",
    )


def test_too_few_strikes_prove_nothing():
    """Nine strikes of ten needed leave the verdict open to doubt, however unlikely: closed, 5."""
    report = decide([session({"b": at(1.2)}), *strikes(SLOW[:9])])
    assert outcome(report) == ("G025", "inconclusive", 5)
    assert "9 fresh head sessions of 10 needed" in only(report).path[1]


@pytest.mark.parametrize(("count", "needed"), [(30, 10), (40, 11), (110, 14)])
def test_strikes_need_more_when_more_is_judged(count, needed):
    """Each judged metric spends its own part of alpha: ten strikes do for 30 metrics, not for 40."""
    names = [f"b{i:03}" for i in range(count)]
    known = baseline(*(series(name) for name in names))
    head = session({name: at(1.2 if name == "b000" else 1) for name in names})
    fresh = strikes([1.2 + 0.001 * (i % 3) for i in range(needed)], "b000")
    short = decide([head, *fresh[: needed - 1]], known)
    assert outcome(short, "b000") == ("G025", "inconclusive", 5)
    full = decide([head, *fresh], known)
    assert outcome(full, "b000") == ("G061", "regressed", 10)
    assert f"{needed} fresh head sessions of {needed} needed" in only(full, "b000").path[1]


def test_no_number_of_strikes_would_do():
    """Against five accepted sessions fourteen strikes do not hold one metric's part in 120."""
    names = [f"b{i:03}" for i in range(120)]
    known = baseline(*(series(name) for name in names))
    head = session({name: at(1.2 if name == "b000" else 1) for name in names})
    many = strikes([1.2 + 0.001 * (i % 4) for i in range(14)], "b000")
    report = decide([head, *many], known)
    assert outcome(report, "b000") == ("G025", "inconclusive", 5)
    assert only(report, "b000").path[1:] == (
        "14 fresh head sessions; no number proves a loss against 5 accepted",
        "neither proven nor cleared: by luck with chance 0.01 % on a steady host, 0.01 % allowed",
    )


def test_a_strike_that_lacks_trials_is_broken():
    """A partial strike is no session like the accepted ones: broken, never a proof."""
    cut = strikes(SLOW)
    cut[3] = replace(cut[3], trials=cut[3].trials[:1], state=State.PARTIAL)
    assert outcome(decide([session({"b": at(1.2)}), *cut])) == ("G053", "broken", 4)


def test_a_failed_trial_in_a_strike_is_broken():
    """A trial that failed in a further session is told, not left out."""
    bad = strikes(SLOW)
    bad[3] = session({"b": (1.2, None, 1.2)}, id=bad[3].id, started=bad[3].started)
    report = decide([session({"b": at(1.2)}), *bad])
    assert outcome(report) == ("G050", "broken", 4)


def test_strikes_of_another_benchmark_confirm_nothing():
    """Strikes that did not plan a benchmark leave its flag unconfirmed."""
    known = baseline(series("b"), series("c"))
    report = decide([session({"b": at(1.2), "c": at(1.2)}), *strikes(SLOW)], known)
    assert outcome(report, "c") == ("G021", "inconclusive", 10)
    assert outcome(report, "b") == ("G061", "regressed", 10)


def test_strikes_beside_pairs_confirm_nothing():
    """Where pairs were taken, they decide: a benchmark without any stays unconfirmed."""
    known = baseline(series("b"), series("c"))
    head = session({"b": at(1.2), "c": at(1.2)}, sides=True)
    report = decide([head, *pairs(0.2), *strikes(SLOW, "c")], known)
    assert outcome(report, "b") == ("G060", "regressed", 10)
    assert outcome(report, "c") == ("G021", "inconclusive", 10)


@pytest.mark.parametrize("level", [1.0, 1.2])
def test_strikes_without_a_scale_confirm_nothing(level):
    """With too few accepted sessions and sides that gave no pairs, strikes have no scale to go by."""
    few = baseline(series(levels=LEVELS[:4]))
    report = decide([session({"b": at(level)}, sides=True), *near(level)], few)
    assert outcome(report) == ("G021", "inconclusive", 5)


def test_more_trials_than_a_strike_has_are_cut():
    """A session of ten trials is compared by as many as a strike has."""
    known = baseline(series(trials=tuple(1 + 0.001 * math.sin(i) for i in range(10))))
    report = decide([session({"b": at(1.2)}), *strikes(SLOW)], known)
    assert outcome(report) == ("G061", "regressed", 10)
