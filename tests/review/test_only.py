"""Where only some profiles are measured, those must be there, and the others need not."""

from __future__ import annotations

import pytest
from review.conftest import SAME


def test_all_profiles_of_the_merge_base_had_to_be_measured_unless_some_are_named(repository):
    _, report = repository.judge(sessions=SAME[:1])
    assert (report["gate"], report["verdict"]) == ("closed", "missing")
    answer, report = repository.judge("--only", "p", sessions=SAME[:1])
    assert (answer.status, report["gate"], report["profiles"]) == (0, "open", ["p"])


def test_a_profile_that_is_named_and_was_not_measured_is_missing(repository):
    answer, report = repository.judge("--only", "p", "--only", "q", sessions=SAME[:1])
    assert (answer.status, report["gate"], report["verdict"]) == (4, "closed", "missing")
    assert {f["profile"] for f in report["findings"] if f["verdict"] == "missing"} == {"q"}


def test_a_session_that_was_not_asked_for_is_judged_all_the_same(repository):
    _, report = repository.judge("--only", "p", sessions=SAME)
    assert report["profiles"] == ["p", "q"]


@pytest.mark.parametrize(
    ("words", "code"), [(["--only", "../p"], "G211"), (["--only", ""], "G211")]
)
def test_a_name_that_the_merge_base_has_not_is_an_error(repository, words, code):
    answer, _ = repository.judge(*words, sessions=SAME)
    assert (answer.status, answer.json["error"]["code"]) == (2, code)


def test_names_alone_mean_nothing(repository):
    words = ("judge", "--session", SAME[0], "--only", "p", "--json")
    answer = repository.project.gate(*words)
    assert (answer.status, answer.json["error"]["code"]) == (2, "G200")
