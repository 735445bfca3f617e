"""What JavaScript adds to the page: search, filters, sorting, folds that open. It hides no finding."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from gate.model import Role
from gate.report.html.html import render_html
from tests.report.browser import Seen
from tests.report.build import finding
from tests.report.mixed import mixed
from tests.report.sample import sample_report

SHOWN = "table.findings tbody:not([hidden]) tr"
LOSSES = "[...document.querySelectorAll('%s')].map((row) => row.cells[3].textContent.replace('\\u00a0', ' '))"


@pytest.fixture
def show(browser, tmp_path):
    """Write a page to a file, open it, and return it with what was seen."""
    contexts = []

    def opened(html, *, width=1280, javascript=True):
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, java_script_enabled=javascript
        )
        contexts.append(context)
        page = context.new_page()
        seen = Seen(page)
        page.goto(path.as_uri())
        return page, seen

    yield opened
    for context in contexts:
        context.close()


def names(page, table=0):
    """The rows of a table that are shown, each by the name of its benchmark."""
    return (
        page.locator("table.findings")
        .nth(table)
        .locator("tbody:not([hidden]) tr th")
        .evaluate_all("(cells) => cells.map((cell) => cell.textContent.split(' ')[0])")
    )


def told(page):
    """What a screen reader is told of the table."""
    return page.locator(".filter [role=status]").text_content()


def test_without_javascript_every_row_is_there(show):
    """No control is shown that would not work, and no row is missing."""
    report = mixed()
    page, _ = show(render_html(report), javascript=False)
    assert page.locator("table.findings tbody tr").count() == len(report.findings)
    assert page.locator(".filter, .findings button").count() == 0


def test_search_narrows_by_every_word(show):
    """All words must occur in verdict, names or code; the number of hits is told."""
    page, seen = show(render_html(mixed()))
    box = page.get_by_role("searchbox")
    box.fill("SLOW9 regr")
    assert names(page) == ["slow9"]
    assert told(page) == "1 of 10 shown."
    box.fill("g020")
    assert names(page) == ["odd"]
    box.fill("net")
    assert names(page) == ["slow10", "odd"]
    box.fill("no such thing")
    assert page.locator(SHOWN).count() == 0
    assert told(page) == "None of 10 matches."
    box.fill("")
    assert page.locator(SHOWN).count() == 10
    assert told(page) == ""
    assert seen.messages == []


def test_the_passed_fold_opens_for_a_hit_and_closes_again(show):
    """A hit among the passes is not left out of sight; a fold that a reader opened stays open."""
    page, _ = show(render_html(mixed()))
    passed, box = page.locator("#passed"), page.get_by_role("searchbox")
    box.fill("quick3")
    assert passed.get_attribute("open") is not None
    assert page.locator("#passed th a").first.is_visible()
    box.fill("")
    assert passed.get_attribute("open") is None
    box.fill("slow")
    assert passed.get_attribute("open") is None
    box.fill("")
    passed.locator("summary").first.click()
    box.fill("quick3")
    box.fill("")
    assert passed.get_attribute("open") is not None


def test_verdicts_can_be_picked(show):
    """Each verdict has a button with its count; several may be pressed, none means all."""
    page, _ = show(render_html(mixed()))
    group = page.get_by_role("group", name="Only these verdicts")
    assert group.get_by_role("button").all_text_contents() == [
        "regressed 3",
        "inconclusive 1",
        "passed 6",
    ]
    regressed = group.get_by_role("button", name="regressed")
    regressed.click()
    assert regressed.get_attribute("aria-pressed") == "true"
    assert told(page) == "3 of 10 shown."
    group.get_by_role("button", name="inconclusive").click()
    assert told(page) == "4 of 10 shown."
    regressed.click()
    assert names(page) == ["odd"]
    group.get_by_role("button", name="inconclusive").click()
    assert page.locator(SHOWN).count() == 10


def test_a_profile_can_be_picked(show):
    """Where there are several profiles, one of them can be chosen, together with words."""
    page, _ = show(render_html(mixed()))
    choose = page.get_by_role("combobox", name="Profile")
    assert choose.locator("option").all_text_contents() == ["all", "disk (8)", "net (2)"]
    choose.select_option("net")
    assert names(page) == ["slow10", "odd"]
    page.get_by_role("searchbox").fill("slow")
    assert names(page) == ["slow10"]
    choose.select_option("all")
    assert names(page) == ["slow9", "slow10", "slow11"]


def test_one_profile_and_one_verdict_need_no_choice(show):
    """Nothing can be picked where there is nothing to pick from."""
    page, _ = show(render_html(sample_report(findings=(finding("a"), finding("b", seed=2)))))
    assert page.locator(".filter select, .verdicts").count() == 0
    assert page.get_by_role("searchbox").count() == 1


@pytest.mark.parametrize(
    ("column", "first", "then", "said"),
    [
        (
            "Loss",
            ["slow10", "slow9", "slow11", "odd"],
            ["slow11", "slow9", "slow10", "odd"],
            "loss",
        ),
        ("n", ["odd", "slow11", "slow10", "slow9"], ["slow9", "slow10", "slow11", "odd"], "number"),
        (
            "Benchmark",
            ["odd", "slow9", "slow10", "slow11"],
            ["slow11", "slow10", "slow9", "odd"],
            "name",
        ),
        (
            "Verdict",
            ["slow9", "slow10", "slow11", "odd"],
            ["odd", "slow9", "slow10", "slow11"],
            "verdict",
        ),
    ],
)
def test_columns_sort_both_ways(show, column, first, then, said):
    """Numbers largest first, names by their numbers; what is unknown comes last both ways."""
    page, _ = show(render_html(mixed()))
    button = page.locator("table.findings").first.get_by_role(
        "button", name=column, exact=column == "n"
    )
    head = page.locator("table.findings").first.get_by_role(
        "columnheader", name=column, exact=column == "n"
    )
    button.click()
    assert names(page) == first
    begin = head.get_attribute("aria-sort")
    assert told(page).startswith(f"Sorted by {said}")
    one = told(page)
    button.click()
    assert names(page) == then
    assert {begin, head.get_attribute("aria-sort")} == {"ascending", "descending"}
    assert told(page) != one
    assert page.locator("table.findings").first.locator("[aria-sort]").count() == 1
    assert page.locator(SHOWN).count() == 10


def test_both_tables_are_sorted_alike(show):
    """One click sorts what passed and what did not, and both say so."""
    page, _ = show(render_html(mixed()))
    page.get_by_role("button", name="Loss").first.click()
    assert names(page, 1) == [f"quick{number}" for number in (5, 4, 3, 2, 1, 0)]
    marks = page.locator("table.findings thead [aria-sort]")
    assert marks.evaluate_all("(all) => all.map((e) => e.ariaSort)") == ["descending"] * 2


def test_sorting_and_searching_go_together(show):
    """A search keeps the order, an order keeps the search, and both are told in one sentence."""
    page, _ = show(render_html(mixed()))
    page.get_by_role("button", name="Loss").first.click()
    page.get_by_role("searchbox").fill("slow")
    assert names(page) == ["slow10", "slow9", "slow11"]
    assert told(page) == "3 of 10 shown, sorted by loss, largest first."
    page.get_by_role("button", name="Benchmark").first.click()
    assert told(page) == "3 of 10 shown, sorted by name, A to Z."


@pytest.mark.parametrize("width", [360, 1280])
def test_everything_is_reached_by_keyboard(show, width):
    """Search, verdicts and the sortable heads are stops of the tab key and answer to it."""
    page, _ = show(render_html(mixed()), width=width)
    page.get_by_role("searchbox").focus()
    page.keyboard.type("slow")
    stops = []
    for _ in range(8):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.textContent"))
    assert stops[0].startswith("all")
    assert stops[1:4] == ["regressed 3", "inconclusive 1", "passed 6"]
    assert stops[4:8] == ["Verdict", "Benchmark, metric", "Loss", "n"]
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    assert told(page) == "3 of 10 shown, sorted by loss, largest first."


def test_groups_of_rows_are_filled_again(show):
    """More rows than a group holds are sorted and searched across groups, and none is lost."""
    report = sample_report(
        findings=tuple(
            finding(f"b{number}", seed=number % 5, loss=(number * 37 % 400) / 1e4, role=Role.GATE)
            for number in range(400)
        )
    )
    page, seen = show(render_html(report))
    page.locator("#passed").evaluate("(fold) => { fold.open = true; }")
    page.get_by_role("button", name="Loss").first.click()
    expect(page.locator(SHOWN)).to_have_count(400)
    values = page.evaluate(LOSSES % SHOWN)
    shown = [float(re.sub(r"[^\d.-]", "", value)) for value in values]
    assert shown == sorted(shown, reverse=True)
    page.get_by_role("searchbox").fill("b39")
    assert told(page) == "11 of 400 shown, sorted by loss, largest first."
    assert page.locator(SHOWN).count() == 11
    page.get_by_role("searchbox").fill("b3")
    expect(page.locator(SHOWN)).to_have_count(111)
    page.get_by_role("searchbox").fill("")
    expect(page.locator(SHOWN)).to_have_count(400)
    rows = page.locator(f"{SHOWN} th").all_text_contents()
    assert len(set(rows)) == 400
    assert seen.messages == []


def test_a_link_opens_every_fold_around_its_target(show):
    """From the table of passes to the evidence, which lies in a fold within a fold."""
    page, _ = show(render_html(mixed()))
    page.locator("#passed > summary").click()
    page.locator("#passed th a").first.click()
    target = page.locator(page.locator("#passed th a").first.get_attribute("href"))
    expect(target).to_have_attribute("open", "")
    assert target.is_visible()
