"""Every command that a report prints is run as it is printed, by a shell."""

from __future__ import annotations

import pytest
from builders import QUIET, Project, write_replay_project
from shell import Shell, begin, commit_all, git

from gate.formats.session.session_file import read_report
from gate.report.wording.commands import ACCEPT, BISECT, LONGER, REPRODUCE, commands_for

PRINTED = """harness = "hyperfine"
command = "sh {side}/work.sh"
trials = { screen = 3, confirm_pairs = 30 }
[output.took]
pattern = '^took ([0-9]+)$'
unit = "1"
better = "lower"
[metric.took]
tolerance = "5%"
"""
"""A program of its side's tree, which prints what it took."""
ODD = 'b\'; touch pwned; $(touch pwned) `touch pwned` "x" !* é'


def lines(project, out="reports/out", verdict=None):
    """The commands of the worst finding of a check, by their labels."""
    report = read_report(project.root / out / "report.json")
    found = next(f for f in report.findings if verdict in {None, f.verdict.value})
    return {one.label: one.line for one in commands_for(found, report)}


def level(project, factor, name="b"):
    project.record({name: [one * factor for one in QUIET] * 60}, {name: QUIET * 60})


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        pytest.param("", "b", marks=pytest.mark.proof),
        pytest.param("perf", ODD, marks=pytest.mark.slow),
    ],
)
def test_the_commands_of_a_proven_loss(tmp_path, folder, name):
    """At the top and below it, whatever the name: closed again, closed again, the commit, open."""
    top = tmp_path / "p"
    project = write_replay_project(top / folder, head={name: QUIET})
    project.accept()
    begin(top)
    level(project, 1.0, name)
    good = commit_all(top, "good")
    git(top, "worktree", "add", "--detach", "../base", good)
    commit_all(top, "nothing")
    level(project, 1.1, name)
    culprit = commit_all(top, "slower")
    commit_all(top, "nothing more")
    shell = Shell(tmp_path, project.root)
    base = "../base" if not folder else "../../base"
    words = f"--base {base} --head . --size full --out reports/out --quiet"
    status, told = shell(f"gate check p {words}")
    assert status == 10, told
    known = lines(project)
    assert list(known) == [REPRODUCE, LONGER, BISECT, ACCEPT]
    for label in (REPRODUCE, LONGER):
        status, told = shell(known[label])
        assert status == 10, told
    status, told = shell(known[BISECT])
    git(top, "bisect", "reset")
    assert (status, f"{culprit} is the first bad commit" in told) == (0, True), told
    status, told = shell(known[ACCEPT])
    assert status == 0, told
    assert shell(f"gate check p {words.replace('/out', '/again')}")[0] == 0
    assert not [*tmp_path.rglob("pwned")]


@pytest.mark.night
def test_a_base_side_that_was_gone_with_its_job_is_made_again(tmp_path):
    """Of a job of CI no directory is printed: the line makes a checkout of the base commit.

    The change loosens its own tolerance before it is slower, and every line is judged by the base.
    """
    project = Project(tmp_path / "p", "p")
    project.profile.parent.mkdir(parents=True)
    project.profile.write_text(PRINTED)
    work = project.root / "work.sh"
    work.write_text("echo took $((1000 + $$ % 7))")
    begin(project.root)
    commit_all(project.root, "nothing accepted")
    assert (
        project.gate("run", "p", "--head", ".", "--repeat", "3", "--out", "reports/first").status
        == 0
    )
    found = sorted((project.root / "reports/first").glob("*.json"))
    assert project.gate("baseline", "accept", *found, "--reason", "x", "--by", "me").status == 0
    good = commit_all(project.root, "good")
    project.profile.write_text(PRINTED.replace('tolerance = "5%"', 'tolerance = "90%"'))
    commit_all(project.root, "loosened")
    work.write_text("echo took $((1100 + $$ % 7))")
    slower = commit_all(project.root, "slower")
    commit_all(project.root, "nothing more")
    job = tmp_path / "job"
    git(project.root, "worktree", "add", "--detach", str(job), good)
    shell = Shell(tmp_path, project.root)
    words = f"--base {job} --head {project.root} --out {tmp_path / 'out'} --quiet"
    by_base = f"--profiles {job}/profiles --baseline {job}/baselines"
    status, told = shell(f"gate check p {words} {by_base}", CI="true")
    assert status == 10, told
    git(project.root, "worktree", "remove", str(job))
    known = lines(project, tmp_path / "out")
    assert str(tmp_path) not in "".join(known.values())
    assert known[ACCEPT] == ""
    for label in (REPRODUCE, LONGER):
        status, told = shell(known[label])
        assert status == 10, told
    assert (tmp_path / f"base-{good[:12]}").is_dir()
    status, told = shell(known[BISECT])
    assert (status, f"{slower} is the first bad commit" in told) == (0, True), told


