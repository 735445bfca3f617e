"""Sides that the user's own commands activate: real shell commands, end to end and alone."""

from __future__ import annotations

import json
import os

import pytest
from builders import run_gate

from gate.errors import TrialFailed
from gate.formats.profile.profile_file import read_profile
from gate.measure.activation import activate_side, make_switch
from gate.model import Side, Subject
from gate.subject.command import ActiveSide

PROFILE = """harness = "hyperfine"
command = "sleep 0.005"
[subject]
kind = "custom"
activate = "echo activate $GATE_SIDE >>log; cp {side}/name active"
prove = "echo prove $GATE_SIDE >>log; cmp active {side}/name && cat active"
deactivate = "echo deactivate >>log; rm active"
[metric.wall]
tolerance = "50%"
"""


@pytest.fixture
def project(tmp_path):
    """Two sides, each with a name, and a log of what was done."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "p.toml").write_text(PROFILE)
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "name").write_text(f"kernel of {side}\n")
    return tmp_path


def measured(project, *more, trials="2"):
    """One session of the head side: the answer, its trials, and what was done, in order."""
    words = ["run", "p", "--base", "base", "--head", "head", "--trials", trials, "--quiet", *more]
    answer = run_gate(words, cwd=project)
    path = project / "reports" / "sessions" / "p-001.json"
    trials = json.loads(path.read_text())["trials"] if path.exists() else []
    log = project / "log"
    return answer, trials, log.read_text().splitlines() if log.exists() else []


def test_activated_once_proven_around_each_trial_and_put_back(project):
    """Once activated for two trials, proven before and after each, deactivated at the end."""
    answer, trials, log = measured(project)
    assert answer.status == 0, answer
    assert log == ["activate head", *["prove head"] * 4, "deactivate"]
    assert [one["note"] for one in trials] == ["kernel of head"] * 2
    assert not (project / "active").exists()


def edited(project, old, new):
    """The profile with one thing changed."""
    path = project / "profiles" / "p.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("cp {side}/name active", "echo no such image >&2; exit 7",
         "not activated: `activate` of the head side ended with status 7: no such image"),
        ("cmp active {side}/name && cat active", "true",
         "not activated: the head side is not proven: `prove` printed nothing"),
        ("&& cat active", "&& date +%N",
         "the head side was proven by"),
        ("cp {side}/name active", "echo other >active",
         "not activated: `prove` of the head side ended with status 1"),
        ('sleep 0.005"', 'rm active"', "not proven: `prove` of the head side ended with status"),
    ],
)  # fmt: skip
def test_a_side_that_is_not_proven_gives_no_number(project, old, new, note):
    """Every trial fails, says why in its own words, and everything is put back."""
    edited(project, old, new)
    if "rm active" in new:  # the workload itself takes the side away
        edited(project, "cp {side}/name active", "cp {side}/name active; true")
    answer, trials, log = measured(project)
    assert answer.status == 4, answer
    assert {one["status"] for one in trials} == {"failed"}
    assert all(note in one["note"] for one in trials), trials
    assert all(one["values"] == [] for one in trials)
    assert "deactivate" in log


def test_sides_that_prove_the_same_are_no_two_sides(project):
    """The second one to prove what the first one proved has not been activated."""
    (project / "head" / "name").write_text((project / "base" / "name").read_text())
    profile = read_profile(project / "profiles" / "p.toml")
    sides = {
        side: ActiveSide(
            side=side,
            directory=project / side.value,
            environment={"GATE_SIDE": side.value},
            subject=Subject(),
        )
        for side in Side
    }
    switch = make_switch(profile, sides, dict(os.environ))
    with activate_side(switch, sides[Side.BASE]) as proof:
        assert proof == "kernel of base"
    with (
        pytest.raises(TrialFailed, match="not activated: both sides prove the same, 'kernel of ba"),
        activate_side(switch, sides[Side.HEAD]),
    ):
        raise AssertionError("nothing may be measured")
    assert (project / "log").read_text().splitlines() == [
        *("activate base", "prove base", "prove base"),
        *("activate head", "prove head", "deactivate"),
    ]


def test_what_cannot_be_put_back_is_an_error(project):
    """The session is kept, and the error says what to do by hand."""
    edited(project, "rm active", "echo stuck >&2; exit 3")
    answer, trials, _ = measured(project)
    assert answer.status == 4, answer
    assert "error[G268]: the subject could not be put back: " in answer.err
    assert "status 3: stuck" in answer.err
    assert len(trials) == 2


def test_a_command_that_hangs_is_ended(project):
    """Within its own limit, not the trial's."""
    edited(project, "cp {side}/name active", "sleep 100")
    edited(project, 'kind = "custom"', 'kind = "custom"\ntimeout = "0.2 s"')
    answer, trials, _ = measured(project)
    assert answer.status == 4
    assert "`activate` of the head side took more than 0.2 s" in trials[0]["note"]


def test_a_subject_from_a_file_of_its_own(project):
    """--subject gives a plain profile the same subject, and another digest."""
    text = (project / "profiles" / "p.toml").read_text()
    table = text[text.index("[subject]") : text.index("[metric")]
    (project / "lab.toml").write_text(table)
    (project / "profiles" / "p.toml").write_text(text.replace(table, ""))
    answer, trials, _ = measured(project, "--subject", "lab.toml")
    assert answer.status == 0, answer
    assert [one["note"] for one in trials] == ["kernel of head"] * 2
    edited(project, "[metric", f"{table}[metric")
    again = run_gate(["run", "p", "--head", "head", "--subject", "lab.toml"], cwd=project)
    assert again.status == 2
    assert "has a [subject] of its own" in again.err
