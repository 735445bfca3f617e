"""Addresses of the API: what may stand in them, and where they may lead."""

from __future__ import annotations

import re
from urllib.parse import quote as _percent
from urllib.parse import urlsplit

from gate.errors import InputError
from gate.text import clean

_NEXT = re.compile(r'<([^<>]{1,2000})>\s*;[^,]*\brel="?next"?')
_REPOSITORY = re.compile(r"(?!\.{1,2}/)[A-Za-z0-9._-]{1,100}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")


def quote(text: str) -> str:
    """One part of a path, from outside: nothing in it can change where the path leads.

    Raises:
        InputError: G200, it is empty, `.` or `..`, which no quoting makes harmless.
    """
    if text in {"", ".", ".."}:
        raise InputError("G200", f"{text!r} is no name that can stand in an address.")
    return _percent(text, safe="")


def repo(repository: str) -> str:
    """`/repos/OWNER/NAME`, the beginning of most paths.

    Raises:
        InputError: G200, no `owner/name`.
    """
    if not _REPOSITORY.fullmatch(repository):
        raise InputError(
            "G200",
            f"{clean(repository, 80)!r} is no repository.",
            cure="Write it as OWNER/NAME, as in GITHUB_REPOSITORY.",
        )
    return f"/repos/{repository}"


def check_base(base: str, token: str) -> None:
    """Refuse an address or a token that cannot be one.

    Raises:
        InputError: G200; the token is not repeated, as http.client would do.
    """
    parts = urlsplit(base)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
        raise InputError("G200", f"{clean(base, 80)!r} is no address of an API.")
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise InputError("G200", "the token holds characters that no token holds.")


def origin(url: str) -> tuple[str, str]:
    """Scheme, and host with port: what the token may be sent to."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def next_page(link: str) -> str | None:
    """The address that a Link header gives for the next page."""
    found = _NEXT.search(link)
    return found[1] if found else None


def may_download(url: str, base: str) -> bool:
    """Whether a download may come from there: by https, or from beside an API without it."""
    parts, own = urlsplit(url), urlsplit(base)
    beside = parts.scheme == own.scheme == "http" and parts.hostname == own.hostname
    return bool(parts.hostname) and (parts.scheme == "https" or beside)
