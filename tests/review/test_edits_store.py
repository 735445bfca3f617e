"""A change that brings its own baseline, waiver or workflow: told, and not in force."""

from __future__ import annotations

from dataclasses import replace

import pytest
from review.conftest import SAME, SLOW, only, waiver_text

from gate.formats.baseline.baseline_file import read_baseline, write_baseline

P, BASE = "profiles/p.toml", "baselines/lab/p.toml"


def test_the_change_brings_its_own_baseline_and_stays_closed(repository):
    """A baseline at the slow level, accepted in the change itself, is told and not used."""
    repository.project.record({"b": [1.2, 1.2024, 1.1976]})
    paths = [repository.project.session() for _ in range(2)]
    answer = repository.project.gate(
        "baseline", "accept", *paths, "--reason", "slower on purpose", "--by", "me"
    )
    assert answer.status == 0, answer
    repository.project.record({"b": [1.0, 1.002, 0.998]})
    repository.commit()
    answer, report = repository.judge(sessions=SLOW)
    assert (answer.status, report["verdict"]) == (5, "inconclusive")
    edit = only(report)
    assert (edit["code"], edit["loosens"]) == ("G078", True)
    assert edit["headline"] == (
        "baseline of b wall on lab 1.000 -> 1.200 s (+20.0 %), epoch 2, because: slower on purpose"
    )


def test_accepted_sessions_that_went_are_told(repository):
    """A baseline that lost a session: the level, and which session it was."""
    known = read_baseline(repository.root / BASE)
    gone = known.sessions[0].id
    series = tuple(
        replace(s, points=tuple(p for p in s.points if p.session != gone)) for s in known.series
    )
    write_baseline(
        repository.project.baselines, replace(known, sessions=known.sessions[1:], series=series)
    )
    repository.commit()
    _, report = repository.judge(sessions=SAME)
    said = [e["headline"] for e in report["edits"]]
    assert f"1 accepted session on lab removed: {gone}" in said
    assert any("accepted values edited or removed" in one for one in said)
    assert all(e["loosens"] for e in report["edits"])


def test_the_baseline_removed_by_the_change_is_still_in_force(repository):
    """`new` is not what it becomes: the merge base's baseline judges it."""
    (repository.root / BASE).unlink()
    repository.commit()
    answer, report = repository.judge("--allow", "new", sessions=SLOW)
    assert answer.status == 5
    assert {f["profile"]: f["verdict"] for f in report["findings"]}["p"] == "inconclusive"
    assert only(report)["headline"] == "baseline on lab removed, 5 sessions"


def test_the_change_brings_its_own_waiver_and_stays_closed(repository):
    """A waiver counts from the merge base only; there it does."""
    slow = repository.project
    (repository.root / "baselines/waivers.toml").write_text(waiver_text())
    repository.commit()
    slow.record({"b": [1.2, 1.2024, 1.1976]})
    paths = (*(slow.session() for _ in range(12)), "held/q-same.json")
    slow.record({"b": [1.0, 1.002, 0.998]})
    answer, report = repository.judge(sessions=paths)
    assert (answer.status, report["verdict"]) == (10, "regressed")
    edit = only(report)
    assert (edit["code"], edit["loosens"], edit["before"]) == ("G079", True, "")
    assert edit["headline"].startswith("waiver of wall added: 25 % from ")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "change")
    repository.git("checkout", "-q", "change")
    answer, report = repository.judge(sessions=paths)
    assert (answer.status, report["verdict"], report["edits"]) == (0, "waived", [])
    advice = next(f for f in report["findings"] if f["profile"] == "p")["advice"]
    assert "Waived up to 25.0 % until " in advice
    assert "known (#7); 80% of the ceiling is used." in advice


def test_a_waiver_widened_or_removed(repository):
    """Ceiling up lets more in; taking it away does not."""
    place = repository.root / "baselines/waivers.toml"
    place.write_text(waiver_text())
    repository.commit()
    repository.git("branch", "-f", "main")
    place.write_text(waiver_text(ceiling="400%"))
    repository.commit()
    edit = only(repository.judge(sessions=SAME)[1])
    assert (edit["code"], edit["loosens"]) == ("G079", True)
    assert "25 % from" in edit["before"]
    assert "400 % from" in edit["after"]
    place.unlink()
    repository.commit()
    edit = only(repository.judge(sessions=SAME)[1])
    assert (edit["headline"], edit["loosens"]) == ("waiver of wall removed", False)


