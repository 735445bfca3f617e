"""Plots in a real browser: texts stay inside, stand clear of each other and keep their size."""

from __future__ import annotations

import re

import pytest

from gate.report.html.html import _assets
from gate.report.plots.losses import interval_plot
from tests.report.build import finding
from tests.report.looks import DRAWN, OVERLAPS, WIDTH
from tests.report.plots.drawn import of_finding, outside, printed
from tests.report.plots.gallery import accepted, page, sixty


@pytest.fixture(scope="module")
def shown(browser, tmp_path_factory):
    """The gallery, opened once."""
    path = tmp_path_factory.mktemp("plots") / "gallery.html"
    path.write_text(page(), encoding="utf-8")
    with browser.new_page() as opened:
        opened.goto(path.as_uri())
        yield opened


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_texts_stay_inside_and_apart(shown, width, scheme):
    """At any width no text leaves its picture, covers another or is below 12 pixels."""
    shown.set_viewport_size({"width": width, "height": 900})
    shown.emulate_media(
        media="print" if scheme == "print" else "screen",
        color_scheme="dark" if scheme == "dark" else "light",
    )
    assert shown.evaluate(DRAWN) == []
    assert shown.evaluate(OVERLAPS) == []
    if scheme != "print":
        assert shown.evaluate(WIDTH) == 0


def test_marks_keep_their_shape_at_any_width(shown):
    """What stretches is the picture, never a stroke: every path says so."""
    loose = shown.evaluate(
        "[...document.querySelectorAll('.plot path')].filter((p) =>"
        " getComputedStyle(p).vectorEffect !== 'non-scaling-stroke' ).length"
    )
    assert loose == 0


def test_every_picture_says_its_result_and_has_its_numbers_beneath(shown):
    """Each picture is named by the sentence in sight beside it; each has its table."""
    told = shown.evaluate(
        "[...document.querySelectorAll('svg[role=img]')].map((s) => {"
        " const own = s.closest('figure').querySelector('figcaption');"
        " return [own.checkVisibility(), own.id === s.getAttribute('aria-labelledby'),"
        "  own.querySelector('b').textContent.trim().length > 5]; })"
    )
    assert told
    assert all(all(one) for one in told)
    bare = shown.evaluate(
        "[...document.querySelectorAll('.plots')].filter((all) =>"
        " !all.querySelector('table.numbers tr td')).length"
    )
    assert bare == 0


def test_the_gallery_is_drawn_inside():
    """60 sessions in 6 epochs and 14 pairs: every place is inside, four pictures are looked at."""
    made = sixty()
    html = of_finding(made, accepted(made))
    assert html.count(" role=img ") == 4
    assert outside(html) == []
    assert outside(html.replace('base-curve d="M40 ', 'base-curve d="M1040 ', 1)) != []


def test_a_path_holds_all_marks_of_its_kind():
    """One path for a kind of mark, however many there are; no style, script or foreign part."""
    made = sixty()
    html = of_finding(made, accepted(made))
    assert len(re.findall(r"<path", html)) < 40
    assert not re.search(r"style=|<script|foreignObject|<use|<image", html)


@pytest.mark.parametrize("width", [320, 360, 768])
def test_figures_of_an_interval_stay_inside_and_apart(shown, tmp_path, width):
    """Ends that touch, far apart, beyond each other's names, and on either side of no loss."""
    cases = ((0.05, 1e-4), (0.0, 1e-4), (-0.2, 1e-3), (0.03, 0.02), (3.0, 0.01), (0.5, 9.0))
    figures = (
        printed("interval", interval_plot(finding(loss=loss, half=half))) for loss, half in cases
    )
    path = tmp_path / "intervals.html"
    held = "".join(f'<div class="plots">{figure}</div>' for figure in figures)
    style = f"<style>{_assets().style}</style>"
    path.write_text(f"<!doctype html><meta charset=utf-8>{style}<main>{held}</main>", "utf-8")
    page = shown.context.browser.new_page()
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(path.as_uri())
    assert page.evaluate(DRAWN) == []
    assert page.evaluate(OVERLAPS) == []
    page.close()
