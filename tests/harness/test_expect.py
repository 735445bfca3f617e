"""`[expect]`: what a command prints and ends with must be what the profile says."""

from __future__ import annotations

import pytest

from gate.errors import TrialFailed
from gate.harness import expand
from gate.harness.expand import work_done
from gate.model import Expectation

TEXT = "start\nprocessed 1000 records\ndone in 0.2 s\n"


def test_what_is_expected_passes_and_the_figure_is_kept():
    """A pattern anywhere on a line, and a number that is large enough."""
    expect = Expectation(stdout=r"^done in \S+ s$", figure=r"processed (\d+) records", least=1000.0)
    (value,) = work_done(TEXT, expect)
    assert (value.metric, value.value) == ("work_done", 1000.0)
    assert work_done(TEXT, Expectation()) == ()


@pytest.mark.parametrize(
    ("text", "expect", "words"),
    [
        ("usage: x\n", Expectation(stdout="^done"), "it printed last: usage: x"),
        ("", Expectation(stdout="^done"), "it printed nothing"),
        (TEXT, Expectation(figure=r"(\d+) rows"), "expected one match"),
        (TEXT, Expectation(figure=r"(\d+)"), "got 3"),
        ("processed 0 records", Expectation(figure=r"processed (\d+)"), "a number above 0"),
        ("processed x records", Expectation(figure=r"processed (\w+)"), "a number above 0"),
        (TEXT, Expectation(figure=r"processed (\d+)", least=1001), "at least 1001"),
    ],
)
def test_anything_else_fails_the_trial(text, expect, words):
    """Each says what was expected and what came."""
    with pytest.raises(TrialFailed, match=words):
        work_done(text, expect)


def test_a_pattern_that_never_ends_fails_the_trial(monkeypatch):
    """Backtracking without end is given up after a while; the trial fails by it."""
    monkeypatch.setattr(expand, "_PATIENCE", 0.05)
    with pytest.raises(TrialFailed, match=r"took over 0\.05 s"):
        work_done("a" * 60 + "!", Expectation(stdout="^(a+)+$"))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # into a gc callback
def test_a_figure_is_not_taken_out_of_a_file_of_a_million_lines(monkeypatch):
    """What is printed may be long, and a hostile flood of matches ends like one that is slow."""
    monkeypatch.setattr(expand, "_PATIENCE", 0.05)
    with pytest.raises(TrialFailed):
        work_done("processed 1 records\n" * 1_000_000, Expectation(figure=r"processed (\d+)"))
