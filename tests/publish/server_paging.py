"""Pages of at most 100 items, with the Link header that leads from one to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from publish.server_state import Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEFAULT, _MOST = 30, 100


def paged(reply: Reply, address: str, query: Mapping[str, str]) -> Reply:
    """One page of a list, also of one that stands in an object beside `total_count`."""
    body = reply.body
    key = ""
    if isinstance(body, dict) and "total_count" in body:
        (key,) = (name for name in body if name != "total_count")
    items: Any = body[key] if key else body
    if not isinstance(items, list) or reply.status != 200:
        return reply
    size = max(1, min(_number(query, "per_page", _DEFAULT), _MOST))
    page = max(1, _number(query, "page", 1))
    here = items[(page - 1) * size : page * size]
    last = max(1, -(-len(items) // size))
    links = []
    if page < last:
        for rel, number in (("next", page + 1), ("last", last)):
            there = urlencode({**query, "page": number})
            links.append(f'<{address}?{there}>; rel="{rel}"')
    if page > 1:
        links.insert(0, f'<{address}?{urlencode({**query, "page": page - 1})}>; rel="prev"')
    headers = {**reply.headers, **({"Link": ", ".join(links)} if links else {})}
    return Reply(200, {**body, key: here} if key else here, headers)


def _number(query: Mapping[str, str], key: str, otherwise: int) -> int:
    return int(query[key]) if query.get(key, "").isdecimal() else otherwise
