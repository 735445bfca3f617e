"""The form of a summary file."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from gate.formats.document import Form
from gate.model import Better, MeanKind, Role, Take


class SummarySidesForm(Form):
    """`side = { base = "...", head = "..." }`: what was compared, in words."""

    base: str
    """What was there before: "kernel 2.2.19"."""
    head: str
    """The change: "kernel 2.4.2"."""


class SummaryMetricForm(Form):
    """`[metric.NAME]`: the unit in which it is printed, which way is better, what may be lost.

    Or a metric of groups, which the gate takes of the rows of another metric: `of`, `over`, `take`.
    """

    unit: str | None = None
    """Unit of the figures as printed: s, ms, MB/s, op/s; 1 for a plain number."""
    better: Better | None = None
    """Which way is better."""
    of: str | None = None
    """A group's metric: the metric of the rows that it is made of; unit and better follow."""
    over: str | None = None
    """A group's metric: the parameter whose values make the curve, in the order of the rows."""
    take: Take | None = None
    """A group's metric: geometric mean, last point over first, or where 9/10 are reached."""
    role: Role = Role.GATE
    """`gate` may close the gate, `watch` is shown only."""
    tolerance: str = "5%"
    """The smallest loss that must not get in."""
    negligible: str | None = None
    """A loss nobody should be blocked for; default a fifth of the tolerance."""


class FiguresForm(Form):
    """`base = { mean = 2.67, sd = 0.785, trials = 10 }`: one side, with the digits as printed."""

    mean: float = Field(gt=0, le=1e15)
    """With every digit printed, zeros at its end too: rounding is taken into account."""
    sd: float | None = Field(default=None, ge=0, le=1e15)
    """Standard deviation of the trials; leave it out where none is printed."""
    trials: int = Field(ge=1, le=100_000)
    """Trials that the mean is of: fresh processes, not samples inside one."""


def _one_or_several(given: Any) -> str:
    """Tag of the form that is meant; the error messages leave tags out."""
    return "[several]" if isinstance(given, list) else "[one]"


SideForm = Annotated[
    Annotated[FiguresForm, Tag("[one]")]
    | Annotated[list[FiguresForm], Field(min_length=2, max_length=1000), Tag("[several]")],
    Discriminator(_one_or_several),
]
"""One sitting, or a list of independent ones: what they differ by is the noise."""


class RowForm(Form):
    """`[[row]]`: one metric of one benchmark on both sides."""

    benchmark: str
    """What was measured."""
    params: dict[str, str | int | float] = Field(default_factory=dict)
    """Its point of a sweep: `{ clients = 20 }`; groups are made over them."""
    metric: str
    """Name of one of the `[metric.NAME]` tables that is not made of others."""
    base: SideForm
    """What is printed of the base side; a list where it sat several times."""
    head: SideForm
    """What is printed of the head side; a list where it sat several times."""


class SummaryForm(Form):
    """A driftgate summary: printed means of two sides, where the trials themselves are lost."""

    source: str
    """One sentence: where the figures come from."""
    mean: MeanKind
    """How the source made its means of the trials: `arithmetic` or `geometric`."""
    side: SummarySidesForm
    """The two sides, in words."""
    metric: dict[str, SummaryMetricForm] = Field(min_length=1)
    """The metrics that the rows speak of."""
    row: list[RowForm] = Field(min_length=1)
    """The rows."""
