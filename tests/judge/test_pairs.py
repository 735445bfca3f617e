"""The second stage by pairs: what blocks of base and head trials prove, and what they do not."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import pytest
from judge.build import (
    LEVELS,
    WALL,
    at,
    baseline,
    decide,
    only,
    outcome,
    pair_sessions,
    pairs,
    series,
    session,
)

from gate.model import Better, LevelState, State, Trials, TrialStatus
from gate.stats.screen import SHARE, rises
from gate.units import percent

SLOW = session({"b": at(1.2)}, sides=True)
ODD = session({"b": at(1.06)}, sides=True)
PAIRS = Trials().confirm_pairs
FULL = 5 + 2 * ((PAIRS - 5) // 2)
"""What fills blocks of so many pairs."""
SECOND = (1 - SHARE) * 0.025
"""What the screen leaves of beta."""


def first(count, sessions):
    """The sessions as they were after so many trials of each side."""
    return [replace(one, trials=one.trials[:count], state=State.PARTIAL) for one in sessions]


def test_g002_pairs_pass():
    """A flagged metric whose pairs show no loss passes by confirmation, status 0."""
    report = decide([ODD, *pairs(0.0)])
    assert outcome(report) == ("G002", "passed", 0)
    found = only(report)
    assert (found.method, found.trials_head) == ("pairs", 5)
    assert found.loss_high < 0.02
    assert found.confidence == pytest.approx(1 - 0.01 - SECOND)
    assert found.headline == "0.00 % over 5 pairs; a loss of 5.0 % is ruled out"
    assert f"ruled out at pair 5 (error bound {percent(SECOND, signed=False)})" in found.path[-1]


def test_g060_pairs_prove():
    """One block of five pairs proves a clear loss: a regression, status 10, with its evidence."""
    report = decide([SLOW, *pairs(0.2)])
    assert outcome(report) == ("G060", "regressed", 10)
    found = only(report)
    assert found.loss == pytest.approx(0.2, abs=0.01)
    assert found.negligible < found.loss_low < 0.2 < found.loss_high
    assert found.trials_base == found.trials_head == 5
    assert len(found.evidence.pairs_base) == len(found.evidence.pairs_head) == 30 - 1
    assert "proven by 5 pairs in random order" in found.headline
    assert found.path == (
        "flagged in the screen at +20.0 % (flagged above +2.5 %, 5 accepted sessions)",
        "5 pairs in random order",
        "loss above 1.0 % proven at pair 5 (error bound 0.96 %)",
    )


def test_g020_pairs_spent():
    """Pairs that prove neither loss nor its absence end inconclusive, status 5."""
    report = decide([ODD, *pairs(0.028, count=100, noise=0.05)])
    assert outcome(report) == ("G020", "inconclusive", 5)
    found = only(report)
    assert found.trials_head == FULL
    assert "over 99 of at most 100 pairs" in found.headline
    assert found.loss_low < found.negligible
    assert found.loss_high > 0.05


def test_the_default_limit_of_pairs():
    """A hundred pairs are the profile's default and the session's: 99 of them fill blocks."""
    assert (PAIRS, session().pairs, FULL) == (100, 100, 99)


@pytest.mark.parametrize(("taken", "counted"), [(4, 0), (5, 5), (6, 5), (7, 7), (8, 7), (9, 9)])
def test_only_complete_blocks_count(taken, counted):
    """Pairs of a block that was cut short prove nothing: neither the first four nor an odd one."""
    found = only(decide([ODD, *first(taken, pairs(0.023, noise=0.05))]))
    assert found.code == ("G020" if counted else "G021")
    assert found.evidence.pairs_base == pairs_base(counted)
    if counted:
        assert found.trials_head == found.trials_base == counted
        assert f"over {counted} of at most 100 pairs" in found.headline


def pairs_base(count):
    """Base values of the first pairs of 5 % noise."""
    return tuple(trial.values[0].value for trial in pairs(0.0, noise=0.05)[0].trials[:count])


@pytest.mark.parametrize("side", [0, 1])
def test_a_block_whose_sides_are_not_both_there_does_not_count(side):
    """Interrupted between two trials of a pair, one side is ahead: the block is left out."""
    both = pairs(0.2, count=9)
    both[side] = replace(both[side], trials=both[side].trials[:8])
    found = only(decide([SLOW, *both], alpha=1e-5))
    assert found.trials_head == 7


def test_blocks_after_one_that_was_cut_short():
    """A first block cut short keeps its number: the blocks of two after it count without it."""
    both = [
        replace(one, trials=tuple(t for t in one.trials if t.pair not in {3, 4}))
        for one in pairs(0.2)
    ]
    found = only(decide([SLOW, *both]))
    assert found.code == "G060"
    assert (found.trials_head, len(found.evidence.pairs_head)) == (6, 24)


def test_the_order_in_the_file_does_not_matter():
    """Pairs are found by their numbers, wherever their trials stand in the sessions."""
    base, head = pairs(0.023, noise=0.05)
    turned = replace(head, trials=head.trials[::-1])
    assert only(decide([ODD, base, turned])) == only(decide([ODD, base, head]))


def test_further_blocks_change_nothing():
    """Once proven, whatever is measured after it: no rerun to green."""
    proven = only(decide([SLOW, *pairs(0.2, count=9)]))
    base, head = pairs(0.2, count=9)
    more = pair_sessions({"b": [1.0, 1.003] * 21}, {"b": [0.5, 0.501] * 21})
    later = [
        replace(one, trials=(*one.trials, *other.trials[9:]))
        for one, other in zip((base, head), more, strict=True)
    ]
    found = only(decide([SLOW, *later]))
    assert replace(found, evidence=proven.evidence) == proven


def test_few_sessions_with_sides_are_confirmed_unscreened():
    """With both sides, too few accepted sessions only mean that everything is confirmed."""
    few = baseline(series(levels=LEVELS[:1]))
    head = session(sides=True)
    assert outcome(decide(head, few)) == ("G021", "inconclusive", 5)
    assert outcome(decide([head, *pairs(0.0)], few)) == ("G002", "passed", 0)
    assert outcome(decide([head, *pairs(0.2)], few)) == ("G060", "regressed", 10)


SLID = [1.012**step for step in range(13)]
"""Accepted one after the other, each a little slower than the last."""


def test_a_level_that_slid_closes_beside_pairs_that_pass():
    """Where base and head both stand at the end of a slide, the change passes and the level closes."""
    head = session({"b": at(1.15)}, sides=True)
    report = decide([head, *pairs(0.0, level=1.15)], baseline(series(levels=SLID)))
    assert outcome(report) == ("G023", "inconclusive", 5)
    assert only(report).level.state is LevelState.SLID
    assert only(report).headline.startswith("slid +12.7 % since")
    assert "; the change itself: " in only(report).headline


def test_what_the_host_lost_today_is_no_slide():
    """Both sides stand 15 % above what was accepted: told as moved, and nobody's to answer for."""
    head = session({"b": at(1.15)}, sides=True)
    report = decide([head, *pairs(0.0, level=1.15)])
    assert outcome(report) == ("G002", "passed", 0)
    assert only(report).level.state is LevelState.MOVED


