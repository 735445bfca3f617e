"""The REST API of GitHub, as far as publishing needs it: patient, bounded, and discreet.

Patient: what GitHub says about waiting is done, and printed. Bounded: in tries, waiting and bytes.
Discreet: the token goes to the API's own origin and nowhere else, and stands in no message.

GET, PATCH and DELETE have the same effect twice as once (RFC 9110, 9.2.2; of PATCH this holds for
the calls made here), and so has a POST that makes an object named by its content (blob, tree,
commit): `again=True`. Any other POST is repeated only where it certainly was not carried out: no
connection, or a rate limit. Else `OutcomeUnclear` is raised, and the caller looks before it leaps.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from gate.errors import InputError, PublishError
from gate.formats.toml import parse_json
from gate.publish.github import addresses
from gate.publish.github.responses import (
    NotFound,
    OutcomeUnclear,
    RequestRefused,
    rate_limit_wait,
    refusal_error,
    unexpected,
)
from gate.publish.github.transport import MOST_JSON, Request, TooLarge, Transport, Unreachable
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.publish.github.transport import Response

TRIES = 4
PAUSES = (1.0, 4.0, 15.0)
"""Seconds between tries."""
LONGEST_WAIT = 600.0
"""Seconds of waiting in all that one command may spend; a job has better ends than a limit."""
PER_PAGE = 100
"""The most that GitHub gives on one page."""
_SETTLE = 2.0
"""Seconds after an unclear answer before we look: what was made may not be listed at once."""
_MOST_PAGES = 200
_MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_SUCCESS_ENDS, _ERRORS_OF_SERVER = 300, 500


class Api:
    """One command's view of the API and of one repository.

    Every failure is a PublishError (the package has their codes), `RequestRefused` with a status in
    `http`, `OutcomeUnclear` where a POST may have been carried out.
    """

    def __init__(
        self,
        base: str,
        token: str,
        repository: str,
        *,
        pause: Callable[[float], None],
        now: Callable[[], float],
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`base` is `https://api.github.com` or a server's own; `say` gets a line per wait."""
        addresses.check_base(base, token)
        self.repository = repository
        """OWNER/NAME."""
        self.top = addresses.repository_path(repository)
        """How paths of the repository begin."""
        self._base = base.rstrip("/")
        self._origin = addresses.origin(self._base)
        self._token = token
        self._transport = Transport(token, now)
        self._pause, self._now, self._say = pause, now, say
        self._waited = 0.0

    def get(self, path: str, **query: str | int) -> Any:
        """The value at that path."""
        return _parse(self._read(self._url(path, query)), f"GET {path}")

    def find(self, path: str, **query: str | int) -> Any | None:
        """The value at that path; None where GitHub knows of none (404)."""
        with suppress(NotFound):
            return self.get(path, **query)
        return None

    def post(self, path: str, body: object, *, again: bool = False) -> Any:
        """Make something; `again`: doing it twice is the same as doing it once."""
        return self._write("POST", path, body, again=again)

    def patch(self, path: str, body: object) -> Any:
        """Change something."""
        return self._write("PATCH", path, body)

    def delete(self, path: str) -> Any:
        """Take something away."""
        return self._write("DELETE", path, None)

    def every(self, path: str, *, key: str = "", **query: str | int) -> Iterator[Any]:
        """Each item of a list of any length; `key` names the list where it stands in an object."""
        title = f"GET {path}"
        url: str | None = self._url(path, {"per_page": PER_PAGE, **query})
        for _ in range(_MOST_PAGES):
            if url is None:
                return
            response = self._read(url)
            page = _parse(response, title)
            items = page.get(key) if key and isinstance(page, dict) else page
            if not isinstance(items, list):
                raise unexpected(title, "there is no list where one belongs")
            yield from items
            url = addresses.next_page(response.headers.get("link", ""))
            if url and addresses.origin(url) != self._origin:
                raise unexpected(title, "its next page lies at another address")
        raise unexpected(title, f"there are more than {_MOST_PAGES} pages")

    def download(self, path: str, cap: int) -> bytes:
        """The bytes at that path, at most `cap`.

        GitHub keeps artifacts with a storage service and answers 302 with an address that opens by
        itself: followed once, without the token, to https or beside an API that is not behind it.
        """
        request = Request(method="GET", url=f"{self._base}{path}", shown=path, cap=cap)
        response = self._ask(request)
        if response.status in _REDIRECTS:
            elsewhere = addresses.follow_location(self._base, response.headers.get("location", ""))
            if not addresses.may_download(elsewhere, self._base):
                raise unexpected(request.title, "the download leads to a place that is not https")
            shown = f"download of {path}"
            response = self._ask(replace(request, url=elsewhere, shown=shown, with_token=False))
        if response.status >= _SUCCESS_ENDS:
            raise unexpected(request.title, "the download leads from one address to another")
        return response.body

    def wait(self, seconds: float, why: str) -> None:
        """Pause, and say why; what is waited for counts against ten minutes in all."""
        if self._waited + seconds > LONGEST_WAIT:
            most = f"{LONGEST_WAIT / 60:.0f} min of waiting are the most"
            what = f"{why}, and the next try is {seconds:.0f} s away; {most}."
            cure = "Run the job again later, or give it a token of its own."
            raise PublishError("G271", what, cure=cure)
        self._waited += seconds
        self._say(f"{why}; next try in {seconds:.0f} s")
        self._pause(seconds)

    def settle(self, error: OutcomeUnclear) -> None:
        """Wait until what may have been made would be listed."""
        self.wait(_SETTLE, error.message)

    # Inside: one request with its retries.

    def _url(self, path: str, query: dict[str, Any]) -> str:
        return f"{self._base}{path}{'?' if query else ''}{urlencode(query)}"

    def _read(self, url: str) -> Response:
        shown = url.removeprefix(self._base).partition("?")[0]
        return self._ask(Request(method="GET", url=url, shown=shown, follow=True))

    def _write(self, method: str, path: str, body: object, *, again: bool = True) -> Any:
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        url = f"{self._base}{path}"
        request = Request(method=method, url=url, shown=path, body=data, again=again)
        return _parse(self._ask(request), request.title)

    def _ask(self, request: Request) -> Response:
        """The first answer that is success or, of a GET that follows none, a redirect."""
        for _ in range(_MOST_REDIRECTS + 1):
            response = self._ask_patiently(request)
            moved = response.status in _REDIRECTS and request.method == "GET"
            if response.status < _SUCCESS_ENDS or (moved and not request.follow):
                return response
            url = addresses.follow_location(request.url, response.headers.get("location", ""))
            # A renamed repository answers with its new address: fine for reading, at this origin.
            if not moved or addresses.origin(url) != self._origin:
                raise self._hidden(refusal_error(response, request.method, request.shown))
            request = replace(request, url=url)
        raise unexpected(request.title, "it leads from one address to another without end")

    def _ask_patiently(self, request: Request) -> Response:
        """The first answer that is neither a limit nor a failure of the server."""
        tries = waits = 0
        while True:
            fault, arrived = "", True
            try:
                response = self._transport.exchange(request)
            except TooLarge:
                if request.cap == MOST_JSON:
                    what = f"it is longer than {MOST_JSON} bytes"
                    raise unexpected(request.title, what) from None
                message = f"{request.title}: more than {request.cap} bytes came."
                cure = "Nothing of it was kept."
                raise PublishError("G275", message, cure=cure) from None
            except Unreachable as error:
                fault, arrived = error.reason, error.arrived
                tries += TRIES if error.hopeless else 0
            else:
                wait = rate_limit_wait(response, self._now(), waits)
                if wait is not None:
                    self.wait(wait, f"{request.title}: GitHub asks for fewer requests")
                    waits += 1
                    continue
                if response.status < _ERRORS_OF_SERVER:
                    return response
                fault = f"GitHub answered {response.status}"
            tries += 1
            message = f"{request.title}: {self._hide(clean(fault, 200))}"
            self._pause_or_give_up(message, tries, unclear=arrived and not request.again)

    def _pause_or_give_up(self, message: str, tries: int, *, unclear: bool) -> None:
        if unclear:
            cure = "Look whether it was done, and run the command again."
            raise OutcomeUnclear("G272", f"{message}, and it may have been done.", cure=cure)
        if tries >= TRIES:
            much = f" ({TRIES} tries)" if tries == TRIES else ""
            cure = "Run the job again when GitHub can be reached."
            raise PublishError("G272", f"{message}{much}.", cure=cure)
        self.wait(PAUSES[tries - 1], message)

    def _hide(self, text: str) -> str:
        return text.replace(self._token, "***") if self._token else text

    def _hidden(self, error: RequestRefused) -> RequestRefused:
        """The same error without the token, should a server have repeated it to us."""
        message, cure = map(self._hide, (error.message, error.cure))
        return type(error)(error.code, message, cure=cure, http=error.http)


def _parse(response: Response, title: str) -> Any:
    if not response.body:
        return None
    try:
        return parse_json(response.body.decode("utf-8"), "answer")
    except (InputError, UnicodeDecodeError) as error:
        raise unexpected(title, "it is not JSON") from error
