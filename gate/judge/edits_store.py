"""What a tree edits beside the baselines: waivers, what a host must be, calibrations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.judge.edits_terms import edit, moved, plain_percent, plain_quantity
from gate.model import EpochPolicy, KnownHost, Limits

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.model import Edit, Round, Waiver


def waiver_edits(before: Sequence[Waiver], after: Sequence[Waiver]) -> Iterator[Edit]:
    """Waivers that came, went or say something else."""
    old, new = ({one.row: one for one in every} for every in (before, after))
    for row in sorted(old.keys() | new.keys()):
        was, now = old.get(row), new.get(row)
        if was == now:
            continue
        texts = (_waiver(was) if was else "", _waiver(now) if now else "")
        if now is None:
            said = f"waiver of {row[2]} removed"
        elif was is None:
            said = f"waiver of {row[2]} added: {texts[1]}"
        else:
            said = moved(f"waiver of {row[2]}", *texts)
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
    """What a host class must be and may bear."""
    if was is None or now is None:
        known = was or now
        if known is not None:
            verb = "added" if was is None else "removed"
            said = f"host.toml of {known.host_class} {verb}"
            texts = ("", "there") if was is None else ("there", "")
            yield edit("G080", said, loosens=now is None, before=texts[0], after=texts[1])
        return
    yield from _limits(was, now)
    for what, before, after, loosens in (
        (
            "a changed epoch fact means",
            was.policy.value,
            now.policy.value,
            now.policy is EpochPolicy.NEW_BASELINE,
        ),
        ("tuned:", ", ".join(was.tune), ", ".join(now.tune), True),
        ("processors that measure:", was.measured_cpus, now.measured_cpus, True),
    ):
        if before != after:
            yield _of_host(was, what, before, after, loosens=loosens)
    for kind, old, new in (("stable", was.stable, now.stable), ("epoch", was.epoch, now.epoch)):
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                what = f"{kind} fact {name}"
                yield _of_host(was, what, old.get(name, ""), new.get(name, ""), loosens=True)


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
    said = f"host.toml of {host.host_class}: {moved(what, before, after)}"
    return edit("G080", said, loosens=loosens, before=before, after=after)


def calibration_edits(before: Sequence[Round], after: Sequence[Round]) -> Iterator[Edit]:
    """Rounds that came, and rounds that went or end in another way: those are the bad ones."""
    keys = sorted({(one.host_class, one.profile) for one in (*before, *after)})
    for host_class, profile in keys:
        old, new = (
            {one.id: one for one in every if (one.host_class, one.profile) == (host_class, profile)}
            for every in (before, after)
        )
        if old == new:
            continue
        kept = all(new.get(name) == one for name, one in old.items())
        counts = f"{len(old)} rounds", f"{len(new)} rounds"
        how = "appended" if kept else "rounds edited or removed"
        said = f"{moved(f'calibration on {host_class}', *counts)}, {how}"
        yield edit(
            "G081", said, loosens=not kept, profile=profile, before=counts[0], after=counts[1]
        )
