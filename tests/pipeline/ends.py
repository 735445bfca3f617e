"""What every check must leave behind, and how a test looks at it."""

from __future__ import annotations

import json

from gate.formats.session.session_file import read_handover, read_report
from gate.report.html.html import render_html
from gate.report.text.text import render_text

CHECK = ("check", "p", "--out", "out", "--quiet")


def left(root, out="out"):
    """The report and the handover that a check left, both read as if they were hostile."""
    report = read_report(root / out / "report.json")
    page = (root / out / "report.html").read_text(encoding="utf-8")
    assert page == render_html(report)
    assert f"gate {report.gate}" in render_text(report)
    return report, read_handover(root / out / "session.json")


def raw(root, out="out"):
    return json.loads((root / out / "session.json").read_text(encoding="utf-8"))
