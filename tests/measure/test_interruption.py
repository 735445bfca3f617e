"""Real gates, interrupted at moments of a fixed draw: nothing is lost, broken or left running."""

from __future__ import annotations

import random
import shlex
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import NamedTuple

import pytest
from builders import tree
from measure.remains import (
    RESUME,
    blocks_of,
    complete,
    copy_of,
    is_litter,
    report_of,
    sessions_of,
    verdicts_of,
)
from night import at_night

from gate.model import State
from gate.model.plan import pairs_in

pytestmark = pytest.mark.xdist_group("interruptions")  # they share three threads

DELAY = 0.03
"""Seconds that a trial of the projects takes at least."""
ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}


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
QUICK, MORE = 1, {"pairs": 7, "strikes": 2, "run": 3}
"""Cases of each command that a change has, and those of the night; all of them are a proof."""
COMMANDS = {
    "pairs": ("check", "p", "--out", "out"),
    "strikes": ("check", "p", "--out", "out"),
    "run": ("run", "p", "--repeat", "4", "--out", "out/p"),
}


@pytest.fixture(scope="module")
def whole(templates, tmp_path_factory, started):
    """Of each kind: how many trials it takes undisturbed, how it ends, and what it says."""
    found = {}
    for what, template in templates.items():
        project = copy_of(template, tmp_path_factory.mktemp("whole") / what)
        answer = started(project, *COMMANDS[what]).end()
        found[what] = (taken(project.root), answer[0], verdicts_of(project.root))
    return found


def taken(root):
    """Trials that the sessions of a project hold so far, as quickly told as they are polled."""
    return sum(one.read_text("utf-8").count('"benchmark"') for one in root.glob("out/p/*.json"))


@pytest.fixture(scope="module")
def interrupted(request, templates, whole, tmp_path_factory, started, all_parse):
    """All cases that are asked for, three at a time; each call gives the story of one."""
    place = tmp_path_factory.mktemp("interrupted")
    asked = {item.callspec.params.get("case") for item in request.session.items if _has_case(item)}
    with ThreadPoolExecutor(3) as pool:
        stories = {
            case: pool.submit(
                _story, case, templates[case.what], place / case.name, whole, started, all_parse
            )
            for case in CASES
            if case in asked
        }
        yield SimpleNamespace(cases=list(stories), story=lambda case: stories[case].result())


def _has_case(item):
    return item.module.__name__ == __name__ and hasattr(item, "callspec")


def _story(case, template, root, whole, started, all_parse):
    """Interrupt, look, go on, look again; every observation under a name."""
    project = copy_of(template, root)
    before = tree(root)
    gate = started(project, *COMMANDS[case.what]).measuring()
    # Told by its trials and not by a clock, the moment comes on a machine of any speed.
    moment = whole[case.what][0] * case.fraction
    gate.wait_for(lambda: taken(root) >= int(moment))
    time.sleep(moment % 1 * DELAY)
    if gate.process.poll() is None:  # another order of the pairs may have needed fewer
        gate.kill(case.signal, group=case.group)
    status, out, err = gate.end()
    dead = gate.dead()
    after = tree(root)
    all_parse(root)
    partial, report, blocks = sessions_of(root), verdicts_of(root), blocks_of(root)
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
        "litter": [name for name in after if is_litter(name)],
        "report": report,
        "partial": partial,
        "second": second,
        "resumed": sessions_of(root),
        "blocks": (blocks, blocks_of(root)),
        "evidence": _pairs_shown(report_of(root) or {"findings": ()}),
        "verdicts": verdicts_of(root),
        "kept_twice": {name: last.get(name) for name in before} == before,
        "finished": finished,
        "finished_now": {name: last[str(name)] for name in finished},
    }


def _pairs_shown(report):
    """Pairs behind each finding that pairs decided."""
    return {
        f["benchmark"]: len(f["evidence"]["pairs_head"])
        for f in report["findings"]
        if f["method"] == "pairs"
    }


