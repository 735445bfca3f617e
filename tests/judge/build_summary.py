"""Summaries as values, small enough to be read in a test."""

from __future__ import annotations

from dataclasses import replace

from gate.judge.printed_means import judge_summaries
from gate.judge.verdict.suite import Policy
from gate.model import Better, Figures, MeanKind, Metric, Summary, SummaryRow

TIME = Metric(name="time", unit="s", better=Better.LOWER)


def side(mean, sd=None, trials=10, **more):
    return Figures(mean=mean, sd=sd, trials=trials, **more)


def row(base, head, name="b", metric=TIME):
    return SummaryRow(benchmark=name, metric=metric, base=base, head=head)


def summary(*rows, **more):
    made = Summary(
        name="article",
        source="An article, 2001",
        mean=MeanKind.ARITHMETIC,
        base="kernel 1",
        head="kernel 2",
        rows=rows,
    )
    return replace(made, **more)


def decide(*rows, tolerance=None, summaries=None, **policy):
    given = [summary(*rows)] if summaries is None else summaries
    created = "2026-01-10T00:00:00Z"
    return judge_summaries(
        given, Policy(**policy), tolerance=tolerance, created=created, version="0"
    )


BASE = side(10.0, 0.1)
"""A base of 10 s with a spread of 1 %, ten trials."""
PROVEN = row(BASE, side(12.0, 0.1))
RULED_OUT = row(BASE, side(10.0, 0.1))
