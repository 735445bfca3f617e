"""Waivers: the exact row, below the ceiling, between two days, and only while it is needed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import LEVELS, at, baseline, decide, only, pairs, series, session

from gate.model import Verdict, Waiver

ROW = Waiver(
    profile="p", benchmark="b", metric="wall", ceiling=0.25, since="2026-05-01",
    expires="2026-06-30", issue="#7", reason="known",
)  # fmt: skip
SLOW = [session({"b": at(1.2)}, sides=True), *pairs(0.2)]


def judged(*waivers, today="2026-06-30", sessions=SLOW):
    report = decide(sessions, waivers=waivers, today=today)
    return report, only(report)


def test_a_waiver_opens_the_gate():
    """A proven regression within its waiver is waived up to and including the last day."""
    report, found = judged(ROW)
    assert (found.code, found.verdict) == ("G004", Verdict.WAIVED)
    assert (report.gate, report.exit_status) == ("open", 0)
    assert "#7" in found.advice
    assert found.loss == pytest.approx(0.2, abs=0.01)


def test_a_waiver_in_use_is_shown():
    """Its ceiling, end, issue and reason, and how much of the ceiling is used."""
    _, found = judged(replace(ROW, ceiling=0.4))
    assert found.advice == (
        "Waived up to 40.0 % until 2026-06-30: known (#7); 50% of the ceiling is used."
    )


def test_before_its_first_day():
    """A waiver begins on its first day, not before."""
    report, found = judged(ROW, today="2026-04-30")
    assert (found.verdict, report.exit_status) == (Verdict.REGRESSED, 10)
    assert found.warnings[-1] == "its waiver begins on 2026-05-01 (#7)"
    assert judged(ROW, today="2026-05-01")[1].verdict is Verdict.WAIVED


def test_expired():
    """The day after the last day it holds no more, and the finding says so."""
    report, found = judged(ROW, today="2026-07-01")
    assert (found.verdict, report.exit_status) == (Verdict.REGRESSED, 10)
    assert "ended" in found.warnings[-1]


def test_beyond_the_ceiling():
    """A larger loss than was waived is a regression."""
    report, found = judged(replace(ROW, ceiling=0.15))
    assert (found.verdict, report.exit_status) == (Verdict.REGRESSED, 10)
    assert "ceiling" in found.warnings[-1]


@pytest.mark.parametrize("key", ["profile", "benchmark", "metric"])
@pytest.mark.parametrize("value", ["*", "", "B", "b2", "wall "])
def test_only_the_exact_row(key, value):
    """There are no patterns: a waiver of another row waives nothing."""
    report, found = judged(replace(ROW, **{key: value}))
    assert (found.verdict, report.exit_status) == (Verdict.REGRESSED, 10)
    assert found.warnings == ()


def test_a_renewed_waiver_holds_beside_the_old_row():
    """Of several rows any that holds is enough, whatever their order."""
    old = replace(ROW, expires="2026-01-01")
    for rows in ((old, ROW), (ROW, old)):
        assert judged(*rows)[1].verdict is Verdict.WAIVED


@pytest.mark.parametrize(
    "sessions",
    [
        [session({"b": at(1.2)}, sides=True)],
        [session({"b": (1.0, None, 1.0)})],
        [session({"b": (0.0, 1.0, 1.1)})],
        [session(profile_digest="sha256:2")],
        [session({"c": at(1)})],
    ],
    ids=["unconfirmed", "failed", "zero", "incomparable", "missing"],
)
def test_nothing_but_a_regression_is_waived(sessions):
    """A waiver never opens a gate that was closed for want of a measurement."""
    report, _ = judged(ROW, sessions=sessions)
    assert report.gate == "closed"
    assert Verdict.WAIVED not in {f.verdict for f in report.findings}


def passing(today, *started, waiver=ROW, verdict=Verdict.PASSED):
    """A row that passes, where sessions of these days were accepted."""
    known = baseline(series())
    days = (*(one.started for one in known.sessions[: len(LEVELS) - len(started)]), *started)
    known = replace(
        known,
        sessions=tuple(replace(s, started=d) for s, d in zip(known.sessions, days, strict=True)),
    )
    report = decide([session()], known, waivers=(waiver,), today=today)
    return report, only(report)


def test_a_waiver_that_is_needed_or_new_stays():
    """No session was accepted since its first day, or none 30 days ago: nothing is said."""
    for days in ((), ("2026-05-20T00:00:00Z",)):
        report, found = passing("2026-06-18", *days)
        assert (report.gate, found.verdict, found.warnings) == ("open", Verdict.PASSED, ())


def test_no_longer_needed_for_30_days_closes():
    """30 days after the first session that passed without it, the waiver itself closes the gate."""
    days = ("2026-05-20T00:00:00Z", "2026-06-10T00:00:00Z")
    assert passing("2026-06-18", *days)[0].gate == "open"
    report, found = passing("2026-06-19", *days)
    assert (found.code, found.verdict, report.exit_status) == ("G045", Verdict.INCOMPARABLE, 5)
    assert found.headline.startswith("its waiver (#7) was not needed since 2026-05-20; without it:")
    assert found.advice == "Remove the waiver from waivers.toml."


def test_sessions_from_before_its_first_day_tell_nothing():
    """They were measured before the loss that was waived."""
    report, found = passing("2026-06-29", "2026-04-30T23:00:00Z")
    assert (report.gate, found.verdict) == ("open", Verdict.PASSED)


def test_sessions_of_another_row_tell_nothing():
    """What was accepted of another benchmark does not show that this one does without."""
    known = baseline(series(), series("c", levels=(*LEVELS, 1.0)))
    *before, last = known.sessions
    late = replace(last, started="2026-05-02T00:00:00Z")
    known = replace(known, sessions=(*before, late))
    report = decide([session({"b": at(1), "c": at(1)})], known, waivers=(ROW,), today="2026-06-30")
    assert {f.verdict for f in report.findings} == {Verdict.PASSED}


def test_past_its_end_and_not_needed():
    """For 30 days it is warned of, then it closes the gate until somebody removes it."""
    report, found = passing("2026-07-01")
    assert (report.gate, found.verdict) == ("open", Verdict.PASSED)
    assert found.warnings[-1] == "its waiver ended on 2026-06-30 (#7); remove it before 2026-07-30"
    assert passing("2026-07-29")[0].gate == "open"
    report, found = passing("2026-07-30")
    assert (found.code, report.exit_status) == ("G045", 5)
    assert "ended on 2026-06-30 and is not needed" in found.headline


def test_a_waiver_of_what_is_nowhere_is_told():
    """A row of a profile that has no baseline and was not judged, or of a benchmark that is not."""
    report, _ = judged(ROW, replace(ROW, profile="gone"), replace(ROW, benchmark="gone"))
    told = [note for note in report.notes if "waiver" in note]
    assert told == [
        "a waiver matches nothing: gone b wall (#7)",
        "a waiver matches nothing: p gone wall (#7)",
    ]