def _by_hand(case, root, partial):
    """What a user does after a SIGKILL, which says nothing."""
    if case.what == "run":
        cut = [name for name, session in partial.items() if session.state is State.PARTIAL]
        return ("run", "--resume", str(cut[0])) if cut else ()
    return (*COMMANDS[case.what], *(["--resume"] if (root / "out").is_dir() else []))


def _when(case):
    if case.number >= MORE[case.what]:
        return [pytest.mark.proof]
    return [pytest.mark.night] if case.number >= QUICK else []


@pytest.mark.parametrize(
    "case",
    [pytest.param(one, marks=_when(one)) for one in CASES],
    ids=lambda case: case.name,
)
def test_interrupted_and_resumed(case, interrupted, whole):
    """Whatever moment and signal: the rest is whole, nothing runs on, resuming ends the same."""
    story = interrupted.story(case)
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
    _check_blocks(*story["blocks"], story["evidence"])


def _check_blocks(before, after, evidence):
    """A block that was cut short stays as it is and counts for nothing; the others are whole."""
    for rows in after.values():
        assert [slot for slot, _, _ in rows] == list(range(len(rows)))
    short = {key: rows for key, rows in before.items() if key not in complete(before)}
    assert len(short) <= 1, "blocks are run one after the other"
    assert {key: rows for key, rows in after.items() if key not in complete(after)} == short
    counted = Counter()
    for benchmark, block in complete(after):
        counted[benchmark] += len(pairs_in(block))
    assert evidence == counted


@pytest.mark.night
def test_most_interruptions_interrupt(interrupted):
    """The draw is no fiction: nearly all of its moments cut a gate that was still at work."""
    ends = [interrupted.story(one)["status"] == ENDS[one.signal] for one in interrupted.cases]
    assert sum(ends) >= 0.85 * len(ends)


def _complete(path):
    return path.exists() and '"complete"' in path.read_text("utf-8")


@pytest.mark.parametrize(
    ("number", "group"),
    [
        (signal.SIGTERM, True),
        *at_night([(signal.SIGINT, True), (signal.SIGTERM, False), (signal.SIGKILL, False)]),
    ],
)
def test_interrupted_while_the_screen_is_computed(
    number, group, templates, whole, tmp_path, started
):
    """The forked child that computes neither outlives a gate nor breaks its last words; the signal
    comes while it computes the screen, or a moment later."""
    project = copy_of(templates["pairs"], tmp_path / "p")
    gate = started(project, *COMMANDS["pairs"])
    gate.wait_for(lambda: _complete(project.root / "out/p/head.json"))
    assert len(gate.alive()) >= 3, "the gate, its guardian, and the child"
    gate.kill(number, group=group)
    status, _, err = gate.end()
    assert status == ENDS[number], err
    assert gate.dead()
    assert ("Continue with the same options" in err) == (number is not signal.SIGKILL)
    assert "Traceback" not in err
    if group:
        status, _, err = started(project, *COMMANDS["pairs"], "--resume").end()
        assert (status, verdicts_of(project.root)) == whole["pairs"][1:], err


def test_interrupted_while_judging(templates, whole, tmp_path, started):
    """After the last trial a signal still leaves no verdict and tells how to go on."""
    project = copy_of(templates["pairs"], tmp_path / "p")
    gate = started(project, *COMMANDS["pairs"])
    gate.wait_for(lambda: _complete(project.root / "out/p/pairs-head.json"))
    gate.kill(signal.SIGINT)
    status, _, err = gate.end()
    assert status == 130, err
    assert RESUME.search(err)
    assert verdicts_of(project.root) == ("closed", "error", 130, [])
    before = tree(project.root / "out")
    status, _, err = started(project, *COMMANDS["pairs"], "--resume").end()
    assert (status, verdicts_of(project.root)) == whole["pairs"][1:], err
    assert before.keys() <= tree(project.root / "out").keys()
