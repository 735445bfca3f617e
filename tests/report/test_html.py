"""The HTML report in a real browser: silent, offline, inert, complete, never too wide."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from gate.model import Verdict
from gate.report.html.html import render_html
from gate.report.text.text import render_text
from tests.report.browser import Seen
from tests.report.build import finding
from tests.report.sample import open_report, sample_report

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}{% raw %}",
    "abc\u202egpj.exe",
    "'+alert(1)+'",
    "</style></title><svg onload=alert(1)>",
    "javascript:alert(1)",
    "`<b>code</b>`",
    "N" * 5000,
    "計" * 5000,
)


def hostile_report(text):
    """A report in which every string of a session is the given text."""
    many = {text + str(n): text for n in range(2)}
    made = [
        finding(
            text,
            text,
            verdict,
            pairs=3,
            headline=text,
            advice=text,
            warnings=(text,),
            path=(text,),
            code=text,
            profile=text,
            unit=text,
            method=text,
        )
        for verdict in Verdict
    ]
    host = sample_report().host.__class__(
        host_class=text, fingerprint=text, stable=many, epoch=many, live=many
    )
    return sample_report(
        findings=tuple(made),
        headline=text,
        notes=(text,),
        conditions=(text,),
        tools=many,
        subjects=many,
        host=host,
        created=text,
        profiles=(text,),
        verdict=text,
    )


def empty_report():
    """A report in which nothing was compared."""
    return sample_report(findings=(), verdict="nothing compared", headline="", host=None)


@pytest.fixture
def show(browser, tmp_path):
    """Write a report to a file, open it, and return the page with what was seen."""
    contexts = []

    def opened(report, *, width=1280, scheme="light", javascript=True):
        path = tmp_path / "report.html"
        path.write_text(render_html(report), encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=scheme,
            java_script_enabled=javascript,
        )
        contexts.append(context)
        page = context.new_page()
        seen = Seen(page)
        page.goto(path.as_uri())
        return page, seen

    yield opened
    for context in contexts:
        context.close()


def plain(text):
    """Text with every kind of space made one plain space."""
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("report", [sample_report(), open_report(), empty_report()])
def test_page_is_silent_and_offline(show, report):
    """Opening the page asks for nothing but the file itself and writes nothing to the console."""
    page, seen = show(report)
    assert [url for url in seen.requests if url != "data:,"] == [page.url]
    assert seen.messages == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 360, 400, 768, 1280, 1920])
@pytest.mark.parametrize("report", [sample_report(), hostile_report("N" * 5000), empty_report()])
def test_page_is_never_wider_than_the_window(show, report, width, scheme):
    """With every fold open, nothing makes the page scroll sideways, from phone to wide screen."""
    page, _ = show(report, width=width, scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("javascript", [True, False])
def test_page_is_complete(show, javascript):
    """Every finding's words and numbers are in the page, with JavaScript and without."""
    report = sample_report()
    page, _ = show(report, javascript=javascript)
    text = plain(page.locator("body").text_content())
    for made in report.findings:
        parts = (made.benchmark, made.metric, made.verdict.value, made.code, *made.warnings)
        for part in (*parts, *made.path, made.headline, made.advice.replace("`", "")):
            assert part in text
    for note in (*report.notes, *report.conditions):
        assert note.replace("`", "") in text
    host = report.host
    for facts in (host.stable, host.epoch, host.live, report.tools, report.subjects):
        for key, value in facts.items():
            assert key in text
            assert value in text
    assert report.host.fingerprint in text


