"""`gate compare` where a side fails: nothing was measured, which is no pass and no regression."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import run_gate

from gate.cli import compare as command
from gate.formats.profile.comparison import comparison_profile

RUNS = "sleep 0.01"
ONCE = "test -e gone && exit 3; touch gone; sleep 0.01"
"""Runs well a first time, in whichever trial, and never again."""


def compare(place, *words):
    return run_gate(["compare", "--quiet", *words], cwd=place)


@pytest.mark.parametrize(
    ("base", "head", "side", "said"),
    [
        ("exit 3", RUNS, "base", "the command ended with status 3"),
        (RUNS, "exit 3", "head", "the command ended with status 3"),
        ("exit 3", "exit 4", "head", "the command ended with status 4"),
        ("no-such-tool", RUNS, "base", "status 127, as a shell does that finds no such program"),
        (RUNS, "no-such-tool", "head", "status 127, as a shell does that finds no such program"),
        (
            "kill -SEGV $$",
            RUNS,
            "base",
            "status 139, as a shell does whose program signal 11 ended",
        ),
        (
            RUNS,
            "kill -SEGV $$",
            "head",
            "status 139, as a shell does whose program signal 11 ended",
        ),
        ("exit 3 | cat", RUNS, "base", "the command ended with status 3"),
    ],
)
def test_a_side_that_fails_is_broken(tmp_path, base, head, side, said):
    """Status 4, the side and the reason are named; never `new`, open or a loss, whoever fails."""
    done = compare(tmp_path, base, head)
    assert done.status == 4, done
    shown = " ".join(done.out.split())
    assert shown.startswith(f"! broken: wall the {side} side failed: trial 1: ")
    assert said in shown
    assert "hyperfine" not in shown


def test_a_base_that_fails_later_is_broken(tmp_path):
    """A pair whose base fails decides nothing, whatever the pairs before it say."""
    done = compare(tmp_path, ONCE, RUNS)
    assert done.status == 4, done
    assert "the base side failed: trial 2: the command ended with status 3" in " ".join(
        done.out.split()
    )


@pytest.mark.parametrize("side", ["base", "head"])
def test_a_side_that_times_out_is_broken(tmp_path, monkeypatch, side):
    """A command that does not end in the time of a trial is killed, and that is said."""
    monkeypatch.setattr(
        command, "comparison_profile", lambda asked: replace(comparison_profile(asked), timeout=0.5)
    )
    words = ["sleep 60", RUNS] if side == "base" else [RUNS, "sleep 60"]
    done = compare(tmp_path, *words)
    assert done.status == 4, done
    shown = " ".join(done.out.split())
    assert shown.startswith(f"! broken: wall the {side} side failed: trial 1: ")
    assert "its time was up" in shown


def test_a_program_reads_that_it_is_broken(tmp_path):
    """--json says closed, broken and 4, and holds no loss."""
    done = compare(tmp_path, "--json", "exit 3", RUNS)
    found = done.json
    assert (done.status, found["exit_status"], found["verdict"], found["gate"]) == (
        4,
        4,
        "broken",
        "closed",
    )
    assert {one["code"] for one in found["findings"]} == {"G050"}
    assert all(one["loss"] is None for one in found["findings"])
