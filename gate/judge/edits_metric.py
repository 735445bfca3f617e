"""What a tree edits of the metrics of a profile: what may be lost, and what is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.judge.edits_terms import edit, moved, plain_percent, plain_quantity
from gate.model import Role

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Edit, Metric, Profile


def metric_edits(before: Profile, after: Profile) -> Iterator[Edit]:
    """Every difference between the metrics of two texts of a profile."""
    old, new = ({one.name: one for one in p.metrics} for p in (before, after))
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if was is not None and now is not None:
            yield from _edited(before.name, was, now)
        elif was is not None:
            gone = was.role is Role.GATE
            said = f"metric {name} removed"
            shown = _shown(was)
            yield edit("G073", said, loosens=gone, profile=before.name, metric=name, before=shown)
        elif now is not None:
            said = f"metric {name} added ({_shown(now)})"
            yield edit(
                "G073", said, loosens=False, profile=before.name, metric=name, after=_shown(now)
            )


def _edited(profile: str, was: Metric, now: Metric) -> Iterator[Edit]:
    """A metric that only is watched before lets nothing more in, whatever becomes of it."""
    gates = was.role is Role.GATE
    name = was.name

    def one(code: str, what: str, before: str, after: str, *, loosens: bool) -> Edit:
        return edit(
            code,
            moved(what, before, after),
            loosens=gates and loosens,
            profile=profile,
            metric=name,
            before=before,
            after=after,
        )

    if was.role is not now.role:
        yield one("G072", f"role of {name}", was.role.value, now.role.value, loosens=True)
    if was.tolerance != now.tolerance:
        texts = plain_percent(was.tolerance), plain_percent(now.tolerance)
        loosens = now.tolerance > was.tolerance
        yield one("G070", f"tolerance of {name}", *texts, loosens=loosens)
    if was.negligible != now.negligible:
        texts = plain_percent(was.tau), plain_percent(now.tau)
        yield one("G071", f"negligible loss of {name}", *texts, loosens=now.tau > was.tau)
    if was.floor != now.floor:
        texts = plain_quantity(was.floor, was.unit), plain_quantity(now.floor, now.unit)
        loosens = (now.floor or 0.0) > (was.floor or 0.0)
        yield one("G071", f"floor of {name}", *texts, loosens=loosens)
    for what, before, after in (
        ("better direction", was.better.value, now.better.value),
        ("unit", was.unit, now.unit),
        ("making", was.made, now.made),
    ):
        if before != after:
            yield one("G073", f"{what} of {name}", before, after, loosens=True)


def _shown(metric: Metric) -> str:
    if metric.role is Role.WATCH:
        return "watched"
    return f"tolerance {plain_percent(metric.tolerance)}"
