"""How files are held to the model: bounds that stand at its fields, read by `gate.formats`.

They are refused on reading and stand in the published schemas. What came from another machine is
shown somewhere, and calculated with: a string without an end fills a page, and a number at the end
of what a float holds makes an infinity of the next sum. Nothing is checked where the gate itself
makes a value.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from annotated_types import Ge, Interval, MaxLen, Predicate

LONGEST_NAME = 500
"""As the names of benchmarks in a profile."""
_LARGEST_COUNT = 1 << 63
_LARGEST = 1e100
"""Of a measured number, in any unit; the inverse is the smallest that is not zero."""


def is_measurable(value: float) -> bool:
    """Whether a number is zero, or large enough to be divided by."""
    return value == 0 or abs(value) >= 1 / _LARGEST


class Strict:
    """What stands in a file: unknown keys, NaN and infinities are refused where it is read."""

    __slots__ = ()
    __pydantic_config__: ClassVar = {  # a plain dict, so that the model knows no reader
        "extra": "forbid",
        "allow_inf_nan": False,
    }


Name = Annotated[str, MaxLen(LONGEST_NAME)]
Text = Annotated[str, MaxLen(4000)]
LongText = Annotated[str, MaxLen(10_000)]
"""A fact of the host or the subject: the kernel's command line is one, a path another. And what a
report shows, whose names are made of names."""
Facts = dict[Name, LongText]
Count = Annotated[int, Interval(ge=-_LARGEST_COUNT, le=_LARGEST_COUNT)]
Natural = Annotated[int, Interval(ge=0, le=_LARGEST_COUNT)]
Positive = Annotated[int, Interval(ge=1, le=_LARGEST_COUNT)]
Number = Annotated[float, Interval(ge=-_LARGEST, le=_LARGEST), Predicate(is_measurable)]
"""Measured."""
Amount = Annotated[float, Interval(ge=0, le=_LARGEST), Predicate(is_measurable)]
Spent = Annotated[float, Interval(gt=0, le=_LARGEST), Predicate(is_measurable)]
Percent = Annotated[float, Interval(gt=0, lt=100), Predicate(is_measurable)]
"""A percentile lies above 0 and below 100."""
Cost = Annotated[float, Ge(0)]
"""Calculated, for a report."""
