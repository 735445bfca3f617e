"""What a page says once: findings of one benchmark together, long sentences where they are first."""

from __future__ import annotations

from dataclasses import replace

from gate.model import Role, Verdict
from gate.report.html.accepted import Once
from gate.report.html.html import render_html
from gate.report.html.sections import row, worst_of
from gate.report.wording.commands import LONGER, REPRODUCE, ShellLine
from gate.units import percent
from tests.report.build import finding
from tests.report.sample import sample_report


def test_a_sentence_is_told_where_it_is_first():
    """Again in its own place, elsewhere by that place; the same words of another thing are new."""
    once = Once()
    assert once.above("advice", "mend it", "f1") == ""
    assert once.above("advice", "mend it", "f1") == ""
    assert once.above("advice", "mend it", "f2") == "f1"
    assert once.above("note", "mend it", "f2") == ""


def test_a_longer_check_is_what_it_adds():
    """Only where the rest of its line is the one that reproduces; what is known is not repeated."""
    some = (
        ShellLine(REPRODUCE, "gate check p --base b"),
        ShellLine(LONGER, "gate check p --pairs 200 --base b", "It ends."),
        ShellLine("accept it", "", "Comment."),
    )
    once = Once()
    told = [tuple(one) for one in once.commands(some, "b1")]
    assert told == [
        (REPRODUCE, "gate check p --base b", "", ""),
        (LONGER, "", "The same with `--pairs 200` at its end. It ends.", ""),
        ("accept it", "", "Comment.", ""),
    ]
    again = [tuple(one) for one in once.commands(some, "b2")]
    assert again[1:] == [
        (LONGER, "", "The same with `--pairs 200` at its end.", ""),
        ("accept it", "", "Comment.", "b1"),
    ]
    other = (some[0], ShellLine(LONGER, "gate check q --pairs 200", ""))
    assert [*once.commands(other, "b3")][1].line == "gate check q --pairs 200"


def test_findings_of_one_benchmark_stand_together():
    """The worst in full, the others below it; what has no loss stands with its own kind."""
    names = ("a", "b", "a", "a")
    rows = [
        row(n, finding(name, f"m{n}", Verdict.REGRESSED, loss=0.2)) for n, name in enumerate(names)
    ]
    rows += [
        row(n, replace(finding(f"c{n}", "m", Verdict.BROKEN, headline="no"), loss=None))
        for n in (4, 5)
    ]
    told = [
        (one.row.id, [r.id for r in one.others], [r.id for r in one.also])
        for one in worst_of(rows, 10)
    ]
    assert told == [("f0", [], ["f2", "f3"]), ("f1", [], []), ("f4", ["f5"], [])]


def test_a_watched_verdict_is_muted_and_says_so():
    """Beside the verdict, in the table and above its evidence; no colour of a verdict that closes."""
    made = finding(verdict=Verdict.INCONCLUSIVE, role=Role.WATCH)
    html = render_html(sample_report(findings=(made,)))
    assert "<tr class=v-watched>" in html
    assert 'class="finding v-inconclusive v-watched"' in html
    assert html.count("inconclusive</span> <span class=watch>watched</span>") == 1
    assert "inconclusive <span class=watch>watched</span><th" in html


def test_a_ratio_without_end_keeps_its_figures():
    """What no reader counts has an exponent, also where a hundred times it would be infinite."""
    assert percent(1.7e308) == "+1.7e310 %"
    assert percent(-1e12) == "-1.0e14 %"
    assert percent(3e15, signed=False) == "3.0e17 %"
    assert percent(1e9) == "+100000000000.0 %"
