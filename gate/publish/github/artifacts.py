"""Artifacts of a workflow run: fetched with distrust, because a stranger's job may have made them.

GitHub asks to "treat artifacts uploaded by other workflows as untrusted data". So: the exact name,
the size before the download and while it comes, one plain file of one expected name, in memory.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.publish.github.responses import RequestRefused, field, optional
from gate.publish.github.zip_file import OVERHEAD, NotPlain, read_only_file
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.github.api import Api

_GONE = 410


def fetch_file(api: Api, run: int, name: str, file_name: str, cap: int) -> bytes:
    """What the one file of an artifact holds, at most `cap` bytes.

    A run that was started again keeps one artifact of a name per attempt, so there may be as many
    as attempts; the one made last counts. Its time decides: the numbers of artifacts do not grow
    with time.
    """
    chosen = _choose_artifact(api, run, name)
    of = f"artifact {name} of run {run}"
    size = field(chosen, "size_in_bytes", int, of=of)
    if size > cap + OVERHEAD:
        raise _refused(of, f"is {size} bytes long; {cap} are the most")
    number = field(chosen, "id", int, of=of)
    try:
        data = api.download(f"{api.top}/actions/artifacts/{number}/zip", cap + OVERHEAD)
    except RequestRefused as error:
        if error.http == _GONE:
            raise _missing(of, "has expired") from error
        raise
    digest = optional(chosen, "digest")
    if digest is not None and digest != f"sha256:{hashlib.sha256(data).hexdigest()}":
        raise _refused(of, "has not the digest that GitHub tells")
    try:
        return read_only_file(data, file_name, cap)
    except NotPlain as error:
        raise _refused(of, str(error)) from error


def artifact_text(content: bytes, name: str, run: int) -> str:
    """The text that an artifact's file holds."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused(f"artifact {clean(name, 80)} of run {run}", "is no UTF-8 text") from error


def _choose_artifact(api: Api, run: int, name: str) -> Any:
    path = f"{api.top}/actions/runs/{run}"
    of = f"artifact {clean(name, 80)} of run {run}"
    listed = list(api.every(f"{path}/artifacts", key="artifacts", name=name))
    found = [one for one in listed if optional(one, "name") == name]
    alive = [one for one in found if optional(one, "expired") is False]
    if not alive:
        raise _missing(of, "has expired" if found else "does not exist")
    if len(alive) == 1:
        return alive[0]
    attempts = field(api.get(path), "run_attempt", int, of=f"run {run}")
    alive.sort(key=lambda one: field(one, "created_at", str, of=of))
    last, before = alive[-1], alive[-2]
    if len(alive) > attempts or last["created_at"] == before["created_at"]:
        raise _refused(of, f"stands {len(alive)} times in {attempts} attempts of the run")
    return last


def _missing(of: str, what: str) -> PublishError:
    cure = "Look at the run: it may have failed before it uploaded. Then measure again."
    return PublishError("G275", f"{of} {what}.", cure=cure)


def _refused(of: str, what: str) -> PublishError:
    cure = "Nothing of it was kept. Look at the run and at the change that it measured."
    return PublishError("G275", f"{of} {what}.", cure=cure)
