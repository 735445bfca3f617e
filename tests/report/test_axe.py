"""axe-core finds nothing to complain of in any golden report."""

from __future__ import annotations

from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.report.browser import Shelf, look
from tests.report.looks import PALE
from tests.report.scenes import SCENES


@pytest.fixture(scope="module")
def shelf(browser, tmp_path_factory):
    """Every scene's page, opened once."""
    held = Shelf(browser, tmp_path_factory.mktemp("axe"))
    yield held
    held.close()


def of_each_kind(report):
    """The report with the first finding of each kind: three hundred alike tell axe no more."""
    kinds = {}
    for one in report.findings:
        kinds.setdefault((one.profile, one.verdict, one.method, one.role, bool(one.warnings)), one)
    names = {one.benchmark for one in kinds.values()}
    return replace(
        report,
        findings=tuple(kinds.values()),
        bills=tuple(one for one in report.bills if one.benchmark in names),
        latencies=tuple(one for one in report.latencies if one.benchmark in names),
    )


def violations(page, *, contrast):
    """What axe finds: rule, help and the first places. `contrast` asks for that rule alone.

    Measuring contrast takes ten times as long as all other rules together.
    """
    options = {"resultTypes": ["violations"]} | (
        {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
        if contrast
        else {"rules": {"color-contrast": {"enabled": False}}}
    )
    found = Axe().run(page, options=options).response["violations"]
    return [
        (one["id"], one["help"], [node["target"] for node in one["nodes"][:3]]) for one in found
    ]


@pytest.mark.parametrize("unfold", [False, True], ids=["folded", "unfolded"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("name", SCENES)
def test_axe_finds_no_violation(shelf, name, width, unfold):
    """On a phone and on a desk, with all folds open and closed; colours are the next tests'."""
    page, _ = shelf.open(name, of_each_kind(SCENES[name]()))
    look(page, width, unfold=unfold)
    assert violations(page, contrast=False) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["nothing", "swept"])
def test_axe_finds_contrast(shelf, name, scheme):
    """In light and dark, with all folds open, axe measures no pale text."""
    page, _ = shelf.open(name, of_each_kind(SCENES[name]()))
    look(page, 360, scheme, unfold=True)
    assert violations(page, contrast=True) == []


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
@pytest.mark.parametrize("name", SCENES)
def test_every_text_has_contrast(shelf, name, scheme):
    """Every text of every scene has at least 4.5 to 1 against what lies behind it (WCAG AA)."""
    page, _ = shelf.open(name, of_each_kind(SCENES[name]()))
    look(page, 1280, scheme, unfold=True)
    assert "\n".join(page.evaluate(PALE)) == ""


def test_axe_would_find_one(shelf):
    """A button without a name and pale text are found: the answers above are not of a blind eye."""
    page, _ = shelf.open("spoilt", SCENES["nothing"]())
    page.evaluate(
        "() => { const b = document.createElement('button');"
        " document.querySelector('main').append(b);"
        " const p = document.createElement('p'); p.textContent = 'pale';"
        " p.style.setProperty('color', '#ddd'); p.style.setProperty('background-color', '#fff');"
        " document.querySelector('main').append(p); }"
    )
    look(page, 1280)
    assert [rule for rule, _, _ in violations(page, contrast=False)] == ["button-name"]
    assert [rule for rule, _, _ in violations(page, contrast=True)] == ["color-contrast"]
    assert page.evaluate(PALE) == ['1.4: p "pale"']
