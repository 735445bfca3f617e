"""Each field of a report is built, joined and checked, or says why there is nothing to check."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from judge.sharding.test_joining_tables import (
    accepted,
    aside,
    bill,
    difference,
    latency,
    report,
    sweep,
)

from gate.formats.session.report_consistency import report_complaints
from gate.judge.judge import FINDING_STEPS
from gate.judge.report_sections import REPORT_SECTIONS, join_reports
from gate.model import (
    Alike,
    BudgetStanding,
    Calibration,
    Evidence,
    Report,
    TextChange,
    Touched,
    Verdict,
)
from gate.model.diagnosis import Why

WHY = Why(profile="p", benchmark="b", per="second", runs_base=2, runs_head=2, compared=0)
TOUCHED = Touched(profile="p", headline="", count=2, executed=1, empty=True)
RECORD = Calibration(host_class="lab", unchanged=1, false_alarms=2, undecided=0)
PASSED = report([Verdict.PASSED])
BUDGET = BudgetStanding(seconds=60.0, spent=59.0, left_open=1, more=9.0)

CONTRADICTIONS = {
    "gate": {"gate": "ajar"},
    "verdict": {"verdict": "improved"},
    "exit_status": {"exit_status": 10},
    "findings": {
        "findings": tuple(
            replace(one, evidence=Evidence(pairs_base=(1.0,))) for one in PASSED.findings
        )
    },
    "accepted": {"accepted": (accepted("p"),) * 2},
    "bills": {"bills": (bill("p"),) * 2},
    "latencies": {"latencies": (latency("p"),) * 2},
    "sweeps": {"sweeps": (sweep("p"),) * 2},
    "differences": {"differences": (difference("p"),) * 2},
    "alike": {"alike": (Alike(area="host", count=1),) * 2},
    "changes": {"changes": (TextChange(name="p", lines=("no diff",)),)},
    "aside": {"aside": (replace(aside("p", 0), kind="weather"),)},
    "calibration": {"calibration": RECORD},
    "why": {"why": (WHY,) * 2},
    "touched": {"touched": (TOUCHED,)},
    "budget": {"budget": BUDGET},
}
"""Of each field that is checked, values that the check must refuse."""

TEXT = "text for a reader, bounded by its type: nothing else depends on it"
NOTHING_TO_CHECK = {
    "schema": "files of another schema are refused before anything of them is read",
    "headline": TEXT,
    "created": TEXT,
    "profiles": TEXT,
    "host": "facts of a machine that the reader of a report cannot know otherwise",
    "tools": TEXT,
    "notes": TEXT,
    "promise": "figures that nothing else in the report tells",
    "subjects": TEXT,
    "conditions": TEXT,
    "edits": "shown as the change wrote them, and bounded by their type",
    "origin": TEXT,
}


def test_each_field_of_a_report_has_one_section():
    """No field can be forgotten by the judge or by the join, and none stands there twice."""
    assert [one.field for one in REPORT_SECTIONS] == [one.name for one in fields(Report)]


def test_each_field_is_checked_or_says_why_not():
    """A new field needs a contradiction that is refused, or a reason."""
    names = [one.name for one in fields(Report)]
    assert sorted([*CONTRADICTIONS, *NOTHING_TO_CHECK]) == sorted(names)


@pytest.mark.parametrize("field", CONTRADICTIONS)
def test_a_contradiction_in_a_field_is_refused(field):
    """The check that a field is said to have names that very field."""
    broken = replace(PASSED, **CONTRADICTIONS[field])
    assert field in {path[0] for path, _ in report_complaints(broken)}
    assert list(report_complaints(PASSED)) == []


@pytest.mark.parametrize("section", REPORT_SECTIONS, ids=lambda one: one.field)
def test_a_field_of_one_part_alone_is_in_the_whole(section):
    """What only one part has is not lost where it is joined with a part that has nothing of it."""
    tables = {
        name: values[name][:1] if isinstance(values[name], tuple) else values[name]
        for name, values in CONTRADICTIONS.items()
        if name not in {"gate", "verdict", "exit_status", "findings"}
    }
    full = replace(PASSED, conditions=("tuned",), **tables)
    bare = report([Verdict.PASSED], name="q")
    whole = getattr(join_reports([full, bare]), section.field)
    mine = getattr(full, section.field)
    if isinstance(mine, tuple):
        assert set(map(repr, mine)) <= set(map(repr, whole))
    elif isinstance(mine, dict):
        assert mine.items() <= whole.items()
    else:
        assert (whole is None) == (mine is None)


def test_the_steps_of_a_finding_are_ordered():
    """Waivers come after shapes and before coverage: a waived loss is no pass to be emptied."""
    assert [step.__name__ for step in FINDING_STEPS] == [
        "attribute_costs",
        "refuse_sides_that_differ",
        "apply_shapes",
        "warn_of_moves",
        "warn_of_pairs",
        "demand_work",
        "doubt_gains",
        "apply_waivers",
        "require_coverage",
        "require_reviewed_files",
        "tell_unearned",
    ]
