"""Git data of the played GitHub: refs, commits, trees, blobs and contents of a real repository."""

from __future__ import annotations

import base64
import re
import subprocess
from typing import TYPE_CHECKING, Any

from publish.server_state import Call, Problem, Reply, invalid, not_found

if TYPE_CHECKING:
    from collections.abc import Callable

_SHA = re.compile(r"[0-9a-f]{40}")
_AUTHOR = {
    "GIT_AUTHOR_NAME": "github-actions[bot]",
    "GIT_AUTHOR_EMAIL": "actions@example.com",
    "GIT_COMMITTER_NAME": "github-actions[bot]",
    "GIT_COMMITTER_EMAIL": "actions@example.com",
    "GIT_AUTHOR_DATE": "2026-11-22T10:00:00Z",
    "GIT_COMMITTER_DATE": "2026-11-22T10:00:00Z",
}


def git(repository: dict[str, Any], *words: str, given: bytes = b"", index: str = "") -> str:
    """What a git command says; 422 where it fails."""
    environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": "/nonexistent", **_AUTHOR}
    if index:
        environment["GIT_INDEX_FILE"] = index
    done = subprocess.run(
        ["git", "--git-dir", repository["git"], *words],
        input=given,
        capture_output=True,
        check=False,
        env=environment,
    )
    if done.returncode:
        raise Problem(422, f"git: {done.stderr.decode(errors='replace').strip()[:200]}")
    return done.stdout.decode()


def resolve(repository: dict[str, Any], name: str, kind: str = "commit") -> str:
    """The object that a name stands for, empty where there is none."""
    if not repository["git"] or name.startswith("-"):
        return ""
    try:
        return git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{{kind}}}").strip()
    except Problem:
        return ""


def get_ref(call: Call) -> Reply:
    return Reply(200, _ref(call, call.parts[0]))


def _ref(call: Call, name: str) -> dict[str, Any]:
    known = call.repository.get("refs", {}).get(name.removeprefix("heads/"), "")
    commit = resolve(call.repository, f"refs/{name}") or known
    if not commit:
        raise not_found()
    return {"ref": f"refs/{name}", "object": {"sha": commit, "type": "commit"}}


def make_ref(call: Call) -> Reply:
    ref, commit = call.body.get("ref", ""), call.body.get("sha", "")
    if not ref.startswith("refs/") or ref.count("/") < 2:
        raise Problem(422, "Reference name must start with 'refs/' and have two slashes at least")
    _known(call, commit)
    if resolve(call.repository, ref):
        raise Problem(422, "Reference already exists")
    git(call.repository, "check-ref-format", ref)
    git(call.repository, "update-ref", ref, commit, "0" * 40)
    return Reply(201, _ref(call, ref.removeprefix("refs/")))


def move_ref(call: Call) -> Reply:
    name, commit = call.parts[0], call.body.get("sha", "")
    old = resolve(call.repository, f"refs/{name}")
    if not old:
        raise Problem(422, "Reference does not exist")
    _known(call, commit)
    if not call.body.get("force"):
        ahead = git(call.repository, "rev-list", "--count", f"{commit}..{old}").strip()
        if ahead != "0":
            raise Problem(422, "Update is not a fast forward")
    git(call.repository, "update-ref", f"refs/{name}", commit, old)
    return Reply(200, _ref(call, name))


def drop_ref(call: Call) -> Reply:
    if not resolve(call.repository, f"refs/{call.parts[0]}"):
        raise Problem(422, "Reference does not exist")
    git(call.repository, "update-ref", "-d", f"refs/{call.parts[0]}")
    return Reply(204)


def _known(call: Call, commit: str) -> None:
    if not _SHA.fullmatch(commit) or not resolve(call.repository, commit):
        raise Problem(422, "Object does not exist")


def get_commit(call: Call) -> Reply:
    return Reply(200, _commit(call, call.parts[0]))


def _commit(call: Call, name: str) -> dict[str, Any]:
    sha = resolve(call.repository, name)
    if not sha:
        raise not_found()
    text = git(call.repository, "show", "-s", "--format=%T%n%P%n%B", sha)
    tree, parents, message = text.split("\n", 2)
    return {
        "sha": sha,
        "tree": {"sha": tree},
        "parents": [{"sha": one} for one in parents.split()],
        "message": message.rstrip("\n"),
    }


def get_repository_commit(call: Call) -> Reply:
    """`commits/REF`: the commit of a branch, tag or hash."""
    found = _commit(call, call.parts[0])
    inner = {"message": found["message"], "tree": found["tree"]}
    return Reply(200, {"sha": found["sha"], "commit": inner, "parents": found["parents"]})


def make_commit(call: Call) -> Reply:
    parents = [word for one in call.body.get("parents", []) for word in ("-p", one)]
    if not call.body.get("message"):
        raise invalid("Commit", "message is missing", name="message")
    words = ["commit-tree", call.body["tree"], *parents, "-F", "-"]
    sha = git(call.repository, *words, given=call.body["message"].encode()).strip()
    return Reply(201, _commit(call, sha))


def get_tree(call: Call) -> Reply:
    sha = resolve(call.repository, call.parts[0], "tree")
    if not sha:
        raise not_found()
    recursive = ["-r", "-t"] if "recursive" in call.query else []
    text = git(call.repository, "ls-tree", "-z", "-l", *recursive, sha)
    entries = []
    for line in text.split("\0")[:-1]:
        facts, path = line.split("\t", 1)
        mode, kind, blob, size = facts.split()
        entry = {"path": path, "mode": mode, "type": kind, "sha": blob}
        entries.append({**entry, "size": int(size)} if kind == "blob" else entry)
    return Reply(200, {"sha": sha, "tree": entries, "truncated": False})


