"""What is off on a host travels with the sessions that it measures, into the report."""

from __future__ import annotations

import re
from pathlib import Path

from builders import run_gate, write_replay_project
from host.readiness_machines import OFF, changed, governors, server
from recorded_machine import RecordedMachine

from gate.formats.session.session_file import read_session
from gate.host.readiness.readiness import quick_notes
from gate.measure import setup

PROFILE = """
harness = "hyperfine"
command = "true {side}"
trials = { screen = 2, confirm_pairs = 9 }
[side.base]
dir = "base"
[side.head]
dir = "head"
[metric.wall]
tolerance = "500%"
"""
NOTE = "not ready: thp always (wanted: madvise or never)"


def always(monkeypatch):
    """Make the machine that is asked one on which only huge pages are off."""
    thp = {"/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n"}
    machine = RecordedMachine(changed(server(), thp))
    monkeypatch.setattr(setup, "ThisMachine", lambda: machine)


def test_what_is_off_stands_in_the_session(tmp_path, monkeypatch):
    """A measured session notes the one setting that is off, with its value and what is wanted."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles/p.toml").write_text(PROFILE, "utf-8")
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
    always(monkeypatch)
    answer = run_gate(("run", "p", "--json"), cwd=tmp_path)
    assert answer.status == 0, answer.err
    session = read_session(tmp_path / Path(answer.json["sessions"][0]["path"]))
    assert session.notes.count(NOTE) == 1
    assert [note for note in session.notes if note.startswith("not ready")] == [NOTE]


def test_a_replayed_check_has_no_such_note(tmp_path, monkeypatch):
    """Recorded values were not measured here: the host of the replay is no matter of theirs."""
    always(monkeypatch)
    project = write_replay_project(tmp_path / "p", sides=False)
    project.accept()
    answer = run_gate(("check", "p", "--json"), cwd=project.root)
    assert answer.status == 0, answer.err
    assert "not ready" not in answer.out


def test_quick_notes_tell_only_what_is_off():
    """A machine in order has no notes, one without files neither; what is off is a line each."""
    assert quick_notes(RecordedMachine(server()), Path("/")) == ()
    assert quick_notes(RecordedMachine({}), Path("/")) == ()
    bad = changed(server(), OFF["governor"][0] | OFF["swap"][0])
    assert quick_notes(RecordedMachine(bad), Path("/")) == (
        (
            "not ready: governor powersave on 3, performance on 1 of 4 processors "
            "(wanted: performance, or one fixed clock)"
        ),
        "not ready: swap on, 1.0 of 8.0 GiB used (wanted: off)",
    )


def test_quick_notes_are_few_and_short():
    """However much is off, there are at most 8 notes of fewer than 160 characters."""
    files = {k: v for name in OFF for k, v in OFF[name][0].items()}
    files |= governors("p" * 400, *["powersave"] * 3)
    notes = quick_notes(RecordedMachine(changed(server(), files)), Path("/"))
    assert len(notes) == 8
    assert all(len(note) < 160 for note in notes)


def test_quick_notes_ask_little(monkeypatch):
    """They read a bounded number of files and start no program but df, so they take no time."""
    asked = []

    class Counting(RecordedMachine):
        def text(self, path):
            asked.append(path)
            return super().text(path)

        def ask(self, *argv):
            asked.append(argv[0])
            return super().ask(*argv)

    quick_notes(Counting(server(cpus=64)), Path("/"))
    assert [one for one in asked if "/" not in one] == ["df"]
    assert len(asked) < 64 * 8 + 50
    assert not [one for one in asked if re.match(r"/proc/\d", one) and one != "/proc/2/comm"]
