"""A GitHub that is played over real HTTP, with the limits that the real one documents.

In a test:

    with GitHubServer(tmp_path / "hub") as hub:
        hub.add_repository("owner/name", git=bare)
        hub.add_token("secret", {"pull-requests": "write"})
        hub.fault(status=502, method="POST", path="/comments", after=True)
        Api(hub.url, "secret", "owner/name", ...)

As a program, for workflows run elsewhere: `python tests/publish/github_server.py STATE_DIR` prints
its port and serves until it is killed; `STATE_DIR/state.json` is read again whenever it changed.

Documented limits that it enforces: a comment of 65,536 characters; a check's title of 255
characters, summary of 65,535 bytes and 50 annotations per request; 100 items on a page; 401 without
a token; 403 for a permission that the token lacks; fast-forward of refs; and, when told to, rate
limits with their headers. Artifacts come by a redirect to another origin (the storage), which
refuses any request that carries a token, as the real one does.
"""

from __future__ import annotations

import json
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import parse_qsl, unquote, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from publish import server_actions, server_faults, server_git, server_pulls
from publish.server_build import Build
from publish.server_paging import paged
from publish.server_state import Call, Problem, Reply, State, not_found

if TYPE_CHECKING:
    from collections.abc import Callable

ANYBODY: dict[str, Any] = {"login": "", "permissions": {"metadata": "read"}}
"""Who sends no token: may read of a public repository what anybody may."""
ROUTES = [*server_actions.ROUTES, *server_pulls.ROUTES, *server_git.ROUTES]
"""First match wins: `commits/SHA/check-runs` stands before `commits/SHA`."""
_PATH = re.compile(r"/repos/([^/]+/[^/]+)/?(.*)")
_ENOUGH = {"read": {"read", "write"}, "write": {"write"}}


class GitHubServer(Build):
    """Two origins on this machine: the API at `url`, and the storage of artifacts."""

    def __init__(self, directory: Path, *, port: int = 0) -> None:
        super().__init__(State(directory))
        self.log: list[tuple[str, str, dict[str, str]]] = []
        """Method, path with query, and headers of each request to the API."""
        self.stored: list[tuple[str, dict[str, str]]] = []
        """Path and headers of each request to the storage."""
        self.hooks: list[tuple[str, str, Callable[[], object]]] = []
        """Method, part of the path, and what happens just before that request is answered, once."""
        self._api = _server(port, self._serve)
        self._storage = _server(0, self._serve_stored)
        self.url = f"http://127.0.0.1:{self._api.server_port}"
        self.storage = f"http://127.0.0.1:{self._storage.server_port}/storage"

    def __enter__(self) -> Self:
        for server in (self._api, self._storage):
            # Polled often, so that the end of a test does not wait for it.
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for server in (self._api, self._storage):
            server.shutdown()
            server.server_close()

    @property
    def port(self) -> int:
        return self._api.server_port

    def when(self, method: str, path: str, action: Callable[[], object]) -> None:
        """Let something happen just before the next such request is answered."""
        self.hooks.append((method, path, action))

    def asked(self, method: str, path: str = "") -> list[str]:
        """Paths of the requests of that method to the API."""
        return [one for how, one, _ in self.log if how == method and path in one]

    def _serve(self, handler: _Handler) -> None:
        method, path = handler.command, handler.path
        length = int(handler.headers.get("Content-Length") or 0)
        body = handler.rfile.read(length)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self.state.lock:
            self.state.refresh()
            self.log.append((method, path, headers))
            for hook in [one for one in self.hooks if one[0] == method and one[1] in path][:1]:
                self.hooks.remove(hook)
                hook[2]()
            found = server_faults.take(self.state.data["faults"], method, path)
            reply = None
            if found is None or found.get("after"):
                reply = self._answer(method, path, headers, body)
            self.state.save()
        if found is not None:
            server_faults.strike(handler, found)
        elif reply is not None:
            handler.answer(reply)

    def _answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        try:
            parts = urlsplit(path)
            query = dict(parse_qsl(parts.query))
            reply = self._call(method, parts.path, query, headers, body)
            return paged(reply, f"{self.url}{parts.path}", query)
        except Problem as problem:
            return problem.reply

    def _call(
        self, method: str, path: str, query: dict[str, str], headers: dict[str, str], body: bytes
    ) -> Reply:
        if not headers.get("user-agent"):
            raise Problem(403, "Request forbidden by administrative rules.")
        anonymous = "authorization" not in headers and method == "GET" and "/environments/" in path
        token = ANYBODY if anonymous else self._token(headers)
        found = _PATH.fullmatch(path)
        repository = self.state.data["repositories"].get(unquote(found[1])) if found else None
        if found is None or repository is None:
            raise not_found()
        for how, pattern, permission, action in ROUTES:
            matched = re.fullmatch(pattern, found[2]) if how == method else None
            if matched:
                _check(token, permission, "read" if method == "GET" else "write")
                return action(
                    Call(
                        self.state,
                        self.url,
                        self.storage,
                        unquote(found[1]),
                        repository,
                        tuple(map(unquote, matched.groups())),
                        query,
                        _parsed(body),
                        token["login"],
                    )
                )
        raise not_found()

    def _token(self, headers: dict[str, str]) -> dict[str, Any]:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if not token:
            raise Problem(401, "Requires authentication")
        known: dict[str, Any] | None = self.state.data["tokens"].get(token)
        if kind.lower() not in {"bearer", "token"} or known is None:
            raise Problem(401, "Bad credentials")
        return known

    def _serve_stored(self, handler: _Handler) -> None:
        headers = {name.lower(): value for name, value in handler.headers.items()}
        path = urlsplit(handler.path)
        with self.state.lock:
            self.stored.append((handler.path, headers))
            found = server_faults.take(self.state.data["faults"], handler.command, handler.path)
        file = self.state.artifact(int(path.path.rpartition("/")[2]))
        if found is not None:
            server_faults.strike(handler, found)
        elif "authorization" in headers:
            handler.answer(Reply(400, b"InvalidAuthenticationInfo"))
        elif path.query != "signature=abc" or not file.exists():
            handler.answer(Reply(403, b"AuthenticationFailed"))
        else:
            handler.answer(Reply(200, file.read_bytes()))


