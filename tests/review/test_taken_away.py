"""`gate check --merge-base`: what a change takes away is missing, down to the last profile."""

from __future__ import annotations

from builders import write_replay_project
from pipeline.ends import left
from review.test_check_merge_base import CHECK, git, proposed  # noqa: F401 - the fixture


def test_a_change_that_removes_every_profile_is_told_what_is_missing(proposed):  # noqa: F811
    """Not only that there is nothing to measure: each benchmark that is gone has its finding."""
    for path in proposed.root.glob("profiles/*.toml"):
        path.unlink()
    answer = proposed.gate(*CHECK)
    report, handover = left(proposed.root)
    assert (answer.status, report.gate, report.verdict) == (4, "closed", "missing"), answer
    assert {finding.profile for finding in report.findings} == {"p", "q"}
    assert handover.sessions == ()


def test_a_profile_of_a_lost_name_does_not_cover_for_the_baseline_that_is_left(proposed):  # noqa: F811
    """The merge base has a baseline without its profile: adding one of that name hides nothing."""
    git(proposed.root, "checkout", "main")
    git(proposed.root, "rm", "-q", "profiles/q.toml")
    git(proposed.root, "commit", "-q", "-m", "forgot the baseline")
    git(proposed.root, "checkout", "-b", "again")
    write_replay_project(proposed.root, name="q")
    answer = proposed.gate(*CHECK, "--json")
    assert (answer.status, answer.json["error"]["code"]) == (2, "G211")
