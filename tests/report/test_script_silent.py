"""Whatever a page holds, or lacks: the script stays silent, and names stay text."""

from __future__ import annotations

import re

import pytest

from gate.model import Verdict
from gate.report.html.html import render_html
from gate.text import clean
from tests.report.browser import Seen
from tests.report.build import finding
from tests.report.hostile import HOSTILE
from tests.report.mixed import mixed
from tests.report.sample import open_report, sample_report

TOGETHER = 8
"""Hostile names on one page: opening it takes most of the time."""
SHOWN = "table.findings tbody:not([hidden]) tr"


@pytest.fixture
def show(browser, tmp_path):
    """Write a page to a file, open it, and return it with what was seen."""
    contexts = []

    def opened(html, *, width=1280):
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        page = context.new_page()
        seen = Seen(page)
        page.goto(path.as_uri())
        return page, seen

    yield opened
    for context in contexts:
        context.close()


@pytest.mark.parametrize("first", range(0, len(HOSTILE), TOGETHER))
def test_hostile_names_are_searched_and_sorted_as_text(show, first):
    """No name becomes markup or code in what the script makes of it, and nothing is said."""
    texts = HOSTILE[first : first + TOGETHER]
    made = [
        finding(f"{text}{seed}", text, seed=seed, profile=f"{text}{seed % 2}")
        for seed, text in enumerate([*texts, *texts])
    ]
    page, seen = show(render_html(sample_report(findings=tuple(made))), width=360)
    for text in texts:
        page.get_by_role("searchbox").fill(clean(text)[:40])
        page.get_by_role("button", name="Benchmark").click()
        assert page.locator(SHOWN).count() >= 2
    page.get_by_role("searchbox").fill("")
    assert page.locator(SHOWN).count() == len(made)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.locator("#findings :is(script, img, iframe)").count() == 0
    assert seen.messages == []
    assert len(seen.requests) == 1


@pytest.mark.parametrize(
    "report",
    [
        open_report(),
        sample_report(findings=(), verdict="nothing compared", headline="", host=None),
        sample_report(findings=(finding("a", verdict=Verdict.REGRESSED, loss=0.2),)),
    ],
    ids=["open", "empty", "one"],
)
def test_the_script_is_silent_whatever_is_there(show, report):
    """Pages without tables, without passes or with nothing else raise no message."""
    _, seen = show(render_html(report))
    assert seen.messages == []


@pytest.mark.parametrize("part", ["section", "table", "thead", "details", "h2", "ul", "a"])
def test_the_script_is_silent_when_a_part_is_missing(show, part):
    """A page from which some part was cut, as a mail gateway does, raises no message."""
    html = re.sub(rf"<(/?){part}\b", r"<\1div", render_html(mixed()))
    page, seen = show(html)
    assert page.locator(part).count() == 0
    assert seen.messages == []
