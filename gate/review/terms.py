"""What a tree says the gate shall judge by, as values; and how an edit of it is put into words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from gate.docs import PAGES
from gate.model import Edit
from gate.units import scale_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.model import Baseline, KnownHost, Profile, Round, Waiver

K = TypeVar("K", str, tuple[str, str], tuple[str, str, str], tuple[str, str, str, str])
V = TypeVar("V")
_LONGEST_NAME = 200
_LONGEST_HEADLINE = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Profiles, baselines, waivers, host files and calibrations of one tree."""

    profiles: Mapping[str, Profile] = field(default_factory=dict)
    baselines: tuple[Baseline, ...] = ()
    waivers: tuple[Waiver, ...] = ()
    hosts: tuple[KnownHost, ...] = ()
    rounds: tuple[Round, ...] = ()
    unread: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    """What could not be read -> its path and why: `("profile", NAME)`, `("baseline", CLASS, NAME)`,
    `("host", CLASS)`, `("waivers",)`, `("calibration",)`, or `("tree",)` for all of it.

    What could not be read is not known to be gone."""


def differences(
    before: Mapping[K, V], after: Mapping[K, V]
) -> Iterator[tuple[K, V | None, V | None]]:
    """Each key of which the values differ, in order, with both; None where one has it not."""
    for key in sorted(before.keys() | after.keys()):
        was, now = before.get(key), after.get(key)
        if was != now:
            yield key, was, now


def edit(code: str, headline: str, *, loosens: bool, **texts: str) -> Edit:
    """An edit with the advice of its code; texts are cut, for a stranger may have written them.

    `texts` say where it is and what it was: `profile`, `benchmark`, `metric`, `before`, `after`.
    """
    every = {"profile": "", "before": "", "after": "", **texts}
    return Edit(
        code=code,
        headline=short(headline, _LONGEST_HEADLINE),
        advice=PAGES[code].cure,
        loosens=loosens,
        **{name: short(text) for name, text in every.items()},
    )


def short(text: str, most: int = _LONGEST_NAME) -> str:
    """A text of at most so many characters, of which every one can be written as UTF-8."""
    plain = text.encode("utf-8", "replace").decode("utf-8")
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def describe_edit(what: str, before: str, after: str) -> str:
    """`tolerance of iops 5 % -> 50 %`."""
    return f"{what} {before or 'none'} -> {after or 'none'}"


def plain_percent(ratio: float) -> str:
    """A ratio as it is written in a profile: `5 %`."""
    return f"{ratio * 100:.6g} %"


def plain_quantity(value: float | None, unit: str) -> str:
    """A quantity as it is written in a profile: `2 ms`; empty where there is none."""
    if value is None:
        return ""
    factor, name = scale_of((value,), unit)
    return f"{value / factor:.6g} {name}".rstrip()


def some_names(names: list[str], most: int = 5) -> str:
    """Some names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(short(name) for name in names[:most]) + more