def test_two_odd_sittings_are_no_slide():
    """Two of the first three sessions were odd ones: the others stand where they always stood."""
    levels = [1.0, 1.12, 1.0, 1.121, 1.119, 1.1205, 1.12, 1.1195, 1.12]
    head = session({"b": at(1.12)}, sides=True)
    report = decide([head, *pairs(0.0, level=1.12)], baseline(series(levels=levels)))
    assert outcome(report) == ("G001", "passed", 0)


def test_pairs_of_a_rate():
    """Where higher is better the slower head gives fewer per second, and is proven the same."""
    rate = replace(WALL, unit="op/s", better=Better.HIGHER)
    base, head = ({"b": [1 / trial.values[0].value for trial in one.trials]} for one in pairs(0.2))
    slow = session({"b": [1 / x for x in at(1.2)]}, sides=True, metrics=(rate,))
    known = baseline(series(levels=[1 / x for x in LEVELS], metric=rate))
    found = only(decide([slow, *pair_sessions(base, head, metrics=(rate,))], known))
    plain = only(decide([SLOW, *pairs(0.2)]))
    assert (found.code, found.trials_head) == (plain.code, plain.trials_head) == ("G060", 5)
    assert found.loss == pytest.approx(plain.loss)
    assert found.loss_low == pytest.approx(plain.loss_low, abs=1e-6)
    assert found.base_value == pytest.approx(1 / plain.base_value)


