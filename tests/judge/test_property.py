"""No input whatever leads to `passed` without two finite numbers and more on both sides."""

from __future__ import annotations

import math
from dataclasses import replace

from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judge import build
from judge.build import WALL, decide, pair_sessions, reviewed, session

from gate.model import BaselinePoint, BaselineSeries, Better, Leeway, Planned, Trials, Verdict

awful = st.sampled_from(
    [0.0, -0.0, -1.0, math.nan, math.inf, -math.inf, 5e-324, 1e-308, 1.7e308, None]
)
good = st.floats(0.9, 1.1)
anything = good | st.floats() | awful
number = anything.filter(lambda value: value is not None)
rows = st.lists(good, min_size=3, max_size=3) | st.lists(anything, max_size=4)
known_rows = st.lists(good, min_size=3, max_size=3) | st.lists(number, max_size=4)
quiet = st.lists(st.floats(0.99, 1.01), min_size=3, max_size=3, unique=True)
odd = quiet.map(lambda values: [1.06 * value for value in values])
near = st.floats(0.99, 1.01)
steady_pairs = st.lists(st.tuples(near, near), min_size=4, max_size=14)
any_pairs = st.lists(st.tuples(anything, anything), max_size=14)


def sound(values) -> bool:
    return bool(values) and all(
        value is not None and math.isfinite(value) and value > 0 for value in values
    )


def known(name, sessions, better):
    points = tuple(
        BaselinePoint(session=f"a{i:02}", epoch=1, values=tuple(values))
        for i, values in enumerate(sessions)
    )
    return BaselineSeries(benchmark=name, metric="wall", unit="s", better=better, points=points)


@st.composite
def benchmarks(draw):
    """One benchmark: what was accepted, screened, paired and struck of it."""
    tame = draw(st.booleans())
    return {
        "sessions": draw(st.lists(quiet if tame else known_rows, min_size=5 * tame, max_size=9)),
        "head": draw(quiet | odd if tame else rows),
        "pairs": draw(steady_pairs if tame else any_pairs | steady_pairs),
        "strikes": draw(st.lists(quiet if tame else rows | quiet, min_size=3, max_size=3)),
        "planned": draw(st.sampled_from([3, 3, 3, 0, 1, 5])),
    }


def sessions_of(some, metric, *, sides, paired, struck, loud):
    """The sessions of a check on these benchmarks."""
    names = dict(enumerate(some))
    heads = {f"b{i}": one["head"] for i, one in names.items()}
    planned = tuple(Planned(benchmark=f"b{i}", trials=one["planned"]) for i, one in names.items())
    found = [session(heads, planned=planned, metrics=(metric,), sides=sides, loud=loud)]
    if paired:
        base, head = (
            {f"b{i}": [pair[side] for pair in one["pairs"]] for i, one in names.items()}
            for side in (0, 1)
        )
        found += pair_sessions(base, head, metrics=(metric,))
    return found + [
        session(
            {f"b{i}": one["strikes"][n] for i, one in names.items()},
            id=f"s{n}",
            started=f"2026-03-0{n + 1}",
            metrics=(metric,),
        )
        for n in range(struck)
    ]


@examples(4)
@given(
    some=st.lists(benchmarks(), min_size=1, max_size=6),
    sides=st.booleans(),
    paired=st.booleans(),
    struck=st.integers(0, 3),
    better=st.sampled_from(Better),
    floor=st.none() | st.floats(0, 10),
    loud=st.sampled_from([Leeway(), Leeway(times=1.0), Leeway(ceiling=0.5)]),
    law=st.booleans(),
)
def test_nothing_passes_on_what_is_no_number(some, sides, paired, struck, better, floor, loud, law):
    """`passed` and `improved` need finite numbers in head, baseline and confirmations, and two."""
    metric = replace(WALL, better=better, floor=floor)
    given_sessions = sessions_of(some, metric, sides=sides, paired=paired, struck=struck, loud=loud)
    baseline = build.baseline(
        *(known(f"b{i}", one["sessions"], better) for i, one in enumerate(some))
    )
    names = [f"b{i}" for i in range(len(some))]
    profile = reviewed(*names, metrics=(metric,), loud=loud, trials=Trials(screen=3))
    report = decide(given_sessions, baseline, profile=profile if law else None)
    assert (report.gate == "open") == (report.exit_status == 0)
    assert (report.gate == "open") == all(f.verdict.opens for f in report.findings)
    for found in report.findings:
        one = some[int(found.benchmark[1:])]
        numbers = (found.loss, found.loss_low, found.loss_high, found.can_detect)
        assert all(value is None or math.isfinite(value) for value in numbers)
        if found.verdict.opens:
            _check_open(found, one, struck, 3 if law else one["planned"])


def _check_open(found, one, struck, planned):
    assert found.verdict in {Verdict.PASSED, Verdict.IMPROVED}
    assert found.loss is not None
    assert sound(one["head"])
    assert len(one["head"]) >= max(planned, 2)
    assert one["sessions"]
    assert all(map(sound, one["sessions"]))
    if found.method == "pairs":
        used = one["pairs"][: found.trials_head]
        assert len(used) == found.trials_head >= 5
        assert sound([value for pair in used for value in pair])
    if found.method == "strikes":
        assert struck
        assert all(sound(values) for values in one["strikes"][:struck])
