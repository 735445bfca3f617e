"""A reviewed profile is the law: what a session says of its own plan and policy does not count."""

from dataclasses import replace

from judge.build import (
    WALL,
    at,
    baseline,
    decide,
    only,
    outcome,
    pair_sessions,
    pairs,
    reviewed,
    series,
    session,
    strikes,
)

from gate.model import Leeway, Planned, Role, State, Subject


def test_tolerance_and_role_of_the_profile_count():
    """A session that widens its tolerance or only watches its metric is judged by the profile."""
    slow = {"b": at(1.3)}
    for metric in (replace(WALL, tolerance=5.0), replace(WALL, role=Role.WATCH)):
        report = decide(session(slow, metrics=(metric,)), profile=reviewed())
        assert outcome(report) == ("G021", "inconclusive", 5)
        assert only(report).tolerance == 0.05


def test_a_session_cannot_plan_less():
    """A benchmark of the profile that the session did not plan is not forgotten."""
    known = baseline(series(), series("c"))
    report = decide(session(), known, profile=reviewed("b", "c"))
    assert outcome(report, "c") == ("G044", "missing", 4)
    few = session({"b": at(1)[:1]}, planned=(Planned(benchmark="b", trials=1),))
    assert outcome(decide(few, profile=reviewed())) == ("G053", "broken", 4)


def test_loudness_and_pairs_of_the_profile_count():
    """A session cannot allow itself a raised tolerance that the profile refuses."""
    restless = baseline(series(levels=(1.0, 1.012, 0.99, 1.01, 0.986, 1.004)))
    head = session(loud=Leeway(ceiling=0.4))
    assert outcome(decide(head, restless)) == ("G001", "passed", 0)
    strict = reviewed(loud=Leeway(times=1.0))
    assert outcome(decide(head, restless, profile=strict)) == ("G024", "inconclusive", 5)


def test_another_text_than_the_reviewed_one_is_not_judged():
    """A session of an edited profile is refused although the baseline agrees with it."""
    report = decide(session(), profile=reviewed(digest="sha256:2"))
    assert outcome(report) == ("G032", "incomparable", 5)


def test_a_partial_session_never_passes():
    """All planned trials may be there: a session that was not finished is not judged."""
    assert outcome(decide(session(state=State.PARTIAL))) == ("G053", "broken", 4)


def test_sessions_of_another_commit_do_not_confirm():
    """Strikes and pairs of other code than was screened clear nothing."""
    slow = session({"b": at(1.3)}, subject=Subject(commit="new", proof="sha256:n"))
    old = Subject(commit="old", proof="sha256:o")
    report = decide([slow, *strikes([1.0] * 4, subject=old)])
    assert outcome(report) == ("G037", "incomparable", 5)
    base, head = pairs(0.0)
    report = decide([replace(slow, sides=True), base, replace(head, subject=old)])
    assert outcome(report) == ("G037", "incomparable", 5)


def test_pairs_from_before_the_screen_do_not_confirm():
    """Old pairs cannot clear what a later screen flagged."""
    slow = session({"b": at(1.3)}, sides=True)
    rows = pair_sessions({"b": at(1) * 5}, {"b": at(1) * 5}, started="2025-01-01T00:00:00Z")
    assert outcome(decide([slow, *rows])) == ("G037", "incomparable", 5)
