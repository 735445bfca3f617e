"""The ranking of counters: exact on recorded runs, and the same under any names and sides."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.diagnosis.sample import SWITCHES, TIMER, extra, runs

from gate.judge.context.diagnosis import movers, per_of
from gate.model import Side
from gate.model.diagnosis import MOST_MOVERS

NAMES = [f"vmstat: c{number}" for number in range(8)] + ["block a: read bytes", "psi: io time"]
COUNTS = st.dictionaries(st.sampled_from(NAMES), st.floats(0, 1e7), max_size=len(NAMES))
RUNS = st.lists(st.tuples(COUNTS, COUNTS, st.floats(0.1, 10), st.floats(0.1, 10)), max_size=4)


def made(rows):
    """Runs of both sides, of as many operations each."""
    return tuple(
        extra(side, row[index], operations=1000.0, seconds=row[2 + index])
        for row in rows
        for index, side in enumerate(Side)
    )


def mirrored(some):
    """The same runs with base and head exchanged."""
    other = {Side.BASE: Side.HEAD, Side.HEAD: Side.BASE}
    return tuple(replace(run, side=other[run.side]) for run in some)


def test_what_moved_is_told_first_and_what_follows_the_time_last():
    """Per I/O: switches three times as many; timer ticks only as the I/O takes longer."""
    found, compared = movers(runs())
    assert compared == 3
    assert [one.counter for one in found] == [SWITCHES, TIMER]
    switches, timer = found
    assert (switches.base, switches.head) == (2.0, 6.0)
    assert not switches.longer
    assert timer.longer
    # 4.0 apart; the head's runs range over 0.2; chance on 6000 events 0.077; 1 % of 6 is 0.06.
    assert switches.score == pytest.approx(4 / (0.2 + 6 / 6000**0.5 + 0.06))


def test_per_second_where_operations_are_not_told():
    """One run without them is enough: both sides must be divided alike."""
    some = (*runs()[:-1], replace(runs()[-1], operations=None))
    assert per_of(runs(), "I/O") == "I/O"
    assert per_of(some, "I/O") == "second"
    found, _ = movers(some, by_operation=False)
    assert (found[0].base, found[0].head) == (1000.0, 2000.0)
    assert not found[0].longer


@pytest.mark.parametrize("kept", [0, 2, 3])
def test_fewer_than_two_runs_of_a_side_tell_nothing(kept):
    """Nobody knows the noise of one."""
    assert movers(runs()[:kept]) == ((), 0)


@pytest.mark.parametrize(
    ("counter", "few", "enough"),
    [
        ("vmstat: x", 29, 31),
        ("pressure: some io time", 0.009, 0.011),
        ("block a: read bytes", 15000, 16000),
    ],
)
def test_too_few_events_are_not_compared(counter, few, enough):
    """Thirty events, ten milliseconds, thirty sectors."""
    for grew, compared in ((few, 0), (enough, 1)):
        some = [extra(side, {counter: grew if side is Side.HEAD else 0}) for side in (*Side, *Side)]
        assert movers(some)[1] == compared


def test_a_counter_that_repeats_exactly_needs_to_move_all_the_same():
    """Two per cent are never told, however exactly they repeat."""
    some = [
        extra(side, {"vmstat: x": 1e9 if side is Side.BASE else 1.02e9}) for side in (*Side, *Side)
    ]
    assert movers(some) == ((), 1)


def test_at_most_fifteen_are_told():
    """Of a hundred that moved, those that moved farthest."""
    some = [
        extra(
            side, {f"c{n:03d}": 1000.0 + (n * 100 if side is Side.HEAD else 0) for n in range(100)}
        )
        for side in (*Side, *Side)
    ]
    found, compared = movers(some)
    assert compared == 100
    assert len(found) == MOST_MOVERS
    assert [one.counter for one in found] == [f"c{n:03d}" for n in range(99, 84, -1)]


@given(RUNS)
def test_exchanged_sides_give_the_mirrored_changes(rows):
    """The same counters in the same order, base and head exchanged."""
    straight, compared = movers(made(rows))
    turned, also = movers(mirrored(made(rows)))
    assert also == compared
    assert [replace(one, base=one.head, head=one.base) for one in turned] == list(straight)


@given(RUNS, st.permutations(range(8)))
def test_names_do_not_matter(rows, order):
    """Renamed counters have the scores that they had, but for the order of equal ones."""
    names = {f"vmstat: c{number}": f"vmstat: c{other}" for number, other in enumerate(order)}

    def renamed(counts):
        return {names.get(name, name): value for name, value in counts.items()}

    straight, _ = movers(made(rows))
    others, _ = movers(made([(renamed(b), renamed(h), s, t) for b, h, s, t in rows]))
    assert [(one.longer, one.score) for one in others] == [
        (one.longer, one.score) for one in straight
    ]
    told = {(names.get(one.counter, one.counter), one.base, one.head) for one in straight}
    assert {(one.counter, one.base, one.head) for one in others} == told


@given(RUNS)
def test_scores_are_bounded_and_ranked(rows):
    """Between 2 and 100, descending in each of both parts."""
    found, compared = movers(made(rows))
    assert len(found) <= compared
    assert all(2 <= one.score <= 100 for one in found)
    assert [one.longer for one in found] == sorted(one.longer for one in found)
    for longer in (False, True):
        scores = [one.score for one in found if one.longer is longer]
        assert scores == sorted(scores, reverse=True)
