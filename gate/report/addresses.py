"""Addresses that a report may link to: of the repository's files at the commit that was judged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from gate.model import Report

_PLAIN = re.compile(r"https://[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~-]+)+")
_LONGEST = 500


def profile_address(report: Report, profile: str) -> str:
    """Where a profile's file stands at the commit judged; empty where no plain https address is.

    Nobody but the origin says which host that is. Names are quoted, so that none of them can lead
    to another place than a file below it.
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
