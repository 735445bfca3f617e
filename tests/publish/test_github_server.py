"""The played GitHub itself, where other tests lean on it: git data, pages, and the program."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from publish import github_server
from publish.github_server import GitHubServer
from publish.server_client import REPOSITORY, TOKEN, client

from gate.publish.github.responses import RequestRefused

BASE = f"/repos/{REPOSITORY}"


def git(*words, given=""):
    done = subprocess.run(["git", *words], input=given, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def hub(tmp_path):
    bare = tmp_path / "bare.git"
    git("init", "-q", "--bare", "-b", "main", str(bare))
    blob = git("--git-dir", str(bare), "hash-object", "-w", "--stdin", given="hello\n")
    tree = git("--git-dir", str(bare), "mktree", given=f"100644 blob {blob}\tREADME.md\n")
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    commit = git("--git-dir", str(bare), *who, "commit-tree", tree, "-m", "first")
    git("--git-dir", str(bare), "update-ref", "refs/heads/main", commit)
    with GitHubServer(tmp_path / "hub") as server:
        server.add_repository(REPOSITORY, git=bare)
        server.add_token(TOKEN)
        yield server


def commit_on(api, parent, path, content):
    tree = api.get(f"{BASE}/git/commits/{parent}")["tree"]["sha"]
    blob = api.post(f"{BASE}/git/blobs", {"content": content, "encoding": "utf-8"})["sha"]
    entry = {"path": path, "mode": "100644", "type": "blob", "sha": blob}
    made = api.post(f"{BASE}/git/trees", {"base_tree": tree, "tree": [entry]})["sha"]
    body = {"message": "second", "tree": made, "parents": [parent]}
    return api.post(f"{BASE}/git/commits", body)["sha"]


def test_a_commit_made_by_the_api_is_one_in_git_and_becomes_a_pull_request(hub):
    api = client(hub)
    first = api.get(f"{BASE}/git/ref/heads/main")["object"]["sha"]
    second = commit_on(api, first, "baselines/lab/p.toml", "level = 1\n")
    api.post(f"{BASE}/git/refs", {"ref": "refs/heads/driftgate/a", "sha": second})
    bare = hub.repository(REPOSITORY)["git"]
    listed = git("--git-dir", bare, "ls-tree", "-r", "--name-only", "driftgate/a").splitlines()
    assert listed == ["README.md", "baselines/lab/p.toml"]
    got = api.get(f"{BASE}/contents/baselines/lab/p.toml", ref="driftgate/a")
    assert base64.b64decode(got["content"]) == b"level = 1\n"
    body = {"title": "t", "head": "driftgate/a", "base": "main", "body": "b"}
    assert api.post(f"{BASE}/pulls", body)["head"]["sha"] == second
    with pytest.raises(RequestRefused, match="A pull request already exists for owner:driftgate/a"):
        api.post(f"{BASE}/pulls", body)
    compared = api.get(f"{BASE}/compare/main...driftgate%2Fa")
    assert (compared["merge_base_commit"]["sha"], compared["ahead_by"]) == (first, 1)


def test_a_ref_moves_forward_only(hub):
    api = client(hub)
    first = api.get(f"{BASE}/git/ref/heads/main")["object"]["sha"]
    mine, other = (commit_on(api, first, name, "x") for name in ("a", "b"))
    assert api.patch(f"{BASE}/git/refs/heads/main", {"sha": other})["object"]["sha"] == other
    with pytest.raises(RequestRefused, match=r"422 .Update is not a fast forward") as caught:
        api.patch(f"{BASE}/git/refs/heads/main", {"sha": mine, "force": False})
    assert caught.value.http == 422
    with pytest.raises(RequestRefused, match="Reference already exists"):
        api.post(f"{BASE}/git/refs", {"ref": "refs/heads/main", "sha": mine})
    with pytest.raises(RequestRefused, match="Object does not exist"):
        api.post(f"{BASE}/git/refs", {"ref": "refs/heads/x", "sha": "4" * 40})
    with pytest.raises(RequestRefused, match="Reference does not exist"):
        api.patch(f"{BASE}/git/refs/heads/none", {"sha": mine})


def test_actions_may_be_forbidden_to_open_pull_requests(hub):
    hub.repository(REPOSITORY)["actions_may_create_pulls"] = False
    with pytest.raises(RequestRefused, match="not permitted to create or approve pull requests"):
        client(hub).post(f"{BASE}/pulls", {"title": "t", "head": "a", "base": "main"})


def test_runs_are_found_by_workflow_commit_and_event(hub):
    hub.add_run(REPOSITORY, 1, head="1" * 40, conclusion="failure")
    hub.add_run(REPOSITORY, 2, head="1" * 40, file="other.yml")
    hub.add_run(REPOSITORY, 3, head="2" * 40)
    path = f"{BASE}/actions/workflows/driftgate.yml/runs"
    runs = client(hub).get(path, head_sha="1" * 40, event="pull_request")
    assert [one["id"] for one in runs["workflow_runs"]] == [1]
    both = client(hub).get(f"{BASE}/actions/runs", head_sha="1" * 40)
    assert [one["id"] for one in both["workflow_runs"]] == [2, 1]


def test_a_request_without_a_token_is_answered_401(hub):
    with pytest.raises(RequestRefused, match=r"401 .Requires authentication"):
        client(hub, token="").get(BASE)


def test_as_a_program_it_serves_a_state_directory_and_sees_what_others_write(tmp_path):
    state = {
        "tokens": {TOKEN: {"login": "github-actions[bot]", "permissions": {"checks": "write"}}},
        "repositories": {REPOSITORY: {}},
        "faults": [{"path": "/check-runs", "times": 1, "status": 418}],
    }
    (tmp_path / "state.json").write_text(json.dumps(state), encoding="utf-8")
    program = Path(github_server.__file__)
    words = [sys.executable, str(program), str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        try:
            url = f"http://127.0.0.1:{int(process.stdout.readline())}"
            headers = {"Authorization": f"Bearer {TOKEN}", "User-Agent": "test"}
            body = json.dumps({"name": "n", "head_sha": "1" * 40}).encode()
            request = urllib.request.Request(f"{url}{BASE}/check-runs", body, headers)
            with pytest.raises(urllib.error.HTTPError, match="418"):
                urllib.request.urlopen(request)
            with urllib.request.urlopen(request) as answer:
                assert answer.status == 201
            saved = json.loads((tmp_path / "state.json").read_text(encoding="utf-8"))
            assert saved["repositories"][REPOSITORY]["checks"][0]["name"] == "n"
            saved["tokens"][TOKEN]["permissions"] = {}
            (tmp_path / "state.json").write_text(json.dumps(saved), encoding="utf-8")
            with pytest.raises(urllib.error.HTTPError, match="403"):
                urllib.request.urlopen(request)
        finally:
            process.kill()