@pytest.mark.night
@pytest.mark.parametrize("factor", [1.1, 0.8])
def test_the_commands_where_only_the_head_runs(tmp_path, factor):
    """Proven by strikes, or improved: the same again, and accepted; there are no pairs to take."""
    project = write_replay_project(tmp_path / "p")
    project.accept()
    level(project, factor)
    shell = Shell(tmp_path, project.root)
    status = shell("gate check p --out reports/out --quiet")[0]
    assert status == (10 if factor > 1 else 0)
    known = lines(project)
    assert known.get(LONGER, "") == known.get(BISECT, "") == ""
    assert shell(known[REPRODUCE])[0] == status
    assert shell(known[ACCEPT])[0] == 0
    assert shell("gate check p --out reports/again --quiet")[0] == 0


@pytest.mark.night
def test_the_command_of_a_first_baseline(tmp_path):
    """New: five sessions and their acceptance in one line, then the same check is open."""
    project = write_replay_project(tmp_path / "p")
    shell = Shell(tmp_path, project.root)
    assert shell("gate check p --out reports/out --quiet --baseline kept")[0] == 5
    known = lines(project)
    assert list(known) == [ACCEPT]
    status, told = shell(known[ACCEPT])
    assert status == 0, told
    assert shell("gate check p --out reports/again --quiet --baseline kept")[0] == 0


@pytest.mark.night
def test_the_command_of_what_was_taken_away(tmp_path):
    """Missing as the profile dropped it: accepted without it, and missed no more."""
    project = write_replay_project(tmp_path / "p", head={"b": QUIET, "c": QUIET})
    project.accept()
    text = project.profile.read_text().replace('["b", "c"]', '["b"]')
    project.profile.write_text(text)
    shell = Shell(tmp_path, project.root)
    assert shell("gate check p --out reports/out --quiet")[0] == 4
    known = lines(project, verdict="missing")
    assert list(known) == [ACCEPT]
    assert shell(known[ACCEPT])[0] == 0
    status, told = shell("gate check p --out reports/again --quiet")
    assert (status, "missing" in told) == (5, False), told


@pytest.mark.night
def test_the_command_of_a_benchmark_that_fails(tmp_path):
    """Broken: it fails again alone, and nothing of it can be accepted."""
    project = write_replay_project(tmp_path / "p")
    project.accept()
    project.record({"b": ["fail"] * 9})
    shell = Shell(tmp_path, project.root)
    assert shell("gate check p --out reports/out --quiet")[0] == 4
    known = lines(project)
    assert list(known) == [REPRODUCE]
    assert shell(known[REPRODUCE])[0] == 4


@pytest.mark.night
def test_the_command_of_another_text(tmp_path):
    """Incomparable as the profile runs something else: accepting it begins an epoch."""
    project = write_replay_project(tmp_path / "p")
    project.accept()
    text = project.profile.read_text()
    project.profile.write_text(f'environment = {{ LEVEL = "2" }}\n{text}')
    shell = Shell(tmp_path, project.root)
    status, told = shell("gate check p --out reports/out --quiet")
    assert status == 5, told
    known = lines(project)
    assert list(known) == [REPRODUCE, ACCEPT]
    assert shell(known[REPRODUCE])[0] == 5
    status, told = shell(known[ACCEPT])
    assert status == 0, told
