"""Reports that contradict themselves in what they show are refused with a sentence that says how."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from formats.refusal import refusal
from judge.build import LEVELS, at, baseline, decide, pairs, series, session
from judge.sharding.test_joining_tables import accepted, aside, bill, difference, latency, sweep

from gate.errors import InputError
from gate.formats.session.session_file import read_report
from gate.model import Alike, Level, Origin, Quantile, Share, TextChange
from gate.report.json_text import render_json

GROWN = baseline(series(levels=[0.5, 0.7, *LEVELS], epochs=[1, 2, 3, 3, 3, 3, 3]))
NEW = (
    *("accepted", "bills", "latencies", "sweeps", "differences", "alike", "changes", "aside"),
    "origin",
)


@pytest.fixture(scope="module")
def honest():
    """A report with a history, pairs and differences."""
    return decide([session({"b": at(1.2)}, sides=True), *pairs(0.2)], GROWN)


def with_history(report, **evidence):
    first, *rest = report.findings
    return replace(
        report, findings=(replace(first, evidence=replace(first.evidence, **evidence)), *rest)
    )


def level(epoch, value=1.0):
    return Level(session="a00", epoch=epoch, value=value)


def curve(*percents, **more):
    points = tuple(Quantile(percentile=p, base=None, head=1.0, beyond=9.0) for p in percents)
    return (replace(latency("p"), points=points, **more),)


def share(base, head, name="the kernel"):
    return Share(name=name, base=base, head=head)


def test_an_honest_report_is_read_as_it_was_written(honest, tmp_path):
    """What the judge says has no complaint, and comes back from the file the same."""
    assert refusal(honest) == []
    path = tmp_path / "report.json"
    path.write_text(render_json(honest), encoding="utf-8")
    assert read_report(path) == honest
    assert honest.accepted
    assert honest.alike


def test_a_report_from_before_these_tables_is_still_read(honest, tmp_path):
    """Every new field has a default: a file without them is read, and shows none of it."""
    plain = json.loads(render_json(honest))
    for name in NEW:
        plain.pop(name, None)
    for finding in plain["findings"]:
        for name in ("earlier", "epoch", "aside"):
            del finding["evidence"][name]
    path = tmp_path / "report.json"
    path.write_text(json.dumps(plain), encoding="utf-8")
    found = read_report(path)
    assert (found.accepted, found.differences, found.alike, found.aside) == ((), (), (), ())
    assert found.findings[0].evidence.baseline == honest.findings[0].evidence.baseline


@pytest.mark.parametrize(
    ("evidence", "what"),
    [
        (
            {"epoch": -1, "earlier": ()},
            "findings.0.evidence.epoch: must be at least 0, not -1",
        ),
        (
            {"earlier": (level(0),)},
            "findings.0.evidence.earlier.0.epoch: must be at least 1, not 0",
        ),
        (
            {"earlier": (level(2), level(1))},
            "findings.0.evidence.earlier: the epochs are not in their order",
        ),
        (
            {"earlier": (level(3),)},
            "findings.0.evidence.earlier: epoch 3 is not before the current one, 3",
        ),
        (
            {"earlier": (level(1, float("nan")),)},
            "findings.0.evidence.earlier.0.value: must be a finite number",
        ),
        (
            {"aside": (1.0, float("inf"))},
            "findings.0.evidence.aside.1: must be a finite number",
        ),
    ],
)
def test_a_history_that_contradicts_itself(honest, evidence, what):
    """Epochs have an order, come before the current one, and hold numbers."""
    assert refusal(with_history(honest, **evidence)) == [what]


@pytest.mark.parametrize(
    ("tables", "what"),
    [
        ({"accepted": (accepted("p"),) * 2}, "accepted.1: 'p a' stands twice"),
        ({"bills": (bill("p"), bill("p", 2.0))}, "bills.1: 'p b' stands twice"),
        ({"latencies": (latency("p"),) * 2}, "latencies.1: 'p b read' stands twice"),
        ({"sweeps": (sweep("p"),) * 2}, "sweeps.1: 'p b[x=*] wall' stands twice"),
        (
            {"differences": (difference("p"), difference("q"))},
            "differences.1: 'host smt on off base side' stands twice",
        ),
        ({"alike": (Alike(area="host", count=1),) * 2}, "alike.1: 'host' stands twice"),
        (
            {"sweeps": (replace(sweep("p"), points=sweep("p").points * 2),)},
            "sweeps.0: a place of x stands twice",
        ),
        ({"latencies": curve(99.0, 50.0)}, "latencies.0: percentiles ascend"),
        ({"latencies": curve(50.0, 50.0)}, "latencies.0: percentiles ascend"),
        (
            {"latencies": curve(0.0)},
            "latencies.0.points.0.percentile: must be above 0, not 0.0",
        ),
        (
            {"latencies": curve(101.0)},
            "latencies.0.points.0.percentile: must be below 100, not 101.0",
        ),
        ({"latencies": curve(50.0, kind="sync")}, "latencies.0: 'sync' is no kind of I/O"),
        (
            {"latencies": curve(50.0, trials_base=-1)},
            "latencies.0.trials_base: must be at least 0, not -1",
        ),
        (
            {"bills": (replace(bill("p"), owners=(share(None, -1e-9),)),)},
            "bills.0.owners.0.head: must be at least 0, not -1e-09",
        ),
        (
            {"bills": (replace(bill("p"), contexts=(share(-1.0, 1.0),)),)},
            "bills.0.contexts.0.base: must be at least 0, not -1.0",
        ),
        (
            {"bills": (replace(bill("p"), owners=(share(1.0, 1.0),) * 2),)},
            "bills.0: somebody pays twice",
        ),
        (
            {"bills": (bill("p", float("inf")),)},
            "bills.0.head: must be a finite number",
        ),
        ({"differences": (difference("p", area="moon"),)}, "differences.0.area: 'moon' is no area"),
        ({"differences": (difference("p", head="on"),)}, "differences.0: both sides are the same"),
        (
            {"differences": (difference("p", against="luck"),)},
            "differences.0.against: 'luck' is nothing to compare with",
        ),
        (
            {"differences": (replace(difference("p"), profiles=()),)},
            "differences.0.profiles: each profile that differs stands once",
        ),
        ({"alike": (Alike(area="moon", count=1),)}, "alike.0: something of an area was alike"),
        ({"alike": (Alike(area="host", count=0),)}, "alike.0.count: must be at least 1, not 0"),
        (
            {"changes": (TextChange(name="x", lines=("+a", "b")),)},
            "changes.0: a line of it is none of a unified diff",
        ),
        (
            {"changes": (TextChange(name="x", lines=(), more=-1),)},
            "changes.0.more: must be at least 0, not -1",
        ),
        (
            {"aside": (aside("p", -1),)},
            "aside.0.sequence: must be at least 0, not -1",
        ),
        (
            {"aside": (replace(aside("p"), kind="moon"),)},
            "aside.0: there is no such kind of disturbance",
        ),
        (
            {"aside": (replace(aside("p"), why="x" * 10_001),)},
            "aside.0.why: 10001 characters are more than the 10000 allowed",
        ),
        (
            {"origin": Origin(options=("x" * 10_001,))},
            "origin.options.0: 10001 characters are more than the 10000 allowed",
        ),
    ],
)
def test_tables_that_contradict_themselves(honest, tables, what):
    """Each is refused, and by exactly one sentence that names the row."""
    assert refusal(replace(honest, **tables)) == [what]


def test_the_file_is_refused_with_the_line(honest, tmp_path):
    """G206 with the place, before anything of it is rendered."""
    wrong = replace(honest, alike=(Alike(area="moon", count=1),))
    path = tmp_path / "report.json"
    path.write_text(render_json(wrong), encoding="utf-8")
    with pytest.raises(InputError, match=r"alike\.0: something of an area was alike") as refused:
        read_report(path)
    assert refused.value.code == "G206"


def test_names_of_ten_thousand_characters_are_read(honest):
    """A name as long as that is shown harmlessly; it is no reason to refuse a report."""
    long = "x" * 10_000
    rows = (replace(difference("p"), key=long, base="1", head="2"),)
    assert refusal(replace(honest, differences=rows, accepted=(accepted(long),))) == []
