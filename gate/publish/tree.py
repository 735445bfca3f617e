"""Files at a commit, by the git data API: no checkout, and hashes that prove what came."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import TYPE_CHECKING, Any

from gate.formats import names
from gate.publish.answers import field, sha, unexpected
from gate.publish.api import quote, repo

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.publish.api import Api


class Tree:
    """The folders of one commit, each asked for once."""

    def __init__(self, api: Api, repository: str, commit: str) -> None:
        self._api, self._repository, self._commit = api, repository, commit
        self._folders: dict[str, dict[str, Any]] = {}

    def blob(self, path: str) -> str | None:
        """The content hash of a file; None where there is none."""
        folder, _, name = path.rpartition("/")
        return _entry(self._entries(folder).get(name), "blob")

    def files(self, below: str) -> dict[str, str]:
        """Content hash by path of every TOML file in the folders of a folder."""
        entries = self._entries(below).items()
        folders = [name for name, row in entries if names.is_plain(name) and _entry(row, "tree")]
        return {
            f"{below}/{folder}/{name}": content
            for folder in folders
            for name, row in self._entries(f"{below}/{folder}").items()
            if name.endswith(".toml") and "/" not in name and (content := _entry(row, "blob"))
        }

    def _entries(self, folder: str) -> dict[str, Any]:
        if folder not in self._folders:
            parent, _, name = folder.rpartition("/")
            tree: str | None
            if folder:
                tree = _entry(self._entries(parent).get(name), "tree")
            else:
                tree = tree_of(self._api, self._repository, self._commit)
            path = f"{repo(self._repository)}/git/trees/{tree}"
            self._folders[folder] = {} if tree is None else _listed(self._api.get(path))
        return self._folders[folder]


def blobs_at(api: Api, repository: str, commit: str, paths: Iterable[str]) -> dict[str, str]:
    """The content hash of each of these files at a commit; what is not there is left out."""
    tree = Tree(api, repository, commit)
    found = {path: tree.blob(path) for path in paths}
    return {path: content for path, content in found.items() if content is not None}


def tree_of(api: Api, repository: str, commit: str) -> str:
    """The hash of a commit's tree."""
    found = api.get(f"{repo(repository)}/git/commits/{quote(commit)}")
    return sha(found, "tree.sha", of=f"commit {commit[:12]}")


def text_of(api: Api, repository: str, content: str) -> str:
    """The text of a file by its content hash.

    Raises:
        PublishError: G273, what came is not that content, or no text.
    """
    of = f"file content {content[:12]}"
    found = api.get(f"{repo(repository)}/git/blobs/{content}")
    try:
        text = base64.b64decode(field(found, "content", str, of=of)).decode("utf-8")
    except (binascii.Error, ValueError) as error:
        raise unexpected(of, "it is no text") from error
    if blob_id(text) != content:
        raise unexpected(of, "it has another hash")
    return text


def blob_id(text: str) -> str:
    """The content hash that git gives a file of this text."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _listed(tree: Any) -> dict[str, Any]:
    rows = field(tree, "tree", list, of="a tree")
    if tree.get("truncated"):
        raise unexpected("a tree", "it is cut short")
    return {field(row, "path", str, of="a tree"): row for row in rows}


def _entry(row: Any, kind: str) -> str | None:
    if row is None or row.get("type") != kind:
        return None
    return sha(row, "sha", of="a tree")
