"""The comment and the summary: what stands where, within which budget, and inert throughout."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gate.model import Role, Verdict
from gate.report.markdown.markdown import marker, render_comment, render_summary
from gate.report.text.text import render_text
from gate.report.wording.advice import without_steps
from gate.report.wording.links import Links
from tests.report.build import finding
from tests.report.hostile import HOSTILE, SHA, around, evidence_of
from tests.report.rendered import found_in, read
from tests.report.sample import open_report, sample_report
from tests.report.sample_edits import EDITS, edit, failed

GOLDEN = Path(__file__).parent / "golden"
LINKS = Links(
    report="https://github.com/acme/tool/actions/runs/17/artifacts/9",
    run="https://github.com/acme/tool/actions/runs/17",
    commit=SHA,
)
REPORTS = {
    "closed": replace(sample_report(), edits=EDITS),
    "open": open_report(),
    "failed": failed(edits=EDITS),
}
RENDERERS = {"comment": render_comment, "summary": render_summary}
OURS = re.compile(
    r"<!-- driftgate:gate -->|</?details>|<summary>[A-Z][A-Za-z, ]+(?: \(\d+\))?</summary>"
)


@pytest.mark.parametrize("kind", RENDERERS)
@pytest.mark.parametrize("name", REPORTS)
def test_markdown_is_as_agreed(name, kind):
    """The whole text equals the golden file; UPDATE_GOLDEN=1 writes it anew."""
    path = GOLDEN / f"{kind}-{name}.md"
    text = RENDERERS[kind](REPORTS[name], LINKS)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_the_marker_is_the_first_line_and_the_verdict_the_first_that_is_seen():
    """By the first line the comment is found again; the second tells whether the gate is open."""
    lines = render_comment(sample_report(), LINKS, name="nightly").splitlines()
    assert lines[0] == "<!-- driftgate:nightly -->" == marker("nightly")
    assert lines[1].startswith("### ✗ Gate closed: 7 regressed, 1 broken, 1 missing, ")
    assert render_comment(open_report(), LINKS).splitlines()[1].startswith("### ✓ Gate open: ")
    assert marker("a --> @b\n") == "<!-- driftgate:a-b- -->"


def test_ten_rows_are_in_sight_and_the_others_are_folded():
    """Of twelve regressions ten stand in the table, two in the fold with all that passed."""
    many = [finding(f"slow-{n:02d}", verdict=Verdict.REGRESSED, loss=0.2) for n in range(12)]
    text = render_comment(sample_report(findings=(*many, finding("fine"))), LINKS)
    above, _, below = text.partition("<details>")
    assert above.count("✗ regressed") == 10
    assert "All other findings (3)" in below
    for name in ("slow-10", "slow-11", "fine"):
        assert f"`{name}`" in below
        assert f"`{name}`" not in above


def test_an_open_gate_shows_what_did_not_simply_pass():
    """Waived and improved are in sight, passes are folded."""
    above, _, below = render_comment(open_report(), LINKS).partition("<details>")
    assert above.count("| ~ waived |") == above.count("| ↑ improved |") == 1
    assert "passed |" not in above
    assert below.count("| ✓ passed |") + below.count("| ✓ passed (watched) |") == 25


def test_a_reason_stands_where_numbers_do_not_tell_it():
    """A row of what is broken, missing, new or incomparable says why in its own cell."""
    text = render_comment(sample_report(), LINKS)
    assert "| 3 of 3 trials failed: mount exited with status 32. | none |" in text
    assert "| Accepted in 10 sessions, not measured now. | none |" in text


def test_numbers_are_those_of_the_other_renderings():
    """Sides, loss and interval read as in the terminal."""
    terminal = " ".join(render_text(sample_report(), width=400).split())
    text = render_comment(sample_report(), LINKS).replace("\u00a0", " ").replace("→", "->")
    for said in (
        "713.2 -> 638.1 k op/s",
        "+11.1 %",
        "+9.8 % … +12.4 %",
        "4.8 % (requested: 3.0 %)",
    ):
        assert said in terminal
        assert said in text


def test_edits_are_always_in_sight():
    """What the change would do to the rules stands before the table, loosening or not."""
    for render in RENDERERS.values():
        above = render(REPORTS["closed"], LINKS).partition("| Verdict |")[0]
        assert "**This change edits what the gate judges by; not in force here:**" in above
        assert "- loosens, `iometer`: tolerance of iops 5\u00a0% → 50\u00a0% (`G070`)" in above
        assert "- does not loosen, `iometer`: floor of cpu_per_io none → 200 ns (`G071`)" in above
    many = sample_report(edits=tuple(edit(metric=f"m{n}") for n in range(34)))
    assert "- and 24 more in the report" in render_comment(many, LINKS)


def test_a_failed_check_says_why_and_what_to_do():
    """The error stands once, before everything else; nothing is promised."""
    text = render_comment(failed(), LINKS)
    assert "### ✗ Gate closed: error\n" in text
    assert text.count("fio is not installed.") == 1
    assert "**Why.** G231: `profiles/db.toml:3`: fio is not installed." in text
    assert "`gate explain G231` explains it." in text
    assert "Promise" not in text
    assert "Passed" not in text


def test_a_failed_part_does_not_hide_behind_the_findings_of_another():
    """Joined with a part that passed, the error is still the first thing that is said."""
    report = failed()
    joined = replace(report, findings=(finding(),), promise=sample_report().promise)
    assert "### ✗ Gate closed: error, 1 passed\n" in render_comment(joined, LINKS)
    assert "**Why.** G231" in render_comment(joined, LINKS)
    assert "why       G231" in render_text(joined)


@pytest.mark.parametrize("status", [1, 2, 3, 4, 5, 6, 130, 143])
def test_every_error_has_a_next_step(status):
    """Whatever the exit status, the reader is told what to do."""
    told = without_steps(failed(exit_status=status))
    assert len(told.split()) > 8


def test_links_are_ours_or_none():
    """An address that is no plain one is left out, and the reader is told where to look."""
    assert read(render_comment(sample_report(), LINKS)).links == [LINKS.report, LINKS.run]
    for bad in ("javascript:alert(1)", "http://a b", "https://a)b", "//x", "https://e.com/`@a`"):
        seen = read(render_comment(sample_report(), Links(report=bad, run=bad, commit="@octocat")))
        assert seen.links == []
        assert "among the artifacts of the run" in seen.shown
        assert "octocat" not in seen.shown


def hostile_report(text):
    """A report in which every string is the given one."""
    made = [
        finding(
            text,
            text,
            verdict,
            role=role,
            headline=text,
            advice=text,
            warnings=(text,),
            code=text,
            profile=text,
            unit=text,
            method=text,
            path=(text,),
            evidence=evidence_of(text),
        )
        for verdict in Verdict
        for role in Role
    ]
    host = sample_report().host.__class__(
        host_class=text, fingerprint=text, stable={text: text}, epoch={text: text}
    )
    changes = dict.fromkeys(("code", "profile", "metric", "before", "after"), text)
    return sample_report(
        findings=tuple(made),
        headline=text,
        notes=(text,),
        conditions=(text,),
        tools={text: text},
        subjects={f"{text} base": text, f"{text} head": text},
        host=host,
        created=text,
        profiles=(text,),
        edits=(edit(**changes, headline=text, advice=text),),
        **around(text),
    )


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("failing", [False, True])
def test_a_hostile_report_is_inert(text, failing):
    """No string of a session becomes a link, tag, picture, mention, reference or a row."""
    report = hostile_report(text)
    if failing:
        report = replace(report, verdict="error", findings=report.findings[:3])
    for render in RENDERERS.values():
        seen = read(render(report, LINKS))
        for html in seen.html:
            assert OURS.sub("", html).strip() == ""
        assert seen.links == [LINKS.report, LINKS.run]
        assert set(seen.rows) <= {6}
        assert not seen.kinds & {"image", "fence", "code_block", "em_open", "s_open", "hr"}
        assert not seen.kinds & {"blockquote_open", "ordered_list_open"}
        assert found_in(seen.texts) == []


@pytest.mark.parametrize(
    "name", ["x" * 300, "|" * 300, "`|" * 150, "計測" * 150, "@a#1" * 75, "a " * 150]
)
def test_budgets_hold_for_ten_thousand_findings(name):
    """Whatever the names, no limit of a platform is met, and what is left out is counted."""
    made = finding(name, name, Verdict.REGRESSED, headline=name, advice=name, warnings=(name,))
    many = tuple(replace(made, benchmark=f"{n} {name}", metric=name) for n in range(10_000))
    report = sample_report(
        findings=many,
        notes=(name,) * 500,
        conditions=(name,) * 500,
        edits=tuple(edit(headline=f"{n} {name}") for n in range(500)),
        subjects={f"{n} base": f"{n}{name}" for n in range(500)},
        **{key: value * 500 for key, value in around(name).items() if isinstance(value, tuple)},
    )
    comment, summary = render_comment(report, LINKS), render_summary(report, LINKS)
    assert len(comment.encode()) < 60_000
    assert len(summary.encode()) <= 900_000
    assert len(summary.encode()) > 800_000
    for text, most in ((comment, 10), (summary, 50)):
        seen = text.count("| ✗ regressed |")
        left = re.search(r"^and (\d+) more in the report$", text, re.MULTILINE)
        assert seen + int(left[1]) == 10_000
        assert most // 2 < text.partition("<details>")[0].count("| ✗ regressed |") <= most
        assert text.count("<details>") == text.count("</details>")


def test_markdown_is_the_same_every_time():
    """Rendering reads no clock, environment or chance."""
    for render in RENDERERS.values():
        assert render(sample_report(), LINKS) == render(sample_report(), LINKS)
