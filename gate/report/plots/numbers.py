"""Every number behind a finding: as plots take them, and all of them in one table."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING

from gate.model import Better
from gate.report.plots.picture import Table
from gate.text import shorten
from gate.units import percent, scale_of, significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gate.model import Evidence, Finding

_STAMPED = re.compile(r".+-([0-9a-f]{8})")
"""A session's name: when it began, and a short name."""
_LONGEST = 60
_LARGEST_LOSS = 1e9


def every_value(seen: Evidence) -> tuple[float, ...]:
    """Of all trials, accepted or fresh, counted or not."""
    fresh = (seen.head, seen.pairs_base, seen.pairs_head, seen.aside)
    return tuple(chain(*seen.baseline, *fresh, *seen.strikes))


def accepted_values(seen: Evidence) -> Iterator[tuple[str, tuple[float, ...]]]:
    """The accepted sessions of the current epoch by name, empty where it is not known."""
    names = (*seen.baseline_sessions, *("",) * len(seen.baseline))
    return zip(names, seen.baseline, strict=False)


def scale_for(finding: Finding, values: tuple[float, ...]) -> tuple[float, str]:
    """The scale of the finding's sides, so that plots and tables agree; of `values` without any."""
    sides = tuple(v for v in (finding.base_value, finding.head_value) if v is not None)
    return scale_of(sides or values, finding.unit)


def relative_loss(base: float | None, head: float | None, better: Better) -> float | None:
    """How much worse the head is, positive = worse; None where no ratio can be formed."""
    if not base or not head or base <= 0 or head <= 0:
        return None
    ratio = head / base if better is Better.LOWER else base / head
    return ratio - 1 if math.isfinite(ratio) else None


def pair_losses(finding: Finding) -> list[tuple[int, float]]:
    """Number of the pair and its relative loss."""
    seen = finding.evidence
    pairs = enumerate(zip(seen.pairs_base, seen.pairs_head, strict=False), 1)
    losses = ((number, relative_loss(*pair, finding.better)) for number, pair in pairs)
    return [(number, loss) for number, loss in losses if loss is not None]


def loss_text(loss: float | None) -> str:
    """A loss as per cent; `?` where it is so large that no digit of it means anything."""
    return percent(loss if loss is not None and abs(loss) < _LARGEST_LOSS else None)


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


def numbers(finding: Finding) -> Table | None:
    """The table, in the unit of the finding's plots; None where nothing was measured.

    A row is what was measured there and all values; one without values is a title.
    """
    seen = finding.evidence
    every = (*every_value(seen), *(one.value for one in seen.earlier))
    if not every:
        return None
    factor, unit = scale_for(finding, every)
    rows = (*_accepted(seen, factor), *_fresh(finding, factor))
    return Table(f"Every number{f', in {unit}' if unit else ''}", (), rows)


def _accepted(seen: Evidence, factor: float) -> Iterator[tuple[str, str]]:
    """Accepted sessions, oldest first; the epoch and what its rows show stand above them."""
    current = tuple(accepted_values(seen))
    short = short_names({*dict(current), *(one.session for one in seen.earlier)})
    before = None
    for one in seen.earlier:
        if one.epoch != before:
            yield f"epoch {one.epoch}, medians", ""
        before = one.epoch
        yield (short[one.session], significant(one.value / factor))
    if current:
        yield (f"epoch {seen.epoch}, every trial" if seen.epoch else "accepted", "")
    for name, values in current:
        yield (short[name] or "session", _values(values, factor) or "none")


def _fresh(finding: Finding, factor: float) -> Iterator[tuple[str, str]]:
    seen = finding.evidence
    count = min(len(seen.pairs_base), len(seen.pairs_head))
    losses = dict(pair_losses(finding))
    relative = [loss_text(losses.get(n)).removesuffix(" %") for n in range(1, count + 1)]
    groups = {
        "head, screen": seen.head,
        "head, set aside, not counted": seen.aside,
        **{f"strike {n}": values for n, values in enumerate(seen.strikes, 1)},
        "pairs, base": seen.pairs_base,
        "pairs, head": seen.pairs_head,
    }
    yield from ((label, _values(values, factor)) for label, values in groups.items() if values)
    if relative:
        yield "pairs, loss in %", " ".join(relative)


def _values(values: Sequence[float], factor: float) -> str:
    return " ".join(significant(value / factor) for value in values)
