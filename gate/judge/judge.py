"""The whole judgement: cases in, report out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import NothingCompared
from gate.judge.context.bills import attribute_costs
from gate.judge.context.file_reads import require_reviewed_files
from gate.judge.context.patch_coverage import require_coverage
from gate.judge.context.sweeps import apply_shapes
from gate.judge.first_stage import first_stage
from gate.judge.host_stability.controls import warn_of_moves
from gate.judge.host_stability.standing import refuse_sides_that_differ
from gate.judge.report_sections import build_report
from gate.judge.summary import JudgedSuite, importance
from gate.judge.verdict.gains import demand_work, doubt_gains, warn_of_pairs
from gate.judge.verdict.in_force import tell_unearned
from gate.judge.verdict.level import levels_of
from gate.judge.verdict.suite import Suite
from gate.judge.verdict.waivers import apply_waivers
from gate.model import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.judge.verdict.suite import Case, Policy
    from gate.model import Edit, Finding, Report, Round

    FindingStep = Callable[[tuple[Finding, ...], Suite], tuple[Finding, ...]]

FINDING_STEPS: tuple[FindingStep, ...] = (
    attribute_costs,
    refuse_sides_that_differ,
    apply_shapes,
    warn_of_moves,
    warn_of_pairs,
    demand_work,
    doubt_gains,
    apply_waivers,
    require_coverage,
    require_reviewed_files,
    tell_unearned,
)
"""What happens to the findings after both stages, in this order: each step sees what the ones
before it made of them."""


def judge(
    cases: Sequence[Case],
    policy: Policy,
    *,
    created: str,
    version: str,
    rounds: Sequence[Round] = (),
    absent: Sequence[Finding] = (),
    edits: Sequence[Edit] = (),
) -> Report:
    """Judge a suite.

    `created` is the UTC time to print, `version` the gate's own; `rounds` are those of
    calibrations, for the record; `absent` are the findings of what was not measured at all, and
    alone make a report too; `edits` are shown, and change no verdict.

    Raises:
        NothingCompared: there is not one gate metric to judge.
    """
    suite = Suite(cases=tuple(cases), policy=policy)
    first = first_stage(cases, policy)
    findings = levels_of((*first.settled, *first.confirmed(policy)), first.questions)
    for step in FINDING_STEPS:
        findings = step(findings, suite)
    findings = (*findings, *absent)
    if not any(found.role is Role.GATE for found in findings):
        cure = 'Give at least one metric of the profile the role "gate".'
        raise NothingCompared("G280", "no gate metric was judged.", cure=cure)
    return build_report(
        JudgedSuite(
            cases=suite.cases,
            policy=policy,
            findings=tuple(sorted(findings, key=importance)),
            first=first,
            created=created,
            version=version,
            rounds=tuple(rounds),
            edits=tuple(edits),
        )
    )
