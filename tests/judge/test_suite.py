"""A suite as a whole: one verdict, an order of findings, nothing that counts twice."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from judge import build
from judge.build import (
    WALL,
    at,
    baseline,
    decide,
    outcome,
    series,
    session,
    strikes,
)

import gate.judge
from gate.docs import PAGES
from gate.errors import InputError, NothingCompared
from gate.model import Role, Side, Stage, Verdict


def test_only_watch_metrics_is_nothing_compared():
    """A suite in which nothing may close the gate has compared nothing: status 3."""
    watch = replace(WALL, role=Role.WATCH)
    with pytest.raises(NothingCompared) as error:
        decide(session(metrics=(watch,)))
    assert error.value.status == 3


def test_no_session_is_nothing_compared():
    """No session, or none of the head side, is status 3."""
    with pytest.raises(NothingCompared):
        decide([])
    with pytest.raises(NothingCompared):
        decide(session(side=Side.BASE))
    with pytest.raises(NothingCompared):
        decide(session(stage=Stage.CONFIRM))


def test_an_empty_session_is_nothing_compared():
    """A session that planned nothing against no baseline is status 3, against one it is missing."""
    with pytest.raises(NothingCompared):
        decide(session({}), [])
    assert outcome(decide(session({}))) == ("G040", "missing", 4)


def test_one_measurement_counts_once():
    """The same session twice, or two sittings of one side's pairs, are refused."""
    with pytest.raises(InputError, match="2 times"):
        decide([session(), session()])
    first, second = build.pairs(0.2), build.pairs(0.0)
    second = [replace(one, id=f"{one.id}-2") for one in second]
    with pytest.raises(InputError, match="2 times"):
        decide([session(), *first, *second])


def test_findings_are_ordered_worst_first():
    """Gate before watch; in both the worst verdict first, then by benchmark and metric."""
    watch = replace(WALL, name="eye", role=Role.WATCH)
    rows = {
        "z-slow": {"wall": at(1.2), "eye": at(1)},
        "a-fine": {"wall": at(1), "eye": at(1)},
        "c-fine": {"wall": at(1), "eye": at(1)},
        "m-bad": {"wall": (0.0, 1, 1), "eye": at(1)},
        "k-new": {"wall": at(1), "eye": at(1)},
    }
    known = baseline(
        *(series(name, metric=m) for name in rows if name != "k-new" for m in (WALL, watch)),
        series("gone"),
    )
    head = session(rows, metrics=(WALL, watch))
    report = decide([head, *strikes([1.2] * 10, "z-slow", metrics=(WALL, watch))], known)
    assert [f.role for f in report.findings] == sorted(f.role for f in report.findings)
    for role in Role:
        ranks = [f.verdict.rank for f in report.findings if f.role is role]
        assert ranks == sorted(ranks, reverse=True)
    assert [f.benchmark for f in report.findings if f.role is Role.GATE] == [
        "z-slow", "m-bad", "gone", "k-new", "a-fine", "c-fine",
    ]  # fmt: skip


def test_exit_status_of_every_verdict():
    """Every verdict has its status, and the three that open are the only ones with 0."""
    opening = {verdict for verdict in Verdict if verdict.exit_status == 0}
    assert opening == {verdict for verdict in Verdict if verdict.opens}
    assert {verdict.exit_status for verdict in Verdict} == {0, 4, 5, 10}


def test_the_worst_rules():
    """The report's verdict is the worst of its findings, whatever their number."""
    names = [f"b{i}" for i in range(20)]
    known = baseline(*(series(name) for name in names))
    head = session({name: at(1.3 if name == "b7" else 0.9) for name in names})
    report = decide([head, *strikes([1.3] * 10, "b7")], known)
    assert (report.verdict, report.exit_status, report.gate) == ("regressed", 10, "closed")


def test_every_finding_of_this_file_has_a_page():
    """Every code that the judge can give has a page for `gate explain`."""
    room = Path(gate.judge.__file__).parent
    source = "".join(path.read_text("utf-8") for path in room.rglob("*.py"))
    used = set(re.findall(r"G0\d\d", source))
    assert used <= PAGES.keys()
    assert len(used) >= 37
