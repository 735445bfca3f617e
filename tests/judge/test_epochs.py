"""After an intentional change was accepted: one session sets the level, older ones tell the noise."""

import math

import pytest
from judge.build import LEVELS, TRIALS, at, baseline, decide, only, outcome, pairs, series, session

from gate.judge.verdict.epochs import LevelShift, allowed_step
from gate.judge.verdict.in_force import in_force
from gate.model import LevelState, Lineage, Verdict

ACCEPTED = baseline(series(levels=[*LEVELS, 1.3], epochs=[1] * 5 + [2]))
"""Five sessions at level 1, then a loss of 30 % accepted with one session."""
LOSS = 0.3


def confirmed(base_level, loss, screened):
    """The finding when base stands at a level and head is `loss` slower than it."""
    head = session({"b": at(screened)}, sides=True)
    rows = pairs(loss, level=base_level)
    return decide([head, *rows], ACCEPTED)


def test_one_accepted_session_is_enough_to_judge_by():
    """The accepted level passes against its one session, and the verdict tells of the acceptance."""
    report = decide(session({"b": at(1.3)}), ACCEPTED)
    assert outcome(report) == ("G001", "passed", 0)
    assert any("+30.0 % was accepted on 2026-01-09 by me" in w for w in only(report).warnings)


def test_the_level_before_the_acceptance_is_an_improvement():
    """Back at the old level, the metric is better than what was accepted."""
    assert only(decide(session({"b": TRIALS}), ACCEPTED)).verdict is Verdict.IMPROVED


def test_more_than_was_accepted_is_flagged():
    """Ten per cent beyond the accepted level does not pass the screen."""
    assert outcome(decide(session({"b": at(1.43)}), ACCEPTED))[:2] == ("G021", "inconclusive")


def test_a_pull_request_that_accepts_its_loss_opens():
    """Base before the change, head at the accepted level: the pairs rule out anything beyond it."""
    report = confirmed(1.0, LOSS, 1.36)
    assert outcome(report) == ("G002", "passed", 0)
    assert any("is from before the newest accepted change" in w for w in only(report).warnings)
    assert only(report).loss == pytest.approx(0, abs=0.01)


def test_a_pull_request_that_loses_more_than_it_accepts_closes():
    """Ten per cent beyond the accepted loss is proven although the base side is the old one."""
    report = confirmed(1.0, 1.3 * 1.1 - 1, 1.43)
    assert outcome(report) == ("G060", "regressed", 10)
    assert only(report).loss == pytest.approx(0.1, abs=0.01)


def test_an_acceptance_is_spent_once_it_is_in_the_base():
    """With the accepted loss in the base already, losing the same again is a regression."""
    report = confirmed(1.3, LOSS, 1.69)
    assert outcome(report) == ("G060", "regressed", 10)
    assert only(report).loss == pytest.approx(0.3, abs=0.01)


def test_a_base_that_left_its_level_is_told():
    """When pairs pass because the base is slow too, the level beside them says that the base moved."""
    head = session({"b": at(1.2)}, sides=True)
    report = decide([head, *pairs(0.0, level=1.2)], baseline())
    assert outcome(report) == ("G002", "passed", 0)
    level = only(report).level
    assert level.state is LevelState.MOVED
    assert "the base side itself is +20.0 %" in level.text


def test_an_acceptance_does_not_excuse_for_ever():
    """Once the epoch has sessions of its own, a base near the old level excuses nothing."""
    grown = baseline(
        series(levels=[*LEVELS, *(1.3 * one for one in LEVELS)], epochs=[1] * 5 + [2] * 5)
    )
    head = session({"b": at(1.5)}, sides=True)
    report = decide([head, *pairs(0.3, level=1.0)], grown)
    assert outcome(report) == ("G060", "regressed", 10)
    assert only(report).loss == pytest.approx(0.3, abs=0.01)


def test_an_accepted_gain_never_makes_an_unchanged_pair_a_loss():
    """A base near the slower level before an accepted gain, head equal to it: no regression."""
    faster = baseline(series(levels=[*LEVELS, 0.8], epochs=[1] * 5 + [2]))
    head = session({"b": TRIALS}, sides=True)
    report = decide([head, *pairs(0.0, level=1.0)], faster)
    assert only(report).verdict is Verdict.PASSED
    assert "the base side itself is +25" in only(report).level.text


def held(where, count=1, change_level=1.3):
    """Five sessions at level 1 and some at another, whose code is where git says it is."""
    levels = [*LEVELS, *(change_level * one for one in LEVELS[:count])]
    rows = series(levels=levels, epochs=[1] * 5 + [2] * count)
    ids = frozenset(point.session for point in rows.points if point.epoch == 2)
    return in_force(baseline(rows), Lineage(**{where: ids}))


def test_git_knows_that_the_base_has_it_whatever_the_base_measures():
    """In the base nothing is taken off the head's, though the base side stands at the old level."""
    report = decide([session({"b": at(1.36)}, sides=True), *pairs(LOSS)], held("base"))
    assert outcome(report) == ("G060", "regressed", 10)


def test_git_knows_that_the_change_has_it_however_many_sessions_were_accepted():
    """In the change alone the accepted part is taken off, also of an epoch that is not young."""
    report = decide([session({"b": at(1.36)}, sides=True), *pairs(LOSS)], held("change", 5))
    assert outcome(report) == ("G002", "passed", 0)


@pytest.mark.parametrize("where", ["outside", "unknown"])
def test_a_level_of_other_code_is_as_if_it_had_not_been_accepted(where):
    """Neither base nor change has it, or nobody knows: a loss that it would excuse is proven."""
    report = decide([session({"b": at(1.36)}, sides=True), *pairs(LOSS)], held(where))
    assert outcome(report) == ("G060", "regressed", 10)
    assert any("+30.0 %, by me) is not in force here" in one for one in only(report).warnings)
    assert any("is not in force here" in note for note in report.notes)


def test_of_an_unknown_gain_the_stricter_level_counts():
    """A gain that nobody can place is judged by, and one that is known to be elsewhere is not."""
    unknown, outside = (
        decide(session({"b": at(1.0)}), held(where, change_level=0.8))
        for where in ("unknown", "outside")
    )
    assert outcome(unknown)[1:] == ("inconclusive", 5)
    assert outcome(outside)[1:] == ("passed", 0)


def test_without_git_a_level_counts_as_it_did_and_that_is_said():
    """Nobody asked git: the accepted loss opens, with a warning."""
    report = confirmed(1.0, LOSS, 1.36)
    assert outcome(report) == ("G002", "passed", 0)
    assert any("git was not asked" in one for one in only(report).warnings)


def test_a_base_that_lost_by_itself_leaves_what_is_left_of_an_accepted_step():
    """1.0 -> 1.8 was accepted: a base at 1.5 that git knows to be from before may lose 20 % more."""
    step = LevelShift(before=0.0, after=math.log(1.8))
    known = step._replace(known=True)
    for base, unknown_left, known_left in [(1.0, 1.8, 1.8), (1.5, 1.0, 1.2), (2.0, 1.0, 1.0)]:
        assert math.exp(allowed_step(math.log(base), step)) == pytest.approx(unknown_left)
        assert math.exp(allowed_step(math.log(base), known)) == pytest.approx(known_left)
