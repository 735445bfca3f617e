"""The layout of every golden report: nothing overflows, is cut, overlaps or hides the focus."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from gate.report.wording import words
from tests.report.browser import HEIGHTS, Shelf, look
from tests.report.hostile import LAID_OUT, in_their_words
from tests.report.looks import CUT, DRAWN, FOCUSED, LAID, LEVELS, OVERLAPS, PLACES, TARGETS, WIDTH
from tests.report.scenes import SCENES

FINDINGS_PLAYED = 4
MOST_STOPS = 70
"""Focus stops that are walked through."""


@pytest.fixture(scope="module")
def shelf(browser, tmp_path_factory):
    """Every page, opened once."""
    held = Shelf(browser, tmp_path_factory.mktemp("layout"))
    yield held
    held.close()


@pytest.fixture(scope="module")
def unscripted(shelf, tmp_path_factory):
    """The same without JavaScript."""
    held = Shelf(shelf.browser, tmp_path_factory.mktemp("unscripted"), javascript=False)
    yield held
    held.close()


def complaints(page):
    """Everything that is wrong with the layout as it stands, a line each."""
    page.evaluate(LAID)
    found = [f"{wide} px too wide" for wide in [page.evaluate(WIDTH)] if wide > 0]
    for check in (CUT, OVERLAPS, DRAWN):
        found += page.evaluate(check)
    return "\n".join(found)


@pytest.mark.parametrize("scheme", ["light", "print"])
@pytest.mark.parametrize("width", HEIGHTS)
@pytest.mark.parametrize("name", SCENES)
def test_layout_holds(shelf, name, width, scheme):
    """From phone to wide screen, folded and with all folds open, as those on paper always are."""
    page, _ = shelf.open(name, SCENES[name]())
    for unfold in (False, True) if scheme == "light" else (True,):
        look(page, width, scheme, unfold=unfold)
        assert complaints(page) == ""


@pytest.mark.parametrize("name", SCENES)
def test_dark_moves_nothing(shelf, name):
    """In the dark everything stands where it stands in the light, so what holds here holds there."""
    page, _ = shelf.open(name, SCENES[name]())
    for width in HEIGHTS:
        look(page, width, "light", unfold=True)
        light = page.evaluate(PLACES)
        look(page, width, "dark")
        assert page.evaluate(PLACES) == light


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("what", LAID_OUT)
def test_hostile_words_hold_the_layout(shelf, what, width):
    """With every string of a report a stranger's, it stays silent, whole and as wide as it was."""
    report = SCENES["swept"]()
    few = replace(report, findings=report.findings[:FINDINGS_PLAYED])
    page, seen = shelf.open(f"hostile-{what}", in_their_words(few, LAID_OUT[what]))
    look(page, width, unfold=True)
    assert complaints(page) == ""
    assert [url for url in seen.requests if url != "data:,"] == [page.url]
    assert seen.messages == []
    assert page.locator("script").count() == 1
    assert page.locator("img, iframe, object, embed, [onload], [onerror], [style]").count() == 0


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", ["nothing", "regression", "swept", "waived"])
def test_focus_is_seen_and_in_order(shelf, name, width):
    """Each stop of the tab key is outlined, inside the window, uncovered, and below the last."""
    page, _ = shelf.open(f"focus-{name}-{width}", SCENES[name]())
    look(page, width)
    stops = []
    for _ in range(MOST_STOPS):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if stop is None:
            break
        stops.append(stop)
    assert len(stops) > 5
    assert [one["told"] for one in stops if not one["outlined"]] == []
    assert [one["told"] for one in stops if not one["inside"]] == []
    assert [one["told"] for one in stops if one["covered"]] == []
    jumps = [
        (before["told"], after["told"])
        for before, after in pairwise(stops[1:])
        if after["top"] < before["top"] - 8 and after["left"] < before["right"] - 8
    ]
    assert jumps == []


@pytest.mark.parametrize("name", SCENES)
def test_fingers_meet_their_targets(shelf, name):
    """On a phone every link, fold and button that stands alone is 24 pixels high and wide."""
    page, _ = shelf.open(name, SCENES[name]())
    for unfold in (False, True):
        look(page, 360, unfold=unfold)
        assert "\n".join(page.evaluate(TARGETS)) == ""


@pytest.mark.parametrize("name", SCENES)
def test_headings_and_ids_are_in_order(shelf, name):
    """One first heading, no level skipped, ids unique, every link leads somewhere."""
    page, _ = shelf.open(name, SCENES[name]())
    levels = page.evaluate(LEVELS)
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    targets = page.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.getAttribute('href').slice(1))"
    )
    assert set(targets) <= set(ids)
    named = page.evaluate(
        "[...document.querySelectorAll('svg use')].map((u) => u.getAttribute('href').slice(1))"
    )
    assert set(named) <= set(ids)


def told(text):
    """Text with every kind of space made one plain space."""
    return " ".join(text.replace("`", "").split())


@pytest.mark.parametrize("name", SCENES)
def test_page_is_complete_without_javascript(unscripted, name):
    """Every finding's numbers and what is told of it, every note and fact are in the bare page."""
    report = SCENES[name]()
    page, seen = unscripted.open(name, report)
    text = told(page.locator("body").text_content())
    for one in report.findings:
        sides = words.sides(one).replace("->", "→")
        for part in (one.benchmark, one.metric, sides if "?" not in sides else "", *one.warnings):
            assert told(part) in text
        for part in () if words.plainly_passed(one) else (one.headline, one.advice, *one.path):
            assert told(part) in text
    for note in (*report.notes, *report.conditions):
        assert told(note) in text
    if report.host:
        for key, value in (report.host.stable | report.host.epoch | report.host.live).items():
            assert key in text
            assert value in text
    assert seen.messages == []


@pytest.mark.parametrize("name", SCENES)
def test_page_asks_for_nothing_and_says_nothing(shelf, name):
    """No request but for the file, no console message: opened, unfolded, in every colour, used."""
    page, seen = shelf.open(name, SCENES[name]())
    for scheme in ("light", "dark", "print"):
        look(page, 768, scheme, unfold=True)
    page.keyboard.press("Tab")
    for box in page.get_by_role("searchbox").all():
        box.fill("iops")
        box.fill("")
    assert [url for url in seen.requests if not url.startswith("data:")] == [page.url.split("#")[0]]
    assert seen.messages == []


@pytest.mark.parametrize("name", SCENES)
def test_paper_holds_everything(shelf, name):
    """A printed report is a PDF in which no fold hides a finding that did not simply pass."""
    page, _ = shelf.open(name, SCENES[name]())
    look(page, 768, "print", unfold=False)
    hidden = page.evaluate(
        "[...document.querySelectorAll('details.finding:not(.v-passed) p, #host dd')]"
        ".filter((e) => !e.checkVisibility()).map((e) => e.textContent.slice(0, 60))"
    )
    assert hidden == []
    assert page.pdf(format="A4").startswith(b"%PDF-")
