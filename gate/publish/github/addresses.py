"""Addresses of the API: what may stand in them, and where they may lead."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urljoin, urlsplit
from urllib.parse import quote as _percent

from gate.errors import InputError
from gate.text import clean

_NEXT = re.compile(r'<([^<>]{1,2000})>\s*;[^,]*\brel="?next"?')
_HOST = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?")
"""A host with its port, which every reader of addresses understands alike: no login, no trick."""
_REPOSITORY = re.compile(r"(?!\.{1,2}/)[A-Za-z0-9._-]{1,100}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")


def quote(text: str) -> str:
    """One part of a path, from outside: nothing in it can change where the path leads."""
    if text in {"", ".", ".."}:
        raise InputError("G200", f"{text!r} is no name that can stand in an address.")
    return _percent(text, safe="")


def repository_path(repository: str) -> str:
    """`/repos/OWNER/NAME`, the beginning of most paths."""
    if not _REPOSITORY.fullmatch(repository):
        cure = "Write it as OWNER/NAME, as in GITHUB_REPOSITORY."
        raise InputError("G200", f"{clean(repository, 80)!r} is no repository.", cure=cure)
    return f"/repos/{repository}"


def check_base(base: str, token: str) -> None:
    """Refuse an address or a token that cannot be one."""
    if not _is_plain(base):
        raise InputError("G200", f"{clean(base, 80)!r} is no address of an API.")
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise InputError("G200", "the token holds characters that no token holds.")


def origin(url: str) -> tuple[str, str]:
    """Scheme, and host with port: what the token may be sent to."""
    parts = _split(url)
    return parts.scheme, parts.netloc.lower()


def follow_location(url: str, location: str) -> str:
    """Where a redirect leads; empty where it leads nowhere."""
    try:
        return urljoin(url, location)
    except ValueError:
        return ""


def next_page(link: str) -> str | None:
    """The address that a Link header gives for the next page."""
    found = _NEXT.search(link)
    return found[1] if found else None


def may_download(url: str, base: str) -> bool:
    """Whether a download may come from there: by https, or from beside an API without it."""
    parts, own = _split(url), _split(base)
    beside = parts.scheme == own.scheme == "http" and parts.hostname == own.hostname
    return _is_plain(url) and (parts.scheme == "https" or beside)


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:  # no address at all, so it leads nowhere
        return urlsplit("")


def _is_plain(url: str) -> bool:
    parts = _split(url)
    return parts.scheme in {"http", "https"} and bool(_HOST.fullmatch(parts.netloc))
