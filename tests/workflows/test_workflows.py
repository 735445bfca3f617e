"""Laws of our workflows, of the actions, and of the files that `gate init --github` writes.

zizmor and actionlint (`make check`) know GitHub; these laws are our own, and read the text itself.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
TEMPLATES = sorted((ROOT / "gate" / "cli" / "github").glob("*.y*ml"))
ACTIONS = sorted((ROOT / ".github" / "actions").rglob("action.y*ml"))
EVERY = [*OURS, *TEMPLATES, *ACTIONS]

_ALWAYS = r"^    if: (always\(\)|\$\{\{ always\(\) && contains\(fromJSON\('\[\"pull_request\", \"merge_group\"\]'\), github\.event\.workflow_run\.event\) \}\})$"
"""The second is the one condition that only leaves out runs of which nothing is judged."""
_PIN = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+)*")


def text_of(path):
    return path.read_text(encoding="utf-8")


def without_comments(text):
    return re.sub(r"(^|\s)#.*", "", text, flags=re.MULTILINE)


def uses(text):
    """What stands after each `uses:`, with its comment."""
    return re.findall(r"^\s*(?:- )?uses:\s*(.+?)\s*$", text, re.MULTILINE)


def jobs(text):
    """The block of each job by its name; blocks of comments between jobs belong to none."""
    body = without_comments(text).partition("\njobs:\n")[2]
    parts = re.split(r"^  ([\w-]+):[ \t]*$", body, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def has(block, key):
    """Whether a job has this key of its own."""
    return re.search(rf"^    {key}:", block, re.MULTILINE) is not None


def unpinned(text):
    return [one for one in uses(text) if not one.startswith("./") and not _PIN.fullmatch(one)]


def unbounded(text):
    """Jobs without their own permissions, or without a time limit.

    A call of a reusable workflow may have no limit; the jobs of that workflow have.
    """
    return [
        name
        for name, block in jobs(text).items()
        if not has(block, "permissions")
        or not (has(block, "timeout-minutes") or has(block, "uses"))
    ]


def is_required(name, block):
    return "actions/required" in block or (name == "driftgate" and has(block, "needs"))


def careless(text):
    """Required jobs that could be skipped, which GitHub takes for a success."""
    return [
        name
        for name, block in jobs(text).items()
        if is_required(name, block) and not re.search(_ALWAYS, block, re.MULTILINE)
    ]


def name_of(path):
    return str(path.relative_to(ROOT))


def test_there_is_something_to_look_at():
    """A law over no file holds always."""
    assert len(OURS) >= 7
    assert len(TEMPLATES) >= 5
    assert len(ACTIONS) >= 2
    assert sum(len(uses(text_of(path))) for path in EVERY) >= 20
    assert all(jobs(text_of(path)) for path in [*OURS, *TEMPLATES])


@pytest.mark.parametrize("path", EVERY, ids=name_of)
def test_every_action_is_pinned_by_its_full_hash_with_its_version(path):
    assert unpinned(text_of(path)) == []


def test_one_action_has_one_version():
    """Two pins of one action would be two versions to trust."""
    pins = {one for path in EVERY for one in uses(text_of(path)) if "@" in one}
    names = [one.partition("@")[0] for one in pins]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("path", EVERY, ids=name_of)
def test_no_workflow_gives_a_strangers_code_a_token(path):
    """`pull_request_target` runs with the base's rights; no secret is handed down unnamed."""
    text = without_comments(text_of(path))
    assert "pull_request_target" not in text
    assert "secrets: inherit" not in text
    assert "allow-unsafe-pr-checkout" not in text


@pytest.mark.parametrize("path", [*OURS, *TEMPLATES], ids=name_of)
def test_every_job_has_its_own_permissions_and_a_time_limit(path):
    assert unbounded(text_of(path)) == []
    assert re.search(r"^permissions: \{\}$", text_of(path), re.MULTILINE)


@pytest.mark.parametrize("path", EVERY, ids=name_of)
def test_every_checkout_forgets_its_token(path):
    text = without_comments(text_of(path))
    assert text.count("actions/checkout@") == text.count("persist-credentials: false")


@pytest.mark.parametrize("path", [*OURS, *TEMPLATES], ids=name_of)
def test_a_required_job_always_runs(path):
    assert careless(text_of(path)) == []


def test_the_file_for_one_stage_has_a_required_job():
    required = [
        (path.name, name)
        for path in TEMPLATES
        for name, block in jobs(text_of(path)).items()
        if is_required(name, block)
    ]
    assert ("one-stage.yml", "driftgate") in required


