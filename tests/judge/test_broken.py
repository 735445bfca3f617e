"""What is no measurement: missing, failed, not a number, canned or cut short."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from judge.build import (
    WALL,
    accepted,
    at,
    baseline,
    decide,
    only,
    outcome,
    pair_sessions,
    series,
    session,
    strikes,
)

from gate.model import Planned, State


def test_g040_missing_benchmark_and_metric():
    """What was accepted and is not measured any more is missing, status 4, not passed."""
    known = baseline(series("b"), series("gone"))
    assert outcome(decide(session(), known), "gone") == ("G040", "missing", 4)
    cpu = replace(WALL, name="cpu")
    known = baseline(series("b"), series("b", metric=cpu))
    assert outcome(decide(session(), known), "b", "cpu") == ("G040", "missing", 4)


def test_g050_a_failed_trial_is_broken():
    """One failed trial breaks the benchmark, however good the others are."""
    report = decide(session({"b": (1.0, None, 0.99)}))
    assert outcome(report) == ("G050", "broken", 4)
    assert "it fell over" in only(report).headline


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", ["head", "baseline", "pair", "strike"])
def test_g051_no_positive_finite_number(bad, place):
    """Zero, negative, NaN and infinite values are broken wherever they stand."""
    slow = session({"b": at(1.2)}, sides=place == "pair")
    if place == "head":
        report = decide(session({"b": (1.0, bad, 1.001)}))
    elif place == "baseline":
        report = decide(session(), baseline(series(trials=(1.0, bad, 1.001))))
    elif place == "pair":
        report = decide([slow, *pair_sessions({"b": [1.0] * 9}, {"b": [1.2] * 8 + [bad]})])
    else:
        *nine, last = strikes([1.2] * 10)
        values = {"b": (1.2, bad, 1.21)}
        report = decide([slow, *nine, session(values, id=last.id, started=last.started)])
    assert outcome(report) == ("G051", "broken", 4)


def test_g052_constant_values():
    """A number that never varies, where real ones do, is canned."""
    assert outcome(decide(session({"b": (1.0, 1.0, 1.0)}))) == ("G052", "broken", 4)
    canned = baseline(series(levels=[1.0] * 5, trials=(1.0, 1.0, 1.0)))
    assert outcome(decide(session({"b": (1.0, 1.0, 1.0)}), canned)) == ("G052", "broken", 4)


def test_two_trials_that_agree_are_left_to_pairs():
    """Two equal values may be chance: more trials tell, and a head that never varies is stuck."""
    two = session({"b": (1.0, 1.0)}, sides=True)
    assert outcome(decide(two)) == ("G021", "inconclusive", 5)
    assert "both trials gave exactly 1" in " ".join(only(decide(two)).path)
    base = [1.0 + n / 1000 for n in range(9)]
    varied = pair_sessions({"b": base}, {"b": base[::-1]})
    assert outcome(decide([two, *varied])) == ("G002", "passed", 0)
    stuck = pair_sessions({"b": base}, {"b": [1.0] * 9})
    assert outcome(decide([two, *stuck])) == ("G052", "broken", 4)
    assert (
        only(decide([two, *stuck])).headline == "all trials of the head of 9 pairs gave exactly 1"
    )


def test_two_trials_that_agree_with_every_further_session_are_broken():
    """Where only the head can run: what never varies, while the baseline does, is stuck."""
    two = session({"b": (1.0, 1.0)})
    further = strikes([1.0] * 10)
    again = [session({"b": (1.0, 1.0)}, id=one.id, started=one.started) for one in further]
    assert outcome(decide([two, *again])) == ("G052", "broken", 4)
    varied = session({"b": (1.0, 1.001)}, id=again[-1].id, started=again[-1].started)
    assert outcome(decide([two, *again[:-1], varied]))[1] != "broken"


def test_g052_single_trials():
    """One trial cannot repeat itself, but five sessions can hold its very number."""
    canned = baseline(series(levels=[1.0] * 5, trials=(1.0,)))
    assert outcome(decide(session({"b": (1.0,)}), canned)) == ("G052", "broken", 4)
    real = baseline(series(trials=(1.0,)))
    assert outcome(decide(session({"b": (1.0,)}), real)) == ("G026", "inconclusive", 5)


def test_counted_instructions_may_repeat_exactly():
    """Two boots that go the same way count the same; that is no canned number."""
    known = baseline(series(levels=[1.0] * 5, trials=(1.0, 1.0, 1.0)), harness="instructions")
    head = session({"b": (1.0, 1.0, 1.0)}, harness="instructions")
    assert outcome(decide(head, known))[1:] == ("passed", 0)
    slower = session({"b": (1.5, 1.5, 1.5)}, harness="instructions")
    assert outcome(decide(slower, known))[1] != "passed"


def test_times_by_a_clock_of_instructions_may_repeat_exactly():
    """In an emulated machine the same work takes the same time to the nanosecond."""
    tools = {**session().tools, "clock": "instructions"}
    same = tuple(replace(accepted(number), tools=tools) for number in range(5))
    known = baseline(series(levels=[1.0] * 5, trials=(1.0, 1.0, 1.0)), sessions=same)
    head = session({"b": (1.0, 1.0, 1.0)}, tools=tools)
    assert outcome(decide(head, known))[1:] == ("passed", 0)
    another = session({"b": (1.0, 1.0, 1.0)}, tools={**tools, "clock": "another"})
    assert outcome(decide(another, known))[1] != "passed"


def test_a_coarse_clock_is_no_canned_value():
    """A clock that repeats values here and there is judged on."""
    coarse = baseline(series(levels=[1.0, 1.01, 1.0, 0.99, 1.0], trials=(1.0, 1.0, 1.01)))
    assert outcome(decide(session({"b": (1.0, 1.0, 1.0)}), coarse)) == ("G001", "passed", 0)


def test_g053_partial():
    """A session that holds fewer trials than planned is broken, not judged on the rest."""
    head = session(planned=(Planned(benchmark="b", trials=5),), state=State.PARTIAL)
    assert outcome(decide(head)) == ("G053", "broken", 4)
    nothing = session({"b": ()}, planned=(Planned(benchmark="b", trials=3),))
    assert outcome(decide(nothing)) == ("G053", "broken", 4)


def test_g053_no_trial_planned():
    """A plan of zero trials is no measurement of what was accepted."""
    nothing = session({"b": ()}, planned=(Planned(benchmark="b", trials=0),))
    assert decide(nothing).exit_status == 4
