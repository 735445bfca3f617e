"""A baseline without its profile at the merge base, and profiles that a change adds."""

from __future__ import annotations

import pytest
from builders import QUIET, Project, write_replay_project
from review.conftest import SAME

CHECK = ("--merge-base", "main", "--out", "out", "--json", "--quiet")


@pytest.fixture
def orphan(repository):
    """At the merge base profile q is gone, and its baseline was forgotten; the text of q."""
    text = (repository.root / "profiles/q.toml").read_text()
    repository.git("checkout", "-q", "main")
    (repository.root / "profiles/q.toml").unlink()
    repository.commit("q is forgotten")
    repository.git("checkout", "-q", "-B", "change")
    return repository, text


def test_it_closes_the_gate_and_the_cure_can_be_followed(orphan):
    """Refused while it is there; the change that removes it passes, in both stages."""
    repository, _ = orphan
    told = repository.project.gate("check", *CHECK).json["error"]
    assert told["code"] == "G211"
    assert "Remove this baseline in a change of its own, which may pass" in told["message"]
    answer, _ = repository.judge(sessions=SAME[:1])
    assert answer.json["error"]["code"] == "G211"
    (repository.root / "baselines/lab/q.toml").unlink()
    repository.commit("as told")
    answer = repository.project.gate("check", *CHECK[:-3], "out2", "--quiet")
    assert answer.status == 0, answer
    assert repository.judge(sessions=SAME[:1])[0].status == 0


@pytest.mark.parametrize("names", [[], ["q"], ["profiles/q.toml"]])
@pytest.mark.parametrize("removed", [True, False])
def test_a_profile_that_comes_back_is_not_judged_by_its_own_tolerance(orphan, names, removed):
    """Slower by 20 % with a tolerance of 50 %, named or not, baseline removed or not: refused."""
    repository, text = orphan
    (repository.root / "profiles/q.toml").write_text(text.replace('"5%"', '"50%"'))
    Project(repository.root, "q").record({"b": [1.2 * one for one in QUIET]})
    if removed:
        (repository.root / "baselines/lab/q.toml").unlink()
    repository.commit("q is back")
    answer = repository.project.gate("check", *names, *CHECK)
    assert (answer.status, answer.json["error"]["code"]) == (2, "G211"), answer
    answer, _ = repository.judge(sessions=SAME)
    assert answer.json["error"]["code"] == "G211"


def test_a_profile_that_the_change_adds_and_nobody_measured_is_new(repository):
    """Closed unless new ones are let through; with --only it is not asked for."""
    write_replay_project(repository.root, name="z")
    (repository.root / "profiles/broken.toml").write_text("harness = 1\n")
    repository.commit("adds z, and one that cannot be read")
    answer, report = repository.judge(sessions=SAME)
    assert (answer.status, report["gate"], report["verdict"]) == (5, "closed", "new")
    found = [f for f in report["findings"] if f["verdict"] == "new"]
    assert [(f["code"], f["profile"], f["headline"]) for f in found] == [
        ("G010", "z", "the change adds this profile, and no session of it was sent")
    ]
    assert {e["profile"] for e in report["edits"]} == {"z", "broken"}
    assert repository.judge("--allow", "new", sessions=SAME)[0].status == 0
    assert repository.judge("--only", "p", "--only", "q", sessions=SAME)[0].status == 0


def test_the_note_says_which_edits_do_something_before_they_are_merged(repository):
    """A tolerance does nothing yet; what is run, and a workflow, are the change's own."""
    repository.swap("profiles/p.toml", '"5%"', '"50%"')
    _, report = repository.judge(sessions=SAME, proposed=None)
    note = next(n for n in report["notes"] if n.startswith("judged by the merge base"))
    assert note.endswith("are not in force here")
    (repository.root / ".github/workflows").mkdir(parents=True)
    (repository.root / ".github/workflows/x.yml").write_text("on: push\n")
    repository.swap("profiles/p.toml", '["b"]', '["b", "c"]')
    _, report = repository.judge(sessions=SAME, proposed=None)
    note = next(n for n in report["notes"] if n.startswith("judged by the merge base"))
    assert "but what is run is what the change says" in note
    assert "but a workflow that the change edits may have run as it is edited" in note
