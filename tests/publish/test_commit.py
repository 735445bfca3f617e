"""Commits by the git data API: what lands in the repository, and what never does."""

from __future__ import annotations

import pytest
from pipeline.accept.accepting import git
from publish.github_server import GitHubServer
from publish.server_client import REPOSITORY, TOKEN, client

from gate.errors import PublishError
from gate.publish.github.git_data import (
    CommitTree,
    blob_id,
    blob_text,
    blobs_at,
    branch_tip,
    commit_files,
    contains,
    point_branch,
)
from gate.publish.propose import find_carrier

PATH = "baselines/lab/p.toml"
TEXT = 'reason = "ünïcode → 1"\n'


class Repo:
    """A bare repository with one commit on main, and the hub that serves it."""

    def __init__(self, root, hub):
        self.hub, self.bare = hub, root / "bare.git"
        git(root, "init", "-q", "-b", "main", "--bare", str(self.bare))
        work = root / "work"
        git(root, "init", "-q", "-b", "main", str(work))
        (work / "baselines" / "lab").mkdir(parents=True)
        (work / "baselines" / "lab" / "q.toml").write_text("kept\n")
        (work / "tool.txt").write_text("kept\n")
        git(work, "add", "-A")
        git(work, "commit", "-q", "-m", "first")
        git(work, "push", "-q", str(self.bare), "main")
        self.work, self.main = work, git(work, "rev-parse", "HEAD")
        hub.add_repository(REPOSITORY, git=self.bare)
        hub.add_token(TOKEN, {"contents": "write"})

    def more(self, branch="main", **words):
        """Another commit, pushed."""
        git(self.work, "commit", "-q", "--allow-empty", "-m", words.get("message", "more"))
        git(self.work, "push", "-q", str(self.bare), f"HEAD:{branch}")
        return git(self.work, "rev-parse", "HEAD")

    def at(self, branch):
        return git(self.bare, "rev-parse", f"refs/heads/{branch}")

    def commit(self, **more):
        words = {
            "branch": "main",
            "parent": self.main,
            "files": {PATH: TEXT},
            "message": "Accept\n\nBecause.",
            "create": False,
        }
        return commit_files(client(self.hub), **{**words, **more})


@pytest.fixture
def repo(tmp_path):
    with GitHubServer(tmp_path / "hub") as hub:
        yield Repo(tmp_path, hub)


def test_a_commit_adds_its_files_and_keeps_all_else(repo):
    done = repo.commit()
    assert repo.at("main") == done
    assert git(repo.bare, "rev-parse", f"{done}^") == repo.main
    assert git(repo.bare, "diff", "--name-status", repo.main, done) == f"A\t{PATH}"
    assert git(repo.bare, "show", f"{done}:{PATH}") + "\n" == TEXT
    assert git(repo.bare, "show", "-s", "--format=%B", done) == "Accept\n\nBecause."
    assert git(repo.bare, "ls-tree", done, PATH).startswith("100644 blob")


def test_a_branch_is_made_where_that_is_asked_for(repo):
    done = repo.commit(branch="driftgate/accept-1-abc", create=True)
    assert (repo.at("driftgate/accept-1-abc"), repo.at("main")) == (done, repo.main)


def test_a_branch_that_is_there_already_is_not_taken_over(repo):
    theirs = repo.more("taken")
    with pytest.raises(PublishError, match="moved meanwhile") as caught:
        repo.commit(branch="taken", create=True)
    assert (caught.value.code, repo.at("taken")) == ("G274", theirs)


def test_a_branch_that_moved_before_is_left_alone(repo):
    """Nothing is even uploaded."""
    theirs = repo.more()
    with pytest.raises(PublishError) as caught:
        repo.commit()
    assert (caught.value.code, repo.at("main")) == ("G274", theirs)
    assert repo.hub.asked("POST") == []


def test_a_branch_that_moves_in_the_last_moment_is_left_alone(repo):
    """Between our look and our push: GitHub refuses what is no fast forward, and we tell why."""
    theirs = repo.more("later")
    repo.hub.when(
        "PATCH", "/git/refs/", lambda: git(repo.bare, "update-ref", "refs/heads/main", theirs)
    )
    with pytest.raises(PublishError, match=theirs) as caught:
        repo.commit()
    assert (caught.value.code, repo.at("main")) == ("G274", theirs)


def test_a_branch_that_vanishes_is_told(repo):
    repo.hub.when(
        "PATCH", "/git/refs/", lambda: git(repo.bare, "update-ref", "-d", "refs/heads/main")
    )
    with pytest.raises(PublishError, match="is not there any more"):
        repo.commit()


def test_a_protected_branch_is_told_as_such(repo):
    repo.hub.fault(status=422, method="PATCH", path="/git/refs/")
    with pytest.raises(PublishError, match="may be protected") as caught:
        repo.commit()
    assert (caught.value.code, repo.at("main")) == ("G270", repo.main)


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("where", ["/git/blobs", "/git/trees", "/git/commits", "/git/refs"])
def test_a_failing_server_is_asked_again_and_one_commit_results(repo, method, where):
    """502 after it was done, at each step: the branch has one new commit all the same."""
    repo.hub.fault(status=502, method=method, path=where, after=True)
    if method == "POST" and where == "/git/refs":
        done = repo.commit(branch="new", create=True)
        assert repo.at("new") == done
    else:
        done = repo.commit()
        assert repo.at("main") == done
    assert git(repo.bare, "rev-parse", f"{done}^") == repo.main


