"""What became of each series of a baseline: the same rows for a terminal, a commit, a pull request.

Nothing of the statistics is needed, so that showing and comparing baselines is quick.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from gate.units import percent, show, show_pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Baseline, BaselineSeries

Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesChange:
    """What became of one series."""

    host_class: str
    profile: str
    benchmark: str
    metric: str
    before: float | None
    """Median of the epoch's medians, in the base unit; absent where there was none."""
    after: float | None
    what: str
    """`712.0 -> 641.0 k op/s (-10.0 %), epoch 2`."""
    reason: str

    @property
    def name(self) -> str:
        """The series as a reader calls it."""
        return f"{self.profile} {self.benchmark} {self.metric}"

    @property
    def text(self) -> str:
        """One line with the reason."""
        because = f", because: {self.reason}" if self.after is not None else ""
        return f"{self.name}: {self.what}{because}"


def changes_between(before: Sequence[Baseline], after: Sequence[Baseline]) -> list[SeriesChange]:
    """What became of each series that differs, sorted by name."""
    old = {_key(b, s): s for b in before for s in b.series}
    new = {_key(b, s): (s, b) for b in after for s in b.series}
    return [
        _change(key, old.get(key), *new.get(key, (None, None)))
        for key in sorted(old.keys() | new.keys())
        if key not in new or old.get(key) != new[key][0]
    ]


def level_of(series: BaselineSeries | None) -> float | None:
    """The level of the current epoch: the median of its sessions' medians."""
    return median([median(p.values) for p in series.current]) if series else None


def as_json(rows: Sequence[SeriesChange]) -> list[dict[str, object]]:
    """Changes for machines."""
    names = ("host_class", "profile", "benchmark", "metric", "before", "after", "reason", "text")
    return [{name: getattr(row, name) for name in names} for row in rows]


def json_answer(**values: object) -> str:
    """The JSON answer of a command."""
    return json.dumps({"schema": 1, **values}, indent=1)


def _key(baseline: Baseline, series: BaselineSeries) -> Key:
    return baseline.host_class, baseline.profile, series.benchmark, series.metric


def _change(
    key: Key, before: BaselineSeries | None, after: BaselineSeries | None, baseline: Baseline | None
) -> SeriesChange:
    """One row: from, to, how much, whether an epoch opened, and why."""
    was, is_ = level_of(before), level_of(after)
    known = after or before
    unit = known.unit if known else "1"
    if after is None:
        what = f"removed (was {show(was, unit)})"
    elif before is None:
        what = f"new at {show(is_, unit)}"
    else:
        opened = after.current[0].epoch > before.current[0].epoch
        kind = f"epoch {after.current[0].epoch}" if opened else "appended"
        moved = percent(is_ / was - 1) if was and is_ else "?"
        what = f"{show_pair(was, is_, unit)} ({moved}), {kind}"
    return SeriesChange(
        host_class=key[0],
        profile=key[1],
        benchmark=key[2],
        metric=key[3],
        before=was,
        after=is_,
        what=what,
        reason=_newest_reason(baseline),
    )


def _newest_reason(baseline: Baseline | None) -> str:
    return baseline.sessions[-1].reason if baseline and baseline.sessions else ""
