"""How the played GitHub fails when it is told to.

A fault meets the next `times` requests whose method and path match, in the order in which faults
were given. It is one JSON object, so that `state.json` can hold some for another process:

    {"method": "POST", "path": "/comments", "times": 1, "kind": "status", "status": 502,
     "headers": {}, "body": "", "after": true}

`after`: the request is carried out first, and then the answer is lost. Kinds: `status` answers
that status; `reset` breaks the connection without a word; `cut` announces more than it sends;
`drip` sends a byte at a time, for ever.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler

RESET = struct.pack("ii", 1, 0)


def fault(
    kind: str = "status",
    *,
    method: str = "",
    path: str = "",
    times: int = 1,
    after: bool = False,
    status: int = 502,
    headers: dict[str, str] | None = None,
    body: str = "",
) -> dict[str, Any]:
    return {
        "kind": kind,
        "method": method,
        "path": path,
        "times": times,
        "after": after,
        "status": status,
        "headers": headers or {},
        "body": body,
    }


def primary_limit(
    reset: int, *, status: int = 403, times: int = 1, path: str = ""
) -> dict[str, Any]:
    """The limit of requests in an hour: it ends at second `reset` since 1970."""
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)}
    body = json.dumps({"message": "API rate limit exceeded for installation ID 1."})
    return fault(status=status, headers=headers, body=body, times=times, path=path)


def secondary_limit(
    seconds: int | None, *, status: int = 429, times: int = 1, path: str = "", method: str = ""
) -> dict[str, Any]:
    """The limit of requests in a short time, with or without `retry-after`."""
    headers = {} if seconds is None else {"retry-after": str(seconds)}
    body = json.dumps({"message": "You have exceeded a secondary rate limit. Please wait."})
    return fault(status=status, headers=headers, body=body, times=times, path=path, method=method)


def take(faults: list[dict[str, Any]], method: str, path: str) -> dict[str, Any] | None:
    """The fault that meets this request, counted down."""
    for one in faults:
        if one.get("method", "") in {"", method} and one.get("path", "") in path:
            one["times"] = one.get("times", 1) - 1
            if one["times"] <= 0:
                faults.remove(one)
            return one
    return None


def strike(handler: BaseHTTPRequestHandler, found: dict[str, Any]) -> None:
    """Fail in that way."""
    kind = found.get("kind", "status")
    if kind == "reset":
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        handler.connection.close()
        handler.close_connection = True  # with it goes the last that holds the socket open
    elif kind == "drip":
        _head(handler, 200, {"Content-Type": "application/json"})
        while True:
            handler.wfile.write(b" ")
    else:
        body = found.get("body", "").encode()
        length = len(body) + (100 if kind == "cut" else 0)
        headers = {"Content-Length": str(length), **found.get("headers", {})}
        _head(handler, 200 if kind == "cut" else found["status"], headers)
        handler.wfile.write(body)


def _head(handler: BaseHTTPRequestHandler, status: int, headers: dict[str, str]) -> None:
    handler.close_connection = True
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Connection", "close")
    handler.end_headers()
