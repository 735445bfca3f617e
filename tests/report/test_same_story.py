"""The renderings tell one story: the same sections in the same order, in the same words."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from gate.model import Verdict
from gate.report.html.html import render_html
from gate.report.markdown.markdown import render_comment, render_summary
from gate.report.text.text import render_text
from gate.report.wording import around, words
from gate.report.wording.advice import next_steps
from gate.report.wording.finding_context import beside
from gate.report.wording.links import Links
from gate.units import percent
from tests.report.build import finding
from tests.report.rendered import read
from tests.report.sample import open_report, sample_report
from tests.report.sample_edits import EDITS, failed

REPORTS = {
    "closed": replace(sample_report(), edits=EDITS),
    "open": replace(open_report(), edits=EDITS),
}


def plain(text):
    """Every kind of space one space, arrows as the model writes them, code without its marks."""
    return re.sub(r"\s+", " ", text.replace("→", "->").replace("`", ""))


def in_terminal(report):
    """The text of a very wide terminal, without the rules beside the titles."""
    return plain(re.sub(r"── (.*?) ─+", r"\1", render_text(report, width=5000)))


def of_markdown(text):
    """What a reader of the Markdown sees, with every fold open."""
    return plain(read(re.sub(r"</?(?:details|summary)>", "\n\n", text)).shown)


def in_summary(report):
    """The summary of a job."""
    return of_markdown(render_summary(report, Links()))


def in_comment(report):
    """The comment of a pull request."""
    return of_markdown(render_comment(report, Links()))


def on_page(report):
    """What a browser shows of the page, with every fold open and without the links to its parts."""
    body = render_html(report).partition("<body>")[2].partition("</main>")[0]
    body = re.sub(r"(?s)<nav.*?</nav>", "", body)
    return plain(unescape(re.sub(r"<[^>]+>", "", body)))


TEXTS = {"terminal": in_terminal, "summary": in_summary, "comment": in_comment}
EVERY = {**TEXTS, "page": on_page}


@pytest.mark.parametrize("told", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("name", REPORTS)
def test_sections_stand_in_one_order(name, told):
    """Each title that fits the verdict is there, behind the one before it; the other is not."""
    report = REPORTS[name]
    text = told(report)
    absent = {words.WORTH, words.CLOSED_BY} - {words.worst(report)}
    at = -1
    every = words.ALL if told is on_page else words.REST  # the page's table holds them all
    for title in (every if one == words.REST else one for one in words.ORDER):
        if title in absent:
            assert title not in text
            continue
        at = text.find(title, at + 1)
        assert at >= 0, title


@pytest.mark.parametrize("told", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("name", REPORTS)
def test_findings_read_alike(name, told):
    """Headline, verdict, values, loss, interval and warnings of what is in sight."""
    report = REPORTS[name]
    text = told(report)
    for made in words.notable(report):
        said = [made.headline, made.verdict.value, *made.warnings]
        if made.base_value and made.head_value:
            said += [percent(made.loss), words.interval(made), words.tolerance(made)]
        if made.verdict in (Verdict.REGRESSED, Verdict.WAIVED, Verdict.IMPROVED):
            said.append(words.sides(made))
        assert [one for one in said if plain(one) not in text] == []


@pytest.mark.parametrize("told", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("name", REPORTS)
def test_what_stands_beside_them_reads_alike(name, told):
    """Edits, steps, differences, facts alike, edited texts, trials set aside, curves that bent."""
    report = REPORTS[name]
    text = told(report)
    said = [edit.headline for edit in report.edits]
    said += [step.text for step in next_steps(report)]
    said += [around.alike(report), around.aside_summary(report)]
    said += _in_cells(report) if told is on_page else _in_sentences(report)
    said += [around.shape(one) for one in report.sweeps]
    said += [*report.conditions, *report.notes, words.promise(report), words.count_judged(report)]
    assert [one for one in said if plain(one) not in text] == []


def _in_sentences(report):
    """Differences, trials set aside and edited texts, as a reader without tables has them."""
    yield from (around.difference(one, report.profiles) for one in report.differences)
    yield from (around.set_aside(one) for one in report.aside)
    yield from (around.change(one) for one in report.changes)


def _in_cells(report):
    """The same as the cells of tables."""
    for one in report.differences:
        yield from (one.area, one.key, one.base or "none", one.head or "none", one.against)
    for one in report.aside:
        yield from (one.benchmark, one.kind, one.why)
    for one in report.changes:
        yield from (one.name, around.change(one).removeprefix(f"{one.name}: "), *one.lines)


@pytest.mark.parametrize("told", TEXTS.values(), ids=TEXTS)
def test_texts_tell_every_line_beside_a_finding(told):
    """Where there are no plots, curve, costs, latencies, decision and history are sentences."""
    report = REPORTS["closed"]
    text = told(report).lower()
    lines = [line for known in beside(report, words.notable(report)) for line in known]
    assert {line.label for line in lines} == {"", "curve", "who paid", "decided", "history"}
    for line in lines:
        assert plain(f"{line.label}: {line.text}" if line.label else line.text).lower() in text


@pytest.mark.parametrize("told", TEXTS.values(), ids=TEXTS)
def test_sections_without_content_are_not_there(told):
    """A check that failed tells why, what to do and where, and nothing was compared in it."""
    text = told(failed())
    assert words.NEXT in text
    assert words.HOST in text
    for title in (words.EDITED, words.CLOSED_BY, words.WORTH, words.DIFFERED, words.REST):
        assert title not in text
    assert words.REST not in told(sample_report(findings=(finding(verdict=Verdict.REGRESSED),)))