def test_table_text_and_plot_tell_the_same_numbers(show):
    """Sides, loss and interval of a finding read alike in row, detail and terminal."""
    report = sample_report()
    page, _ = show(report)
    terminal = plain(render_text(report, width=400))
    for index, made in enumerate(report.findings[:2], 1):
        row = plain(
            page.locator("table.findings").first.locator("tbody tr").nth(index - 1).text_content()
        )
        detail = plain(page.locator(f"#f{index}").text_content())
        sides = re.search(
            rf"([\d.]+) -> ([\d.]+) [^,]*, loss ({re.escape(f'{made.loss:+.1%}'[:-1])} %)"
            r" \[([^\]]+)\]",
            terminal,
        )
        base, head, loss, interval = sides.groups()
        for said in (f"{base} → {head}", loss, interval):
            assert said in row
            assert said in detail


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_strings_are_inert(show, text):
    """No string of a session becomes markup, script, style, request or direction of writing."""
    page, seen = show(hostile_report(text))
    assert [url for url in seen.requests if url != "data:,"] == [page.url]
    assert seen.messages == []
    assert page.locator("script").count() == 1
    assert page.locator("style").count() == 1
    assert page.locator("img, iframe, object, embed, [onload], [onerror], [style]").count() == 0
    files = "a[download][href^='data:'], a[href^='https://github.com/acme/driver/blob/']"
    assert page.locator(f"a:not([href^='#']):not({files})").count() == 0
    assert page.locator("b b, code b").count() == 0
    content = page.content()
    assert "\u202e" not in content


def test_template_syntax_in_a_name_stays_text(show):
    """Braces in a name are shown as they are, not computed."""
    page, _ = show(hostile_report("{{7*7}}"))
    assert "{{7*7}}" in page.locator("#worst").text_content()


def test_regression_is_the_first_finding_seen(show):
    """On a phone, the first regressed finding begins within one screen of the verdict."""
    page, _ = show(sample_report(), width=400)
    first = page.locator("#worst li").first
    assert "regressed" in first.text_content()
    assert first.bounding_box()["y"] < 900


def test_headings_are_in_order_and_every_picture_has_words(show):
    """No heading level is skipped; each plot has a title and a description; ids are unique."""
    page, _ = show(sample_report())
    levels = page.evaluate(
        "[...document.querySelectorAll('h1,h2,h3,h4')].map((h) => Number(h.tagName[1]))"
    )
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    unnamed = page.evaluate(
        "[...document.querySelectorAll('svg[role=img]')].filter((s) => !s.ariaLabel &&"
        " !(s.getAttribute('aria-labelledby') || '').split(' ').every("
        "(id) => document.getElementById(id)?.textContent)).length"
    )
    assert unnamed == 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))
    targets = page.evaluate(
        "[...document.querySelectorAll(\"a[href^='#']\")].map((a) => a.getAttribute('href').slice(1))"
    )
    assert set(targets) <= set(ids)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(show, scheme):
    """Every text has at least 4.5 to 1 against what lies behind it (WCAG AA)."""
    page, _ = show(sample_report(), scheme=scheme)
    worst = page.evaluate(
        """() => {
          const parse = (c) => (c.match(/[\\d.]+/g) || []).map(Number);
          const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => {
            v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const behind = (e) => { for (; e; e = e.parentElement) {
            const c = parse(getComputedStyle(e).backgroundColor);
            if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
          let least = 99;
          for (const e of document.querySelectorAll('body *')) {
            const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
            if (!own || ['SCRIPT', 'STYLE'].includes(e.tagName)) continue;
            const style = getComputedStyle(e);
            const svg = e.tagName === 'text';
            const [a, b] = [light(parse(svg ? style.fill : style.color)), light(behind(e))];
            least = Math.min(least, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
          }
          return least;
        }"""
    )
    assert worst >= 4.5


def test_a_link_opens_what_it_leads_to(show):
    """Following a pass from the table unfolds its evidence."""
    page, _ = show(sample_report())
    page.locator("#passed summary").first.click()
    page.locator("#passed a").first.click()
    page.wait_for_function("document.querySelector(location.hash).open")


def test_report_is_the_same_every_time():
    """Rendering reads no clock, environment or chance."""
    assert render_html(sample_report()) == render_html(sample_report())
