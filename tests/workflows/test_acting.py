"""The harness itself, on a small workflow: what it reads of act, and what it replaces."""

import pytest
from workflows import events
from workflows.acting import HERE, HOSTED, OURS, REPLACED, ROOT, used_actions
from workflows.users import User

COMMIT = "0123456789012345678901234567890123456789"
WORKFLOW = f"""\
name: sample
on: [pull_request, workflow_run]
permissions: {{}}
jobs:
  first:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@{COMMIT} # v7
        with:
          repository: ${{{{ github.event.workflow_run.head_repository.full_name || github.repository }}}}
          ref: ${{{{ github.event.pull_request.head.sha || github.event.workflow_run.head_sha }}}}
          path: head
          fetch-depth: 0
          persist-credentials: false
      - run: |
          echo "tree=$(ls -x head)" >>"$GITHUB_OUTPUT"
          echo "## read me" >>"$GITHUB_STEP_SUMMARY"
          echo "::error title=mine::is wrong"
          echo "::stop-commands::x1y2"
          echo "::error::is text only"
          echo "::x1y2::"
          ! grep -r AUTHORIZATION head/.git/config
      - name: Give it away
        uses: actions/upload-artifact@{COMMIT} # v7
        with:
          name: all
          path: head/tool.py
          if-no-files-found: error
  nobody:
    runs-on: [self-hosted, lab]
    steps:
      - run: echo never
  last:
    needs: [first, nobody]
    if: always()
    runs-on: ubuntu-24.04
    steps:
      - run: echo "needs=${{{{ needs.first.result }}}}/${{{{ needs.nobody.result }}}}" >>"$GITHUB_OUTPUT"
      - name: Nothing there
        uses: actions/upload-artifact@{COMMIT} # v7
        with:
          path: nothing.txt
          if-no-files-found: error
"""


@pytest.fixture
def sampled(world):
    user = User(world)
    user.commit({".github/workflows/sample.yml": WORKFLOW, "tool.py": "pass\n"})
    user.push()
    return user


def test_what_a_workflow_did_is_read_from_act(world, sampled):
    """Results, outputs, summary, annotations, and no command between stop-commands marks."""
    pull = sampled.pull({"more.txt": "1\n"})
    acted = world.act("pull_request", events.pull_request(pull), sampled.clone, answering=[HOSTED])
    acted.expect(first="success", nobody="skipped", last="failure")
    assert acted.outputs["first"]["tree"].split() == ["more.txt", "tool.py"]
    assert acted.outputs["last"]["needs"] == "success/"
    assert acted.summaries["first"] == "## read me\n"
    assert [(one.job, one.level, one.title, one.text) for one in acted.annotations] == [
        ("first", "error", "mine", "is wrong"),
        ("last", "error", "", "No files were found with the provided path: nothing.txt."),
    ]
    assert acted.status == 1
    assert acted.steps["last"]["Nothing there"] == "failure"


def test_an_uploaded_file_stands_where_the_api_serves_it(world, sampled):
    """RUN/NAME/FILE, with the file's own bytes."""
    acted = world.act(
        "pull_request", events.pull_request(sampled.pull({"tool.py": "1\n"})), sampled.clone, run=31
    )
    assert acted.jobs["first"] == "success", acted.log
    assert (world.artifacts / "31/all/tool.py").read_text() == "1\n"
    assert acted.outputs["first"]["artifact-url"].startswith("https://github.com/acme/tool/actions")


def test_a_forks_code_is_not_checked_out_beside_a_token(world, sampled):
    """The stand-in refuses what actions/checkout v7 refuses under workflow_run."""
    pull = sampled.pull({"tool.py": "2\n"}, fork="stranger/tool")
    told = events.workflow_run(pull, run=5, conclusion="success")
    acted = world.act("workflow_run", told, sampled.on_main())
    assert acted.jobs["first"] == "failure"
    assert "Refusing to check out fork pull request code" in acted.annotations[0].text


def test_only_what_needs_github_is_replaced():
    """Each stand-in has a reason, and every other action that our workflows use is our own."""
    assert sorted(REPLACED) == ["actions/checkout", "actions/upload-artifact"]
    assert all(REPLACED.values())
    standins = sorted(path.parent.name for path in (HERE / "standins").glob("*/action.yml"))
    assert standins == [name.removeprefix("actions/") for name in sorted(REPLACED)]
    used = used_actions(ROOT / ".github", ROOT / "gate/cli/github")
    ci = {name for name, _ in used_actions(ROOT / ".github/workflows/ci.yml")}
    assert {name for name, _ in used} - ci <= {OURS, *REPLACED}


def test_the_tree_that_is_tried_is_a_clean_one(driftgate):
    """Nothing that git ignores is in it: no environment, no report of this machine."""
    names = {path.name for path in driftgate.iterdir()}
    assert {".github", "gate", "pyproject.toml", "uv.lock"} <= names
    assert not names & {".venv", ".git", ".tools", ".mypy_cache"}
