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
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from gate.report.json_text import render_json
from gate.text import clean
from gate.units import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

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


_NUMBERS = (
    "base_value",  # centre of the base side
    "head_value",
    "loss",  # ratio, positive = worse whichever way is better
    "loss_low",  # ends of its interval
    "loss_high",
    "confidence",  # level of the interval, 0.99
    "tolerance",  # ratio asked for
    "tolerance_used",  # ratio judged by
    "negligible",  # ratio
    "minimum_detectable_loss",  # ratio
    "trials_base",  # independent trials that entered
    "trials_head",
    "sessions_base",  # accepted sessions that entered
)
_FINDINGS: tuple[tuple[str, Callable[[Finding], object]], ...] = (
    ("profile", lambda finding: harmless(finding.profile)),
    ("benchmark", lambda finding: harmless(finding.benchmark)),
    ("metric", lambda finding: harmless(finding.metric)),
    ("verdict", lambda finding: finding.verdict.value),
    ("role", lambda finding: finding.role.value),  # gate or watch
    ("code", lambda finding: harmless(finding.code)),  # of `gate explain CODE`
    ("unit", lambda finding: harmless(finding.unit)),  # of base_value and head_value
    ("better", lambda finding: finding.better.value),  # lower or higher
    *((name, attrgetter(name)) for name in _NUMBERS),
    ("method", lambda finding: harmless(finding.method)),  # screen, pairs, strikes, summary, none
    ("headline", lambda finding: harmless(finding.headline)),
    ("advice", lambda finding: harmless(finding.advice)),
    ("warnings", lambda finding: harmless(" | ".join(finding.warnings))),
)
_TRIALS = (
    "profile",
    "benchmark",
    "metric",
    "unit",  # of value
    "side",  # base or head
    "stage",  # accepted, screen, strike, pairs, or aside: ran and was set aside
    "session",  # name of the accepted session, or number of the strike
    "number",  # from 1 in the order of the runs; of a pair the same on both sides
    "value",
    "counted",  # yes, or no where it was set aside
)


def findings_csv(report: Report) -> str:
    """One row per finding, in the order of the report, below a row of column names."""
    return _table(
        [name for name, _ in _FINDINGS],
        ([value(finding) for _, value in _FINDINGS] for finding in report.findings),
    )


def trials_csv(report: Report) -> str:
    """One row per single value of every finding, below a row of column names."""
    return _table(_TRIALS, (row for finding in report.findings for row in _values(finding)))


def _values(finding: Finding) -> Iterator[tuple[object, ...]]:
    seen = finding.evidence
    names = (*seen.baseline_sessions, *("",) * len(seen.baseline))
    groups: list[tuple[str, str, str, tuple[float, ...]]] = [
        *(
            ("base", "accepted", harmless(name), values)
            for name, values in zip(names, seen.baseline, strict=False)
        ),
        ("head", "screen", "", seen.head),
        *(("head", "strike", str(n), values) for n, values in enumerate(seen.strikes, 1)),
        ("base", "pairs", "", seen.pairs_base),
        ("head", "pairs", "", seen.pairs_head),
        ("head", "aside", "", seen.aside),
    ]
    named = finding.profile, finding.benchmark, finding.metric, finding.unit
    series = tuple(map(harmless, named))
    for side, stage, session, values in groups:
        counted = "no" if stage == "aside" else "yes"
        for number, value in enumerate(values, 1):
            yield (*series, side, stage, session, number, value, counted)


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
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
    """What it holds."""
    size: str
    """Of the file as it lies in the page, or would: `84.21 kB`."""


def downloads(report: Report) -> tuple[Download, ...]:
    """The report as JSON and its tables as CSV; the report must not be scrubbed before.

    `report.json` is the very file that stands beside the page, to the last byte: what a program
    reads must not depend on where it was found, and inside a `data:` address no string of it can do
    anything. The tables are read by spreadsheets, so their strings are harmless ones.

    Where there is not room for all, the single values go first, for the page itself cannot show
    them all then, and `report.json`, which stands beside the page, last.

    Raises:
        ValueError: a number is not finite; the judge never lets one through.

    """
    files = (
        ("trials.csv", "text/csv", trials_csv, "every single value, one per row"),
        ("findings.csv", "text/csv", findings_csv, "one finding per row"),
        ("report.json", "application/json", render_json, "the whole report, for programs"),
    )
    room = MOST_EMBEDDED
    made: list[Download] = []
    for name, kind, written, label in files:
        content = written(report).encode()
        download = _as_link(name, kind, content, label)
        if len(download.href) > room:
            download = Download(name, "", label, _size(content))
        room -= len(download.href)
        made.insert(0, download)
    return tuple(made)


def _as_link(name: str, kind: str, content: bytes, label: str) -> Download:
    if len(content) > MOST_PLAIN:
        name, kind, content = f"{name}.gz", "application/gzip", _gzip(content)
    href = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return Download(name, href, label, _size(content))


def _gzip(content: bytes) -> bytes:
    """As gzip, without a time: the same report always gives the same page.

    Digits are as good as random, so that a packer that looks for few matches packs them better.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP, strategy=zlib.Z_FILTERED)
    return packer.compress(content) + packer.flush()


def _size(content: bytes) -> str:
    return show(float(len(content)), "B")