def make_tree(call: Call) -> Reply:
    index = str(call.state.directory / f"index-{call.state.number()}")
    base = call.body.get("base_tree")
    if base:
        git(call.repository, "read-tree", base, index=index)
    lines = []
    for one in call.body["tree"]:
        if one["mode"] not in {"100644", "100755", "040000", "160000", "120000"}:
            raise invalid("Tree", "tree.mode is not valid", name="tree")
        if ".." in one["path"].split("/") or one["path"].startswith("/"):
            raise Problem(422, "tree.path contains a malformed path component")
        sha = one.get("sha")
        if "content" in one:
            sha = _blob(call, one["content"].encode())
        mode = one["mode"] if sha else "0"
        lines.append(f"{mode} {sha or '0' * 40}\t{one['path']}\0")
    git(
        call.repository,
        "update-index",
        "-z",
        "--index-info",
        given="".join(lines).encode(),
        index=index,
    )
    sha = git(call.repository, "write-tree", index=index).strip()
    return Reply(201, {"sha": sha, "tree": []})


def make_blob(call: Call) -> Reply:
    content, encoding = call.body["content"], call.body.get("encoding", "utf-8")
    data = base64.b64decode(content) if encoding == "base64" else content.encode()
    return Reply(201, {"sha": _blob(call, data)})


def _blob(call: Call, data: bytes) -> str:
    return git(call.repository, "hash-object", "-w", "--stdin", given=data).strip()


def get_blob(call: Call) -> Reply:
    return Reply(200, _content(call, resolve(call.repository, call.parts[0], "blob")))


def get_contents(call: Call) -> Reply:
    path = call.parts[0].strip("/")
    commit = resolve(call.repository, call.query.get("ref") or call.repository["default_branch"])
    if not commit:
        raise Problem(404, f"No commit found for the ref {call.query.get('ref')}")
    blob = _inside(call, commit, path, "blob")
    tree = _inside(call, commit, path, "tree")
    if tree:
        names = git(call.repository, "ls-tree", "-z", tree).split("\0")[:-1]
        entries = [line.split("\t", 1) for line in names]
        kinds = {"blob": "file", "tree": "dir", "commit": "submodule"}
        return Reply(
            200,
            [
                {
                    "name": name,
                    "path": f"{path}/{name}".lstrip("/"),
                    "type": kinds[facts.split()[1]],
                    "sha": facts.split()[2],
                }
                for facts, name in entries
            ],
        )
    return Reply(200, {"type": "file", "path": path, **_content(call, blob)})


def _inside(call: Call, commit: str, path: str, kind: str) -> str:
    """The object at a path of a commit, if it is of that kind."""
    try:
        sha = git(call.repository, "rev-parse", "--verify", "--quiet", f"{commit}:{path}").strip()
        return sha if git(call.repository, "cat-file", "-t", sha).strip() == kind else ""
    except Problem:
        return ""


def _content(call: Call, blob: str) -> dict[str, Any]:
    if not blob:
        raise not_found()
    words = ["git", "--git-dir", call.repository["git"], "cat-file", "blob", blob]
    data = subprocess.run(words, capture_output=True, check=True).stdout
    text = base64.encodebytes(data).decode()  # with line breaks, as GitHub sends it
    return {"sha": blob, "size": len(data), "encoding": "base64", "content": text}


def compare(call: Call) -> Reply:
    """`compare/BASE...HEAD`, as far as merge base and counts go."""
    base, _, head = call.parts[0].partition("...")
    one, other = resolve(call.repository, base), resolve(call.repository, head)
    if not one or not other:
        raise not_found()
    merged = git(call.repository, "merge-base", one, other).strip()
    behind, ahead = git(
        call.repository, "rev-list", "--left-right", "--count", f"{one}...{other}"
    ).split()
    return Reply(
        200,
        {
            "merge_base_commit": {"sha": merged},
            "ahead_by": int(ahead),
            "behind_by": int(behind),
            "status": "identical" if one == other else "diverged" if int(behind) else "ahead",
        },
    )


def get_branch(call: Call) -> Reply:
    sha = resolve(call.repository, f"refs/heads/{call.parts[0]}")
    if not sha:
        raise Problem(404, "Branch not found")
    return Reply(200, {"name": call.parts[0], "commit": {"sha": sha}, "protected": False})


Route = tuple[str, str, str, "Callable[[Call], Reply]"]
ROUTES: list[Route] = [
    ("GET", r"git/ref/(.+)", "contents", get_ref),
    ("POST", r"git/refs", "contents", make_ref),
    ("PATCH", r"git/refs/(.+)", "contents", move_ref),
    ("DELETE", r"git/refs/(.+)", "contents", drop_ref),
    ("GET", r"git/commits/([^/]+)", "contents", get_commit),
    ("POST", r"git/commits", "contents", make_commit),
    ("GET", r"git/trees/([^/]+)", "contents", get_tree),
    ("POST", r"git/trees", "contents", make_tree),
    ("GET", r"git/blobs/([^/]+)", "contents", get_blob),
    ("POST", r"git/blobs", "contents", make_blob),
    ("GET", r"contents/(.*)", "contents", get_contents),
    ("GET", r"compare/(.+)", "contents", compare),
    ("GET", r"branches/(.+)", "contents", get_branch),
    ("GET", r"commits/([^/]+)", "contents", get_repository_commit),
]
