"""The wording of what stands beside the numbers: decision, history, costs, curves, differences.

One line each, the same in every rendering. Strings in them are still those of the sessions.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.report.wording.words import count_of
from gate.units import scale_of, show, show_pair, significant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gate.model import Finding, Report
    from gate.model.report_rows import (
        Accepted,
        Bill,
        Difference,
        Latency,
        SetAside,
        Share,
        Sweep,
        TextChange,
    )

_NO_FACTS = frozenset({"disturbed", "subject"})
"""Areas that are expected to differ, or are counts: being alike there is no news."""
_NONE = "none"
_PAID = "who paid: "
"""How the path of a finding begins the step that `words.payers` words."""
_MOVED = 0.1
"""Of the whole change of a cost: who moved by less is left out of a sentence."""
_MOST_OWNERS, _MOST_CONTEXTS, _MOST_PROFILES = 3, 2, 3
_MOST_RISEN = 2
"""Payers whose parts together may be called most of a rise."""
_TAIL = (50.0, 99.0, 99.9)
"""Percentiles of a sentence, where a curve has them."""
_ENOUGH = 10.0
"""Samples beyond a percentile, below which it shows single hiccups."""


def accepted_by_name(report: Report) -> dict[tuple[str, str], Accepted]:
    """The accepted sessions of a report by profile and name."""
    return {(one.profile, one.session): one for one in report.accepted}


def decision(finding: Finding) -> str:
    """`flagged in the screen at +6.1 %; 14 pairs; loss above 1 % proven at pair 14`."""
    steps = (step.rstrip(". ") for step in finding.path if not step.startswith(_PAID))
    return "; ".join(step for step in steps if step)


def history(finding: Finding, accepted: Mapping[tuple[str, str], Accepted]) -> str:
    """`10 accepted sessions in epoch 3 since 2026-08-01 ("io_uring by default", by ada)`.

    Empty where nothing was accepted.
    """
    seen = finding.evidence
    if not seen.baseline:
        return ""
    text = count_of(len(seen.baseline), "accepted session")
    text += f" in epoch {seen.epoch}" if seen.epoch else ""
    anchor = accepted.get((finding.profile, next(iter(seen.baseline_sessions), "")))
    if anchor is not None:
        text += f' since {anchor.started[:10]} ("{anchor.reason}", by {anchor.by})'
    return f"{text}; {len(seen.earlier)} of earlier epochs" if seen.earlier else text


def sweep(found: Sweep) -> str:
    """`iops no longer grows beyond iodepth 32; iodepth 1 32: base 20.00 81.00, head ... k op/s`."""
    sides = [[point.base for point in found.points], [point.head for point in found.points]]
    known = tuple(value for side in sides for value in side if value is not None)
    factor, unit = scale_of(known, found.unit)
    base, head = (
        " ".join("?" if value is None else significant(value / factor) for value in side)
        for side in sides
    )
    places = " ".join(point.place for point in found.points)
    curves = f"{found.parameter} {places}: base {base}, head {head} {unit}".rstrip()
    return f"{shape(found)}; {curves}" if found.told else f"{found.metric} over {curves}"


def shape(found: Sweep) -> str:
    """`iops no longer grows beyond iodepth 32`; empty where the curve kept its shape."""
    return f"{found.metric} {found.told}" if found.told else ""


def bill(found: Bill) -> str:
    """`CPU time of one I/O 4.210 -> 9.880 µs; kernel threads (loop) 3.100 -> 9.400 µs`.

    Of those who moved most, tasks first, then tick accounting.
    """
    change = abs(found.head - (found.base or 0.0))
    contexts = ", ".join(_movers(found.contexts, change, _MOST_CONTEXTS))
    parts = [
        f"CPU time of one {found.word} {show_pair(found.base, found.head, 's')}",
        *_movers(found.owners, change, _MOST_OWNERS),
        *([f"by the kernel's tick accounting: {contexts}"] if contexts else ()),
    ]
    return "; ".join(parts)


def rise(found: Bill, least: float) -> str:
    """Where most of what an operation costs more went; empty where nobody's part is the larger.

    `CPU time of one I/O 5.040 -> 15.98 µs, most of the rise: own processes in the kernel 2.613 ->
    7.371 µs`. It says who pays, which is no cause yet. A rise by no more than `least` is left out.
    """
    base, change = found.base or 0.0, found.head - (found.base or 0.0)
    if base <= 0 or change <= base * least:
        return ""
    moved = sorted(found.owners, key=lambda one: (one.base or 0.0) - one.head)
    known = [one for one in moved if one.base is not None][:_MOST_RISEN]
    for count in range(1, len(known) + 1):
        if sum(one.head - (one.base or 0.0) for one in known[:count]) > change / 2:
            owners = ", ".join(f"{one.name} {_cost(one)}" for one in known[:count])
            whole = f"CPU time of one {found.word} {show_pair(base, found.head, 's')}"
            return f"{whole}, most of the rise: {owners}"
    return ""


def _movers(shares: Iterable[Share], change: float, most: int) -> list[str]:
    """Who moved by more than a tenth of the change, largest move first."""
    moves = [(abs(one.head - (one.base or 0.0)), one) for one in shares]
    least = max(_MOVED * change, 1e-12)
    moved = [one for move, one in sorted(moves, key=lambda pair: -pair[0]) if move >= least]
    return [f"{one.name} {_cost(one)}" for one in moved[:most]]


def _cost(share: Share) -> str:
    return show(share.head, "s") if share.base is None else show_pair(share.base, share.head, "s")


def latency(found: Latency) -> str:
    """`read latency p50 37.60 -> 39.90 µs`; empty where no percentile has enough samples beyond."""
    sure = [point for point in found.points if point.beyond >= _ENOUGH]
    shown = [point for point in sure if point.percentile in _TAIL] or sure[-1:]
    parts = (f"p{point.percentile:g} {show_pair(point.base, point.head, 's')}" for point in shown)
    return f"{found.kind} latency {', '.join(parts)}" if shown else ""


def difference(found: Difference, profiles: Sequence[str] = ()) -> str:
    """`kernel release: 6.1.0 -> 6.2.0 (accepted session X)`.

    `profiles` are all of the report; those that differ so are named where they are not all.
    """
    name = found.area if found.key in ("", found.area) else f"{found.area} {found.key}"
    whose = found.against
    if found.profiles and set(profiles) - set(found.profiles):
        more = len(found.profiles) - _MOST_PROFILES
        named = ", ".join(found.profiles[:_MOST_PROFILES])
        whose += f"; only {named}" + (f" and {more} more" if more > 0 else "")
    return f"{name}: {found.base or _NONE} -> {found.head or _NONE} ({whose})"


def alike(report: Report) -> str:
    """`41 facts alike: 17 of the host, 24 of the kernel`; empty where nothing was compared."""
    counts = [one for one in report.alike if one.count and one.area not in _NO_FACTS]
    total = count_of(sum(one.count for one in counts), "fact")
    parts = ", ".join(f"{one.count} of the {one.area}" for one in counts)
    return f"{total} alike: {parts}" if counts else ""


def change(found: TextChange) -> str:
    """`profiles/iometer.toml: 2 lines added, 1 removed`; without those that were left out."""
    added = sum(line.startswith("+") for line in found.lines)
    removed = sum(line.startswith("-") for line in found.lines)
    more = f", and {count_of(found.more, 'line')} not shown" if found.more else ""
    return f"{found.name}: {count_of(added, 'line')} added, {removed} removed{more}"


def aside_summary(report: Report) -> str:
    """`4 trials set aside: foreign_cpu 3, steal 1; base 1, head 3`; empty without any."""
    kinds = Counter(one.kind for one in report.aside)
    sides = Counter(one.side.value for one in report.aside)
    reasons = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
    whose = ", ".join(f"{side} {count}" for side, count in sorted(sides.items()))
    count = count_of(len(report.aside), "trial")
    return f"{count} set aside: {reasons}; {whose}" if report.aside else ""


def set_aside(found: SetAside) -> str:
    """`iometer-database[iodepth=32], trial 18 of the head, confirm: steal: the hypervisor ...`."""
    trial = f"trial {found.sequence + 1} of the {found.side.value}, {found.stage.value}"
    return f"{found.benchmark}, {trial}: {found.kind}: {found.why}"
