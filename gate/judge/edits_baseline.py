"""What a tree edits of the accepted sessions: levels, and the facts that they rest on."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from gate.judge.edits_terms import edit, listed, moved
from gate.model import Better
from gate.units import percent, show, show_pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Baseline, BaselineSeries, Edit


def baseline_edits(before: Baseline | None, after: Baseline | None) -> Iterator[Edit]:
    """Every difference between two texts of one host class's baseline of a profile."""
    if before is None or after is None:
        known = before or after
        if known is not None:
            yield _whole(known, gone=after is None)
        return
    old, new = ({(s.benchmark, s.metric): s for s in b.series} for b in (before, after))
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            yield _series(old.get(key), new.get(key), before, after)
    yield from _sessions(before, after)
    for what, was, now in (
        ("text of the profile", before.profile_digest, after.profile_digest),
        ("harness", before.harness, after.harness),
    ):
        if was != now:
            said = f"the baseline on {before.host_class} is of another {what}"
            yield edit("G078", said, loosens=True, profile=before.profile, before=was, after=now)


def _whole(known: Baseline, *, gone: bool) -> Edit:
    count = f"{len(known.sessions)} sessions"
    said = f"baseline on {known.host_class} {'removed' if gone else 'added'}, {count}"
    reason = known.sessions[-1].reason if known.sessions else ""
    said += f", because: {reason}" if reason and not gone else ""
    before, after = (count, "") if gone else ("", count)
    return edit("G078", said, loosens=True, profile=known.profile, before=before, after=after)


def _series(
    was: BaselineSeries | None, now: BaselineSeries | None, before: Baseline, after: Baseline
) -> Edit:
    """One series: from, to, how much, which epoch and why."""
    known = was or now
    assert known is not None  # noqa: S101 - the caller took the key from one of both
    place = {
        "profile": before.profile,
        "benchmark": known.benchmark,
        "metric": known.metric,
        "before": show(_level(was), was.unit) if was else "",
        "after": show(_level(now), now.unit) if now else "",
    }
    what = f"baseline of {known.benchmark} {known.metric} on {before.host_class}"
    because = f", because: {after.sessions[-1].reason}" if after.sessions else ""
    if now is None:
        return edit("G078", f"{what} removed", loosens=True, **place)
    if was is None:
        return edit("G078", f"{what} added at {place['after']}{because}", loosens=True, **place)
    if (was.unit, was.better) != (now.unit, now.better):
        texts = f"{was.unit}, {was.better} is better", f"{now.unit}, {now.better} is better"
        return edit("G078", moved(what, *texts), loosens=True, **place)
    level, other = _level(was), _level(now)
    step = "" if level is None or other is None else f" ({percent(other / level - 1)})"
    said = f"{what} {show_pair(level, other, was.unit)}{step}, {_how(was, now)}{because}"
    return edit("G078", said, loosens=_loosens(was, now), **place)


def _how(was: BaselineSeries, now: BaselineSeries) -> str:
    """Whether sessions came in the ordinary way, or what stood there was touched."""
    if not _appended(was, now):
        return "accepted values edited or removed"
    newest = now.current[0].epoch if now.current else 1
    opened = bool(was.current) and newest > was.current[0].epoch
    count = len(now.points) - len(was.points)
    return f"epoch {newest}" if opened else f"{count} sessions appended"


def _loosens(was: BaselineSeries, now: BaselineSeries) -> bool:
    """Only sessions that were appended at a level at least as good let nothing more in."""
    level, other = _level(was), _level(now)
    if level is None or other is None or not _appended(was, now):
        return True
    return other > level if was.better is Better.LOWER else other < level


def _appended(was: BaselineSeries, now: BaselineSeries) -> bool:
    """Whether every point that was accepted before still stands as it did, made as it was."""
    points = {one.session: one for one in now.points}
    kept = all(points.get(one.session) == one for one in was.points)
    return kept and was.made == now.made and len(now.points) > len(was.points)


def _level(series: BaselineSeries | None) -> float | None:
    if series is None or not series.current:
        return None
    return median([median(point.values) for point in series.current])


def _sessions(before: Baseline, after: Baseline) -> Iterator[Edit]:
    """Accepted sessions that went, or whose facts are told in another way."""
    old, new = ({one.id: one for one in b.sessions} for b in (before, after))
    for verb, ids in (
        ("removed", [name for name in old if name not in new]),
        ("edited", [name for name, one in old.items() if name in new and new[name] != one]),
    ):
        if ids:
            what = f"{len(ids)} accepted session{'s' if len(ids) > 1 else ''}"
            said = f"{what} on {before.host_class} {verb}: {listed(ids)}"
            yield edit("G078", said, loosens=True, profile=before.profile, before=what, after=verb)
    unused = [name for name in new if name not in old and not _used(after, name)]
    if unused:
        said = f"sessions without a value added on {before.host_class}: {listed(unused)}"
        yield edit("G078", said, loosens=True, profile=before.profile, after=str(len(unused)))


def _used(baseline: Baseline, session: str) -> bool:
    return any(point.session == session for one in baseline.series for point in one.points)