def test_what_measures_a_pull_request_has_no_token_and_no_cache():
    """The job on the machine: no permission at all, no secret, nothing shared with later jobs."""
    text = text_of(ROOT / ".github" / "workflows" / "measure.yml")
    block = jobs(text)["measure"]
    assert re.search(r"^    permissions: \{\}$", block, re.MULTILINE)
    for word in ("secrets.", "actions/cache", "github.token", "GITHUB_TOKEN"):
        assert word not in block


def test_no_group_lets_github_cancel_a_job_that_waits_for_the_machine():
    """Of a group GitHub keeps one waiting job: a third pull request would cancel the second.

    The runner takes one job at a time, and the host's own lock makes several runners wait.
    """
    for path in [*OURS, *TEMPLATES]:
        groups = re.findall(r"^\s+group: (.+)$", without_comments(text_of(path)), re.MULTILINE)
        assert [one for one in groups if "machine" in one] == [], path


@pytest.mark.parametrize("name", ["one-stage.yml", "two-stages.yml"])
def test_the_merge_queue_is_measured_like_a_pull_request(name):
    """A queue whose required check never comes would wait for ever, or merge what nobody judged."""
    text = without_comments(text_of(ROOT / "gate" / "cli" / "github" / name))
    assert re.search(r"^  merge_group:\s*$", text, re.MULTILINE)
    for where in (text, text_of(ROOT / ".github" / "workflows" / "measure.yml")):
        for key, queued in (("head.sha", "head_sha"), ("base.sha", "base_sha")):
            given = where.count(f"github.event.pull_request.{key}")
            both = f"github.event.pull_request.{key} || github.event.merge_group.{queued}"
            assert where.count(both) == given


def test_an_upload_that_is_no_evidence_closes_nothing():
    """In one stage the verdict is the job's own; in two only what the next stage reads is needed."""
    own = "by an action of the caller"
    action = text_of(ROOT / ".github" / "actions" / "gate" / "action.yml")
    judge = text_of(ROOT / ".github" / "workflows" / "judge.yml")
    for text, evidence in (
        (action, []),
        (judge, ["Upload the report", f"Upload the report {own}"]),
    ):
        steps = re.split(r"^\s+- name: ", text, flags=re.MULTILINE)[1:]
        uploads = [one for one in steps if "upload-artifact@" in one or "driftgate-upload #" in one]
        assert uploads
        needed = [one.splitlines()[0] for one in uploads if "continue-on-error: true" not in one]
        assert needed == evidence


def test_the_caller_may_bring_another_upload_action():
    """GHES and Gitea have no artifacts of version 4: the files are outputs, and nothing is sent."""
    action = text_of(ROOT / ".github" / "actions" / "gate" / "action.yml")
    steps = re.split(r"^\s+- name: ", action, flags=re.MULTILINE)[1:]
    uploads = [one for one in steps if "actions/upload-artifact@" in one]
    assert all("inputs.upload == 'true'" in one for one in uploads)
    for output in ("page", "report", "session"):
        assert re.search(rf"^  {output}:$", action, re.MULTILINE)


@pytest.mark.parametrize("name", ["aa", "baseline", "judge", "measure"])
def test_a_reusable_workflow_sends_by_the_callers_action_where_asked(name):
    """Nobody adds a step to it, so `upload: false` uses an action of the caller's reviewed tree."""
    text = text_of(ROOT / ".github" / "workflows" / f"{name}.yml")
    assert re.search(
        r"^      upload:\n(?:        .*\n)+?        default: true$", text, re.MULTILINE
    )
    steps = re.split(r"^      - (?=name: )", text, flags=re.MULTILINE)[1:]
    ours = [one for one in steps if "actions/upload-artifact@" in one]
    theirs = [one for one in steps if "/.github/actions/driftgate-upload" in one]
    assert all(re.search(r"if: .*[& ]inputs\.upload$", one, re.MULTILINE) for one in ours)
    assert all(re.search(r"if: .*!inputs\.upload$", one, re.MULTILINE) for one in theirs)
    inside = [one for one in steps if "./.driftgate/.github/actions/gate #" in one]
    assert all("upload: ${{ inputs.upload }}" in one for one in inside)
    assert len(theirs) == max(len(ours), len(inside))
    for one in theirs:  # never of the change under test
        assert re.search(r"uses: \./(base|tree|head)/", one)
        assert name in {"aa", "baseline"} or "./head/" not in one


BAD = """\
name: bad
on: [pull_request]
jobs:
  a:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v7
      - uses: actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1
      # permissions: {}
  driftgate:
    needs: [a]
    if: success()
    permissions: {}
    steps:
      - uses: o/r/.github/actions/required@0000000000000000000000000000000000000000 # v1
  c:
    uses: o/r/.github/workflows/x.yml@main
"""


def test_the_laws_see_what_breaks_them():
    assert len(unpinned(BAD)) == 3
    assert unbounded(BAD) == ["a", "driftgate", "c"]
    assert careless(BAD) == ["driftgate"]
