"""How a curve changed its shape between base and head, in one sentence.

Read off the medians of the points: it says what is seen and proves nothing. What is proven is
said by the group's own finding, whose headline (`shape`) this must never contradict.

A point's loss is that of its medians, as everywhere: a log ratio, positive where the head is
worse. A loss that is the same at every point moves a curve and leaves its shape: only losses that
differ between points count, and two differ where they lie further apart than the mean of both
points' tolerances. Below that nothing is said; every point may be off by as much and still pass.
Where the group's own finding has proven that the shape became worse, smaller differences count
too if no larger one is there, and never that it became better.

What differs is described by the first of these that is true:

1. Of a curve that should grow (better higher, three points at numbers or more): its last point
   lies a tenth or more below its top, and the base lost less after that place: "falls beyond".
2. Likewise: the first place that reaches nine tenths of the curve's top comes earlier than the
   base's, and the base gained more between the two places: "no longer grows beyond". That place
   is what the metric `knee` calls grown (`model.metric`), so that both mean the same thing. It
   is not the last point that gained a tenth over the one before, for such a rule says of the
   denser of two sweeps that it ends earlier.
3. Both the other way round: "no longer falls", "grows further". Of 2 the last point must not have
   lost less than the first, of 3 not more: a scaling that moved the other way is described by 4.
4. The losses of first and last point: "loss grows with".
5. The point that lies furthest from both ends.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Better
from gate.model.metric import KNEE_AT

if TYPE_CHECKING:
    from collections.abc import Sequence

SEEN = "seen in the medians"
"""What every sentence ends with: it claims no proof."""
_LEAST_FOR_GROWTH = 3
"""As for a knee: of two points the first or the last is always the top."""


class CurvePoint(NamedTuple):
    """One point of a swept metric that was compared; both values are finite and above zero."""

    name: str
    """The parameter's value."""
    base: float
    head: float
    tolerance: float
    """Relative, as the point was judged by."""


class _Curve(NamedTuple):
    parameter: str
    points: Sequence[CurvePoint]
    losses: tuple[float, ...]
    """Log ratios, positive = worse."""
    halves: tuple[float, ...]
    """Half of each tolerance, below two of which losses do not differ; 0 where every one counts."""
    worse_only: bool

    def differs(self, one: int, other: int) -> bool:
        """Whether the loss at one place is larger than at another, beyond their tolerances."""
        return self.losses[one] - self.losses[other] > self.halves[one] + self.halves[other]

    @property
    def alike(self) -> bool:
        """Whether no two places differ: one loss would do for all."""
        pairs = list(zip(self.losses, self.halves, strict=True))
        return max(loss - half for loss, half in pairs) <= min(loss + half for loss, half in pairs)

    def at(self, index: int) -> str:
        """`+31 % at 128`."""
        return f"{_percent(self.losses[index])} at {self.points[index].name}"


def describe_curve(
    parameter: str, better: Better, places: Sequence[CurvePoint], *, changed: bool = False
) -> str:
    """How the curve changed; empty where it did not, or where its places have no order.

    `changed` says that the group's own finding has proven a shape that became worse.
    """
    points, numeric = _ordered(places)
    if len(points) < 2:
        return ""
    sign = 1 if better is Better.LOWER else -1
    losses = tuple(sign * math.log(one.head / one.base) for one in points)
    grows = better is Better.HIGHER and numeric and len(points) >= _LEAST_FOR_GROWTH
    for margin in (0.5, 0.0) if changed else (0.5,):
        halves = tuple(margin * math.log1p(one.tolerance) for one in points)
        curve = _Curve(parameter, points, losses, halves, changed)
        what = "" if curve.alike else (_growth(curve) if grows else "") or _drift(curve)
        if what:
            return f"{what}, {SEEN}"
    return ""