def test_what_is_there_already_makes_no_commit(repo):
    first = repo.commit()
    assert repo.commit(parent=first) == first


def test_without_a_file_there_is_no_commit(repo):
    with pytest.raises(PublishError):
        repo.commit(files={})


@pytest.mark.parametrize(
    "path",
    [
        ".github/workflows/ci.toml",
        "profiles/p.toml",
        "baselines/lab/p.py",
        "baselines/../tool.toml",
        "baselines/lab/../../x.toml",
        "/baselines/lab/p.toml",
        "baselines//p.toml",
        "baselines/lab/.hidden.toml",
        "baselines/.git/p.toml",
        "baselines/lab/p\n.toml",
        "baselines/lab/\u202ep.toml",
        "baselines/lab/-p.toml",
        "baselines",
        "baselinesx/p.toml",
        "baselines/lab/kernel-0123456789abcdeg.config",
        "baselines/lab/p.config",
        "baselines/.git/kernel-0123456789abcdef.config",
        ".github/kernel-0123456789abcdef.config",
    ],
)
def test_only_baselines_are_ever_written(repo, path):
    with pytest.raises(PublishError):
        repo.commit(files={PATH: TEXT, path: "x\n"})
    assert repo.hub.log == []


@pytest.mark.parametrize(
    "path",
    [
        "baselines/lab/host.toml",
        "baselines/waivers.toml",
        "baselines/lab/kernel-0123456789abcdef.config",
    ],
)
def test_what_stands_beside_baselines_may_be_written(repo, path):
    repo.commit(files={path: "x\n"})


def test_the_baselines_may_lie_elsewhere(repo):
    repo.commit(files={"perf/base/lab/p.toml": "x\n"}, below="perf/base")
    with pytest.raises(PublishError):
        repo.commit(files={PATH: TEXT}, below="perf/base")


@pytest.mark.parametrize("branch", ["", "-x", "a..b", "a b", "a~1", "/x", "x/", "x.lock", "a\nb"])
def test_names_that_are_no_branches(repo, branch):
    with pytest.raises(PublishError, match="no name of a branch"):
        branch_tip(client(repo.hub), branch)
    assert repo.hub.log == []


@pytest.mark.parametrize("branch", ["feature/#12-über", "a%2Fb", "x?y=1"[:1] + "&z"])
def test_odd_names_of_branches_are_quoted(repo, branch):
    git(repo.bare, "update-ref", f"refs/heads/{branch}", repo.main)
    done = repo.commit(branch=branch)
    assert (repo.at(branch), repo.at("main")) == (done, repo.main)


def test_a_message_is_plain_text(repo):
    done = repo.commit(message="Accept \x1b[31mred\n\nwhy\u202e\x00")
    assert git(repo.bare, "show", "-s", "--format=%B", done) == "Accept red\n\nwhy"


def test_content_is_proven_by_its_hash(repo):
    api = client(repo.hub)
    found = blobs_at(api, repo.main, ["baselines/lab/q.toml", PATH, "no/such/x.toml"])
    assert found == {"baselines/lab/q.toml": blob_id("kept\n")}
    assert blob_text(api, blob_id("kept\n")) == "kept\n"
    assert CommitTree(api, repo.main).files("baselines") == found
    assert CommitTree(api, repo.main).files("nowhere") == {}
    (repo.work / "bin").write_bytes(b"\xff")
    binary = git(repo.bare, "hash-object", "-w", str(repo.work / "bin"))
    with pytest.raises(PublishError, match="it is no text"):
        blob_text(api, binary)


def test_whether_a_commit_is_in_a_history(repo):
    api = client(repo.hub)
    newer = repo.more()
    git(repo.work, "checkout", "-q", "-b", "side", repo.main)
    side = repo.more("side", message="side")
    assert contains(api, newer, newer)
    assert contains(api, newer, repo.main)
    assert not contains(api, newer, side)
    assert not contains(api, repo.main, newer)
    assert not contains(api, newer, "f" * 40)


def test_a_branch_whose_work_is_merged_is_brought_up_to_date(repo):
    """It stands at an older commit of main: it goes on from main's present tip."""
    api = client(repo.hub)
    point_branch(api, "carrier", repo.main, before=None)
    newer = repo.more()
    found = find_carrier(api, "carrier", "main", newer, [PATH])
    assert (found.start, repo.at("carrier")) == (newer, newer)


def test_a_branch_goes_on_unless_the_same_files_changed_below_it(repo):
    api = client(repo.hub)
    mine = repo.commit(branch="carrier", create=True)
    other = repo.more()
    found = find_carrier(api, "carrier", "main", other, [PATH])
    assert (found.start, repo.at("carrier")) == (mine, mine)
    theirs = repo.commit(parent=other, files={PATH: "theirs\n"})
    assert find_carrier(api, "carrier", "main", theirs, [PATH]) is None