@pytest.mark.parametrize(
    ("path", "what"),
    [
        (".github/workflows/gate.yml", "a workflow that may run the gate"),
        (".github/actions/x/action.yml", "a workflow that may run the gate"),
        (".github/CODEOWNERS", "who reviews it"),
        ("CODEOWNERS", "who reviews it"),
        (".gitlab-ci.yml", "a workflow that may run the gate"),
    ],
)
@pytest.mark.parametrize("proposed", ["HEAD", None], ids=["commit", "working tree"])
def test_files_that_run_the_gate(repository, path, what, proposed):
    """A workflow or owners added, edited and removed: one edit for each, by its path."""
    place = repository.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("one")
    if proposed:
        repository.commit()
    assert only(repository.judge(sessions=SAME, proposed=proposed)[1])["headline"] == (
        f"{path} was added: {what}"
    )
    repository.commit()
    repository.git("branch", "-f", "main")
    place.write_text("two")
    if proposed:
        repository.commit()
    edit = only(repository.judge(sessions=SAME, proposed=proposed)[1])
    assert (edit["headline"], edit["loosens"]) == (f"{path} was edited: {what}", True)
    place.unlink()
    if proposed:
        repository.commit()
    assert only(repository.judge(sessions=SAME, proposed=proposed)[1])["headline"] == (
        f"{path} was removed: {what}"
    )


def test_loosening_comes_first(repository):
    """What would let more in stands above the rest, whatever its name."""
    repository.swap("profiles/q.toml", '"5%"', '"50%"')
    repository.swap(P, '"5%"', '"4%"')
    repository.commit()
    _, report = repository.judge(sessions=SAME)
    assert [e["profile"] for e in report["edits"]] == ["q", "p"]


def test_an_orphaned_baseline_at_the_merge_base_is_refused(repository):
    """A session cannot stand in for a profile that only its baseline remembers."""
    repository.git("checkout", "-q", "main")
    (repository.root / P).unlink()
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    answer, _ = repository.judge(sessions=SAME)
    assert answer.status == 2
    assert "error[G211]" in answer.err
    assert ":baselines/lab/p.toml" in answer.err


@pytest.mark.parametrize("path", [".github/workflows/driftgate.yml", ".github/CODEOWNERS"])
def test_an_edited_workflow_is_closed_until_somebody_approves_it(repository, path):
    """What such a workflow uploads may be anybody's, however fast it looks."""
    place = repository.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("one")
    repository.commit()
    answer, report = repository.judge(sessions=SAME)
    assert (answer.status, report["gate"], report["verdict"]) == (5, "closed", "incomparable")
    (closing,) = [one for one in report["findings"] if one["verdict"] != "passed"]
    assert (closing["code"], closing["profile"]) == ("G289", "the workflows")
    assert f"nobody has approved this commit, and {path} was added" in closing["headline"]
    approved, report = repository.judge("--workflows-approved", sessions=SAME)
    assert (approved.status, report["gate"]) == (0, "open")
    assert only(report)["code"] == "G082"  # and is still shown


def test_many_edits_do_not_hide_one_of_a_workflow(repository):
    """A report holds 500 edits; that of a workflow is never among those left out."""
    for n in range(510):
        place = repository.root / f".github/workflows/w{n}.yml"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("one")
    repository.commit()
    report = repository.judge(sessions=SAME)[1]
    (closing,) = [one for one in report["findings"] if one["verdict"] != "passed"]
    assert "and 498 more" in closing["headline"]


def test_at_a_desk_nothing_waits_for_an_approval(repository):
    """The edit is shown and closes nothing: there is nobody to ask."""
    place = repository.root / ".github/workflows/driftgate.yml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("one")
    answer, report = repository.judge(sessions=SAME, proposed=None)
    assert (answer.status, only(report)["code"]) == (0, "G082")
