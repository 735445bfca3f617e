"""What a group makes of one trial of each of its points: the values of its curve.

Pure: values in, values out.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.harness.base import TrialFailed
from gate.model import Role, Take, Value
from gate.model.curve import take_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.model import Benchmark, Derived, Metric

_SMALLEST = 1e-3
"""Of a value, what is left of it at least when its resolution is taken off."""


def derived_values(
    group: Benchmark,
    places: Sequence[str],
    points: Mapping[str, Sequence[Value]],
    metrics: Iterable[Metric],
) -> tuple[tuple[Value, ...], tuple[str, ...]]:
    """The group's metrics from the values of each member's trial, in the order of the members.

    `places` are the members' values of the swept parameter; a knee needs them to be numbers.
    `metrics` are those that apply to the group. With the values comes why a watched one has none:
    it closes nothing, and must not take the group's gated metrics with it.

    Raises:
        TrialFailed: a member lacks a value of a gated metric, or no curve can be made of it.
    """
    values: list[Value] = []
    lacking: list[str] = []
    for metric in metrics:
        if metric.derived is None or metric.group != group.group:
            continue
        try:
            values.append(_value(metric.name, metric.derived, group, places, points))
        except TrialFailed as failure:
            if metric.role is Role.GATE:
                raise
            lacking.append(f"no {metric.name}: {failure}")
    return tuple(values), tuple(lacking)


def _value(
    name: str,
    derived: Derived,
    group: Benchmark,
    places: Sequence[str],
    points: Mapping[str, Sequence[Value]],
) -> Value:
    curve = [_of(points[member], derived.of, member) for member in group.members]
    for member, one in zip(group.members, curve, strict=True):
        if not (math.isfinite(one.value) and one.value > 0):
            raise TrialFailed(
                f"{name} cannot be made: {derived.of} of {member} is {one.value:g}, "
                "and a curve needs values above 0"
            )
    try:
        numbers = _numbers(places) if derived.take is Take.KNEE else ()
        value = take_of(derived.take, [one.value for one in curve], numbers)
        step = _resolution(derived.take, curve, numbers)
    except (ValueError, OverflowError) as error:
        raise TrialFailed(f"{name} cannot be made of {derived.of}: {error}") from None
    if not (math.isfinite(value) and value > 0 and math.isfinite(step)):
        raise TrialFailed(
            f"{name} came out as {value:g}: the points of its curve lie too far apart"
        )
    return Value(
        metric=name, value=value, samples=min(one.samples for one in curve), resolution=step
    )


def _of(values: Sequence[Value], metric: str, member: str) -> Value:
    for one in values:
        if one.metric == metric:
            return one
    raise TrialFailed(f"{member} gave no {metric}")


def _numbers(places: Sequence[str]) -> tuple[float, ...]:
    try:
        return tuple(float(place) for place in places)
    except ValueError:
        message = f"a knee needs numbers, and the points are at {', '.join(places)}"
        raise ValueError(message) from None


def _resolution(take: Take, curve: Sequence[Value], places: Sequence[float]) -> float:
    """The most that the result moves when every value moves by its own resolution.

    First order: the moves by each point alone, larger of up and down, added.
    """
    values = [one.value for one in curve]
    middle = take_of(take, values, places)
    whole = 0.0
    for index, one in enumerate(curve):
        if one.resolution > 0:
            moved = [
                take_of(take, [*values[:index], other, *values[index + 1 :]], places)
                for other in (
                    one.value + one.resolution,
                    max(one.value - one.resolution, _SMALLEST * one.value),
                )
            ]
            whole += max(abs(other - middle) for other in moved)
    return whole
