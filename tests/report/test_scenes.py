"""The first screen of each golden report says the right thing, on a desk and on a phone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gate.formats.document import Document
from gate.formats.session.session_file import as_json, read_report, session_in
from gate.model import Role, Stage
from gate.report.json_text import render_json
from gate.report.wording import words
from tests.report.browser import Shelf, look
from tests.report.looks import SCREEN
from tests.report.scenes import SCENES
from tests.report.scenes.loads import Change
from tests.report.scenes.profiles import database
from tests.report.scenes.world import Part, measured

GOLDEN = Path(__file__).parent / "golden"
WIDTHS = (1280, 360)
LATE = 3
"""Lines at the end of a first screen that other fonts may push out of it or let in."""
WANTED = {
    "all_passed": ("open", "passed", 0, "15 passed"),
    "regression": ("closed", "regressed", 10, "1 regressed, 300 passed"),
    "broken": ("closed", "broken", 4, "15 broken"),
    "nothing": ("closed", "error", 3, "error"),
    "incomparable": ("closed", "incomparable", 5, "15 incomparable"),
    "improved": ("open", "improved", 0, "7 improved, 6 passed"),
    "waived": ("open", "waived", 0, "1 waived, 2 passed"),
    "inconclusive": ("closed", "inconclusive", 5, "2 inconclusive"),
    "first_run": ("closed", "new", 5, "15 new"),
    "swept": ("closed", "regressed", 10, "7 regressed, 6 passed"),
}
"""Gate, verdict, exit status and counts of each scene."""
TOLD = tuple(name for name in SCENES if name not in {"all_passed", "nothing"})
"""Scenes with a finding to be told first."""


@pytest.fixture(scope="module")
def shelf(browser, tmp_path_factory):
    """Every scene's page, opened once."""
    held = Shelf(browser, tmp_path_factory.mktemp("scenes"))
    yield held
    held.close()


@pytest.fixture
def screen(shelf):
    """The report of a scene, its page in a window of a width, and the text of its first screen."""

    def shown(name, width):
        report = SCENES[name]()
        page, _ = shelf.open(name, report)
        look(page, width)
        return report, page, plain(page.evaluate(SCREEN))

    return shown


def plain(text):
    """Text with every kind of space made one plain space."""
    return " ".join(text.split())


def bold(text):
    """Text without the marks of code."""
    return plain(text.replace("`", ""))


@pytest.mark.parametrize("name", SCENES)
def test_the_judge_says_what_the_scene_is_for(name):
    """The real judge comes to the gate, verdict, exit status and counts that the scene stages."""
    report = SCENES[name]()
    assert (report.gate, report.verdict, report.exit_status, words.counts(report)) == WANTED[name]


def test_scenes_hold_what_real_reports_hold():
    """Pairs, bills in trials, several epochs, conditions and a record are in the scenes."""
    slow = SCENES["regression"]().findings[0]
    assert len(slow.evidence.pairs_base) == 13
    assert [len(values) for values in slow.evidence.baseline] == [3] * 10
    assert "set aside" in " ".join(SCENES["regression"]().conditions)
    assert any(one.paid for one in SCENES["swept"]().findings)
    assert SCENES["swept"]().calibration.unchanged == 45
    assert sum(one.role is Role.GATE for one in SCENES["regression"]().findings) == 301


def test_scenes_are_made_of_sessions_that_the_gate_would_read():
    """Every session passes the checks of a session file, and is the same when it is read back."""
    part = Part(
        known=database(),
        changes={"iometer-database[iodepth=256]": Change(rate=0.5)},
        disturbed="iometer-database[iodepth=1]",
    )
    sessions = measured((part,)).sessions
    assert [one.stage for one in sessions] == [Stage.SCREEN, Stage.CONFIRM, Stage.CONFIRM]
    for one in sessions:
        text = as_json(one)
        assert session_in(Document(json.loads(text), text, "scene", "json")) == one


@pytest.mark.parametrize("name", SCENES)
def test_scenes_are_reports_that_the_gate_would_read(name, tmp_path):
    """report.json of each scene passes the checks of a report file and says the same."""
    path = tmp_path / "report.json"
    path.write_text(render_json(SCENES[name]()), encoding="utf-8")
    assert read_report(path) == SCENES[name]()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SCENES)
def test_first_screen_answers(screen, name, width):
    """Verdict, counts, host and promise stand wholly inside the first window; none promises what
    it did not judge."""
    report, page, text = screen(name, width)
    title = plain(page.locator("header.verdict h1").inner_text())
    assert f"gate {report.gate}" in title.lower()
    assert title in text
    assert plain(page.locator("header.verdict .counts").inner_text()) in text
    assert words.counts(report) in text
    if report.host is not None:
        assert report.host.host_class in text
        held = report.promise
        bounds = (held.alpha, held.beta) if held.metrics_judged else ()
        for bound in bounds:
            assert f"at most {words.plain_percent(bound)}" in text
        assert bounds or "none, as no numbers were compared" in text
    else:
        assert "G280" in text


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", TOLD)
def test_first_finding_is_on_the_first_screen(screen, name, width):
    """What closed the gate, or is worth a look: name, sides, loss and verdict without scrolling."""
    report, page, _ = screen(name, width)
    row = plain(page.evaluate(SCREEN, "#worst li"))
    worst = report.findings[0]
    assert worst.verdict.value in row
    assert worst.benchmark in row
    assert worst.metric in row
    if worst.loss is not None:
        assert plain(words.sides(worst).replace("->", "→")) in row
        assert f"{worst.loss * 100:+.1f} %" in row
        box = page.locator("#worst li svg").first.bounding_box()
        assert box["y"] + box["height"] <= page.viewport_size["height"]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", SCENES)
def test_what_to_do_is_one_link_away(screen, name, width):
    """A link on the first screen leads to what to do, and what stands there is an advice."""
    report, page, _ = screen(name, width)
    link = page.locator("a[href='#next']").first
    box = link.bounding_box()
    assert box["y"] + box["height"] <= page.viewport_size["height"]
    link.press("Enter")
    title = page.locator("#next h2").bounding_box()
    assert 0 <= title["y"] < page.viewport_size["height"] / 2
    shown = plain(page.evaluate(SCREEN, "#next"))
    assert len(shown) > 30
    if report.gate == "closed" and report.findings:
        assert report.verdict in shown


@pytest.mark.parametrize("name", SCENES)
def test_first_screen_is_as_agreed(screen, name):
    """Its text equals the golden file but for the last lines; UPDATE_GOLDEN=1 writes it anew."""
    path = GOLDEN / f"scene-{name}.txt"
    parts = []
    for width in WIDTHS:
        _, page, _ = screen(name, width)
        lines = page.evaluate(SCREEN).splitlines()
        parts.append("\n".join([f"== {width} pixels wide", *(plain(line) for line in lines)]))
    text = "\n\n".join(parts) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    for ours, agreed in zip(
        text.split("\n\n"), path.read_text(encoding="utf-8").split("\n\n"), strict=True
    ):
        shown, wanted = ours.splitlines(), agreed.splitlines()
        assert abs(len(shown) - len(wanted)) <= LATE
        sure = max(min(len(shown), len(wanted)) - LATE, 1)
        assert shown[:sure] == wanted[:sure]