def test_g050_a_failed_confirmation_is_broken():
    """A trial that failed while confirming breaks the finding."""
    base, _ = pairs(0.2)
    _, head = pair_sessions({"b": [1.0] * 30}, {"b": [1.2, None, *[1.2] * 28]})
    assert outcome(decide([SLOW, base, head])) == ("G050", "broken", 4)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("side", [0, 1])
def test_g051_no_positive_finite_number_in_a_block(bad, side):
    """Zero, negative, NaN and infinite values break the finding on either side of a block."""
    rows = [[1.0, 1.001] * 4 + [1.0], [1.2, 1.201] * 4 + [1.2]]
    rows[side][8] = bad
    base, head = rows
    report = decide([SLOW, *pair_sessions({"b": base}, {"b": head})])
    assert outcome(report) == ("G051", "broken", 4)


def test_g052_pairs_that_never_vary():
    """Pairs in which both sides give one and the same number are no measurement."""
    still = pair_sessions({"b": [1.0] * 20}, {"b": [1.0] * 20})
    assert outcome(decide([SLOW, *still])) == ("G052", "broken", 4)


def test_g053_pairs_that_lack_the_metric():
    """Complete blocks without a value of the metric are not quietly left out."""
    base = {"b": {"wall": [1.0, 1.001] * 15, "other": [1.0] * 30}}
    kept = [1.0, 1.001] * 7
    head = {"b": {"other": [1.0] * 30, "wall": kept}}
    report = decide([SLOW, *pair_sessions(base, head)])
    assert outcome(report) == ("G053", "broken", 4)
    assert only(report).headline == "5 of 13 blocks of pairs hold this metric"


def test_floor():
    """A move below the absolute floor never closes the gate; one above it does."""
    floored = replace(WALL, floor=0.25)
    head = session({"b": at(1.2)}, metrics=(floored,), sides=True)
    report = decide([head, *(replace(s, metrics=(floored,)) for s in pairs(0.2))])
    assert outcome(report) == ("G001", "passed", 0)
    assert only(report).negligible == pytest.approx(0.25, rel=0.01)
    head = session({"b": at(1.6)}, metrics=(floored,), sides=True)
    report = decide([head, *(replace(s, metrics=(floored,)) for s in pairs(0.6))])
    assert outcome(report) == ("G060", "regressed", 10)


@pytest.mark.parametrize(("values", "rising"), [(4, 0), (5, 1), (6, 6), (7, 76)])
def test_how_many_orders_of_sessions_rise_beyond_chance(values, rising):
    """Kendall's exact count at 2.5 %: of all orders of so many levels, those with few inversions."""
    orders = list(permutations(range(values)))
    found = sum(map(rises, orders))
    assert found / len(orders) <= 0.025
    assert found == rising


def test_what_the_base_cannot_run_is_new_only_where_nothing_was_accepted():
    """A base side that fails is broken where a baseline of another text holds the benchmark."""
    base, head = pairs(0.0)
    spoilt = replace(
        base,
        trials=tuple(replace(t, status=TrialStatus.FAILED, note="gone") for t in base.trials[:1]),
    )
    screened = session(sides=True)
    known = baseline()
    assert (
        outcome(decide([screened, spoilt, head], replace(known, profile_digest="other")))[0]
        == "G050"
    )
    assert outcome(decide([screened, spoilt, head], replace(known, series=())))[0] == "G010"
