"""The REST API of GitHub, as far as publishing needs it: patient, bounded, and discreet.

Patient: what GitHub says about waiting is done, and told. Bounded: four tries, ten minutes of
waiting in all, sixteen MiB of answer. Discreet: the token goes to the API's own origin and
nowhere else, and stands in no message.

What may be repeated without asking: GET, PATCH, PUT and DELETE have the same effect twice as once
(RFC 9110, 9.2.2; of PATCH this holds for the calls made here), and so has a POST that makes an
object named by its content (blob, tree, commit): its caller says so by `again=True`. Any other
POST is repeated only where it certainly was not carried out: no connection, or a rate limit. If it
may have been, `Unclear` is raised, and the caller looks before it leaps.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin

from gate.errors import InputError, PublishError
from gate.formats.toml import parse_json
from gate.publish.addresses import check_base, may_download, next_page, origin, quote, repo
from gate.publish.answers import unexpected
from gate.publish.refusals import Refused, Unclear, rate_limit, refusal
from gate.publish.transport import Answer, TooLarge, Unreachable, exchange
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Api", "Refused", "Unclear", "quote", "repo"]

MOST = 16 * 1024 * 1024
"""Bytes of one JSON answer."""
TRIES = 4
PAUSES = (1.0, 4.0, 15.0)
"""Seconds between tries."""
LONGEST_WAIT = 600.0
"""Seconds of waiting in all that one command may spend; a job has better ends than a limit."""
PER_PAGE = 100
"""The most that GitHub gives on one page."""
_MOST_PAGES = 200
_MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MISSING = 404


class Api:
    """One command's view of the API. Every failure is a PublishError.

    G270 refused (`Refused`, with the status in `http`), G271 a rate limit that lasts too long,
    G272 no connection or a server that keeps failing (`Unclear` where a POST may have been carried
    out), G273 an answer that is not what the API documents, G274 a conflict (409), G275 a download
    beyond its cap.
    """

    def __init__(
        self,
        base: str,
        token: str,
        *,
        pause: Callable[[float], None],
        now: Callable[[], float],
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`base` is `https://api.github.com` or a server's own; `say` gets a line per wait.

        Raises:
            InputError: G200, the address or the token cannot be one.
        """
        check_base(base, token)
        self._base = base.rstrip("/")
        self._origin = origin(self._base)
        self._token = token
        self._pause, self._now, self._say = pause, now, say
        self._waited = 0.0

    def get(self, path: str, **query: str | int) -> Any:
        """The value at that path."""
        return self._parsed(self._ask("GET", self._url(path, query)), "GET", path)

    def find(self, path: str, **query: str | int) -> Any | None:
        """The value at that path; None where GitHub knows of none (404)."""
        try:
            return self.get(path, **query)
        except Refused as error:
            if error.http == _MISSING:
                return None
            raise

    def post(self, path: str, body: object, *, again: bool = False) -> Any:
        """Make something; `again`: doing it twice is the same as doing it once.

        Raises:
            Unclear: it may have been made, and nobody told us.
        """
        return self._write("POST", path, body, again=again)

    def patch(self, path: str, body: object) -> Any:
        """Change something."""
        return self._write("PATCH", path, body)

    def put(self, path: str, body: object) -> Any:
        """Set something."""
        return self._write("PUT", path, body)

    def delete(self, path: str) -> Any:
        """Take something away."""
        return self._write("DELETE", path, None)

    def every(self, path: str, *, key: str = "", **query: str | int) -> Iterator[Any]:
        """Each item of a list of any length; `key` names the list where it stands in an object."""
        url: str | None = self._url(path, {"per_page": PER_PAGE, **query})
        for _ in range(_MOST_PAGES):
            if url is None:
                return
            answer = self._ask("GET", url)
            page = self._parsed(answer, "GET", path)
            items = page.get(key) if key and isinstance(page, dict) else page
            if not isinstance(items, list):
                raise unexpected(f"GET {path}", "there is no list where one belongs")
            yield from items
            url = self._after_page(answer, path)
        raise unexpected(f"GET {path}", f"there are more than {_MOST_PAGES} pages")

    def download(self, path: str, cap: int) -> bytes:
        """The bytes at that path, at most `cap`; where it points elsewhere, from there.

        GitHub keeps artifacts with a storage service and answers 302 with an address that opens by
        itself. That one redirect is followed without the token, to https or, where the API
        itself is not behind https, to the API's own host.

        Raises:
            PublishError: G275 where more bytes come than `cap`.
        """
        answer = self._ask("GET", self._url(path, {}), cap=cap, follow=False)
        if answer.status in _REDIRECTS:
            elsewhere = urljoin(self._base, answer.headers.get("location", ""))
            if not may_download(elsewhere, self._base):
                raise unexpected(f"GET {path}", "the download leads to a place that is not https")
            answer = self._ask(
                "GET", elsewhere, cap=cap, token=False, follow=False, shown=f"download of {path}"
            )
        if answer.status >= 300:
            raise unexpected(f"GET {path}", "the download leads from one address to another")
        return answer.body

    # Inside: one request with its retries.

    def _write(self, method: str, path: str, body: object, *, again: bool = True) -> Any:
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        answer = self._ask(method, self._url(path, {}), data, again=again, follow=False)
        return self._parsed(answer, method, path)

    def _url(self, path: str, query: dict[str, Any]) -> str:
        return f"{self._base}{path}{'?' if query else ''}{urlencode(query)}"

    def _ask(
        self,
        method: str,
        url: str,
        body: bytes | None = None,
        *,
        again: bool = True,
        cap: int = MOST,
        token: bool = True,
        follow: bool = True,
        shown: str = "",
    ) -> Answer:
        """The first answer that is success or, where they are not followed, a redirect."""
        path = shown or url.removeprefix(self._base).partition("?")[0]
        for _ in range(_MOST_REDIRECTS + 1):
            answer = self._patiently(method, url, body, again=again, cap=cap, token=token, at=path)
            moved = answer.status in _REDIRECTS
            if answer.status < 300 or (moved and not follow and method == "GET"):
                return answer
            url = urljoin(url, answer.headers.get("location", "")) if moved else ""
            # A renamed repository answers with its new address: fine for reading, at this origin.
            if not moved or method != "GET" or origin(url) != self._origin:
                raise self._hidden(refusal(answer, method, path))
        raise unexpected(f"{method} {path}", "it leads from one address to another without end")

    def _patiently(
        self,
        method: str,
        url: str,
        body: bytes | None,
        *,
        again: bool,
        cap: int,
        token: bool,
        at: str,
    ) -> Answer:
        tries = waits = 0
        while True:
            fault, arrived = "", True
            try:
                answer = exchange(
                    method, url, self._headers(body, token=token), body, cap=cap, now=self._now
                )
            except TooLarge:
                raise self._too_large(method, at, cap) from None
            except Unreachable as error:
                fault, arrived = error.reason, error.arrived
                tries += TRIES if error.hopeless else 0
            else:
                wait = rate_limit(answer, self._now(), waits)
                if wait is not None:
                    self.wait(wait, f"{method} {at}: GitHub asks for fewer requests")
                    waits += 1
                    continue
                if answer.status < 500:
                    return answer
                fault = f"GitHub answered {answer.status}"
            tries += 1
            self._after(fault, tries, method, at, unclear=arrived and not again)

    def _after(self, fault: str, tries: int, method: str, at: str, *, unclear: bool) -> None:
        """Wait before the next try, or give up."""
        message = f"{method} {at}: {self._hide(clean(fault, 200))}"
        if unclear:
            cure = "Look whether it was done, and run the command again."
            raise Unclear("G272", f"{message}, and it may have been done.", cure=cure)
        if tries >= TRIES:
            much = f" ({TRIES} tries)" if tries == TRIES else ""
            cure = "Run the job again when GitHub can be reached."
            raise PublishError("G272", f"{message}{much}.", cure=cure)
        self.wait(PAUSES[tries - 1], message)

    def wait(self, seconds: float, why: str) -> None:
        """Pause, and say why; what is waited for counts against ten minutes in all.

        Raises:
            PublishError: G271, it would be too long.
        """
        if self._waited + seconds > LONGEST_WAIT:
            raise PublishError(
                "G271",
                f"{why}, and the next try is {seconds:.0f} s away; {LONGEST_WAIT / 60:.0f} min of "
                "waiting are the most.",
                cure="Run the job again later, or give it a token of its own.",
            )
        self._waited += seconds
        self._say(f"{why}; next try in {seconds:.0f} s")
        self._pause(seconds)

    def _headers(self, body: bytes | None, *, token: bool) -> dict[str, str]:
        headers = {"User-Agent": "driftgate"}
        if token:
            headers["Accept"] = "application/vnd.github+json"
            headers["X-GitHub-Api-Version"] = "2022-11-28"
        if token and self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    def _parsed(self, answer: Answer, method: str, path: str) -> Any:
        if not answer.body:
            return None
        try:
            return parse_json(answer.body.decode("utf-8"), "answer")
        except (InputError, UnicodeDecodeError) as error:
            raise unexpected(f"{method} {path}", "it is not JSON") from error

    def _after_page(self, answer: Answer, path: str) -> str | None:
        url = next_page(answer.headers.get("link", ""))
        if url and origin(url) != self._origin:
            raise unexpected(f"GET {path}", "its next page lies at another address")
        return url

    def _too_large(self, method: str, at: str, cap: int) -> PublishError:
        if cap == MOST:
            return unexpected(f"{method} {at}", f"it is longer than {MOST} bytes")
        message = f"{method} {at}: more than {cap} bytes came."
        return PublishError("G275", message, cure="Nothing of it was kept.")

    def _hide(self, text: str) -> str:
        return text.replace(self._token, "***") if self._token else text

    def _hidden(self, error: Refused) -> Refused:
        """The same error without the token, should a server have repeated it to us."""
        message, cure, said = map(self._hide, (error.message, error.cure, error.said))
        return Refused(error.code, message, cure=cure, http=error.http, said=said)
