"""Addresses that a report may link to: its page, the run that made it, the repository's files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from gate.model import Report

_ADDRESS = re.compile(r"https?://[A-Za-z0-9][A-Za-z0-9.:-]*(?:/[A-Za-z0-9/._~%+,=@:?&#-]*)?")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses for a comment or a summary; each may be empty."""

    report: str = ""
    run: str = ""
    commit: str = ""
    """Full hash of the head commit."""
    answerable: bool = False
    """Whether an answer, `/driftgate accept REASON`, accepts what was measured."""


def anchor(text: str, address: str) -> str:
    """A Markdown link; empty where the address is none or could leave its parentheses."""
    good = len(address) <= _LONGEST and _ADDRESS.fullmatch(address)
    return f"[{text}]({address})" if good else ""  # the text is our own


def commit_of(links: Links) -> str:
    """The commit as an inline code span; empty where it is no hash."""
    return f"`{links.commit}`" if _COMMIT.fullmatch(links.commit) else ""


_PLAIN = re.compile(r"https://[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]+)+")


def profile_address(report: Report, profile: str) -> str:
    """Where a profile's file stands at the commit judged; empty where no plain https address is.

    Nobody but the origin says which host that is; no name can lead to anything but a file below it.
    """
    origin = report.origin
    if origin is None or not _leads_down(origin.files.removeprefix("https://")):
        return ""
    inside = f"{origin.profiles}/{profile}.toml".removeprefix("./").removeprefix("/")
    if not _PLAIN.fullmatch(origin.files) or not _leads_down(inside) or not inside.isprintable():
        return ""
    address = f"{origin.files}/{quote(inside, safe='/')}"
    return address if len(address) <= _LONGEST else ""


def _leads_down(path: str) -> bool:
    return not {"", ".", ".."} & {*path.split("/")}
