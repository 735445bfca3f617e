"""One HTTP exchange: a request goes out, an answer of bounded size comes back, or a reason why not.

urllib3 keeps connections open, verifies certificates and speaks http and https alone. Its redirects
are off, so that no header travels further than to the address asked for, and so are its retries:
they know neither how long a command may wait nor whether a POST may have been carried out. A proxy
is used as the system names it, but never to reach this machine itself.
"""

from __future__ import annotations

import ssl
from base64 import b64encode
from dataclasses import dataclass
from http.client import IncompleteRead
from socket import gaierror
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from urllib3 import PoolManager, ProxyManager
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError
from urllib3.util import Timeout

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from urllib3 import BaseHTTPResponse

SILENCE = 30.0
"""Seconds without a byte after which the other end counts as gone."""
LONGEST = 300.0
"""Seconds that one whole answer may take, however steadily it drips."""
MOST_JSON = 16 * 1024 * 1024
"""Bytes of one JSON answer."""
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_CHUNK = 65536


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, and how it may be made."""

    method: str
    url: str
    shown: str
    """Its path as a reader sees it."""
    body: bytes | None = None
    again: bool = True
    """Whether doing it twice is the same as doing it once."""
    cap: int = MOST_JSON
    """Bytes of answer at most."""
    with_token: bool = True
    follow: bool = False
    """Whether to read on where the answer points, at the same origin."""

    @property
    def title(self) -> str:
        """The request as errors name it."""
        return f"{self.method} {self.shown}"


class Response(NamedTuple):
    """What came back."""

    status: int
    headers: Mapping[str, str]
    """Found by their names in any case."""
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


class Transport:
    """The connections of one command, kept open between its requests."""

    def __init__(self, token: str, now: Callable[[], float]) -> None:
        self._token, self._now = token, now
        self._context = ssl.create_default_context()
        self._pools: dict[str, PoolManager] = {}

    def exchange(self, request: Request) -> Response:
        """Send one request and read its answer, whatever its status; or Unreachable, TooLarge."""
        try:
            response = self._pool(_proxy_for(request.url)).urlopen(
                request.method,
                request.url,
                body=request.body,
                headers=self._headers(request),
                redirect=False,
                retries=False,
                timeout=Timeout(connect=SILENCE, read=SILENCE),
                preload_content=False,
                decode_content=False,
            )
            try:
                return self._read(response, request.cap)
            finally:
                response.close()  # a connection whose answer was read to its end stays open
        except HTTPError as error:
            raise _unreachable(error) from error

    def _headers(self, request: Request) -> dict[str, str]:
        headers = {"User-Agent": "driftgate"}
        if request.with_token:
            headers["Accept"] = "application/vnd.github+json"
            headers["X-GitHub-Api-Version"] = "2022-11-28"
        if request.with_token and self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if request.body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    def _pool(self, proxy: str) -> PoolManager:
        """The connections by that proxy; straight ones where it is empty."""
        if proxy not in self._pools:
            self._pools[proxy] = _open_pool(proxy, self._context)
        return self._pools[proxy]

    def _read(self, response: BaseHTTPResponse, cap: int) -> Response:
        """The whole body, in pieces, so that neither its size nor its slowness can hold us."""
        length = response.headers.get("content-length", "")
        if length.isdecimal() and int(length[:20]) > cap:
            raise TooLarge
        begun, pieces, size = self._now(), [], 0
        while piece := response.read1(_CHUNK):
            size += len(piece)
            if size > cap:
                raise TooLarge
            if self._now() - begun > LONGEST:
                raise Unreachable(f"the answer took longer than {LONGEST:.0f} s", arrived=True)
            pieces.append(piece)
        return Response(response.status, response.headers, b"".join(pieces))


def _proxy_for(url: str) -> str:
    """The proxy that the environment names for an address; empty for none."""
    parts = urlsplit(url)
    if parts.hostname in LOOPBACK or proxy_bypass(parts.netloc):
        return ""
    return getproxies().get(parts.scheme, "")


def _open_pool(proxy: str, context: ssl.SSLContext) -> PoolManager:
    """A proxy is spoken to in plain HTTP; https goes through a tunnel."""
    if not proxy:
        return PoolManager(ssl_context=context)
    login, _, address = proxy.rpartition("://")[2].partition("/")[0].rpartition("@")
    known = f"Basic {b64encode(unquote(login).encode()).decode()}"
    headers = {"Proxy-Authorization": known} if ":" in login else None
    return ProxyManager(f"http://{address}", proxy_headers=headers, ssl_context=context)


def _unreachable(error: HTTPError) -> Unreachable:
    """Tell what certainly never left this machine from what may have arrived."""
    cause = _first_cause(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = f"its certificate is not to be trusted ({cause.verify_message})"
        return Unreachable(reason, arrived=False, hopeless=True)
    # Of a proxy, the cause alone says so.
    never = isinstance(error, NewConnectionError | ConnectTimeoutError)
    never = never or isinstance(cause, ConnectionRefusedError | gaierror)
    return Unreachable(_in_words(cause), arrived=not never)


def _first_cause(error: BaseException) -> BaseException:
    """What lies under the errors that urllib3 wraps around each other."""
    inner = (one for one in reversed(error.args) if isinstance(one, BaseException))
    cause = error.__cause__ or next(inner, None)
    return error if cause is None else _first_cause(cause)


def _in_words(cause: BaseException) -> str:
    """The cause as the system words it, or its kind: other texts may hold an address that opens."""
    if isinstance(cause, TimeoutError):
        return f"nothing came for {SILENCE:.0f} s"
    if isinstance(cause, IncompleteRead):
        return "the connection broke in the middle of the answer"
    text = cause.strerror if isinstance(cause, OSError) else ""
    return text or type(cause).__name__
