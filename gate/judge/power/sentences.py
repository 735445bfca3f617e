"""A sentence for each row of `gate power`: what becomes of a tolerance, what would hold it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.judge.power.power import ToleranceStanding, holds
from gate.judge.verdict.tolerance import line_to_commit
from gate.stats.costs import LEAST_SESSIONS
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    able = percent(power.can_detect, signed=False) if math.isfinite(power.can_detect) else "nothing"
    ways = cure(row, power.can_detect)
    would = f"; what would do: {ways}" if ways else ""
    if row.standing is ToleranceStanding.WEAK:
        if power.chance == 0 and math.isinf(power.finds):
            return f"{row.sessions} sessions are too few to prove any loss by ranks{would}"
        chance = percent(power.chance, signed=False)
        return f"a loss of {asked} closes the gate, but is proven with a chance of {chance}{would}"
    if row.standing is ToleranceStanding.RAISED:
        return f"can detect {able}: judged at {judged} for {asked}{would}"
    if row.standing is ToleranceStanding.DEAF:
        return f"can detect {able}: too noisy for {asked}, judged at {judged} at most{would}"
    return ""


def cure(row: PowerRow, figure: float) -> str:
    """The smallest settings that hold the tolerance, and the line of the profile that would do."""
    ways = []
    for what in ("pairs", "sessions", "trials"):
        enough = [
            one.count for one in row.more if one.what == what and holds(row.tolerance, one.power)
        ]
        if enough:
            ways.append(_WAYS[what].format(min(enough)))
    if line := figure > row.tolerance and line_to_commit(row.metric, figure):
        ways.append(line)
    return " or ".join(ways)


_WAYS = {
    "pairs": "confirm_pairs = {}",
    "sessions": "{} accepted sessions",
    "trials": "screen = {} with sessions of as many trials",
}
