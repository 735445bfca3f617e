"""What moved is told in every rendering, as a hint, and whatever it is called."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from judge.diagnosis.sample import sample_why

from gate.errors import InputError
from gate.formats.session.session_file import read_report
from gate.judge.context.diagnosis import with_why
from gate.model.diagnosis import Call, Mover
from gate.report.html.html import render_html
from gate.report.json_text import render_json
from gate.report.markdown.markdown import render_comment, render_summary
from gate.report.text.text import render_text
from gate.report.wording.links import Links
from tests.report.hostile import HOSTILE
from tests.report.rendered import found_in, read
from tests.report.sample import sample_report
from tests.report.test_axe import violations


def report_with(why=None):
    """The sample report, whose first benchmark has a proven loss."""
    report = sample_report()
    worst = report.findings[0]
    found = sample_why() if why is None else why
    return with_why(report, [replace(found, profile=worst.profile, benchmark=worst.benchmark)])


def page_with(why):
    """The page of a report with that."""
    return render_html(report_with(why))


def hostile(text):
    """Everything that a workload can name, named as a stranger would."""
    why = sample_why()
    mover = Mover(counter=text, unit="1", base=1.0, head=9.0, score=50.0)
    frames = tuple(replace(one, name=text) for one in why.flame.frames)
    calls = (Call(name=text, base=0.0, head=1.0),)
    flame = replace(why.flame, frames=frames, calls=calls, event=text)
    return replace(why, movers=(mover, *why.movers), flame=flame, per=text, notes=(text,))


def test_text_and_markdown_tell_the_first_three():
    """In a line: counter, both sides, of what, and that it is a hint."""
    report = report_with()
    told = "stat: context switches 2.000 -> 6.000, softirq: TIMER 0.5000 -> 0.7500 for each I/O"
    text = " ".join(render_text(report, width=100).split())
    assert f"moved with it: {told}; a hint from 3 + 3 extra runs, not part of the verdict" in text
    for rendered in (render_comment(report, Links()), render_summary(report, Links())):
        assert rendered.count("Moved with it: ") == 1
        assert "context switches 2.000" in rendered


def test_the_page_has_table_graph_and_functions():
    """Folded, with the counters that only follow the time apart."""
    page = page_with(sample_why())
    part = page[page.index("What moved with it") :]
    assert "stat: context switches<td>2.000<td>6.000<td>+200.0" in part
    assert "not clearly faster in a second" in part
    assert "<title>crc: 20.00 → 120.0 µs +500.0" in part
    assert "<th scope=row>crc<td>20.00<td>120.0" in part
    assert not re.search(r"<details class=around open[^>]*>\s*<summary><h4>What moved", page)


def test_what_could_not_be_done_is_told():
    """Where nothing was counted, why not."""
    note = "perf is not installed. Install it"
    why = replace(sample_why(), movers=(), compared=0, flame=None, notes=(note,))
    assert note in page_with(why)
    assert f"moved with it: {note}" in " ".join(render_text(report_with(why)).split())
    calm = replace(why, compared=40, notes=())
    assert "none of 40 counters" in " ".join(render_text(report_with(calm)).split())


def test_nothing_of_it_where_there_is_none():
    """Not a byte of the page, and one line of report.json."""
    report = sample_report()
    page = render_html(report)
    assert "moved with it" not in page.lower()
    assert "moved with it" not in render_text(report)
    assert '"why": []' in render_json(report)


def test_the_report_is_read_back(tmp_path):
    """What is written is what is read."""
    path = tmp_path / "report.json"
    report = report_with()
    path.write_text(render_json(report), encoding="utf-8")
    assert read_report(path) == report


@pytest.mark.parametrize(
    "spoiled",
    [
        {"movers": [{"counter": "x", "unit": "1", "base": -1.0, "head": 1.0, "score": 3.0}]},
        {
            "movers": [
                {"counter": "x" * 20_000, "unit": "1", "base": 1.0, "head": 1.0, "score": 3.0}
            ]
        },
        {"compared": 0},
        {"runs_base": -1},
        {"notes": ["x"] * 21},
        {"unknown": 1},
    ],
)
def test_a_row_that_is_wrong_is_refused(tmp_path, spoiled):
    """It crosses from another machine."""
    path = tmp_path / "report.json"
    data = json.loads(render_json(report_with()))
    data["why"][0] |= spoiled
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError):
        read_report(path)


@pytest.mark.parametrize("text", HOSTILE)
def test_names_of_a_stranger_are_text_everywhere(text):
    """No element, no link, no mention, no command, no colour of its own."""
    report, calm = report_with(hostile(text)), report_with()
    page = render_html(report)
    for tag in ("script", "img", "a ", "style", "iframe"):
        assert len(re.findall(f"<{tag}\\b", page)) == len(
            re.findall(f"<{tag}\\b", render_html(calm))
        )
    assert not re.search("[\x00-\x08\x1b\u200b-\u200f\u202a-\u202e]", page)
    shown = render_text(report)
    assert not re.search("[\x00-\x09\x0b-\x1f\u200b-\u200f\u202a-\u202e]", shown)
    assert not re.search(r"^\s*::", shown, re.MULTILINE)
    for rendered in (render_comment(report, Links()), render_summary(report, Links())):
        seen, usual = read(rendered), read(render_comment(calm, Links()))
        assert seen.links == usual.links
        assert "image" not in seen.kinds
        assert found_in(seen.texts) == []


def test_of_what_did_not_regress_nothing_is_told():
    """A row of a report without a regression, or of an unknown benchmark, is left out."""
    report = sample_report()
    place = report.findings[0].profile, report.findings[0].benchmark
    assert with_why(report, [sample_why(*place)]).why
    assert (
        with_why(report, [sample_why(place[0], "nobody"), sample_why("none", place[1])]).why == ()
    )
    open_ = replace(report, findings=report.findings[-1:])
    calm = open_.findings[0]
    assert calm.verdict.value == "passed"
    assert with_why(open_, [sample_why(calm.profile, calm.benchmark)]).why == ()


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 1280])
def test_axe_finds_no_violation(browser, tmp_path, width):
    """Unfolded, on a phone and on a desk."""
    path = tmp_path / "report.html"
    path.write_text(page_with(sample_why()), encoding="utf-8")
    with browser.new_page(viewport={"width": width, "height": 900}) as page:
        page.goto(path.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert violations(page, contrast=False) == []
        assert width > 1000 or violations(page, contrast=True) == []
