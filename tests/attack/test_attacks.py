"""What an attacker tried: each path is shut, and stays shut."""

import json
import subprocess

import pytest
from builders import run_gate, tree, write_replay_project

JOB = (
    "[global]\nioengine=psync\nsize=64k\nruntime=100ms\ntime_based\n[j]\nrw=write\nverify=crc32c\n"
)


def git(root, *words):
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(root)]
    subprocess.run([*command, *words], check=True, capture_output=True)


def test_links_in_a_prepared_work_directory_lead_nowhere(tmp_path):
    """fio writes into a fresh directory, so links that came with a pull request are not followed."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "victim").write_text("precious", encoding="utf-8")
    project = tmp_path / "project"
    work = project / "reports" / "sessions" / "work"
    work.mkdir(parents=True)
    for name in ("j.0.0", "local-j-0-verify.state", "0"):
        (work / name).symlink_to(outside / ("victim" if name != "0" else "."))
    (project / "profiles").mkdir()
    (project / "profiles" / "j.fio").write_text(JOB, encoding="utf-8")
    (project / "profiles" / "p.toml").write_text(
        'harness = "fio"\njob = "j.fio"\ntrials = { screen = 2 }\n[metric.iops]\n', encoding="utf-8"
    )
    before = tree(outside)
    answer = run_gate(["run", "p", "--quiet"], cwd=project)
    assert answer.status == 0, answer
    assert tree(outside) == before
    assert sorted(path.name for path in work.iterdir()) == ["0", "j.0.0", "local-j-0-verify.state"]


def test_sides_that_are_one_place_clear_nothing(tmp_path):
    """A profile that names the same directory for base and head is refused."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "p.toml").write_text(
        'harness = "hyperfine"\ncommand = "ls {side}"\n[side.base]\ndir = "."\n[side.head]\n'
        'dir = "profiles/.."\n[metric.cpu]\n',
        encoding="utf-8",
    )
    answer = run_gate(["check", "p", "--quiet"], cwd=tmp_path)
    assert answer.status == 2
    assert "error[G237]: profiles/p.toml: base and head are one and the same." in answer.err


@pytest.mark.parametrize("committed", [True, False], ids=["committed", "uncommitted"])
def test_resuming_after_the_code_changed_is_refused(tmp_path, committed):
    """A partial session of other code is not completed with trials of this one."""
    project = write_replay_project(tmp_path)
    (tmp_path / "code.txt").write_text("fast", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("reports\n", encoding="utf-8")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "one")
    path = project.session()
    session = json.loads(path.read_text(encoding="utf-8"))
    session["state"], session["trials"] = "partial", session["trials"][:1]
    path.write_text(json.dumps(session), encoding="utf-8")
    (tmp_path / "code.txt").write_text("slow", encoding="utf-8")
    if committed:
        git(tmp_path, "commit", "-qam", "two")
    answer = project.gate("run", "--resume", path)
    assert answer.status == 2
    assert "error[G221]" in answer.err
    assert json.loads(path.read_text(encoding="utf-8")) == session


def test_no_output_line_is_a_workflow_command(tmp_path):
    """Names and notes that look like commands of a CI runner are printed as harmless text."""
    name = "::error file=x::gotcha"
    project = write_replay_project(tmp_path, head={name: (1.0, 1.002, 0.998)})
    project.accept()
    project.record({name: ["fail"] * 3})
    answers = [
        project.gate("baseline", "show"),
        project.gate("check", "p", "--out", "out"),
        project.gate("report", "out/report.json"),
    ]
    lines = [line.strip() for one in answers for line in (one.out + one.err).splitlines()]
    assert any("gotcha" in line for line in lines)
    assert not [line for line in lines if line.startswith("::") or "##[" in line]


def test_a_session_that_sets_its_own_law_is_told(tmp_path):
    """Without reviewed profiles the report says whose tolerances it judged by."""
    project = write_replay_project(tmp_path)
    project.accept()
    path = project.session()
    told = " ".join(project.gate("judge", "--session", path).out.split())
    assert "the session's own; --profiles takes" in told
    answer = project.gate("judge", "--session", path, "--profiles", "profiles")
    assert answer.status == 0
    assert "session's own" not in answer.out


def test_a_report_cannot_contradict_its_findings(tmp_path):
    """A report.json that claims an open gate over a closed finding is not rendered."""
    project = write_replay_project(tmp_path)
    project.accept()
    project.record({"b": [1.5, 1.502, 1.498] * 8})
    assert project.gate("check", "p", "--out", "out").status in {5, 10}
    path = tmp_path / "out" / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    report |= {"gate": "open", "exit_status": 0, "verdict": "passed"}
    path.write_text(json.dumps(report), encoding="utf-8")
    answer = project.gate("report", "out/report.json")
    assert answer.status == 2
    assert "open" not in answer.out
