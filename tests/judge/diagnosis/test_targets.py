"""Which regressions are looked into by extra runs: those that both sides can run out here."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from judge.build import reviewed

from gate.judge.context.diagnosis import targets
from gate.model import Activation, Role, SideSpec, SubjectKind, Verdict

FINDING = SimpleNamespace(profile="p", benchmark="b", verdict=Verdict.REGRESSED, role=Role.GATE)
BOTH = {"base": SideSpec(directory="x"), "head": SideSpec(directory="y")}


def wanted(**more):
    """The benchmarks that are looked into, of one profile with one regression."""
    profile = replace(reviewed("b"), name="p", harness="fio", sides=BOTH)
    report = SimpleNamespace(findings=(FINDING,))
    return targets(report, {"p": replace(profile, **more)})


def test_a_regression_that_both_sides_can_run_again():
    """Its benchmark is looked into once."""
    assert [one.benchmark for one in wanted()] == ["b"]


@pytest.mark.parametrize(
    "more",
    [
        {"harness": "replay"},
        {"harness": "instructions"},
        {"subject": Activation(kind=SubjectKind.KERNEL)},
        {"sides": {"head": SideSpec()}},
    ],
)
def test_what_no_count_of_this_machine_explains(more):
    """Recorded or counted values, a guest whose emulator would be counted, and one side alone."""
    assert wanted(**more) == ()
