"""A commit made through the API: a few small text files on top of a known one, and never by force.

Nothing is checked out and no git runs, so there is no hook, no credential helper and no URL with a
token in it. A branch is moved only forwards and only from the commit that the files were made for;
whoever was quicker keeps what he pushed, and nothing of it is lost.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.errors import PublishError
from gate.formats import names
from gate.formats.baseline.baseline_file import is_config_name
from gate.publish.answers import sha, unexpected
from gate.publish.api import Refused, Unclear, quote, repo
from gate.publish.tree import blob_id, tree_of
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.publish.api import Api

BELOW = "baselines"
"""Where baselines stand unless a repository says otherwise."""
_FILE = "100644"
_LONGEST_MESSAGE = 4000
_UNPROCESSABLE = 422
_BRANCH = re.compile(
    r"(?!.*(?:\.\.|@\{|//|/\.|\.lock(?:/|$)))(?![./@-])[^\x00-\x20\x7f~^:?*\[\\]{1,250}(?<![./])"
)


def commit_files(
    api: Api,
    repository: str,
    *,
    branch: str,
    parent: str,
    files: Mapping[str, str],
    message: str,
    create: bool,
    below: str = BELOW,
) -> str:
    """Commit files (path in the repository -> text) onto `parent`, and let `branch` point there.

    With `create` the branch is made, otherwise it must stand at `parent`. Returns the new commit;
    `parent` itself where it holds these very files and the branch is there already.

    Raises:
        PublishError: G274, the branch moved meanwhile, or was made by somebody else: nothing was
            changed; G270, a path that is no plain one below `below`; or what the API raises.
    """
    for path in files:
        _refuse_path(path, below)
    if not files:
        raise PublishError("G270", "a commit without a file was asked for.")
    if not create:
        _require_tip(api, repository, branch, parent)
    top = repo(repository)
    before = tree_of(api, repository, parent)
    rows = [
        {"path": path, "mode": _FILE, "type": "blob", "sha": _blob(api, top, text)}
        for path, text in sorted(files.items())
    ]
    made = api.post(f"{top}/git/trees", {"base_tree": before, "tree": rows}, again=True)
    tree = sha(made, "sha", of="a new tree")
    if tree == before and not create:
        return parent
    body = {"message": _plain(message), "tree": tree, "parents": [parent]}
    done = sha(api.post(f"{top}/git/commits", body, again=True), "sha", of="a new commit")
    point(api, repository, branch, done, before=None if create else parent)
    return done


def point(api: Api, repository: str, branch: str, commit: str, *, before: str | None) -> None:
    """Let a branch point at a commit, forwards only; `before` None makes it.

    Raises:
        PublishError: G274, it does not stand at `before`, or is there already; G270, GitHub
            refuses, as it does for a protected branch.
    """
    top, name = repo(repository), _in_path(branch)
    try:
        if before is None:
            api.post(f"{top}/git/refs", {"ref": f"refs/heads/{branch}", "sha": commit})
        else:
            api.patch(f"{top}/git/refs/heads/{name}", {"sha": commit, "force": False})
    except Unclear:
        if tip(api, repository, branch) != commit:
            raise
    except Refused as error:
        if error.http != _UNPROCESSABLE:
            raise
        now = tip(api, repository, branch)
        if now != before:
            raise _moved(branch, now) from error
        raise PublishError(
            "G270",
            f"{error.message} The branch {clean(branch, 100)} may be protected.",
            cure="Let a pull request carry the baseline: --mode pull-request.",
        ) from error


def tip(api: Api, repository: str, branch: str) -> str | None:
    """The commit at which a branch stands; None where there is no such branch."""
    found = api.find(f"{repo(repository)}/git/ref/heads/{_in_path(branch)}")
    return None if found is None else sha(found, "object.sha", of=f"branch {clean(branch, 100)}")


def _blob(api: Api, top: str, text: str) -> str:
    made = api.post(f"{top}/git/blobs", {"content": text, "encoding": "utf-8"}, again=True)
    if sha(made, "sha", of="a new file") != blob_id(text):
        raise unexpected("a new file", "GitHub keeps another content than was sent")
    return blob_id(text)


def _require_tip(api: Api, repository: str, branch: str, parent: str) -> None:
    now = tip(api, repository, branch)
    if now != parent:
        raise _moved(branch, now)


def _moved(branch: str, now: str | None) -> PublishError:
    where = f"stands at {now}" if now else "is not there any more"
    return PublishError(
        "G274",
        f"the branch {clean(branch, 100)} moved meanwhile: it {where}.",
        cure="Nothing was written. Run the command again, on what is there now.",
    )


def _refuse_path(path: str, below: str) -> None:
    """Only what stands in baselines below one directory: no workflow, no code.

    That are TOML files, each part of their paths a plain name, and kernels' configurations.
    """
    parts = path.split("/")
    plain = all(names.is_plain(part.removesuffix(".toml")) for part in parts[:-1])
    name = parts[-1].removesuffix(".toml")
    toml = parts[-1].endswith(".toml") and (names.is_plain(name) or name in names.RESERVED)
    if not (plain and (toml or is_config_name(name)) and path.startswith(f"{below}/")):
        raise PublishError("G270", f"{clean(path, 200)!r} is no file of a baseline below {below}/.")


def _in_path(branch: str) -> str:
    if not _BRANCH.fullmatch(branch):
        raise PublishError("G270", f"{clean(branch, 80)!r} is no name of a branch that is used.")
    return "/".join(quote(part) for part in branch.split("/"))


def _plain(message: str) -> str:
    """Lines of plain text; nothing in it can pass for a header or steer a terminal."""
    return "\n".join(clean(line) for line in message.split("\n"))[:_LONGEST_MESSAGE].strip()
