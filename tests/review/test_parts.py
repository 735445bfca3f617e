"""A check that was spread over machines, or ended early: what is not there closes the gate."""

from __future__ import annotations

from dataclasses import replace

import pytest
from review.conftest import SAME, SLOW

from gate.formats.session.session_file import read_session, write_handover, write_session
from gate.model import SCHEMA, Handover


@pytest.fixture
def hand_over(repository):
    """Write a handover of sessions of the project, and return its path."""

    def make(*sessions, name=None, **more):
        read = tuple(
            read_session(repository.root / one) if isinstance(one, str) else one for one in sessions
        )
        told = Handover(**({"schema": SCHEMA, "version": "1", "sessions": read} | more))
        path = repository.root / "held" / (name or f"part-{told.shard}.json")
        write_handover(path, told)
        return path

    return make


@pytest.fixture
def both(hand_over):
    return (
        hand_over(SAME[0], shard=1, shards=2),
        hand_over(SAME[1], shard=2, shards=2),
    )


def test_one_handover_is_judged_like_its_sessions(repository, hand_over):
    """All sessions of a check in one file, or one by one: the same findings."""
    whole = hand_over(*SAME)
    one, as_files = (repository.judge(sessions=s)[1] for s in ((whole,), SAME))
    for key in ("findings", "verdict", "gate", "promise", "notes", "profiles"):
        assert one[key] == as_files[key]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("shards", [("--shards", "2"), ()], ids=["told", "their word"])
def test_both_parts_are_joined_each_at_half_of_alpha(repository, both, order, shards):
    """The bound of the whole is the sum of the parts', whatever their order."""
    answer, report = repository.judge(*shards, sessions=both[::order])
    assert (answer.status, report["gate"]) == (0, "open")
    assert report["profiles"] == ["p", "q"]
    assert report["promise"]["alpha"] == pytest.approx(0.01)
    assert report["promise"]["metrics_judged"] == 2
    _, one = repository.judge("--shards", "2", sessions=both[:1])
    assert one["promise"]["alpha"] == pytest.approx(0.005)


@pytest.mark.parametrize("shards", [("--shards", "2"), ()], ids=["told", "their word"])
def test_a_missing_part_closes_the_gate_and_names_its_profiles(repository, both, shards):
    """Its profiles are those of the merge base that nobody measured."""
    answer, report = repository.judge(*shards, sessions=both[:1])
    assert (answer.status, report["gate"], report["verdict"]) == (4, "closed", "missing")
    found = {f["profile"]: f for f in report["findings"]}
    assert found["q"]["headline"] == "not measured: part 2 of 2 was not handed over"
    assert found["p"]["verdict"] == "passed"
    assert report["notes"][0] == "part 2 of 2 was not handed over"


@pytest.mark.parametrize("shards", [("--shards", "2"), ()], ids=["told", "their word"])
def test_a_missing_part_closes_the_gate_without_a_merge_base_too(repository, both, shards):
    """Nobody knows its profiles then, but the gate is closed all the same."""
    answer = repository.project.gate("judge", "--session", both[0], *shards, "--json")
    assert (answer.status, answer.json["verdict"]) == (4, "missing")
    assert answer.json["findings"][0]["profile"] == "the whole check"
    assert "part 2 of 2" in answer.json["findings"][0]["headline"]


def test_all_parts_missing(repository):
    """No machine answered: a closed report, with every benchmark of the merge base."""
    answer, report = repository.judge("--shards", "3")
    assert (answer.status, report["verdict"]) == (4, "missing")
    assert [f["headline"] for f in report["findings"]] == [
        "not measured: part 1, 2, 3 of 3 was not handed over"
    ] * 2
    answer = repository.project.gate("judge", "--shards", "3", "--json")
    assert (answer.status, answer.json["verdict"]) == (4, "missing")


@pytest.mark.parametrize("shards", [("--shards", "2"), ()], ids=["told", "their word"])
@pytest.mark.parametrize("first", [SAME, SAME[:1]], ids=["all profiles", "one profile"])
def test_a_part_without_a_session_closes_the_gate(repository, hand_over, first, shards):
    """No part of a check is empty, so that one is lacking: with a merge base and without."""
    paths = (hand_over(*first, shard=1, shards=2), hand_over(shard=2, shards=2))
    answer, report = repository.judge(*shards, sessions=paths)
    assert (answer.status, report["gate"], report["verdict"]) == (4, "closed", "missing")
    assert report["notes"][0] == "part 2 of 2 holds no session"
    words = [word for path in paths[::-1] for word in ("--session", path)]
    answer = repository.project.gate("judge", *words, *shards, "--json")
    assert (answer.status, answer.json["gate"], answer.json["verdict"]) == (4, "closed", "missing")
    (lacking,) = (f for f in answer.json["findings"] if f["verdict"] == "missing")
    assert lacking["headline"] == "not measured: part 2 of 2 holds no session"


def test_an_empty_part_with_an_error_is_told_once(repository, hand_over):
    """Its error says more than that it is empty."""
    paths = (hand_over(*SAME, shard=1, shards=2), hand_over(shard=2, shards=2, error="G262: x"))
    answer, report = repository.judge("--shards", "2", sessions=paths)
    assert (answer.status, report["notes"][0]) == (4, "measuring ended early: G262: x")


