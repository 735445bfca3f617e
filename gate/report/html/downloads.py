"""The report's data inside its own page: the whole as JSON, findings and single values as CSV.

The tables are RFC 4180 in UTF-8. Every number is in its base unit (`s`, `op/s`, `B/s`, ...; ratios,
not per cent) and written to its last bit; a number that is not known is an empty cell. Strings come
from sessions: they are cleaned as on the page, and none can be taken for a formula.
"""

from __future__ import annotations

import base64
import csv
import io
import re
import zlib
from enum import Enum
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from gate.report.json_text import render_json
from gate.report.plots.numbers import accepted_values
from gate.text import clean
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.model import Finding, Report

_FORMULA = re.compile(r"""(^|;)(?=[\s"']*[=+@\uff1d\uff0b\uff0d\uff20-])""")
"""Where a spreadsheet could begin a formula: at the start of a cell, and behind a semicolon, which
separates cells where the comma is the decimal point. The last four signs are the wide ones."""


def harmless(text: str) -> str:
    """The text, cleaned, with an apostrophe before whatever would begin a formula."""
    shown = clean(text)
    if shown[:1].isalnum() and ";" not in shown:
        return shown
    return _FORMULA.sub(r"\1'", shown)


_FINDINGS = (
    *("profile", "benchmark", "metric", "verdict"),
    *("role", "code"),  # gate or watch; of `gate explain CODE`
    *("unit", "better"),  # of base_value and head_value; lower or higher
    *("base_value", "head_value"),  # centres of the sides
    *("loss", "loss_low", "loss_high"),  # ratio, positive = worse; ends of its interval
    "confidence",  # level of the interval, 0.99
    *("tolerance", "tolerance_used", "negligible"),  # ratios: asked for, judged by
    "can_detect",  # ratio
    *("trials_base", "trials_head"),  # independent trials that entered
    "sessions_base",  # accepted sessions that entered
    *("method", "headline", "advice", "warnings"),  # screen, pairs, strikes, summary, none
)
_TRIALS = (
    *("profile", "benchmark", "metric"),
    *("unit", "side"),  # of value; base or head
    "stage",  # accepted, screen, strike, pairs, or aside: ran and was set aside
    "session",  # name of the accepted session, or number of the strike
    "number",  # from 1 in the order of the runs; of a pair the same on both sides
    *("value", "counted"),  # yes, or no where it was set aside
)


def findings_csv(report: Report) -> str:
    """One row per finding, in the order of the report, below a row of column names."""
    values = attrgetter(*_FINDINGS)
    return _table(_FINDINGS, (map(_cell, values(finding)) for finding in report.findings))


def _cell(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        value = " | ".join(value)
    return harmless(value) if isinstance(value, str) else value


def trials_csv(report: Report) -> str:
    """One row per single value of every finding, below a row of column names."""
    return _table(_TRIALS, (row for finding in report.findings for row in _values(finding)))


def _values(finding: Finding) -> Iterator[tuple[object, ...]]:
    seen = finding.evidence
    accepted = ((harmless(name), values) for name, values in accepted_values(seen))
    groups: Iterable[tuple[str, str, str, tuple[float, ...]]] = (
        *(("base", "accepted", name, values) for name, values in accepted),
        ("head", "screen", "", seen.head),
        *(("head", "strike", str(n), values) for n, values in enumerate(seen.strikes, 1)),
        ("base", "pairs", "", seen.pairs_base),
        ("head", "pairs", "", seen.pairs_head),
        ("head", "aside", "", seen.aside),
    )
    series = [*map(harmless, (finding.profile, finding.benchmark, finding.metric, finding.unit))]
    for side, stage, session, values in groups:
        counted = "no" if stage == "aside" else "yes"
        for number, value in enumerate(values, 1):
            yield (*series, side, stage, session, number, value, counted)


def _table(names: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(names)
    writer.writerows(rows)
    return out.getvalue()


MOST_PLAIN = 10_000
"""Bytes of a file that is embedded as it is; a larger one is compressed."""
MOST_EMBEDDED = 10_000_000
"""Bytes that all files together may take inside the page."""

_GZIP = 16 + zlib.MAX_WBITS


class Download(NamedTuple):
    """A file inside the page, behind a link that works without network and without script."""

    name: str
    """`report.json`, or `report.json.gz` where it is compressed."""
    href: str
    """A `data:` address; empty where the file would make the page too large."""
    label: str
    size: str
    """Of the file as it lies in the page, or would: `84.21 kB`."""


def downloads(report: Report) -> tuple[Download, ...]:
    """The report as JSON and its tables as CSV; the report must not be scrubbed before.

    `report.json` is the very file that stands beside the page, to the last byte: inside a `data:`
    address no string of it can do anything. The tables are read by spreadsheets, so their strings
    are harmless ones. Where there is not room for all, the single values go first, for the page
    itself cannot show them all then, and `report.json` last.
    """
    files = (
        ("trials.csv", "text/csv", trials_csv, "every single value, one per row"),
        ("findings.csv", "text/csv", findings_csv, "one finding per row"),
        ("report.json", "application/json", render_json, "the whole report, for programs"),
    )
    room = MOST_EMBEDDED
    made: list[Download] = []
    for name, kind, written, label in files:
        plain = written(report).encode()
        download = _as_link(name, kind, plain, label)
        if len(download.href) > room:
            download = Download(name, "", label, show(float(len(plain)), "B"))
        room -= len(download.href)
        made.insert(0, download)
    return tuple(made)


def _as_link(name: str, kind: str, content: bytes, label: str) -> Download:
    if len(content) > MOST_PLAIN:
        name, kind, content = f"{name}.gz", "application/gzip", _gzip(content)
    href = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return Download(name, href, label, show(float(len(content)), "B"))


def _gzip(content: bytes) -> bytes:
    """As gzip, without a time: the same report always gives the same page.

    Digits are as good as random, so that a packer that looks for few matches packs them better.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP, strategy=zlib.Z_FILTERED)
    return packer.compress(content) + packer.flush()
