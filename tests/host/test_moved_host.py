"""A baseline of a machine that is not this one any more: refused, or new, in every report.

End to end on the replay harness, with the facts of a played machine.
"""

from __future__ import annotations

import json
import shutil

import pytest
from builders import HOST_CLASS, Project, write_replay_project
from played import (
    COMMAND_LINE,
    CPUINFO,
    FIRMWARE,
    GOVERNOR,
    KERNEL,
    SCHEDULER,
    SPECTRE,
    cpuinfo,
    playing,
)

HOST_FILE = f"baselines/{HOST_CLASS}/host.toml"
SLOW = (1.3, 1.302, 1.298)
OTHERS = {
    "another machine": (
        {CPUINFO: cpuinfo(model="Gold 6530")},
        "cpu_model: baseline Intel(R) Xeon(R) Gold 6430 (family 6 model 143 stepping 8), this host",
    ),
    "firmware": ({FIRMWARE: "7.9.9\n"}, "disk_firmware: baseline 7.2.1, this host 7.9.9"),
}
"""Stable facts: another machine, whatever it is called."""
MOVES = {
    "microcode": ({CPUINFO: cpuinfo("0x2b000590")}, "microcode 0x2b000571 -> 0x2b000590"),
    "scheduler": ({SCHEDULER: "none [mq-deadline]\n"}, "disk_scheduler none -> mq-deadline"),
    "mitigation": (
        {SPECTRE: "Vulnerable\n"},
        "mitigations spectre_v2: Enhanced IBRS, IBPB: conditional -> spectre_v2: Vulnerable",
    ),
    "kernel": ({KERNEL: "6.11.0-9-generic\n"}, "kernel 6.8.0-45-generic -> 6.11.0-9-generic"),
    "governor": ({GOVERNOR: "powersave\n"}, "governor performance -> powersave"),
    "command line": (
        {COMMAND_LINE: "root=UUID=1 ro quiet mitigations=off isolcpus=1\n"},
        "command_line ro quiet mitigations=auto isolcpus=1 -> ro quiet mitigations=off isolcpus=1",
    ),
}
"""Epoch facts: the same machine, and other numbers."""
UNMOVED = {
    "clock and bogomips": {CPUINFO: cpuinfo(mhz="3400.000").replace("4200", "4199")},
    "host name": {"/proc/sys/kernel/hostname": "other\n"},
    "serial number": {f"{FIRMWARE.rpartition('/')[0]}/serial": "S64GNE0R999999\n"},
    "root disk's name": {
        COMMAND_LINE: "BOOT_IMAGE=/x root=UUID=2 ro quiet mitigations=auto isolcpus=1"
    },
}
"""What tells two machines of one class apart, and changes no number."""


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    """A directory with a baseline of five sessions of the played machine, made once."""
    root = tmp_path_factory.mktemp("accepted")
    with playing():
        write_replay_project(root).accept()
    return root


@pytest.fixture
def project(tmp_path, accepted):
    """A profile of which only the head can run, and that baseline."""
    shutil.copytree(accepted, tmp_path, dirs_exist_ok=True)
    return Project(tmp_path, "p")


def said(project, out="out"):
    """The three renderings of a check's report, each as one text."""
    return {
        "json": (project.root / out / "report.json").read_text(encoding="utf-8"),
        "html": (project.root / out / "report.html").read_text(encoding="utf-8"),
    }


def flat(text):
    return " ".join(text.replace("&gt;", ">").replace("-\\u003e", "->").split())


def sessions(project, out="out"):
    return sorted(path.name for path in (project.root / out / "p").glob("*.json"))


def assert_told(answer, project, reason):
    """Text, JSON and HTML all hold the reason."""
    assert flat(reason) in flat(answer.out), answer.out
    for text in said(project).values():
        assert flat(reason) in flat(text)


@pytest.mark.parametrize(("changes", "reason"), OTHERS.values(), ids=OTHERS)
def test_another_machine_is_refused(project, changes, reason):
    """A check on it judges nothing, names key, theirs and ours, and spends no pair."""
    project.record({"b": SLOW}, base={"b": SLOW})
    with playing(changes):
        answer = project.gate("check", "p", "--out", "out")
    assert answer.status == 5
    assert_told(answer, project, reason)
    report = json.loads(said(project)["json"])
    assert {(f["code"], f["verdict"]) for f in report["findings"]} == {("G031", "incomparable")}
    assert sessions(project) == ["head.json"]


@pytest.mark.parametrize(("changes", "reason"), MOVES.values(), ids=MOVES)
def test_a_moved_fact_is_refused(project, changes, reason):
    """As the policy is by default: nothing is judged, the fact is named, and no pair is spent."""
    project.record({"b": SLOW}, base={"b": SLOW})
    with playing(changes):
        answer = project.gate("check", "p", "--out", "out")
    assert answer.status == 5
    assert_told(answer, project, f"the host moved: {reason} since the baseline of 20")
    assert_told(answer, project, f"p: epoch: {reason} since the baseline of 20")
    report = json.loads(said(project)["json"])
    assert {(f["code"], f["verdict"]) for f in report["findings"]} == {("G041", "incomparable")}
    assert sessions(project) == ["head.json"]