def _ordered(places: Sequence[CurvePoint]) -> tuple[Sequence[CurvePoint], bool]:
    """The places in their order, and whether they are numbers; none where they have no order."""
    try:
        numbers = [float(one.name) for one in places]
    except ValueError:
        numbers = []
    if numbers and all(map(math.isfinite, numbers)) and len(set(numbers)) == len(numbers):
        order = sorted(range(len(places)), key=numbers.__getitem__)
        return [places[at] for at in order], True
    return (places if len(places) == 2 else ()), False


def _growth(curve: _Curve) -> str:
    """Rules 1 to 3; empty where none is true."""
    base, head = [one.base for one in curve.points], [one.head for one in curve.points]
    last, name = len(head) - 1, [one.name for one in curve.points]
    peak, before = head.index(max(head)), base.index(max(base))
    if _falls(head) and curve.differs(last, peak):
        return (
            f"falls beyond {curve.parameter} {name[peak]}, by {_fall(head, peak)} at {name[last]} "
            f"(base {_did(base, peak)})"
        )
    grown, grew = _grown(head), _grown(base)
    if grown < grew and curve.differs(grew, grown) and curve.losses[last] >= curve.losses[0]:
        return (
            f"no longer grows beyond {curve.parameter} {name[grown]} (base grew up to {name[grew]})"
        )
    if curve.worse_only or curve.losses[last] > curve.losses[0]:
        return ""
    if _falls(base) and not _falls(head) and curve.differs(before, last):
        return (
            f"no longer falls beyond {curve.parameter} {name[before]} "
            f"(base fell by {_fall(base, before)} at {name[last]})"
        )
    if grown > grew and curve.differs(grew, grown):
        return f"grows further, up to {curve.parameter} {name[grown]} (base up to {name[grew]})"
    return ""


def _drift(curve: _Curve) -> str:
    """Rules 4 and 5; empty where all that differs is less than a per cent."""
    first, last = curve.losses[0], curve.losses[-1]
    end = len(curve.losses) - 1
    moved = curve.differs(end, 0) or (curve.differs(0, end) and not curve.worse_only)
    if moved and _percent(first) != _percent(last):
        word = _word(first, last)
        kind = "" if word.startswith("loss") else "loss "
        return f"{word} with {curve.parameter}: {kind}{curve.at(0)}, {curve.at(end)}"
    middle = (first + last) / 2
    furthest = max(range(end + 1), key=lambda at: abs(curve.losses[at] - middle))
    if furthest in {0, end} or _percent(curve.losses[furthest]) in map(_percent, (first, last)):
        return ""
    return (
        f"loss differs most at {curve.parameter} {curve.points[furthest].name}: "
        f"{_percent(curve.losses[furthest])}, against {curve.at(0)} and {curve.at(end)}"
    )


def _word(first: float, last: float) -> str:
    """What the loss does from the first to the last point; a loss below zero is a gain."""
    if last > first:
        return "loss grows" if last > -first else "gain shrinks"
    return "gain grows" if -last > first else "loss shrinks"


def _grown(values: Sequence[float]) -> int:
    """The first point that reaches nine tenths of the largest value."""
    wanted = KNEE_AT * max(values)
    return next(at for at, value in enumerate(values) if value >= wanted)


def _falls(values: Sequence[float]) -> bool:
    """Whether the last value lies a tenth or more below the largest."""
    return values[-1] <= KNEE_AT * max(values)


def _fall(values: Sequence[float], since: int) -> str:
    return f"{100 * (1 - values[-1] / values[since]):.0f} %"


def _did(values: Sequence[float], since: int) -> str:
    """What the other curve did over the same stretch: `grew by 12 %`."""
    change = 100 * (values[-1] / values[since] - 1)
    if round(change) == 0:
        return "did not"
    return f"{'grew' if change > 0 else 'fell'} by {abs(change):.0f} %"


def _percent(loss: float) -> str:
    """A log loss as whole per cent: no more can be read off a curve."""
    whole = round(100 * math.expm1(loss))
    return f"{whole:+d} %" if whole else "0 %"
