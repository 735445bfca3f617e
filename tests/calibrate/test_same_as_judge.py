"""The calibration plays the rule that the judge uses: same sessions, same verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from judge.build import accepted, baseline, decide, session

from gate.calibrate.drawing import Pool, draw_suite
from gate.calibrate.outcome import TOLERANCE
from gate.calibrate.stage import first_stage, plant_loss
from gate.formats.published.recorded_file import read_recording
from gate.judge.verdict.screening import Flagged
from gate.model import BaselinePoint, BaselineSeries, Better, Metric, Side

EXTRACT = Path(__file__).parent.parent / "data" / "recorded" / "runner-extract.csv.gz"
METRIC = Metric(name="value", unit="s", better=Better.LOWER, tolerance=TOLERANCE)


def _baseline(pool, suite, sessions):
    """The accepted sessions of a suite as a baseline file would hold them."""
    series = tuple(
        BaselineSeries(
            benchmark=one.name,
            metric="value",
            unit="s",
            better=one.better,
            points=tuple(
                BaselinePoint(session=f"a{number:02}", epoch=1, values=values)
                for number, values in enumerate(pool.before(one, suite.place, sessions))
            ),
        )
        for one in sorted(suite.series, key=lambda one: one.name)
    )
    made = baseline(*series)
    return replace(made, sessions=tuple(accepted(number) for number in range(sessions)))


@pytest.mark.parametrize("seed", range(8))
def test_the_screen_of_a_draw_is_the_judges(seed):
    """Flagged, passed, improved and refused metrics are those of a report on the same sessions."""
    pool = Pool(read_recording(EXTRACT))
    suite = draw_suite(pool, 8, Random(seed))
    screening = first_stage(pool, suite, Random(seed), sessions=10, sides=True)
    head = session(
        {one.benchmark: {"value": one.head} for one in screening.series},
        metrics=(METRIC,),
        sides=True,
    )
    base = session(
        {one.benchmark: {"value": one.base} for one in screening.series},
        id="base",
        side=Side.BASE,
        metrics=(METRIC,),
        sides=True,
    )
    report = decide([head, base], _baseline(pool, suite, 10))
    told = {finding.benchmark: finding for finding in report.findings}
    for one, answer in zip(screening.series, screening.answers, strict=True):
        found = told[one.benchmark]
        if screening.unfit:
            assert found.code == "G021"
        elif isinstance(answer, Flagged):
            assert found.code == "G021"
            assert found.loss == pytest.approx(answer.screened and _relative(answer.screened.loss))
            assert found.tolerance_used == pytest.approx(answer.limits.tolerance)
        else:
            assert (found.code, found.verdict) == (answer.code, answer.verdict)
            assert found.loss == pytest.approx(answer.loss)


def _relative(log_loss):
    from gate.stats.costs import ratio

    return ratio(log_loss)


def test_a_planted_loss_is_screened_as_measured():
    """Planting multiplies the head's trials and changes nothing else."""
    pool = Pool(read_recording(EXTRACT))
    suite = draw_suite(pool, 8, Random(3))
    screening = first_stage(pool, suite, Random(3), sessions=10, sides=True)
    answer = plant_loss(screening, 0.2)
    assert isinstance(answer, Flagged)
    assert answer.series.head == pytest.approx([1.2 * value for value in screening.series[0].head])
    assert answer.series.accepted == screening.series[0].accepted
