"""Reports joined: the laws of a worst verdict, and promises that add up."""

from __future__ import annotations

from functools import reduce
from itertools import permutations

import pytest
from examples import examples
from formats.refusal import refusal
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import NothingCompared
from gate.judge.report_sections import join_reports
from gate.judge.summary import headline
from gate.judge.verdict.findings import failed_report
from gate.model import Better, Edit, Finding, Host, Report, Role, SuitePromise, Verdict, join
from gate.report.html.html import render_html
from gate.report.text.text import render_text

NOW = "2026-11-22T00:00:00Z"


def found(name, verdict, role=Role.GATE):
    return Finding(
        code="G001",
        profile=name,
        benchmark="b",
        metric="wall",
        verdict=verdict,
        role=role,
        headline="x",
        advice="",
        unit="s",
        better=Better.LOWER,
    )


def report(verdicts, *, name="p", allow_new=False, alpha=0.01):
    """A report as the judge makes it of such verdicts."""
    findings = tuple(
        sorted(
            (found(f"{name}{i}", verdict) for i, verdict in enumerate(verdicts)),
            key=lambda one: -one.verdict.rank,
        )
    )
    worst = join(verdicts)
    through = worst is Verdict.NEW and allow_new
    is_open = worst.opens or through
    return Report(
        schema=1,
        gate="open" if is_open else "closed",
        verdict=worst.value,
        exit_status=0 if through else worst.exit_status,
        headline=headline(findings, "host class lab", is_open=is_open),
        created=NOW,
        profiles=tuple(sorted(one.profile for one in findings)),
        findings=findings,
        host=Host(host_class="lab", fingerprint=name, stable={}, epoch={}),
        tools={"driftgate": "1"},
        notes=(f"note of {name}",),
        promise=SuitePromise(alpha=alpha, beta=0.025, metrics_judged=2, metrics_flagged=1),
        subjects={f"{name} head": "x"},
    )


def failure(status):
    return failed_report(
        code="G240", message="busy\n::error::x", exit_status=status, created=NOW, version="1"
    )


@st.composite
def reports(draw):
    name = draw(st.sampled_from("abcd"))
    if draw(st.integers(0, 4)) == 0:
        return failure(draw(st.sampled_from([1, 2, 3, 4, 5, 130, 143])))
    verdicts = draw(st.lists(st.sampled_from(list(Verdict)), min_size=1, max_size=4))
    return report(verdicts, name=name, allow_new=draw(st.booleans()))


def said(one):
    return one.gate, one.verdict, one.exit_status


@given(st.lists(reports(), min_size=1, max_size=4))
@examples(2)
def test_the_order_and_the_grouping_of_the_parts_do_not_matter(parts):
    """Gate, verdict and status are the same however the parts are ordered and joined."""
    whole = said(join_reports(parts))
    for order in permutations(parts):
        assert said(join_reports(order)) == whole
        assert said(reduce(lambda a, b: join_reports([a, b]), order)) == whole


@given(reports())
@examples(0.5)
def test_one_report_is_joined_to_itself(one):
    """A check of one part is judged as that part was."""
    assert join_reports([one]) is one


@given(st.lists(reports(), min_size=1, max_size=4))
@examples(2)
def test_a_joined_report_is_open_only_where_all_are(parts):
    """Closed wins; the file's own rules hold; nothing is lost; every rendering works."""
    whole = join_reports(parts)
    assert (whole.gate == "open") == all(one.gate == "open" for one in parts)
    assert (whole.gate == "open") == (whole.exit_status == 0)
    assert len(whole.findings) == sum(len(one.findings) for one in parts)
    assert (refusal(whole)) == []
    assert whole.headline.startswith(f"gate {whole.gate}: ")
    ranks = [one.verdict.rank for one in whole.findings]
    assert ranks == sorted(ranks, reverse=True)


@given(st.lists(reports(), min_size=2, max_size=4))
def test_the_whole_report_is_the_same_in_any_order(parts):
    """Not only the verdict: every byte, so that two jobs that join say the same."""
    whole = join_reports(parts)
    assert all(join_reports(order) == whole for order in permutations(parts))


def test_promises_add_up():
    """Two parts may each err: alpha and the counts are sums, beta is per metric."""
    parts = [report([Verdict.PASSED], name=n, alpha=0.005) for n in "ab"]
    whole = join_reports(parts)
    assert whole.promise == SuitePromise(
        alpha=0.01, beta=0.025, metrics_judged=4, metrics_flagged=2
    )
    assert whole.profiles == ("a0", "b0")
    assert whole.subjects == {"a head": "x", "b head": "x"}
    assert whole.notes == (
        "joined from 2 parts",
        "the parts were measured on 2 machines; the facts are of one",
        "note of a",
        "note of b",
    )
    assert whole.headline == "gate open: 2 passed (host class lab)"


def test_an_error_outweighs_all_but_a_proven_regression():
    """Half a suite that passed is no pass; a regression in the other half is still told."""
    passed, slow = report([Verdict.PASSED]), report([Verdict.REGRESSED], name="q")
    assert said(join_reports([passed, failure(4)])) == ("closed", "error", 4)
    assert join_reports([passed, failure(4)]).headline.startswith("gate closed: error: G240: busy")
    assert said(join_reports([passed, failure(4), slow])) == ("closed", "regressed", 10)
    broken = report([Verdict.BROKEN], name="r")
    assert said(join_reports([broken, failure(5)])) == ("closed", "error", 5)


def test_the_same_edit_seen_by_two_parts_is_told_once():
    """Every part sees the whole tree; loosening edits stand first."""
    from dataclasses import replace

    def edit(code, *, loosens):
        return Edit(
            code=code,
            profile="p",
            before="5 %",
            after="50 %",
            headline=code,
            advice="",
            loosens=loosens,
        )

    one, other = edit("G071", loosens=False), edit("G072", loosens=True)
    parts = [replace(report([Verdict.PASSED], name=n), edits=(one, other)) for n in "ab"]
    assert join_reports(parts).edits == (other, one)


def test_nothing_to_join_is_nothing_compared():
    """No report is not an open one."""
    with pytest.raises(NothingCompared):
        join_reports([])


@pytest.mark.parametrize("status", [1, 2, 3, 4, 5, 6, 130, 143])
def test_a_failed_report_renders_everywhere_and_keeps_the_rules(status):
    """Closed, verdict error, no findings, no host: text and page tell the reason."""
    one = failure(status)
    assert (refusal(one)) == []
    for text in (render_text(one), render_html(one)):
        assert "G240" in text
        assert "busy" in text
    lines = render_text(one).splitlines()
    assert not any(line.lstrip().startswith("::") for line in lines)
    assert lines[0].startswith("✗ gate closed: ")


def test_an_error_never_has_the_status_of_an_open_gate():
    """0 is refused where it is made."""
    with pytest.raises(ValueError, match="exit status 0"):
        failure(0)
