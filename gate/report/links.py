"""Where a reader of the Markdown can go on: the report's page and the run that made it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ADDRESS = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.:-]*(?:/[A-Za-z0-9/._~%+,=@:?&#-]*)?")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses for a comment or a summary; each may be empty."""

    report: str = ""
    """Of the page."""
    run: str = ""
    """Of the run."""
    commit: str = ""
    """Full hash of the head commit."""
    answerable: bool = False
    """Whether an answer, `/driftgate accept REASON`, accepts what was measured."""


def anchor(text: str, address: str) -> str:
    """A Markdown link; empty where the address is none or could leave its parentheses.

    `text` is our own.
    """
    if len(address) > _LONGEST or not _ADDRESS.fullmatch(address):
        return ""
    return f"[{text}]({address})"


def commit_of(links: Links) -> str:
    """The commit as an inline code span; empty where it is no hash."""
    return f"`{links.commit}`" if _COMMIT.fullmatch(links.commit) else ""
