"""The report as one HTML file: everything inline, no network, complete without JavaScript."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from gate.report import record, words
from gate.report.advice import next_steps, without_steps
from gate.report.clean import scrub
from gate.report.glossary import GLOSSARY, VERDICTS
from gate.report.rows import Row, row

if TYPE_CHECKING:
    from gate.model import Report

MOST_PLOTTED = 300
"""Above this many findings, only those that did not plainly pass are plotted."""
WORST_SHOWN = 10
"""Findings told in full at the top; the table holds all."""


def render_html(report: Report) -> str:
    """The whole report as one page that opens from a file, offline, in any browser."""
    report = scrub(report)
    plot_all = len(report.findings) <= MOST_PLOTTED
    rows = [
        row(index, finding, plot=plot_all or not words.plainly_passed(finding))
        for index, finding in enumerate(report.findings, 1)
    ]
    attention = [item for item in rows if item.verdict != "passed"]
    closing = [item for item in attention if not item.watch and not item.finding.verdict.opens]
    notable = attention if report.gate == "open" else closing
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            report=report,
            words=words,
            record=record,
            assets=_assets(),
            rows=rows,
            attention=attention,
            passed=[item for item in rows if item.verdict == "passed"],
            notable=len(notable),
            worst=notable[:WORST_SHOWN],
            benchmarks=_by_benchmark(rows),
            plot_all=plot_all,
            steps=next_steps(report),
            without_steps=without_steps(report),
            glossary=GLOSSARY,
            verdicts=VERDICTS,
        )
    )


def _by_benchmark(rows: list[Row]) -> list[tuple[str, str, list[Row]]]:
    """Profile, benchmark and their rows, in the order of the worst of them."""
    groups: dict[tuple[str, str], list[Row]] = {}
    for item in rows:
        groups.setdefault((item.finding.profile, item.benchmark), []).append(item)
    return [(profile, benchmark, items) for (profile, benchmark), items in groups.items()]


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
    environment.filters["coded"] = _coded
    return environment


def _bind(value: object) -> object:
    """A number keeps its per cent sign when a line breaks."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return str(value).replace(" %", "\u00a0%") if plain else value


def _coded(text: str) -> Markup:
    """Text between back-ticks as code; everything is escaped first."""
    parts = str(_bind(text)).split("`")
    if len(parts) % 2 == 0:
        return escape("`".join(parts))
    pieces = [
        Markup("<code>{}</code>").format(part) if odd % 2 else escape(part)
        for odd, part in enumerate(parts)
    ]
    return Markup("").join(pieces)


@cache
def _assets() -> _Assets:
    style, script = _source("style.css"), _source("script.js")
    return _Assets(Markup(style), _hash(style), Markup(script), _hash(script))  # noqa: S704


def _source(name: str) -> str:
    """A file of our own beside the templates, as it stands."""
    environment = _environment()
    if environment.loader is None:
        message = "the environment has no loader"
        raise RuntimeError(message)
    return environment.loader.get_source(environment, name)[0]


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
