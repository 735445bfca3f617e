"""Whole checks on a host that moved: what was measured of both sides is judged, all of it."""

from __future__ import annotations

import random
from dataclasses import replace

from judge.build import accepted, at, baseline, decide, pair_sessions, series, session
from judge.test_controls import both, known

from gate.judge.verdict.interim_analysis import plan_second_stage
from gate.judge.verdict.suite import Policy, arrange
from gate.model import LevelState

TRUE = (0.0,) * 17 + (0.05,) * 13 + (0.1,) * 8 + (0.2,) * 8
"""True losses of 46 findings, as they were planted beside other tools."""
MOVED = frozenset(range(2, 44, 3))
"""The 14 of them around whose check a control had left what was accepted."""
BARE = frozenset({2, 41})
"""Two of these were not paired yet: one unchanged, one slower by 20 %."""
NINE = {f"b{i}": loss for i, loss in enumerate((0.0,) * 6 + (0.1, 0.2, -0.1))}


def as_profile(one, name):
    """A session or a baseline of a profile of that name."""
    return replace(one, profile=name, **({"id": f"{name}-{one.id}"} if hasattr(one, "id") else {}))


def drawn(dice, loss, count=31):
    """Base and head values of 0.6 % noise."""
    return ([dice.lognormvariate(s, 0.006) for _ in range(count)] for s in (0.0, loss))


def checked(number):
    """The sessions of one check: a screen that flags, and its pairs."""
    name, loss = f"p{number:02}", TRUE[number]
    control = both(copy=1.4) if number in MOVED else both()
    found = [session({"b": at(1.2)}, sides=True, builtin=control)]
    if number not in BARE:
        base, head = drawn(random.Random(number), loss)
        found += pair_sessions({"b": base}, {"b": head}, controls=control)
    return [as_profile(one, name) for one in found]


def test_pairs_that_are_whole_are_never_thrown_away_for_a_control():
    """46 findings, a control moved around 14, of which 12 hold whole pairs: each of these is decided,
    and rightly; the two without pairs get them."""
    sessions = [one for number in range(46) for one in checked(number)]
    baselines = [as_profile(known(), f"p{number:02}") for number in range(46)]
    found = {int(one.profile[1:]): one for one in decide(sessions, baselines).findings}
    assert len(MOVED) == 14
    assert [one.code for one in found.values() if one.code == "G035"] == []
    verdicts = {n: one.verdict.value for n, one in found.items() if n not in BARE}
    assert verdicts == {n: "regressed" if TRUE[n] else "passed" for n in verdicts}
    moved = {n for n, one in found.items() if one.level and one.level.state is LevelState.MOVED}
    assert moved == MOVED - BARE
    cases = arrange([one for n in BARE for one in checked(n)], baselines, {})
    assert [one.benchmark for one in plan_second_stage(cases, Policy())] == ["b", "b"]


def nine(screened, pairs=()):
    """The report on nine benchmarks, whose memory copies in a fifth of the accepted time."""
    rows = {name: at(1 + loss) for name, loss in screened.items()}
    head = session(rows, sides=True, builtin=both(copy=0.2))
    sessions = tuple(accepted(i, controls=both(copy=level)) for i, level in enumerate(LOUD))
    rows = (series(name, (1.0, 1.05, 0.97, 1.02, 0.99)) for name in screened)
    return [head, *pairs], replace(baseline(*rows), sessions=sessions)


LOUD = (1.0, 1.04, 0.98, 1.03, 0.99)
"""How the copying control stood in five accepted sessions."""


def test_a_suite_whose_memory_got_faster_ends_in_verdicts():
    """A control 80 % faster than in a noisy baseline: nine benchmarks go to pairs, nine are decided."""
    sessions, level = nine(NINE)
    tasks = plan_second_stage(arrange(sessions, [level], {}), Policy())
    assert sorted(task.benchmark for task in tasks) == sorted(NINE)
    dice = random.Random(5)
    sides = {name: tuple(drawn(dice, loss)) for name, loss in NINE.items()}
    pairs = pair_sessions(*({name: one[side] for name, one in sides.items()} for side in (0, 1)))
    found = decide(*nine(NINE, pairs)).findings
    wanted = {name: _verdict(loss) for name, loss in NINE.items()}
    assert {one.benchmark: one.verdict.value for one in found} == wanted
    assert {one.method for one in found} == {"pairs"}
    why = "memory-copy takes 80.0 % less around the screen than in 5 accepted sessions: the host moved"
    assert {one.level.text for one in found} == {f"the built-in control {why}"}


def _verdict(loss):
    return "regressed" if loss > 0 else "improved" if loss < 0 else "passed"
