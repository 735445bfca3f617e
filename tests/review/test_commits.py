"""`--proposed`: what was measured is of the commit that is judged, and of its merge base."""

from __future__ import annotations

import json

import pytest
from review.conftest import SAME

UNKNOWN = "the sessions do not tell which commit was measured"


def of(repository, commit, side="head"):
    """The session of p, which says that it is of a commit."""
    path = repository.root / "held" / "of.json"
    data = json.loads((repository.root / SAME[0]).read_text())
    data["subject"]["commit"] = commit
    if side == "base":
        data |= {"side": "base", "stage": "confirm", "id": "base", "trials": []}
    path.write_text(json.dumps(data))
    return path


@pytest.mark.parametrize("side", ["head", "base"])
def test_a_session_of_another_commit_is_refused(repository, side):
    """An older, faster commit does not stand in for the change, nor for the merge base."""
    repository.commit("older")
    old = repository.git("rev-parse", "HEAD")
    new = repository.commit("newer")
    wanted = new if side == "head" else repository.git("rev-parse", "main")
    path = of(repository, old, side)
    answer, _ = repository.judge(sessions=(path, SAME[1], *(SAME[:1] if side == "base" else [])))
    told = answer.json["error"]
    assert (answer.status, told["code"]) == (2, "G243")
    assert f"the {side} side of profile p was measured of commit {old}" in told["message"]
    assert f"Measure {wanted[:12]}" in told["message"]


def test_a_session_of_the_commit_judged_passes_and_one_that_tells_none_is_noted(repository):
    new = repository.commit("newer")
    answer, report = repository.judge(sessions=(of(repository, new), SAME[1]))
    assert answer.status == 0
    assert [note for note in report["notes"] if UNKNOWN in note] == [
        f"q: {UNKNOWN}, so nothing shows that it is the one judged"
    ]


def test_a_base_side_that_the_reviewed_profile_declares_lies_in_the_tree_judged(repository):
    """Sides that are two environments of one tree are both of the commit judged."""
    repository.git("checkout", "-q", "main")
    repository.swap("profiles/q.toml", "[metric.wall]", "[side.base]\n[side.head]\n[metric.wall]")
    repository.commit("sides")
    repository.git("checkout", "-q", "-B", "change")
    repository.commit("the change")
    answer = repository.project.gate("run", "q", "--json", "--quiet", "--side", "base")
    data = json.loads((repository.root / answer.json["sessions"][0]["path"]).read_text())
    assert (data["side"], data["subject"]["commit"]) == (
        "base",
        repository.git("rev-parse", "HEAD"),
    )
    path = answer.json["sessions"][0]["path"]
    answer, _ = repository.judge(sessions=(*SAME, path))
    assert "G243" not in answer.err + answer.out
