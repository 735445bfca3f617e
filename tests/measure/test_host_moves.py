"""A host whose facts move while it measures: what was measured is of two hosts, and not judged."""

from __future__ import annotations

import json
from unittest import mock

import played
import pytest
from builders import run_gate, write_replay_project
from recorded_machine import RecordedMachine

from gate.host.identity import identity

PROFILE = """
harness = "hyperfine"
shell = "sh"
command = ': > DONE; echo rate $((1000 + $(date +1%N) % 8))'
trials = { screen = 3 }
[output.rate]
pattern = "^rate ([0-9]+)"
unit = "op/s"
better = "higher"
[metric.rate]
tolerance = "5%"
"""
REASON = ["--reason", "r", "--by", "me"]


class Flipping(RecordedMachine):
    """The played machine; one of its files has another text once a flag is there."""

    def __init__(self, flag, path, text):
        self.before, self.after = played.machine(), played.machine({path: text})
        self.flag = flag

    def _now(self):
        return self.after if self.flag.exists() else self.before

    def text(self, path):
        return self._now().text(path)

    def data(self, path):
        return self._now().data(path)

    def names(self, path):
        return self._now().names(path)

    def real(self, path):
        return self._now().real(path)

    def ask(self, *argv):
        return self._now().ask(*argv)


@pytest.fixture
def project(tmp_path):
    """A project with an accepted baseline, measured on a host that stays as it is."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles/p.toml").write_text(PROFILE.replace("DONE", str(tmp_path / "done")))
    told = run_gate(["run", "p", "--repeat", "5", "--quiet"], cwd=tmp_path)
    assert told.status == 0, told
    paths = sorted((tmp_path / "reports/sessions").glob("*.json"))
    done = run_gate(["baseline", "accept", *paths, *REASON], cwd=tmp_path)
    assert done.status == 0, done
    (tmp_path / "done").unlink()
    return tmp_path


def check(root, path, text):
    """Status, report and screen of a check during which a file gets that text."""
    machine = Flipping(root / "done", path, text)
    with mock.patch.object(identity, "ThisMachine", return_value=machine):
        told = run_gate(["check", "p", "--out", "out", "--quiet"], cwd=root)
    screen = json.loads((root / "out/p/head.json").read_text())
    return told.status, (root / "out/report.json").read_text(), screen


@pytest.mark.parametrize(
    ("path", "text", "moved"),
    [
        (played.GOVERNOR, "powersave\n", "governor performance -> powersave"),
        (played.SCHEDULER, "none [mq-deadline]\n", "disk_scheduler none -> mq-deadline"),
        (played.FIRMWARE, "7.3.0\n", "disk_firmware 7.2.1 -> 7.3.0"),
    ],
)
def test_a_fact_that_moves_in_the_middle_is_refused(project, path, text, moved):
    """A check during which somebody changes the host is incomparable, and says what changed."""
    status, report, screen = check(project, path, text)
    why = f"the host changed while it measured: {moved}"
    assert screen["disturbances"] == [why]
    assert status == 5
    assert '"G036"' in report
    assert f"the sitting was disturbed: {why}" in report


def test_a_host_that_stays_as_it_is_is_judged(project):
    """The same check of a quiet host has no disturbance; live values may change as they like."""
    status, report, screen = check(project, played.CPUINFO, played.cpuinfo(mhz="3400.000"))
    assert screen["disturbances"] == []
    assert status == 0
    assert "G036" not in report


def test_replayed_values_have_no_host_to_look_at_again(tmp_path):
    """What is replayed was measured at another time: a host that moves now moved no value."""
    project = write_replay_project(tmp_path)
    machine = mock.Mock(wraps=played.machine())
    with mock.patch.object(identity, "ThisMachine", return_value=machine):
        assert project.gate("run", "p").status == 0
    asked = [one.args for one in machine.text.call_args_list]
    assert asked.count((played.GOVERNOR,)) == 1
