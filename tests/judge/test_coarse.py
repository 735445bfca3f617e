"""Values that repeat: coarse clocks, two-valued series, two modes and constants, through the judge."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from dataclasses import replace

import pytest
from judge.build import WALL, baseline, decide, only, outcome, pair_sessions, session

from gate.model import BaselinePoint, BaselineSeries, Verdict
from gate.report.json_text import render_json

PAIRS = 31


def accepted(*sessions):
    """A baseline whose sessions hold exactly these values."""
    points = tuple(
        BaselinePoint(session=f"a{i:02}", epoch=1, values=tuple(values))
        for i, values in enumerate(sessions)
    )
    row = BaselineSeries(benchmark="b", metric="wall", unit="s", better=WALL.better, points=points)
    return baseline(row)


def head(values, **more):
    return session({"b": values}, sides=True, **more)


def paired(base, other, **more):
    return pair_sessions({"b": base}, {"b": other}, **more)


def codes(draw, loss, draws, *, tolerance=0.05, trials=3, pairs=PAIRS):
    """Codes over seeded draws: `draw(dice, count, loss)` gives values of a level 1."""
    found = Counter()
    metric = replace(WALL, tolerance=tolerance)
    for seed in range(draws):
        dice = random.Random(seed)
        known = accepted(*(draw(dice, trials, 0.0) for _ in range(10)))
        one = head(draw(dice, trials, loss), metrics=(metric,), pairs=pairs)
        both = paired(draw(dice, pairs, 0.0), draw(dice, pairs, loss), metrics=(metric,))
        found[only(decide([one, *both], known)).code] += 1
    return dict(found)


def coarse(dice, count, loss):
    """A clock that ticks every 4 ms, on a noise of 2 ms: half of all values are equal."""
    return [round((1 + loss) * dice.gauss(1, 0.002) / 0.004) * 0.004 for _ in range(count)]


def two_valued(dice, count, loss):
    """One of two values, 1 % apart."""
    return [(1 + loss) * dice.choice((1.0, 1.01)) for _ in range(count)]


def two_modes(dice, count, loss):
    """70 % in one mode, 30 % in another that is 30 % slower, each 0.3 % wide."""
    return [
        (1 + loss) * (1.3 if dice.random() < 0.3 else 1.0) * math.exp(dice.gauss(0, 0.003))
        for _ in range(count)
    ]


@pytest.mark.parametrize("draw", [coarse, two_valued])
@pytest.mark.parametrize(
    ("loss", "code"), [(0.0, "G001"), (0.1, "G060")], ids=["unchanged", "lost a tenth"]
)
def test_ties_neither_hide_nor_make_a_loss(draw, loss, code):
    """Coarse clock and two values: of 100 draws each unchanged one passes, each loss is proven."""
    assert codes(draw, loss, 100) == {code: 100}


def test_two_modes_unchanged():
    """Two modes 30 % apart, unchanged: of 200 draws none is called regressed.

    9 end undecided, because pairs whose modes fall unevenly look like a loss between none and the tolerance;
    of 2 the accepted sessions happen to rise.
    """
    found = codes(two_modes, 0.0, 200, tolerance=0.1, trials=10, pairs=81)
    assert found == {"G001": 161, "G002": 27, "G003": 1, "G020": 9, "G023": 2}


def test_two_modes_and_a_tenth():
    """The same with a loss of the tolerance: 135 of 200 are proven, 194 close the gate."""
    found = codes(two_modes, 0.1, 200, tolerance=0.1, trials=10, pairs=81)
    assert found == {"G060": 135, "G020": 59, "G002": 5, "G001": 1}


def test_two_modes_and_twice_the_tolerance():
    """A tenth at a tolerance of 5 %: 199 of 200 are proven, 86 of them by their slow runs."""
    found = codes(two_modes, 0.1, 200, tolerance=0.05, trials=10, pairs=81)
    assert found == {"G060": 113, "G062": 86, "G020": 1}


TIES = ((1.0, 1.0, 1.01), (1.0, 1.01, 1.0), (1.01, 1.0, 1.0), (1.0, 1.0, 1.01), (1.0, 1.0, 1.0))
"""Accepted sessions of a coarse clock."""
SAME = [1.0, 1.01] * 15 + [1.0]


@pytest.mark.parametrize("slow", [1.0, 1.01, 1.06])
def test_a_head_of_ties_is_no_canned_value(slow):
    """Three equal head values are a coarse clock where the baseline has ties too."""
    one = head((slow,) * 3)
    assert outcome(decide(one, accepted(*TIES))) == ("G021", "inconclusive", 5)
    pairs = paired(SAME, SAME)
    assert outcome(decide([one, *pairs], accepted(*TIES))) == ("G002", "passed", 0)


def test_base_and_head_of_one_value_each():
    """Equal throughout is broken: nothing tells it from a canned number. Two levels are a loss."""
    one, known = head((1.06,) * 3), accepted(*TIES)
    both = decide([one, *paired([1.0] * PAIRS, [1.0] * PAIRS)], known)
    assert outcome(both) == ("G052", "broken", 4)
    assert only(both).headline == f"all trials of {PAIRS} pairs gave exactly 1"
    apart = decide([one, *paired([1.0] * PAIRS, [1.06] * PAIRS)], known)
    assert outcome(apart) == ("G060", "regressed", 10)
    assert only(apart).trials_head == 5


def test_one_tick_is_within_the_tolerance():
    """A head one tick of 1 % slower than its base is not called regressed at 5 %."""
    one, known = head((1.06,) * 3), accepted(*TIES)
    found = decide([one, *paired([1.0] * PAIRS, [1.01] * PAIRS)], known)
    assert outcome(found) == ("G002", "passed", 0)


def test_constant_series():
    """A baseline that never varied: its own number is broken, one that varies is compared."""
    known = accepted(*[(1.0,) * 3] * 6)
    same = decide(head((1.0,) * 3), known)
    assert outcome(same) == ("G052", "broken", 4)
    assert only(same).headline == "all 21 trials gave exactly 1"
    assert outcome(decide(head((1.0, 1.0, 1.01)), known)) == ("G001", "passed", 0)
    assert outcome(decide(head((2.0,) * 3), known)) == ("G021", "inconclusive", 5)
    fresh = accepted((1.0, 1.01, 1.02), *[(1.0, 1.003, 1.002)] * 5)
    assert outcome(decide(head((1.0,) * 3), fresh)) == ("G052", "broken", 4)


def test_what_scatters_without_end_is_undecided_and_its_report_is_written():
    """Sessions that differ a thousandfold: no figure says what could be seen, and nothing breaks."""
    dice = random.Random(1)

    def wild(count):
        return [math.exp(dice.gauss(0, 7)) for _ in range(count)]

    known = accepted(*(wild(3) for _ in range(5)))
    report = decide([head(wild(3)), *paired(wild(PAIRS), wild(PAIRS))], known)
    found = only(report)
    assert (found.verdict, found.can_detect) == (Verdict.INCONCLUSIVE, None)
    assert json.loads(render_json(report))["findings"][0]["verdict"] == "inconclusive"
