"""Files at a commit, and commits made through the API: no checkout, no git, no force.

So there is no hook, no credential helper and no URL with a token in it, and hashes prove what came.
A branch is moved only forwards and only from the commit that the files were made for; whoever was
quicker keeps what he pushed, and nothing of it is lost.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.formats import names
from gate.formats.baseline.baseline_file import is_config_name
from gate.publish.github.addresses import quote
from gate.publish.github.responses import (
    NotFound,
    OutcomeUnclear,
    RequestRefused,
    field,
    sha,
    unexpected,
)
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gate.publish.github.api import Api

BELOW = "baselines"
"""Where baselines stand unless a repository says otherwise."""
_FILE = "100644"
_LONGEST_MESSAGE = 4000
_UNPROCESSABLE = 422
_BRANCH = re.compile(
    # What `git check-ref-format` allows, as far as it is about single characters and sequences.
    r"(?!.*(?:\.\.|@\{|//|/\.|\.lock(?:/|$)))(?![./@-])[^\x00-\x20\x7f~^:?*\[\\]{1,255}(?<![./])"
)


class CommitTree:
    """The folders of one commit, each asked for once."""

    def __init__(self, api: Api, commit: str) -> None:
        self._api, self._commit = api, commit
        self._folders: dict[str, dict[str, Any]] = {}

    def blob(self, path: str) -> str | None:
        """The content hash of a file; None where there is none."""
        folder, _, name = path.rpartition("/")
        return _hash_of(self._entries(folder).get(name), "blob")

    def files(self, below: str) -> dict[str, str]:
        """Content hash by path of every TOML file in the folders of a folder."""
        entries = self._entries(below).items()
        folders = [name for name, row in entries if names.is_plain(name) and _hash_of(row, "tree")]
        return {
            f"{below}/{folder}/{name}": content
            for folder in folders
            for name, row in self._entries(f"{below}/{folder}").items()
            if name.endswith(".toml") and "/" not in name and (content := _hash_of(row, "blob"))
        }

    def _entries(self, folder: str) -> dict[str, Any]:
        if folder not in self._folders:
            parent, _, name = folder.rpartition("/")
            row = self._entries(parent).get(name) if folder else None
            tree = _hash_of(row, "tree") if folder else _tree_of(self._api, self._commit)
            self._folders[folder] = {} if tree is None else _rows_of(self._api, tree)
        return self._folders[folder]


def blobs_at(api: Api, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """The content hash of each of these files at a commit; what is not there is left out."""
    tree = CommitTree(api, commit)
    return {path: content for path in paths if (content := tree.blob(path)) is not None}


def blob_text(api: Api, content: str) -> str:
    """The text of a file by its content hash."""
    of = f"file content {content[:12]}"
    blob = api.get(f"{api.top}/git/blobs/{content}")
    try:
        text = base64.b64decode(field(blob, "content", str, of=of)).decode("utf-8")
    except (binascii.Error, ValueError) as error:
        raise unexpected(of, "it is no text") from error
    if blob_id(text) != content:
        raise unexpected(of, "it has another hash")
    return text


def blob_id(text: str) -> str:
    """The content hash that git gives a file of this text."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def compare_commits(api: Api, base: str, head: str) -> tuple[str, int]:
    """The merge base of two commits, and how many commits of `base` are missing from `head`."""
    answer, of = api.get(f"{api.top}/compare/{base}...{head}"), "a comparison"
    return sha(answer, "merge_base_commit.sha", of=of), field(answer, "behind_by", int, of=of)


def contains(api: Api, tip: str, commit: str) -> bool:
    """Whether a commit is in the history that ends at `tip`; an unknown one is not."""
    if commit == tip:
        return True
    with suppress(NotFound):
        return compare_commits(api, commit, tip)[1] == 0
    return False


