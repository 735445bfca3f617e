"""How the gate did on this host where the right answer was known, in words for every rendering."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.report.wording.words import count_of, plain_percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Calibration

NEVER = "this host class was never calibrated: gate calibrate PROFILE"


def line(known: Calibration | None) -> str:
    """`on this host, last 200 unchanged comparisons: 1 false alarm; planted 5 %: 58 of 60 found`.

    One sentence also where there is nothing to report.
    """
    if known is None:
        return NEVER
    if not known.unchanged and not known.planted:
        why = (
            "calibrated only with other profile texts, rules or promises" if known.outdated else ""
        )
        why = f"{_void(known)}, and no other" if known.void else why
        return f"{why}: gate calibrate PROFILE" if why else NEVER
    unchanged = "no unchanged comparison yet"
    if known.unchanged:
        comparisons = count_of(known.unchanged, "unchanged comparison")
        unchanged = f"last {comparisons}: {count_of(known.false_alarms, 'false alarm')}"
    planted = [
        f"planted {plain_percent(one.loss)}: {one.found} of {one.rounds} found"
        for one in known.planted
    ]
    return "; ".join([f"on this host, {unchanged}", *planted])


def details(known: Calibration | None) -> str:
    """Exact limits, and what the sentence leaves out; empty where there is nothing."""
    return "; ".join(_details(known)) if known else ""


def _details(known: Calibration) -> Iterator[str]:
    counted = known.unchanged or known.planted
    if limits := ", ".join(_limits(known)):
        yield f"95 % limits: {limits}"
    if known.undecided:
        yield f"{known.undecided} unchanged inconclusive"
    if known.void and counted:
        yield _void(known)
    if known.outdated:
        yield f"{known.outdated} rounds of other profile texts, rules or promises not counted"
    if known.lacking and counted:
        yield f"never calibrated: {', '.join(known.lacking)}"
    if known.newest and counted:
        yield f"newest round {known.newest}"


def _limits(known: Calibration) -> Iterator[str]:
    if known.alarms_low is not None and known.alarms_high is not None:
        yield f"false alarms {_span(known.alarms_low, known.alarms_high)}"
    for one in known.planted:
        if one.low is None or one.high is None:
            continue
        parts = [] if one.achieved is None else [f"achieved {plain_percent(one.achieved)}"]
        parts += [f"below the tolerance in {one.below}"] if one.below else []
        beside = f" ({', '.join(parts)})" if parts else ""
        yield f"found of {plain_percent(one.loss)}{beside} {_span(one.low, one.high)}"


def _span(low: float, high: float) -> str:
    return f"{low * 100:.3g} … {high * 100:.3g} %"


def _void(known: Calibration) -> str:
    return f"{count_of(known.void, 'round')} without comparable numbers"


def unfit(known: Calibration | None) -> str:
    """The warning that a host class is unfit; empty where nothing contradicts the promise."""
    if known is None or not known.unfit:
        return ""
    return f"host class {known.host_class} is unfit: {'; '.join(known.unfit)}"