@pytest.mark.parametrize(("changes", "reason"), MOVES.values(), ids=MOVES)
def test_a_moved_fact_is_new_by_policy(project, changes, reason):
    """With `epoch = "new-baseline"` every benchmark is new: closed, and open by --allow new."""
    with playing():
        update = ["host", "enroll", "--epoch", "new-baseline", "--update"]
        assert project.gate(*update).status == 0
    project.record({"b": SLOW}, base={"b": SLOW})
    with playing(changes):
        answer = project.gate("check", "p", "--out", "out")
        through = project.gate("check", "p", "--out", "out2", "--allow", "new")
    assert (answer.status, through.status) == (5, 0)
    assert_told(answer, project, f"no session was accepted of the host as it is now: {reason}")
    report = json.loads(said(project)["json"])
    assert {(f["code"], f["verdict"]) for f in report["findings"]} == {("G011", "new")}
    assert sessions(project) == sessions(project, "out2") == ["head.json"]


@pytest.mark.parametrize(("changes", "reason"), MOVES.values(), ids=MOVES)
def test_a_moved_fact_opens_an_epoch(project, changes, reason):
    """Accepting a session of the host as it is now is the cure, and says what moved."""
    with playing(changes):
        path = project.session({"b": SLOW})
        answer = project.gate("baseline", "accept", path, "--reason", "updated", "--by", "me")
        assert answer.status == 0
        assert f"new epoch: b wall ({reason})" in answer.out
        assert f"on the host {reason}, because: updated" in project.baseline.read_text()
        project.record({"b": SLOW}, base={"b": SLOW})
        check = project.gate("check", "p", "--out", "out")
    assert check.status == 0, check
    with playing():
        assert project.gate("check", "p", "--out", "out2").status == 5


@pytest.mark.parametrize("changes", UNMOVED.values(), ids=UNMOVED)
def test_another_machine_of_the_class_is_compared(project, changes):
    """Clock, bogomips, host name and serial number are no facts: the check passes on."""
    with playing(changes):
        answer = project.gate("check", "p", "--out", "out")
    assert answer.status == 0, answer
    report = json.loads(said(project)["json"])
    assert {f["code"] for f in report["findings"]} == {"G001"}
    assert not [note for note in report["notes"] if "epoch" in note]


@pytest.mark.parametrize(
    ("changes", "code", "reason"),
    [
        *((changes, "G031", reason) for changes, reason in OTHERS.values()),
        *((changes, "G041", reason) for changes, reason in MOVES.values()),
    ],
    ids=[*OTHERS, *MOVES],
)
def test_from_files(project, changes, code, reason):
    """`gate judge` refuses the same by session and baseline alone, on whatever machine it runs."""
    with playing(changes):
        path = project.session()
    answer = project.gate("judge", "--session", path, "--out", "out")
    assert answer.status == 5
    assert_told(answer, project, reason)
    assert {f["code"] for f in json.loads(said(project)["json"])["findings"]} == {code}


def test_a_check_is_not_resumed_on_a_moved_host(tmp_path):
    """Half a session of before the change and half of after it are no session."""
    project = write_replay_project(tmp_path, head={"b": [1.0, 1.002, "fail"]})
    with playing():
        path = project.session(ends=(0, 4))
    session = json.loads(path.read_text())
    session["state"] = "partial"
    session["trials"] = session["trials"][:1]
    path.write_text(json.dumps(session))
    with playing({GOVERNOR: "powersave\n"}):
        answer = project.gate("run", "p", "--resume", path)
    assert answer.status == 2
    assert answer.err.startswith("error[G221]: ")
    assert "its host's governor is performance, now powersave." in answer.err


def test_host_toml_is_read_by_a_check_before_it_measures(project):
    """A wrong line in it is refused with file and line, and nothing is measured."""
    path = project.root / HOST_FILE
    path.write_text(path.read_text().replace('epoch = "refuse"', 'epoch = "ignore"'))
    number = path.read_text().splitlines().index('epoch = "ignore"') + 1
    answer = project.gate("check", "p", "--out", "out")
    assert answer.status == 2
    assert answer.err.startswith(f"error[G206]: {HOST_FILE}:{number}: policy.epoch: ")
    assert not (project.root / "out/p").exists()


def test_the_unmoved_host_spends_sessions_on_the_same_head(project):
    """What the refused checks above saved: on the accepted host this head is confirmed."""
    project.record({"b": SLOW * 10})
    with playing():
        project.gate("check", "p", "--out", "out")
    assert "strike-1.json" in sessions(project)


@pytest.mark.parametrize(("changes", "reason"), MOVES.values(), ids=MOVES)
@pytest.mark.parametrize(("base", "status"), [(1.3, 0), (1.0, 10)], ids=["unchanged", "slower"])
def test_both_sides_are_judged_on_a_moved_host(tmp_path, changes, reason, base, status):
    """The host moved and both sides can run: pairs decide, and the level says what moved."""
    with playing():
        project = write_replay_project(tmp_path, sides=True)
        project.accept()
    project.record({"b": SLOW * 40}, base={"b": [base * one / 1.3 for one in SLOW] * 40})
    with playing(changes):
        answer = project.gate("check", "p", "--out", "out")
    assert answer.status == status, answer
    (finding,) = json.loads(said(project)["json"])["findings"]
    assert finding["method"] == "pairs"
    assert finding["level"]["state"] == "moved"
    assert flat(reason) in flat(finding["level"]["text"])
