"""What a tree edits of what was accepted: baselines, waivers, host files and calibrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import Better, EpochPolicy, KnownHost, Limits
from gate.review.terms import (
    describe_edit,
    differences,
    edit,
    plain_percent,
    plain_quantity,
    some_names,
)
from gate.units import percent, show, show_pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.model import Baseline, BaselineSeries, Edit, Round, Waiver


def baseline_edits(before: Baseline | None, after: Baseline | None) -> Iterator[Edit]:
    """Every difference between two texts of one host class's baseline of a profile."""
    if before is None or after is None:
        yield from (_whole(one, gone=one is before) for one in (before, after) if one)
        return
    old, new = ({(s.benchmark, s.metric): s for s in b.series} for b in (before, after))
    for key, was, now in differences(old, new):
        yield _series(*key, was, now, before, after)
    yield from _sessions(before, after)
    for what, mine, other in (
        ("text of the profile", before.profile_digest, after.profile_digest),
        ("harness", before.harness, after.harness),
    ):
        if mine != other:
            said = f"the baseline on {before.host_class} is of another {what}"
            yield edit("G078", said, loosens=True, profile=before.profile, before=mine, after=other)


def _whole(known: Baseline, *, gone: bool) -> Edit:
    count = f"{len(known.sessions)} sessions"
    said = f"baseline on {known.host_class} {'removed' if gone else 'added'}, {count}"
    reason = known.sessions[-1].reason if known.sessions else ""
    said += f", because: {reason}" if reason and not gone else ""
    before, after = (count, "") if gone else ("", count)
    return edit("G078", said, loosens=True, profile=known.profile, before=before, after=after)


def _series(
    benchmark: str,
    metric: str,
    was: BaselineSeries | None,
    now: BaselineSeries | None,
    before: Baseline,
    after: Baseline,
) -> Edit:
    """One series: from, to, how much, which epoch and why."""
    place = {
        "profile": before.profile,
        "benchmark": benchmark,
        "metric": metric,
        "before": show(was.level, was.unit) if was else "",
        "after": show(now.level, now.unit) if now else "",
    }
    what = f"baseline of {benchmark} {metric} on {before.host_class}"
    because = f", because: {after.sessions[-1].reason}" if after.sessions else ""
    if now is None:
        return edit("G078", f"{what} removed", loosens=True, **place)
    if was is None:
        return edit("G078", f"{what} added at {place['after']}{because}", loosens=True, **place)
    if (was.unit, was.better) != (now.unit, now.better):
        texts = f"{was.unit}, {was.better} is better", f"{now.unit}, {now.better} is better"
        return edit("G078", describe_edit(what, *texts), loosens=True, **place)
    level, other = was.level, now.level
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
    level, other = was.level, now.level
    if level is None or other is None or not _appended(was, now):
        return True
    return other > level if was.better is Better.LOWER else other < level


def _appended(was: BaselineSeries, now: BaselineSeries) -> bool:
    """Whether every point that was accepted before still stands as it did, made as it was."""
    points = {one.session: one for one in now.points}
    kept = all(points.get(one.session) == one for one in was.points)
    return kept and was.made == now.made and len(now.points) > len(was.points)


def _sessions(before: Baseline, after: Baseline) -> Iterator[Edit]:
    """Accepted sessions that went, or whose facts were edited."""
    old, new = ({one.id: one for one in b.sessions} for b in (before, after))
    for verb, ids in (
        ("removed", [name for name in old if name not in new]),
        ("edited", [name for name, one in old.items() if name in new and new[name] != one]),
    ):
        if ids:
            what = f"{len(ids)} accepted session{'s' if len(ids) > 1 else ''}"
            said = f"{what} on {before.host_class} {verb}: {some_names(ids)}"
            yield edit("G078", said, loosens=True, profile=before.profile, before=what, after=verb)
    used = {point.session for one in after.series for point in one.points}
    unused = [name for name in new if name not in old and name not in used]
    if unused:
        said = f"sessions without a value added on {before.host_class}: {some_names(unused)}"
        yield edit("G078", said, loosens=True, profile=before.profile, after=str(len(unused)))


