"""The report's data inside its own page, so that one file holds the picture and the numbers."""

from __future__ import annotations

import base64
import zlib
from typing import TYPE_CHECKING, NamedTuple

from gate.report.csv_text import findings_csv, trials_csv
from gate.report.json_text import render_json
from gate.units import show

if TYPE_CHECKING:
    from gate.model import Report

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
        download = _embedded(name, kind, content, label)
        if len(download.href) > room:
            download = Download(name, "", label, _size(content))
        room -= len(download.href)
        made.insert(0, download)
    return tuple(made)


def _embedded(name: str, kind: str, content: bytes, label: str) -> Download:
    if len(content) > MOST_PLAIN:
        name, kind, content = f"{name}.gz", "application/gzip", _packed(content)
    href = f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return Download(name, href, label, _size(content))


def _packed(content: bytes) -> bytes:
    """As gzip, without a time: the same report always gives the same page.

    Digits are as good as random, so that a packer that looks for few matches packs them better.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, _GZIP, strategy=zlib.Z_FILTERED)
    return packer.compress(content) + packer.flush()


def _size(content: bytes) -> str:
    return show(float(len(content)), "B")
