"""A sentence for each row of `gate power`: what becomes of a tolerance, what would hold it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.judge.power.power import ToleranceStanding
from gate.stats.costs import LEAST_SESSIONS
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.judge.power.planning import More
    from gate.judge.power.power import PowerRow
    from gate.stats.power import Power

_WANTED = 10
_PLAIN = {
    ToleranceStanding.CONSTANT: "every accepted value is the same, which no measurement "
    "gives (G052): check that the benchmark really measures",
    ToleranceStanding.UNUSABLE: "an accepted value is not above zero (G051): make the workload "
    "long enough to be measured, and accept sessions anew",
    ToleranceStanding.OTHER: "the baseline is of another profile text, unit or direction "
    "(G032): accept sessions of this one",
}


def sentence(row: PowerRow) -> str:
    """What to know of a row; empty where its tolerance is held."""
    if row.standing in _PLAIN:
        return _PLAIN[row.standing]
    if row.standing is ToleranceStanding.NEW:
        return f"no accepted session of {row.host_class} holds it (G010): {_take(row, _WANTED)}"
    if row.standing is ToleranceStanding.FEW:
        one = "" if row.sessions == 1 else "s"
        return (
            f"only {row.sessions} accepted session{one} in this epoch, {LEAST_SESSIONS} are needed "
            f"and {_WANTED} wanted: {_take(row, _WANTED - row.sessions)}"
        )
    return "" if row.power is None else _of_power(row, row.power)


def proposals(rows: Sequence[PowerRow]) -> tuple[str, ...]:
    """A line for each metric whose tolerance is known to be below what it can detect."""
    return tuple(
        f"{row.benchmark} {row.metric}: {sentence(row)}"
        for row in rows
        if row.power is not None and row.standing is not ToleranceStanding.HELD
    )


def _take(row: PowerRow, count: int) -> str:
    return f"`gate run {row.profile} --repeat {count}` on several days, then `gate baseline accept`"


def _of_power(row: PowerRow, power: Power) -> str:
    asked = percent(row.tolerance, signed=False)
    judged = percent(power.judged_at, signed=False)
    ways = cure(row.tolerance, row.more, power.detectable)
    would = f"; what would do: {ways}" if ways else ""
    if row.standing is ToleranceStanding.WEAK:
        if power.chance == 0 and math.isinf(power.finds):
            return f"{row.sessions} sessions are too few to prove any loss by ranks{would}"
        chance = percent(power.chance, signed=False)
        return f"a loss of {asked} closes the gate, but is proven with a chance of {chance}{would}"
    if row.standing is ToleranceStanding.RAISED:
        if power.detectable <= row.tolerance:
            return f"its floor hides losses near {asked}: judged at {judged}"
        return f"too noisy for {asked}: judged at {judged}{would}"
    if row.standing is ToleranceStanding.REFUSED:
        return (
            f"too noisy for {asked}: not judged, as the noise allows no tolerance below "
            f"{judged}{would}"
        )
    return ""


def cure(tolerance: float, more: Sequence[More], detectable: float) -> str:
    """The smallest settings of these that hold the tolerance, and the tolerance that would do."""
    ways = []
    for what in ("pairs", "sessions", "trials"):
        enough = [
            one.count for one in more if one.what == what and one.power.detectable <= tolerance
        ]
        if enough:
            ways.append(_WAYS[what].format(min(enough)))
    if math.isfinite(detectable):
        ways.append(f'tolerance = "{rounded_up(detectable)}"')
    return " or ".join(ways)


_WAYS = {
    "pairs": "confirm_pairs = {}",
    "sessions": "{} accepted sessions",
    "trials": "screen = {} with sessions of as many trials",
}


def rounded_up(tolerance: float) -> str:
    """The next plain percentage: halves below 10 %, whole ones from there on."""
    hundredths = tolerance * 100
    step = 0.5 if hundredths < 10 else 1.0
    return f"{math.ceil(hundredths / step - 1e-9) * step:g}%"
