"""One HTTP exchange: a request goes out, an answer of bounded size comes back, or a reason why not.

The standard library's `urllib.request` and nothing else: a few calls need no SDK. Certificates are
always verified. No redirect is followed here, so that no header ever travels further than to the
address that was asked for. Other schemes than http and https do not exist here. A proxy is used as
the system names it, but never to reach this machine itself.
"""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from http.client import HTTPException
from socket import gaierror
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from http.client import HTTPResponse

SILENCE = 30.0
"""Seconds without a byte after which the other end counts as gone."""
LONGEST = 300.0
"""Seconds that one whole answer may take, however steadily it drips."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_CHUNK = 65536


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class Unreachable(Exception):
    """There was no whole answer."""

    def __init__(self, reason: str, *, arrived: bool, hopeless: bool = False) -> None:
        """`arrived`: the request may have been carried out. `hopeless`: asking again is no use."""
        super().__init__(reason)
        self.reason = reason
        self.arrived = arrived
        self.hopeless = hopeless


class TooLarge(Exception):
    """The answer is longer than the caller can bear; the rest was not read."""


def _opener(url: str) -> urllib.request.OpenerDirector:
    """Handlers of http and https alone.

    `build_opener` would add file: and ftp:, and handlers that follow redirects with our headers and
    raise an exception for each status but 2xx.
    """
    opener = urllib.request.OpenerDirector()
    context = ssl.create_default_context()
    near = urlsplit(url).hostname in LOOPBACK
    for handler in (
        urllib.request.ProxyHandler({}) if near else urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(context=context),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def exchange(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes | None,
    *,
    cap: int,
    now: Callable[[], float],
) -> Answer:
    """Send one request and read its answer of at most `cap` bytes, whatever its status.

    Raises:
        Unreachable: no connection, or it broke before the answer was whole.
        TooLarge: the answer is longer than `cap`.
    """
    # The scheme is http or https: the opener has handlers for no other.
    request = urllib.request.Request(url, data=body, headers=dict(headers), method=method)  # noqa: S310
    try:
        with _opener(url).open(request, timeout=SILENCE) as response:
            return _read(response, cap, now)
    except urllib.error.URLError as error:
        raise _unreachable(error.reason) from error
    except (OSError, HTTPException) as error:
        # The request had been sent when this broke.
        raise Unreachable(_words(error), arrived=True) from error


def _read(response: HTTPResponse, cap: int, now: Callable[[], float]) -> Answer:
    """The whole body, in pieces, so that neither its size nor its slowness can take us along."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    told = headers.get("content-length", "")
    if told.isdecimal() and int(told[:20]) > cap:
        raise TooLarge
    begun, pieces, size = now(), [], 0
    while piece := response.read1(_CHUNK):
        size += len(piece)
        if size > cap:
            raise TooLarge
        if now() - begun > LONGEST:
            raise Unreachable(f"the answer took longer than {LONGEST:.0f} s", arrived=True)
        pieces.append(piece)
    if told.isdecimal() and size < int(told[:20]):
        # `read1` does not mind when a connection ends early.
        raise Unreachable("the connection broke in the middle of the answer", arrived=True)
    return Answer(response.status, headers, b"".join(pieces))


def _unreachable(reason: str | BaseException) -> Unreachable:
    """Tell what certainly never left this machine from what may have arrived."""
    if isinstance(reason, ssl.SSLCertVerificationError):
        return Unreachable(
            f"its certificate is not to be trusted ({reason.verify_message})",
            arrived=False,
            hopeless=True,
        )
    never = isinstance(reason, ConnectionRefusedError | gaierror)
    return Unreachable(_words(reason), arrived=not never)


def _words(reason: str | BaseException) -> str:
    """The reason in words; what the system has no words for, by its kind."""
    if isinstance(reason, TimeoutError):
        return f"nothing came for {SILENCE:.0f} s"
    text = reason.strerror if isinstance(reason, OSError) else str(reason)
    return text or type(reason).__name__
