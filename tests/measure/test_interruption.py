"""Real gates, interrupted at moments of a fixed draw: nothing is lost, broken or left running."""

from __future__ import annotations

import json
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import pytest
from builders import tree

from gate.files.session_file import read_session
from gate.model import State

ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}
RESUME = re.compile(r"and: gate ((?:check|run) .*--resume.*?)\.?$", re.MULTILINE)


class Case(NamedTuple):
    """One interruption of one command."""

    what: str
    number: int
    fraction: float
    signal: signal.Signals
    group: bool

    @property
    def name(self):
        group = "group" if self.group else "alone"
        return f"{self.what}-{self.number:02d}-{self.fraction:.2f}-{self.signal.name}-{group}"


def _draw(what, count):
    dice = random.Random(f"moments of {what}")
    return [Case(what, i, dice.random(), list(ENDS)[i % 3], bool(i // 3 % 2)) for i in range(count)]


CASES = [*_draw("pairs", 20), *_draw("strikes", 5), *_draw("run", 6)]
COMMANDS = {
    "pairs": ("check", "p", "--out", "out"),
    "strikes": ("check", "p", "--out", "out"),
    "run": ("run", "p", "--repeat", "4", "--out", "out/p"),
}


@pytest.fixture(scope="module")
def templates(tmp_path_factory, slow_project):
    """An accepted project for each kind."""
    root = tmp_path_factory.mktemp("templates")
    one, two = (slow_project(root / name, sides=name == "two") for name in ("one", "two"))
    return {"pairs": two, "strikes": one, "run": one}


def _copy(template, target):
    shutil.copytree(template.root, target)
    return type(template)(target, template.name)


@pytest.fixture(scope="module")
def whole(templates, tmp_path_factory, started):
    """Of each kind: how long it measures and judges undisturbed, and what it says."""
    found = {}
    for what, template in templates.items():
        project = _copy(template, tmp_path_factory.mktemp("whole") / what)
        gate = started(project, *COMMANDS[what]).measuring()
        begun = time.monotonic()
        answer = gate.end()
        found[what] = (time.monotonic() - begun, answer[0], _verdicts(project.root))
    return found


def _verdicts(root):
    """What a check said, without the numbers of its random pairs."""
    path = root / "out/report.json"
    if not path.exists():
        return None
    report = json.loads(path.read_text("utf-8"))
    findings = [(f["benchmark"], f["metric"], f["verdict"]) for f in report["findings"]]
    return report["gate"], report["verdict"], report["exit_status"], sorted(findings)


@pytest.fixture(scope="module")
def interrupted(templates, whole, tmp_path_factory, started, all_parse):
    """All cases, three at a time; each call gives the story of one."""
    place = tmp_path_factory.mktemp("interrupted")
    with ThreadPoolExecutor(3) as pool:
        stories = {
            case: pool.submit(
                _story, case, templates[case.what], place / case.name, whole, started, all_parse
            )
            for case in CASES
        }
        yield lambda case: stories[case].result()


def _sessions(root):
    return {
        path.relative_to(root): read_session(path) for path in sorted(root.glob("out/p/*.json"))
    }


def _story(case, template, root, whole, started, all_parse):
    """Interrupt, look, go on, look again; every observation under a name."""
    project = _copy(template, root)
    before = tree(root)
    gate = started(project, *COMMANDS[case.what]).measuring()
    time.sleep(whole[case.what][0] * case.fraction)
    gate.kill(case.signal, group=case.group)
    status, out, err = gate.end()
    dead = gate.dead()
    after = tree(root)
    all_parse(root)
    partial, report = _sessions(root), _verdicts(root)
    finished = {name: after[str(name)] for name, s in partial.items() if s.state is State.COMPLETE}
    match = RESUME.search(err)
    again = shlex.split(match[1]) if match else _by_hand(case, root, partial)
    second = started(project, *again).end() if again else (whole[case.what][1], "", "")
    all_parse(root)
    last = tree(root)
    return {
        "status": status,
        "said": out + err,
        "hint": bool(match),
        "dead": dead,
        "kept": {name: after.get(name) for name in before} == before,
        "new": {name for name in after.keys() - before.keys() if not name.startswith("out")},
        "litter": [name for name in after if _is_litter(name)],
        "report": report,
        "partial": partial,
        "second": second,
        "resumed": _sessions(root),
        "verdicts": _verdicts(root),
        "kept_twice": {name: last.get(name) for name in before} == before,
        "finished": finished,
        "finished_now": {name: last[str(name)] for name in finished},
    }


def _by_hand(case, root, partial):
    """What a user does after a SIGKILL, which says nothing."""
    if case.what == "run":
        cut = [name for name, session in partial.items() if session.state is State.PARTIAL]
        return ("run", "--resume", str(cut[0])) if cut else ()
    return (*COMMANDS[case.what], *(["--resume"] if (root / "out").is_dir() else []))


def _is_litter(name):
    return "trial-" in name or name.rpartition("/")[2].startswith(".")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_interrupted_and_resumed(case, interrupted, whole):
    """Whatever moment and signal: the rest is whole, nothing runs on, resuming ends the same."""
    story = interrupted(case)
    _, status, verdicts = whole[case.what]
    over = story["report"] is not None or story["status"] == status
    assert story["status"] in {ENDS[case.signal], *([status] if over else [])}, story["said"]
    assert "Traceback" not in story["said"]
    assert "internal error" not in story["said"]
    assert story["dead"], "a process of the gate runs on"
    assert story["kept"], "a baseline, session or profile of before was touched"
    assert not story["new"]
    if case.signal is not signal.SIGKILL:
        assert not story["litter"]
        assert story["hint"] or over, story["said"]
    # Going on ends as if nothing had happened, and throws nothing away.
    assert story["second"][0] == status, story["second"]
    assert "Traceback" not in story["second"][2]
    assert story["verdicts"] == verdicts
    assert story["kept_twice"]
    for name, session in story["partial"].items():
        now = story["resumed"][name]
        assert now.trials[: len(session.trials)] == session.trials
        assert (now.id, now.seed) == (session.id, session.seed)
        assert now.state is State.COMPLETE
    if case.what != "pairs":
        assert story["finished_now"] == story["finished"]


def test_most_interruptions_interrupt(interrupted):
    """The draw is no fiction: nearly all of its moments cut a gate that was still at work."""
    ends = [interrupted(case)["status"] == ENDS[case.signal] for case in CASES]
    assert sum(ends) >= len(ends) - 4


def _complete(path):
    return path.exists() and '"complete"' in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("number", "group"),
    [
        (signal.SIGINT, True),
        (signal.SIGTERM, False),
        (signal.SIGTERM, True),
        (signal.SIGKILL, False),
    ],
)
def test_interrupted_while_the_screen_is_computed(
    number, group, templates, whole, tmp_path, started
):
    """The forked child that computes the screen neither outlives a gate nor breaks its last words."""
    project = _copy(templates["pairs"], tmp_path / "p")
    gate = started(project, *COMMANDS["pairs"])
    gate.wait_for(lambda: _complete(project.root / "out/p/head.json"))
    gate.wait_for(lambda: len(gate.alive()) == 2)
    gate.kill(number, group=group)
    status, _, err = gate.end()
    assert status == ENDS[number], err
    assert gate.dead()
    assert not list(project.root.glob("out/p/pairs-*")), "it came too late for this test"
    assert ("Continue with the same options" in err) == (number is not signal.SIGKILL)
    assert "Traceback" not in err
    if group:
        status, _, err = started(project, *COMMANDS["pairs"], "--resume").end()
        assert (status, _verdicts(project.root)) == whole["pairs"][1:], err


def test_interrupted_while_judging(templates, whole, tmp_path, started):
    """After the last trial a signal still leaves no report and tells how to go on."""
    project = _copy(templates["pairs"], tmp_path / "p")
    gate = started(project, *COMMANDS["pairs"])
    gate.wait_for(lambda: _complete(project.root / "out/p/pairs-head.json"))
    gate.kill(signal.SIGINT)
    status, _, err = gate.end()
    assert status == 130, err
    assert RESUME.search(err)
    assert _verdicts(project.root) is None
    before = tree(project.root / "out")
    status, _, err = started(project, *COMMANDS["pairs"], "--resume").end()
    assert (status, _verdicts(project.root)) == whole["pairs"][1:], err
    assert before.keys() < tree(project.root / "out").keys()


@pytest.mark.parametrize("pause", [0.0, 0.003, 0.02, 0.06])
def test_a_second_interruption_changes_nothing(pause, templates, tmp_path, started):
    """However soon the second Ctrl-C follows, the first one's hint is still said, once."""
    project = _copy(templates["run"], tmp_path / "p")
    gate = started(project, *COMMANDS["run"])
    gate.wait_for((project.root / "out/p/p-001.json").exists)
    for _ in range(6):
        gate.kill(signal.SIGINT, group=True)
        time.sleep(pause)
        if gate.process.poll() is not None:
            break
    status, _, err = gate.end()
    assert status == 130, err
    assert err.count("error[G290]") == 1
    assert RESUME.search(err)
    assert "Traceback" not in err
    assert gate.dead()
    assert not [name for name in tree(project.root) if _is_litter(name)]


_EARLY = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.SIGINT)
        return None
sys.meta_path.insert(0, Finder())
from gate.__main__ import main
sys.argv = ["gate", "check", "p"]
main()
"""


@pytest.mark.parametrize("name", ["gate.cli.main", "click", "gate.cli.check_command", "pydantic"])
def test_interrupted_while_starting(name, tmp_path):
    """A Ctrl-C while the gate still imports itself ends it without a traceback and any file."""
    done = subprocess.run(
        [sys.executable, "-c", _EARLY.format(name=name)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 130, done.stderr
    assert done.stderr.strip() == "interrupted"
    assert not list(tmp_path.iterdir())


def test_nohup_is_respected(templates, tmp_path, started):
    """A gate started with SIGHUP ignored measures on when its terminal goes away."""
    project = _copy(templates["run"], tmp_path / "p")

    def ignore():
        signal.signal(signal.SIGHUP, signal.SIG_IGN)

    gate = started(project, "run", "p", "--out", "out/p", preexec_fn=ignore)
    gate.wait_for((project.root / "out/p/p-001.json").exists)
    gate.kill(signal.SIGHUP, group=True)
    status, out, err = gate.end()
    assert status == 0, err
    assert "6 trials" in out


def test_a_lost_terminal_stops_the_gate(templates, tmp_path, started):
    """Without nohup a SIGHUP ends the gate as cleanly as a Ctrl-C."""
    project = _copy(templates["run"], tmp_path / "p")
    gate = started(project, *COMMANDS["run"])
    gate.wait_for((project.root / "out/p/p-001.json").exists)
    gate.kill(signal.SIGHUP, group=True)
    status, _, err = gate.end()
    assert status == 129, err
    assert RESUME.search(err)
    assert gate.dead()
