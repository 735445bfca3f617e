"""The report as one HTML file: everything inline, no network, complete without JavaScript."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gate.docs import docs_directory
from gate.report.html.accepted import Once, accepted_sessions
from gate.report.html.downloads import downloads
from gate.report.html.sections import (
    areas,
    causes,
    parts,
    rows_of,
    sections,
    shapes,
    todo_of,
    worst_of,
)
from gate.report.wording import around, calibration_record, diagnosis, words
from gate.report.wording.advice import next_steps, without_steps
from gate.text import scrub
from gate.units import percent

if TYPE_CHECKING:
    from gate.model import Report
    from gate.report.html.sections import FindingRow

MOST_PLOTTED = 300
"""Findings shown with all their evidence. In a larger report what plainly passed has only its row,
and of the others the worst are drawn."""
WORST_SHOWN = 10
"""Findings shown in full at the top; the table holds all."""
MOST_IN_AREA = 12
"""Differences of one kind above which they are folded."""
_STYLES = ("style.css", "plots.css", "table.css")


def render_html(report: Report) -> str:
    """The whole report as one page that opens from a file, offline, in any browser."""
    shown = scrub(report)
    rows = rows_of(shown, report, most_plotted=MOST_PLOTTED)
    page = _environment().get_template("report.html.j2")
    return page.render(
        report=shown,
        once=Once(),
        percent=percent,
        words=words,
        around=around,
        diagnosis=diagnosis,
        record=calibration_record,
        assets=_assets(),
        most_plotted=MOST_PLOTTED,
        few_areas=[one for one in areas(shown) if len(one[1]) <= MOST_IN_AREA],
        long_areas=[one for one in areas(shown) if len(one[1]) > MOST_IN_AREA],
        accepted=accepted_sessions(shown),
        todo=todo_of(rows),
        downloads=downloads(report),
        steps=next_steps(report),
        without_steps=without_steps(shown),
        glossary=glossary(),
        **_findings(shown, rows),
    )


def _findings(report: Report, rows: list[FindingRow]) -> dict[str, object]:
    attention = [item for item in rows if item.verdict != "passed"]
    closing = [item for item in attention if not item.watch and not item.finding.verdict.opens]
    notable = attention if report.gate == "open" else closing
    worst = worst_of(notable, WORST_SHOWN)
    detailed = [item for item in rows if item.details]
    every = sections(report, detailed)
    return {
        "rows": rows,
        "attention": attention,
        "passed": [item for item in rows if item.verdict == "passed"],
        "worst": worst,
        "shapes": shapes(report, worst),
        "causes": causes(report, worst),
        "more": len(notable) - sum(1 + len(one.others) + len(one.also) for one in worst),
        "notable_sections": [one for one in every if not one.calm],
        "calm_sections": [one for one in every if one.calm],
        "undrawn": len(rows) - len(detailed),
        "parts": parts(report, evidence=any(not one.calm for one in every)),
    }


class _Assets(NamedTuple):
    """Style and script with the hashes by which the page's own policy allows them."""

    style: Markup
    style_hash: str
    script: Markup
    script_hash: str


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("gate.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_bind,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["coded"] = _with_code
    environment.filters["quoted"] = _between_tags
    return environment


def _bind(value: object) -> object:
    """A number keeps its per cent sign when a line breaks."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return str(value).replace(" %", "\u00a0%") if plain else value


def _with_code(text: str) -> Markup:
    parts = str(_bind(text)).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    pieces = [
        Markup("<code>{}</code>").format(part) if odd % 2 else escape(part)
        for odd, part in enumerate(parts)
    ]
    return Markup("").join(pieces)


def _between_tags(text: str) -> Markup:
    """Text between tags, where a quotation mark needs no escape."""
    return Markup(str(escape(_bind(text))).replace("&#39;", "'").replace("&#34;", '"'))


@cache
def _assets() -> _Assets:
    style, script = _close(_tight("".join(map(_source, _STYLES)))), _tight(_source("script.js"))
    return _Assets(Markup(style), _hash(style), Markup(script), _hash(script))


def _source(name: str) -> str:
    return resources.files("gate.report").joinpath("templates", name).read_text("utf-8")


def _tight(text: str) -> str:
    """A style or script without the notes and indents that only its author needs."""
    text = re.sub(r"(?s)/\*.*?\*/", "", text)
    return re.sub(r"\s*\n\s*", "\n", re.sub(r"(?m)^ *// .*$", "", text)).strip()


def _close(style: str) -> str:
    """A style without spaces where a sign parts words already."""
    return re.sub(r"(?<=[{};,:]) | (?=\{)|;?\n(?=\})|(?<=\})\n", "", style)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


_TERM = re.compile(r"^- \*\*(.+?)\*\*: (.+(?:\n  .+)*)$", re.MULTILINE)


@cache
def glossary() -> dict[str, dict[str, str]]:
    """Each heading of the page, as `Terms`, with its words and what they mean."""
    text = (docs_directory() / "glossary.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    return {
        section.partition("\n")[0]: {
            word: " ".join(meaning.split()) for word, meaning in _TERM.findall(section)
        }
        for section in sections
    }
