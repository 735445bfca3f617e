"""What actions/checkout does, from a bare repository on this machine.

STANDIN_GIT holds one bare repository for each OWNER/NAME; STANDIN_DRIFTGATE is driftgate's own tree
as it stands, of which no commit exists yet.
"""

import base64
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

OURS = "driftgate/driftgate"


def fail(text: str) -> None:
    sys.exit(f"::error::{text}")


def refuse_fork() -> None:
    """As v7: no code of a fork where the base repository's token is at hand."""
    asked = os.environ["REPOSITORY"], os.environ["REF"]
    if os.environ["EVENT"] not in {"workflow_run", "pull_request_target"}:
        return
    of_fork = os.environ["FORK"] not in {"", os.environ["HERE"]}
    pulled = re.fullmatch(r"(refs/)?pull/\d+/(head|merge)", asked[1])
    if asked[0] not in {"", os.environ["HERE"], OURS} or (
        of_fork and (pulled or asked[1] == os.environ["FORK_HEAD"])
    ):
        fail(f"Refusing to check out fork pull request code: {asked[0]} {asked[1]}")


def main() -> None:
    refuse_fork()
    root = Path(os.environ["GITHUB_WORKSPACE"])
    into = (root / os.environ["INTO"]).resolve()
    if not into.is_relative_to(root.resolve()):
        fail(f"Repository path '{into}' is not under '{root}'")
    into.mkdir(parents=True, exist_ok=True)
    repository = os.environ["REPOSITORY"]
    if repository in {"", OURS}:  # act does not know `job.workflow_repository`
        # All but what nothing of it ever runs, and which takes long.
        ours, left_out = os.environ["STANDIN_DRIFTGATE"], shutil.ignore_patterns("tests", "reports")
        shutil.copytree(ours, into, ignore=left_out, dirs_exist_ok=True, symlinks=True)
        return
    store = Path(os.environ["STANDIN_GIT"], f"{repository}.git")
    if not store.is_dir():
        fail(f"Not Found: {repository}")
    ref = os.environ["REF"] or os.environ["SHA"]
    depth = int(os.environ["DEPTH"])

    def git(*words: str) -> None:
        subprocess.run(["git", "-C", into, *words], check=True, stdout=subprocess.DEVNULL)

    git("init", "--quiet")
    git("remote", "add", "origin", f"file://{store}")
    if depth == 0:
        git("fetch", "--quiet", "--tags", "origin", "+refs/heads/*:refs/remotes/origin/*")
    git("fetch", "--quiet", *([f"--depth={depth}"] if depth else []), "origin", ref)
    git("checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
    if os.environ["PERSIST"] == "true":
        secret = base64.b64encode(f"x-access-token:{os.environ['TOKEN']}".encode()).decode()
        git("config", "http.https://github.com/.extraheader", f"AUTHORIZATION: basic {secret}")
    if log := os.environ.get("STANDIN_LOG"):
        with Path(log).open("a", encoding="utf-8") as stream:
            stream.write(f"{repository} {ref} {os.environ['INTO']} {os.environ['PERSIST']}\n")


main()