class _Handler(BaseHTTPRequestHandler):
    """Hands each request to its server's `serve`, and writes what comes back."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # a connection that stays open waits for no acknowledgement
    serve: Callable[[_Handler], None]

    def do_GET(self) -> None:
        type(self).serve(self)

    do_POST = do_PATCH = do_PUT = do_DELETE = do_GET  # noqa: N815 - http.server names them

    def answer(self, reply: Reply) -> None:
        raw = isinstance(reply.body, bytes)
        data = reply.body if raw else b"" if reply.body is None else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status != 204:
            kind = "application/zip" if raw else "application/json; charset=utf-8"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if reply.status != 204:
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


def _server(port: int, serve: Callable[[_Handler], None]) -> ThreadingHTTPServer:
    handler = type("Handler", (_Handler,), {"serve": staticmethod(serve)})
    server = _Quiet(("127.0.0.1", port), handler)
    server.daemon_threads = True
    return server


class _Quiet(ThreadingHTTPServer):
    """A client that hangs up is part of what is tested, and nothing to print."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError | ValueError):
            super().handle_error(request, client_address)


def _check(token: dict[str, Any], permission: str, needed: str) -> None:
    """Every token may read metadata; all else it must have been given."""
    given = "read" if permission == "metadata" else token["permissions"].get(permission)
    if given not in _ENOUGH[needed]:
        raise Problem(403, "Resource not accessible by integration")


def _parsed(body: bytes) -> Any:
    if not body:
        return {}
    try:
        value = json.loads(body)
    except ValueError:
        raise Problem(400, "Problems parsing JSON") from None
    if not isinstance(value, dict):
        raise Problem(400, "Body should be a JSON object")
    return value


def main() -> None:
    directory = Path(sys.argv[1])
    directory.mkdir(parents=True, exist_ok=True)
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    with GitHubServer(directory, port=port) as server:
        server.state.save()
        print(server.port, flush=True)  # noqa: T201 - whoever started this program waits for it
        threading.Event().wait()


if __name__ == "__main__":
    main()
