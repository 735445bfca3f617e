"""What two looks at the machine tell of the time between them."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from gate.measure.recorder import Snapshot, disturbances, notes, snapshot

QUIET = Snapshot(asleep=10.0, cpus=8, steal=100, ticks=100_000)


def test_a_quiet_stretch():
    """Nothing is told of a machine that only went on."""
    later = replace(QUIET, ticks=200_000, steal=150)
    assert disturbances(QUIET, later) == ()
    assert notes(QUIET, later) == ()
    assert disturbances(QUIET, QUIET) == notes(QUIET, QUIET) == ()


def test_a_suspended_machine():
    """Sleep between two looks is a disturbance, with its length; clock jitter is none."""
    assert disturbances(QUIET, replace(QUIET, asleep=10.01)) == ()
    (told,) = disturbances(QUIET, replace(QUIET, asleep=3610.0))
    assert told == "the machine was suspended for 3600 s"


@pytest.mark.parametrize("cpus", [7, 9])
def test_a_changed_number_of_processors(cpus):
    """Processors taken away or given are a disturbance that names both numbers."""
    (told,) = disturbances(QUIET, replace(QUIET, cpus=cpus))
    assert told == f"the number of usable processors went from 8 to {cpus}"


def test_both_at_once():
    """Each reason is told."""
    assert len(disturbances(QUIET, replace(QUIET, cpus=1, asleep=99.0))) == 2


@pytest.mark.parametrize(("steal", "told"), [(4_900, ()), (5_000, "5 %"), (60_000, "60 %")])
def test_steal_is_noted(steal, told):
    """From 5 % on, the time the hypervisor took is noted, but disturbs no verdict."""
    later = replace(QUIET, ticks=200_000, steal=100 + steal)
    said = notes(QUIET, later)
    assert said == (f"the hypervisor took {told} of the processors' time",) if told else not said
    assert disturbances(QUIET, later) == ()


def test_counters_that_go_back_are_not_noted():
    """A counter that a live migration reset gives no note and no error."""
    assert notes(QUIET, replace(QUIET, ticks=5, steal=0)) == ()
    assert notes(QUIET, replace(QUIET, ticks=200_000, steal=0)) == ()


def test_the_real_machine_is_seen(monkeypatch):
    """A real look counts this process's processors, also after they become fewer."""
    before = snapshot()
    allowed = os.sched_getaffinity(0)
    assert before.cpus == len(allowed)
    assert before.ticks > before.steal >= 0
    assert before.asleep > -1
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(list(allowed)[1:]))
    assert disturbances(before, snapshot())


def test_a_machine_without_proc_stat(monkeypatch):
    """Where /proc/stat cannot be read or is strange, ticks are 0 and nothing is raised."""

    def refuse(*_args, **_more):
        raise PermissionError

    monkeypatch.setattr(Path, "open", refuse)
    look = snapshot()
    assert (look.steal, look.ticks) == (0, 0)
    assert notes(look, look) == ()


def test_a_disturbance_reaches_the_session_and_survives_resuming(tmp_path, monkeypatch):
    """A suspend during a trial stands in the session file and keeps it from being accepted."""
    from builders import write_replay_project

    import gate.measure.recorder as room
    from gate.formats.session.session_file import read_session

    project = write_replay_project(tmp_path)
    looks = iter([QUIET, QUIET, replace(QUIET, asleep=99.0)])
    last = replace(QUIET, asleep=99.0)
    monkeypatch.setattr(room, "snapshot", lambda: next(looks, last))
    session = read_session(project.session())
    assert session.disturbances == ("the machine was suspended for 89 s",)
    answer = project.gate(
        "baseline",
        "accept",
        project.root / "reports/sessions/p-001.json",
        "--reason",
        "r",
        "--by",
        "me",
    )
    assert answer.status != 0, answer
    assert "suspended" in answer.err
