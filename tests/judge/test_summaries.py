"""Summaries to verdicts: what is claimed, what is not, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.build_summary import BASE, PROVEN, RULED_OUT, TIME, decide, row, side, summary

from gate.docs import PAGES
from gate.errors import InputError, NothingCompared
from gate.judge.printed_means import UNKNOWN
from gate.model import Evidence, Figures, MeanKind, Role, Verdict, Waiver


def outcome(report):
    (found,) = report.findings
    return found.code, found.verdict.value, report.exit_status


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (side(12.0, 0.1), ("G068", "regressed", 10)),
        (side(10.4, 0.01), ("G068", "regressed", 10)),
        (side(10.0, 0.1), ("G008", "passed", 0)),
        (side(9.93, 0.1), ("G008", "passed", 0)),
        (side(9.0, 0.1), ("G009", "improved", 0)),
        (side(10.3, 0.4), ("G028", "inconclusive", 5)),
        (side(12.0, 9.0), ("G028", "inconclusive", 5)),
        (side(30.0), ("G029", "inconclusive", 5)),
        (side(30.0, trials=1), ("G029", "inconclusive", 5)),
        (side(30.0, 0.0), ("G029", "inconclusive", 5)),
        (side(3.0), ("G029", "inconclusive", 5)),
    ],
)
def test_verdicts(head, expected):
    """One row against a base of 10.0 s with a spread of 1 %: code, verdict and exit status."""
    assert outcome(decide(row(BASE, head))) == expected


@pytest.mark.parametrize(
    ("base", "head", "said"),
    [
        (side(1.0), side(2.0), "each side is printed without a spread"),
        (side(1.0, trials=1), side(2.0, trials=1), "each side is of one trial"),
        (side(1.0, 0.1), side(2.0), "the head side is printed without a spread"),
        (side(1.0, 0.0), side(2.0, 0.1), "the base side is printed with a spread of zero"),
        (
            side(1.0, trials=1),
            side(2.0),
            "the base side is of one trial and the head side is printed without a spread",
        ),
    ],
)
def test_what_is_lacking_is_said(base, head, said):
    """Without a spread the loss is printed, with no interval, and the headline says what lacks."""
    (found,) = decide(row(base, head)).findings
    assert found.headline.startswith(f"+100.0 % as printed, but {said}")
    assert ": nothing can be claimed; with a trial-to-trial spread of 2 %, " in found.headline
    assert (found.loss, found.loss_low, found.loss_high) == (pytest.approx(1.0), None, None)
    assert (found.confidence, found.can_detect) == (None, None)


figures = st.builds(
    Figures,
    mean=st.floats(0.01, 100),
    trials=st.integers(1, 100),
    sd=st.none() | st.just(0.0) | st.floats(1e-6, 10),
)


@given(figures, figures, st.sampled_from(MeanKind))
def test_never_a_claim_without_a_spread(base, head, mean):
    """One trial, no spread or a spread of zero, on either side: always inconclusive."""
    (found,) = decide(summaries=[summary(row(base, head), mean=mean)]).findings
    known = all(one.sd and one.trials > 1 for one in (base, head))
    assert (found.code == "G029") is not known
    if not known:
        assert (found.verdict, found.loss_low, found.loss_high) == (
            Verdict.INCONCLUSIVE, None, None
        )  # fmt: skip


def test_the_finding_holds_what_was_printed():
    """Means in the base unit, trials of each side, limits, level, and the method."""
    (found,) = decide(PROVEN).findings
    assert (found.profile, found.benchmark, found.metric) == ("article", "b", "time")
    assert (found.base_value, found.head_value) == (10.0, 12.0)
    assert (found.trials_base, found.trials_head, found.sessions_base) == (10, 10, 0)
    assert found.method == "summary"
    assert found.loss == pytest.approx(0.2)
    assert found.loss_low < 0.2 < found.loss_high
    assert found.confidence == pytest.approx(1 - 0.01 - 0.025)
    assert (found.tolerance, found.tolerance_used, found.negligible) == (0.05, 0.05, 0.01)
    assert found.evidence == Evidence()
    assert found.advice == PAGES["G068"].cure
    assert "9 degrees of freedom" in found.path[0]


def test_every_finding_says_what_cannot_be_known():
    """Independence, order, one machine at one time, near-normal noise: with every verdict."""
    rows = [row(BASE, head, f"b{i}") for i, head in enumerate([BASE, side(12.0, 0.1), side(9.0)])]
    for found in decide(*rows).findings:
        assert UNKNOWN in found.warnings
    for word in ("independent", "order", "one machine at the same time", "near normal"):
        assert word in UNKNOWN


def test_alpha_is_shared_by_every_row_with_a_spread():
    """Bonferroni over the gate rows of all summaries; watched ones and bare means take no part."""
    watched = replace(TIME, name="seen", role=Role.WATCH)
    other = summary(row(BASE, BASE, "c"), row(BASE, side(9.0), "d"), name="other")
    first = summary(PROVEN, row(BASE, BASE, metric=watched))
    report = decide(summaries=[first, other], alpha=0.02)
    assert report.promise.metrics_judged == 2
    levels = [f.confidence for f in report.findings if f.confidence is not None]
    assert levels == pytest.approx([1 - 0.01 - 0.025] * 3)
    alone = decide(PROVEN, alpha=0.01).findings[0]
    (shared,) = (f for f in report.findings if f.code == "G068")
    assert shared.loss_low == alone.loss_low


def test_a_spread_of_zero_still_takes_its_part():
    """Whether a row takes part must not depend on the values, so zero counts as a spread."""
    report = decide(PROVEN, row(BASE, side(9.0, 0.0), "c"))
    assert report.promise.metrics_judged == 2


def test_more_rows_make_the_same_row_harder_to_prove():
    """A loss just proven alone is not proven among twenty rows."""
    close = row(BASE, side(10.35, 0.2))
    assert decide(close).findings[0].code == "G068"
    among = decide(close, *(row(BASE, BASE, f"c{i}") for i in range(19)))
    assert {f.code for f in among.findings if f.benchmark == "b"} == {"G028"}


def test_the_suite_joins_worst_first():
    """The report is as bad as its worst row, and lists it first."""
    report = decide(RULED_OUT, row(BASE, side(12.0), "c"), row(BASE, side(12.0, 0.1), "d"))
    assert [f.verdict.value for f in report.findings] == ["regressed", "inconclusive", "passed"]
    assert (report.verdict, report.gate, report.exit_status) == ("regressed", "closed", 10)
    assert report.headline == (
        "gate closed: 1 regressed, 1 inconclusive, 1 passed (from summaries)"
    )


def test_the_report_says_that_it_was_judged_from_summaries():
    """Notes, subjects and a host that is not known."""
    report = decide(RULED_OUT)
    assert report.host is None
    assert report.notes[0].startswith("judged from summaries")
    assert report.notes[2] == "article: arithmetic means. Source: An article, 2001"
    assert report.subjects == {"article base": "kernel 1", "article head": "kernel 2"}
    assert report.profiles == ("article",)


def test_a_watched_row_never_closes_the_gate():
    """A watched row is judged and shown; only gate rows are joined."""
    watched = replace(TIME, name="seen", role=Role.WATCH)
    report = decide(RULED_OUT, row(BASE, side(30.0, 0.1), metric=watched))
    assert (report.verdict, report.exit_status) == ("passed", 0)
    assert report.findings[-1].code == "G068"
    assert "only watched" in report.findings[-1].advice


def test_the_tolerance_asked_for_goes_before_the_files():
    """At 50 % a loss of 20 % is neither; the negligible one becomes a fifth, and a note says so."""
    strict = row(BASE, side(10.7, 0.4), metric=replace(TIME, tolerance=0.02, negligible=0.001))
    (found,) = decide(strict).findings
    assert (found.code, found.tolerance, found.negligible) == ("G068", 0.02, 0.001)
    report = decide(strict, tolerance=0.5)
    (found,) = report.findings
    assert (found.code, found.tolerance, found.negligible) == ("G008", 0.5, 0.1)
    assert "at the tolerance of 50.0 % asked for" in report.notes[1]


def test_a_proven_loss_below_the_tolerance_is_regressed():
    """Both claims may hold of a loss between tau and T; then the worse one is made."""
    (found,) = decide(row(BASE, side(10.3, 0.01), metric=TIME)).findings
    assert found.loss_high < TIME.tolerance
    assert found.verdict is Verdict.REGRESSED


def test_a_gain_below_the_negligible_loss_is_no_improvement():
    """Certainly better, but by less than tau: passed."""
    (found,) = decide(row(side(10.0, 0.01), side(9.95, 0.01))).findings
    assert -TIME.tau < found.loss_high < 0
    assert found.verdict is Verdict.PASSED


def test_printed_digits_can_take_a_claim_away():
    """The same means printed to whole seconds prove no loss of 2 %, and a warning says why."""
    coarse = row(side(100.0, 0.5, mean_slack=0.5), side(102.0, 0.5, mean_slack=0.5))
    fine = row(side(100.0, 0.5), side(102.0, 0.5))
    assert decide(fine).findings[0].code == "G068"
    found = decide(replace(coarse, metric=replace(TIME, negligible=0.005))).findings[0]
    assert found.code == "G008"
    assert any("digits printed leave 0.99 % open" in warning for warning in found.warnings)


def test_a_wide_spread_is_warned_of():
    """A spread of 30 % of the mean is seldom near normal, and the finding says so."""
    (found,) = decide(row(side(10.0, 3.0), BASE)).findings
    assert any("the spread is 30.0 % of the mean" in warning for warning in found.warnings)
    assert len(decide(RULED_OUT).findings[0].warnings) == 1


def test_a_row_that_does_not_decide_says_what_would():
    """The number of trials stands in the headline; where none does, that stands there."""
    (found,) = decide(row(BASE, side(10.3, 0.4))).findings
    assert "about 19 trials a side would decide, if means and spread stay" in found.headline
    coarse = side(10.0, 0.1, mean_slack=0.5)
    (found,) = decide(row(coarse, coarse)).findings
    assert "no number of trials decides between figures like these" in found.headline


def test_a_waiver_covers_a_summary_too():
    """A proven loss below the ceiling of a waiver is waived."""
    waiver = Waiver(
        profile="article", benchmark="b", metric="time", ceiling=0.3,
        expires="2027-01-01", issue="#1", reason="known",
    )  # fmt: skip
    assert outcome(decide(PROVEN, waivers=(waiver,), today="2026-01-01")) == ("G004", "waived", 0)
    assert outcome(decide(PROVEN, waivers=(waiver,), today="2028-01-01"))[0] == "G068"


def test_no_gate_row_is_nothing_compared():
    """Rows that are only watched never open the gate."""
    with pytest.raises(NothingCompared) as caught:
        decide(row(BASE, BASE, metric=replace(TIME, role=Role.WATCH)))
    assert (caught.value.code, caught.value.status) == ("G280", 3)


def test_two_summaries_of_one_name_are_refused():
    """Their findings could not be told apart."""
    with pytest.raises(InputError, match="2 summaries are called article"):
        decide(summaries=[summary(PROVEN), summary(RULED_OUT)])
