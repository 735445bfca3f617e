"""No input whatever leads to `passed` without finite numbers on both sides."""

from __future__ import annotations

import math
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from judge import build
from judge.build import WALL, decide, only, pair_sessions, session

from gate.model import BaselinePoint, BaselineSeries, Better, Planned, Verdict

awful = st.sampled_from(
    [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf, 5e-324, 1e-308, 1.7e308, None]
)
anything = st.floats(0.9, 1.1) | st.floats() | awful
good = st.floats(0.9, 1.1)
rows = st.lists(good, min_size=3, max_size=3) | st.lists(anything, max_size=4)
known_rows = st.lists(good, min_size=3, max_size=3) | st.lists(
    anything.filter(lambda v: v is not None), max_size=4
)


def sound(values) -> bool:
    return bool(values) and all(
        value is not None and math.isfinite(value) and value > 0 for value in values
    )


def known(sessions, unit="s", better=Better.LOWER):
    points = tuple(
        BaselinePoint(session=f"a{i:02}", epoch=1, values=tuple(values))
        for i, values in enumerate(sessions)
    )
    row = BaselineSeries(benchmark="b", metric="wall", unit=unit, better=better, points=points)
    return build.baseline(row)


@settings(deadline=None, max_examples=400)
@given(
    head=rows,
    sessions=st.lists(known_rows, max_size=12),
    pairs=st.none() | st.lists(st.tuples(anything, anything), max_size=40),
    struck=st.lists(rows, max_size=4),
    planned=st.integers(0, 5),
    better=st.sampled_from(Better),
    floor=st.none() | st.floats(0, 10),
    loud=st.sampled_from(["raise", "refuse"]),
)
def test_nothing_passes_on_what_is_no_number(
    head, sessions, pairs, struck, planned, better, floor, loud
):
    """`passed` and `improved` need a finite head, a finite baseline, and finite confirmations."""
    metric = replace(WALL, better=better, floor=floor)
    given_sessions = [
        session(
            {"b": head},
            planned=(Planned(benchmark="b", trials=planned),),
            metrics=(metric,),
            sides=pairs is not None,
            loud=loud,
        )
    ]
    if pairs is not None:
        base, after = [one for one, _ in pairs], [one for _, one in pairs]
        given_sessions += pair_sessions({"b": base}, {"b": after}, metrics=(metric,))
    given_sessions += [
        session({"b": values}, id=f"s{i}", started=f"2026-03-0{i + 1}", metrics=(metric,))
        for i, values in enumerate(struck)
    ]
    report = decide(given_sessions, known(sessions, better=better))
    found = only(report)
    for number in (found.loss, found.loss_low, found.loss_high, found.minimum_detectable_loss):
        assert number is None or math.isfinite(number)
    assert (report.gate == "open") == (report.exit_status == 0) == found.verdict.opens
    if found.verdict.opens:
        assert found.verdict in {Verdict.PASSED, Verdict.IMPROVED}
        assert found.loss is not None
        assert sound(head)
        assert len(head) >= max(planned, 1)
        assert sessions
        assert all(map(sound, sessions))
        if found.method == "pairs":
            assert sound([value for pair in pairs[: found.trials_head] for value in pair])
        if found.method == "strikes":
            assert all(map(sound, struck))
