"""Every number behind a finding in one table: accepted sessions, the head, strikes and pairs."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from gate.report.plots.axis import loss_text
from gate.report.plots.losses import pair_losses
from gate.text import shorten
from gate.units import scale_of, significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gate.model import Finding

_STAMPED = re.compile(r".+-([0-9a-f]{8})")
"""A session's name: when it began, and a short name."""
_LONGEST = 60


class NumbersLine(NamedTuple):
    """One row: what was measured there, all values in one cell."""

    label: str
    values: str
    """Empty for a row that is a title of those below it."""


class Numbers(NamedTuple):
    """The table of a finding."""

    title: str
    lines: tuple[NumbersLine, ...]


def short_names(sessions: Iterable[str]) -> dict[str, str]:
    """By session the end of its name, where that is made so and tells it from the others."""
    found = {}
    for session in sessions:
        match = _STAMPED.fullmatch(session)
        found[session] = match[1] if match else shorten(session, _LONGEST)
    alike = Counter(found.values())
    return {
        session: name if alike[name] == 1 else shorten(session, _LONGEST)
        for session, name in found.items()
    }


def numbers(finding: Finding) -> Numbers | None:
    """The table, in the unit of the finding's plots; None where nothing was measured."""
    seen = finding.evidence
    single = (seen.head, seen.pairs_base, seen.pairs_head, seen.aside, *seen.baseline)
    every = [value for values in (*single, *seen.strikes) for value in values]
    every += [one.value for one in seen.earlier]
    if not every:
        return None
    sides = tuple(v for v in (finding.base_value, finding.head_value) if v is not None)
    factor, unit = scale_of(sides or tuple(every), finding.unit)
    lines = (*_accepted(finding, factor), *_fresh(finding, factor))
    return Numbers(f"Every number{f', in {unit}' if unit else ''}", lines)


def _accepted(finding: Finding, factor: float) -> Iterator[NumbersLine]:
    """Accepted sessions, oldest first; the epoch and what its rows show stand above them."""
    seen = finding.evidence
    count = len(seen.baseline)
    names = (*seen.baseline_sessions, *("",) * count)[:count]
    short = short_names({*names, *(one.session for one in seen.earlier)})
    before = None
    for one in seen.earlier:
        if one.epoch != before:
            yield NumbersLine(f"epoch {one.epoch}, medians", "")
        before = one.epoch
        yield NumbersLine(short[one.session], significant(one.value / factor))
    if seen.baseline:
        yield NumbersLine(f"epoch {seen.epoch}, every trial" if seen.epoch else "accepted", "")
    for name, values in zip(names, seen.baseline, strict=True):
        yield NumbersLine(short[name] or "session", _values(values, factor) or "none")


def _fresh(finding: Finding, factor: float) -> Iterator[NumbersLine]:
    """What was measured now."""
    seen = finding.evidence
    count = min(len(seen.pairs_base), len(seen.pairs_head))
    losses = dict(pair_losses(finding))
    relative = [loss_text(losses.get(n)).removesuffix(" %") for n in range(1, count + 1)]
    lines = (
        NumbersLine("head, screen", _values(seen.head, factor)),
        NumbersLine("head, set aside, not counted", _values(seen.aside, factor)),
        *(
            NumbersLine(f"strike {n}", _values(values, factor))
            for n, values in enumerate(seen.strikes, 1)
        ),
        NumbersLine("pairs, base", _values(seen.pairs_base, factor)),
        NumbersLine("pairs, head", _values(seen.pairs_head, factor)),
        NumbersLine("pairs, loss in %", " ".join(relative)),
    )
    yield from (line for line in lines if line.values)


def _values(values: Sequence[float], factor: float) -> str:
    return " ".join(significant(value / factor) for value in values)