def commit_files(
    api: Api,
    branch: str,
    parent: str,
    files: Mapping[str, str],
    message: str,
    *,
    create: bool,
    below: str = BELOW,
) -> str:
    """Commit files (path in the repository -> text) onto `parent`, and let `branch` point there.

    With `create` the branch is made, otherwise it must stand at `parent`, else nothing is changed
    (G274). Returns the new commit, or `parent` where a branch that was there holds these files.
    """
    for path in files:
        _refuse_path(path, below)
    if not files:
        raise PublishError("G270", "a commit without a file was asked for.")
    if not create and (now := branch_tip(api, branch)) != parent:
        raise _branch_moved(branch, now)
    before = _tree_of(api, parent)
    rows = [
        {"path": path, "mode": _FILE, "type": "blob", "sha": _make_blob(api, text)}
        for path, text in sorted(files.items())
    ]
    made = api.post(f"{api.top}/git/trees", {"base_tree": before, "tree": rows}, again=True)
    tree = sha(made, "sha", of="a new tree")
    if tree == before and not create:
        return parent
    # Lines of plain text: nothing in the message can pass for a header or steer a terminal.
    text = "\n".join(clean(line) for line in message.split("\n"))[:_LONGEST_MESSAGE].strip()
    body = {"message": text, "tree": tree, "parents": [parent]}
    commit = sha(api.post(f"{api.top}/git/commits", body, again=True), "sha", of="a new commit")
    point_branch(api, branch, commit, before=None if create else parent)
    return commit


def point_branch(api: Api, branch: str, commit: str, *, before: str | None) -> None:
    """Let a branch point at a commit, forwards only; `before` None makes it."""
    name = _branch_in_path(branch)
    try:
        if before is None:
            api.post(f"{api.top}/git/refs", {"ref": f"refs/heads/{branch}", "sha": commit})
        else:
            api.patch(f"{api.top}/git/refs/heads/{name}", {"sha": commit, "force": False})
    except OutcomeUnclear:
        if branch_tip(api, branch) != commit:
            raise
    except RequestRefused as error:
        if error.http != _UNPROCESSABLE:
            raise
        if (now := branch_tip(api, branch)) != before:
            raise _branch_moved(branch, now) from error
        what = f"{error.message} The branch {clean(branch, 100)} may be protected."
        cure = "Let a pull request carry the baseline: --mode pull-request."
        raise PublishError("G270", what, cure=cure) from error


def branch_tip(api: Api, branch: str) -> str | None:
    """The commit at which a branch stands; None where there is no such branch."""
    ref = api.find(f"{api.top}/git/ref/heads/{_branch_in_path(branch)}")
    return None if ref is None else sha(ref, "object.sha", of=f"branch {clean(branch, 100)}")


def is_branch_name(name: str) -> bool:
    """Whether this may name a branch."""
    return bool(_BRANCH.fullmatch(name))


def _tree_of(api: Api, commit: str) -> str:
    answer = api.get(f"{api.top}/git/commits/{quote(commit)}")
    return sha(answer, "tree.sha", of=f"commit {commit[:12]}")


def _rows_of(api: Api, tree: str) -> dict[str, Any]:
    answer = api.get(f"{api.top}/git/trees/{tree}")
    rows = field(answer, "tree", list, of="a tree")
    if answer.get("truncated"):
        raise unexpected("a tree", "it is cut short")
    return {field(row, "path", str, of="a tree"): row for row in rows}


def _hash_of(row: Any, kind: str) -> str | None:
    if row is None or row.get("type") != kind:
        return None
    return sha(row, "sha", of="a tree")


def _make_blob(api: Api, text: str) -> str:
    made = api.post(f"{api.top}/git/blobs", {"content": text, "encoding": "utf-8"}, again=True)
    if sha(made, "sha", of="a new file") != blob_id(text):
        raise unexpected("a new file", "GitHub keeps another content than was sent")
    return blob_id(text)


def _branch_moved(branch: str, now: str | None) -> PublishError:
    where = f"stands at {now}" if now else "is not there any more"
    what = f"the branch {clean(branch, 100)} moved meanwhile: it {where}."
    cure = "Nothing was written. Run the command again, on what is there now."
    return PublishError("G274", what, cure=cure)


def _refuse_path(path: str, below: str) -> None:
    """Only TOML files of plain names and kernels' configurations, below one directory: no code."""
    parts = path.split("/")
    plain = all(names.is_plain(part.removesuffix(".toml")) for part in parts[:-1])
    name = parts[-1].removesuffix(".toml")
    toml = parts[-1].endswith(".toml") and (names.is_plain(name) or name in names.RESERVED)
    if not (plain and (toml or is_config_name(name)) and path.startswith(f"{below}/")):
        raise PublishError("G270", f"{clean(path, 200)!r} is no file of a baseline below {below}/.")


def _branch_in_path(branch: str) -> str:
    if not is_branch_name(branch):
        raise PublishError("G270", f"{clean(branch, 80)!r} is no name of a branch that is used.")
    return "/".join(quote(part) for part in branch.split("/"))
