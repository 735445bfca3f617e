"""Rows of printed figures as values: sides of one or several sittings, and groups of points."""

from __future__ import annotations

from gate.formats.published.summary_metrics import together
from gate.model import Better, Derived, Figures, MeanKind, Metric, SummaryRow, Take
from gate.model.metric import take_of

ALPHA, BETA = 0.01, 0.025
PLAIN = MeanKind.ARITHMETIC
TIME = Metric(name="time", unit="s", better=Better.LOWER)
RATE = Metric(name="rate", unit="op/s", better=Better.HIGHER)
DEPTHS = ("1", "32", "64", "128", "256")


def one(mean, sd=None, trials=3, **more):
    return Figures(mean=mean, sd=sd, trials=trials, **more)


def side(*means, trials=3, slack=0.0):
    """A side of several sittings, or of one."""
    figures = [one(mean, trials=trials, mean_slack=slack) for mean in means]
    return together(figures) if len(figures) > 1 else figures[0]


def row(base, head, metric=TIME):
    return SummaryRow(benchmark="b", metric=metric, base=base, head=head)


def taken(points, take):
    """What a group takes of figures, without the file that gives them."""
    if points[0].sittings:
        return together(
            [taken(list(p), take) for p in zip(*(p.sittings for p in points), strict=True)]
        )
    mean = take_of(take, [p.mean for p in points], [float(d) for d in DEPTHS[: len(points)]])
    return one(mean, trials=min(p.trials for p in points))


def group(take, base, head, of=TIME):
    """A group over points of both sides, as the file reader makes it."""
    derived = Derived(of=of.name, over="depth", take=take)
    unit = of.unit if take is Take.GEOMEAN else "1"
    points = tuple(row(b, h, of) for b, h in zip(base, head, strict=True))
    return SummaryRow(
        benchmark="b[depth=*]",
        metric=Metric(name="g", unit=unit, better=of.better, derived=derived),
        base=taken(base, take),
        head=taken(head, take),
        points=points,
        places=DEPTHS[: len(points)],
    )