def waiver_edits(before: Sequence[Waiver], after: Sequence[Waiver]) -> Iterator[Edit]:
    """Waivers that came, went or say something else."""
    old, new = ({one.row: one for one in every} for every in (before, after))
    for row, was, now in differences(old, new):
        texts = (_waiver(was) if was else "", _waiver(now) if now else "")
        if now is None:
            said = f"waiver of {row[2]} removed"
        elif was is None:
            said = f"waiver of {row[2]} added: {texts[1]}"
        else:
            said = describe_edit(f"waiver of {row[2]}", *texts)
        yield edit(
            "G079",
            said,
            loosens=now is not None and (was is None or _wider(was, now)),
            profile=row[0],
            benchmark=row[1],
            metric=row[2],
            before=texts[0],
            after=texts[1],
        )


def _waiver(one: Waiver) -> str:
    ceiling = plain_percent(one.ceiling)
    return f"{ceiling} from {one.since} to {one.expires}, {one.reason} ({one.issue})"


def _wider(was: Waiver, now: Waiver) -> bool:
    """A first day that moves either way holds earlier, or puts off that it is found unneeded."""
    longer = now.expires > was.expires or now.since != was.since
    return now.ceiling > was.ceiling or longer


def host_edits(was: KnownHost | None, now: KnownHost | None) -> Iterator[Edit]:
    """What a host class must be and may tolerate."""
    if was is None or now is None:
        known = was or now
        if known is not None:
            said = f"host.toml of {known.host_class} {'added' if was is None else 'removed'}"
            before, after = ("", "there") if was is None else ("there", "")
            yield edit("G080", said, loosens=now is None, before=before, after=after)
        return
    yield from _limits(was, now)
    anew = now.policy is EpochPolicy.NEW_BASELINE
    for what, before, after, loosens in (
        ("a changed epoch fact means", was.policy.value, now.policy.value, anew),
        ("tuned:", ", ".join(was.tune), ", ".join(now.tune), True),
        ("processors that measure:", was.measured_cpus, now.measured_cpus, True),
    ):
        if before != after:
            yield _of_host(was, what, before, after, loosens=loosens)
    for kind, old, new in (("stable", was.stable, now.stable), ("epoch", was.epoch, now.epoch)):
        for name, mine, other in differences(old, new):
            yield _of_host(was, f"{kind} fact {name}", mine or "", other or "", loosens=True)


def _limits(was: KnownHost, now: KnownHost) -> Iterator[Edit]:
    for name in Limits.__dataclass_fields__:
        old, new = float(getattr(was.limits, name)), float(getattr(now.limits, name))
        if old != new:
            texts = _limit(name, old), _limit(name, new)
            yield _of_host(was, f"limit {name}", *texts, loosens=new > old)


def _limit(name: str, value: float) -> str:
    if name == "foreign_io":
        return plain_quantity(value, "B/s")
    return f"{value:.6g} processors" if name == "foreign_cpu" else plain_percent(value)


def _of_host(host: KnownHost, what: str, before: str, after: str, *, loosens: bool) -> Edit:
    said = f"host.toml of {host.host_class}: {describe_edit(what, before, after)}"
    return edit("G080", said, loosens=loosens, before=before, after=after)


def calibration_edits(before: Sequence[Round], after: Sequence[Round]) -> Iterator[Edit]:
    """Rounds that came, and rounds that went or end in another way: those are the bad ones."""
    for place in sorted({(one.host_class, one.profile) for one in (*before, *after)}):
        old, new = (
            {one.id: one for one in every if (one.host_class, one.profile) == place}
            for every in (before, after)
        )
        if old == new:
            continue
        host_class, profile = place
        kept = all(new.get(name) == one for name, one in old.items())
        counts = f"{len(old)} rounds", f"{len(new)} rounds"
        how = "appended" if kept else "rounds edited or removed"
        said = f"{describe_edit(f'calibration on {host_class}', *counts)}, {how}"
        yield edit(
            "G081", said, loosens=not kept, profile=profile, before=counts[0], after=counts[1]
        )