def changed_class(session, name):
    return replace(session, host=replace(session.host, host_class=name))


@pytest.mark.parametrize(
    ("first", "second", "shards", "words"),
    [
        ({"shard": 1, "shards": 2}, {"shard": 1, "shards": 2}, "2", "part 1 was handed over twice"),
        ({"shard": 1, "shards": 2}, {"shard": 2, "shards": 3}, None, "2 and 3 parts"),
        ({"shard": 1, "shards": 2}, {"shard": 2, "shards": 2}, "3", "there are to be 3 parts"),
        ({"shard": 1, "shards": 2}, {"shard": 2, "shards": 2}, "1", "there are to be 1 parts"),
        ({}, {}, "1", "part 1 of 1 was handed over twice"),
        ({}, {}, "2", "there are to be 2 parts"),
        ({"shard": 1, "shards": 2}, {"shard": 2, "shards": 2, "version": "2"}, "2",
         "different versions: 1, 2"),
    ],
)  # fmt: skip
def test_parts_that_do_not_fit_are_refused(repository, hand_over, first, second, shards, words):
    """Doubled, of another number of parts, or of another version of the gate."""
    paths = (
        hand_over(SAME[0], name="a.json", **first),
        hand_over(SAME[1], name="b.json", **second),
    )
    more = ["--shards", shards] if shards else []
    answer, report = repository.judge(*more, sessions=paths)
    assert (answer.status, report["gate"]) == (2, "closed")
    assert "error[G243]" in answer.err
    assert words in answer.err


def test_a_part_of_another_host_class_is_refused(repository, hand_over):
    """One report is of one kind of machine."""
    foreign = changed_class(read_session(repository.root / SAME[1]), "other")
    paths = (hand_over(SAME[0], shard=1, shards=2), hand_over(foreign, shard=2, shards=2))
    answer, _ = repository.judge("--shards", "2", sessions=paths)
    assert answer.status == 2
    assert "different host classes: lab, other" in answer.err


def test_a_profile_in_two_parts_is_refused(repository, hand_over):
    """Two machines cannot have measured the same profile of one check."""
    again = replace(read_session(repository.root / SLOW[0]), id="again")
    paths = (hand_over(SAME[0], shard=1, shards=2), hand_over(again, SAME[1], shard=2, shards=2))
    answer, _ = repository.judge("--shards", "2", sessions=paths)
    assert answer.status == 2
    assert "profile p was measured in two parts" in answer.err


def test_a_check_that_ended_early_is_never_open(repository, hand_over):
    """Everything measured so far passes: closed all the same, with the reason."""
    whole = hand_over(*SAME, error="G262: interrupted")
    answer, report = repository.judge(sessions=(whole,))
    assert (answer.status, report["gate"], report["verdict"]) == (4, "closed", "missing")
    assert report["findings"][0]["headline"] == (
        "not measured: measuring ended early: G262: interrupted"
    )
    answer = repository.project.gate("judge", "--session", whole, "--json")
    assert (answer.status, answer.json["gate"]) == (4, "closed")


def test_what_ended_early_names_what_it_did_not_reach(repository, hand_over):
    """Of a check that ended in the middle, the rest of the profiles is missing for that reason."""
    part = hand_over(SAME[0], error="G262: the disk is full")
    answer, report = repository.judge(sessions=(part,))
    found = {f["profile"]: f for f in report["findings"]}
    assert answer.status == 4
    assert found["q"]["headline"] == "not measured: measuring ended early: G262: the disk is full"
    assert found["p"]["verdict"] == "passed"
    assert "measuring ended early: G262: the disk is full" in report["notes"]
    nothing = hand_over(error="G262: fio is missing")
    for words in (["--merge-base", "main"], []):
        answer = repository.project.gate("judge", "--session", nothing, *words, "--json")
        assert (answer.status, answer.json["gate"]) == (4, "closed")


def test_a_regression_outweighs_what_is_missing(repository, hand_over):
    """A proven loss in one part is what the report is called by."""
    repository.project.record({"b": [1.2, 1.2024, 1.1976]})
    slow = [read_session(repository.project.session()) for _ in range(12)]
    part = hand_over(*slow, shard=1, shards=2)
    answer, report = repository.judge("--shards", "2", sessions=(part,), proposed="main")
    assert (answer.status, report["verdict"]) == (10, "regressed")


def test_a_session_of_the_base_side_alone_measures_nothing(repository, hand_over):
    """A profile without a whole session of the head side counts as not measured."""
    from gate.model import Side

    base = replace(read_session(repository.root / SAME[0]), side=Side.BASE)
    path = repository.root / "held/base.json"
    write_session(path, base)
    answer, report = repository.judge(sessions=(path, SAME[1]))
    assert (answer.status, report["verdict"]) == (4, "missing")
    assert {f["profile"]: f["verdict"] for f in report["findings"]} == {
        "p": "missing", "q": "passed",
    }  # fmt: skip
