"""A project that can be calibrated in a moment, and rounds as values."""

from __future__ import annotations

import shutil

import pytest
from builders import HOST_CLASS, write_replay_project

from gate.judge.calibration_rounds import RULE
from gate.model import Ending, Round

STEADY = (1.0, 1.002, 0.998)
MANY = STEADY * 60
"""As many steady trials as any round can ask for."""


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    """An accepted project of one steady benchmark, made once."""
    project = write_replay_project(tmp_path_factory.mktemp("calibrate") / "p")
    project.accept()
    project.record({"b": MANY})
    return project


@pytest.fixture
def project(template, tmp_path):
    """That project anew; its host is perfectly steady."""
    shutil.copytree(template.root, tmp_path / "p")
    return type(template)(tmp_path / "p", template.name)


@pytest.fixture
def calibrate(project):
    """Call `gate calibrate p`, in the project, without progress unless asked for."""

    def call(*arguments, quiet=True, profile="p", **options):
        more = ["--quiet"] if quiet else []
        return project.gate("calibrate", profile, *arguments, *more, **options)

    return call


def made(number: int = 1, **changes) -> Round:
    """A finished round; unchanged and clear unless told otherwise."""
    plain = {
        "id": f"20260101-{number:010x}",
        "host_class": HOST_CLASS,
        "profile": "p",
        "date": f"2026-01-{1 + number // 1000:02d}T{number // 60 % 24:02d}:{number % 60:02d}:00.000Z",
        "digest": "abc",
        "gate": "0.1.0",
        "rule": RULE,
        "alpha": 0.01,
        "beta": 0.025,
        "seed": 1,
        "number": number,
        "planted": 0.0,
        "ending": Ending.CLEAR,
        "metrics": 1,
        "regressed": 0,
        "inconclusive": 0,
        "trials": 3,
        "seconds": 1.0,
    }
    if changes.get("ending") in {Ending.FOUND, Ending.MISSED}:
        plain |= {"planted": 0.05, "benchmark": "b", "achieved": 0.05, "tolerance": 0.05}
    if changes.get("ending") in {Ending.FOUND, Ending.ALARM}:
        plain |= {"regressed": 1}
    return Round(**(plain | changes))


def series(**endings: int) -> list[Round]:
    """So many rounds of each ending, in the order given: `series(clear=20, alarm=1)`."""
    wanted = [Ending(name) for name, count in endings.items() for _ in range(count)]
    return [made(number, ending=ending) for number, ending in enumerate(wanted, 1)]


@pytest.fixture(scope="session")
def make_round():
    """`made`, for the modules of this folder."""
    return made


@pytest.fixture(scope="session")
def make_series():
    """`series`, for the modules of this folder."""
    return series
