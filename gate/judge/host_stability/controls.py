"""The built-in controls: where they stand against the accepted sessions, and inside a session.

A control that left its accepted range means that the host moved: then no number measured beside
it may be judged. With the log median of a control's runs in each session, and the scale of these
medians over the accepted sessions (`stats.noise`), a session is refused whose median is off by

    more than 6 standard errors, and more than log 1.03, or log 1.15 of fewer than five sittings.

Six errors, because the scale comes from as few as five sessions: of a host whose sessions are
normal fewer than 1 in 1000 are refused, of five accepted ones as of ten. The floor is what no
verdict at a usual tolerance rests on. Sessions taken one after the other do not know what other
hours do to a host: on a virtual machine that shares its hardware the pace of an idle processor
moves by 4 to 8 % within minutes, and 3 % refused 4 to 16 % of its sessions, 15 % none to 3 %.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gate.judge import host_stability as limits
from gate.judge.verdict.suite import Refusal
from gate.model import Source
from gate.model.host import changed_facts
from gate.stats.costs import LEAST_SESSIONS, ratio, usable
from gate.stats.noise import noise_of
from gate.stats.robust import within_session
from gate.stats.screen import centre
from gate.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gate.judge.verdict.suite import Case, Suite
    from gate.model import AcceptedSession, Baseline, Finding, Session

_SCREEN = "the screen"
KEPT = 5
"""Values that stand for a session, however long it was: the medians of as many parts of it."""
_DIGITS = 4
_HOUR = len("2026-01-31T23")


class ControlStanding(NamedTuple):
    """Where one control stands against the accepted sessions."""

    name: str
    when: str
    """What it ran around: `the screen`, `the further sessions`, `the pairs`."""
    sessions: int
    """Accepted ones."""
    moved: float
    """Log of its time over the accepted one."""
    allowed: float
    """Log beyond which the host moved."""

    @property
    def gross(self) -> bool:
        """Whether the host moved."""
        return abs(self.moved) > self.allowed


def shorten_series(runs: Sequence[float]) -> tuple[float, ...]:
    """At most `KEPT` values that stand for a session's runs, with four digits, in order."""
    parts = [runs[i * len(runs) // KEPT : (i + 1) * len(runs) // KEPT] for i in range(KEPT)]
    values = [median(part) for part in parts] if len(runs) > KEPT else runs
    return tuple(float(f"{value:.{_DIGITS}g}") for value in values)


def accepted_controls(session: Session) -> dict[str, tuple[float, ...]]:
    """What an accepted session remembers of its controls."""
    controls = sorted(session.controls.items())
    return {name: shorten_series(runs) for name, runs in controls if usable(runs)}


def standings(case: Case) -> tuple[ControlStanding, ...]:
    """Each control of the screen, of the further head sessions, and of the pairs."""
    found = []
    for name, accepted in _known(case.baseline, case.head.host.epoch).items():
        runs = tuple(_logs(one.controls[name]) for one in accepted)
        for when, fresh in _fresh(case, name):
            moved = centre(fresh) - centre(runs)
            allowed = _allowed(accepted, runs, min(map(len, fresh)), len(fresh))
            found.append(ControlStanding(name, when, len(runs), moved, allowed))
    return tuple(found)


def _allowed(
    accepted: Sequence[AcceptedSession],
    runs: Sequence[Sequence[float]],
    trials: int,
    sessions: int = 1,
) -> float:
    """Log beyond which fresh sessions of so many runs say that the host moved."""
    few = len({(one.boot, one.started[:_HOUR]) for one in accepted}) < limits.SITTINGS
    floor = limits.BUILTIN_OF_FEW if few else limits.BUILTIN
    return max(floor, limits.ERRORS * noise_of(runs).error(trials, sessions))


def blind_builtins(baseline: Baseline) -> tuple[str, ...]:
    """A sentence on each built-in control that scatters too much in what is accepted by now."""
    if not baseline.sessions:
        return ()
    found = []
    for name, accepted in _known(baseline, baseline.sessions[-1].epoch_facts).items():
        runs = tuple(_logs(one.controls[name]) for one in accepted)
        allowed = _allowed(accepted, runs, KEPT)
        if allowed > limits.BLIND:
            bears = percent(ratio(allowed), signed=False)
            found.append(
                f"the built-in control {name} scatters so much over {len(runs)} accepted sessions "
                f"that a host {bears} slower is borne: it tells nothing; accept quieter ones"
            )
    return tuple(found)


def moved_builtin(case: Case) -> Refusal | None:
    """The built-in control that is farthest from where it was accepted, if the host moved."""
    every = [one for one in standings(case) if one.gross]
    # Both sides of a pair had the same host, moved or not: around the screen alone it counts.
    gross = [one for one in every if one.when == _SCREEN] if case.by_pairs else every
    if not gross:
        return None
    worst = max(gross, key=lambda one: abs(one.moved) / one.allowed)
    away = ratio(worst.moved)
    longer = f"takes {percent(abs(away), signed=False)} {'longer' if away > 0 else 'less'}"
    than = f"than in {worst.sessions} accepted sessions: the host moved"
    text = f"the built-in control {worst.name} {longer} around {worst.when} {than}"
    return Refusal("G035", text)


def missing_controls(case: Case) -> str:
    """Why the built-in controls say nothing although they could; empty where they do."""
    measured = case.head.source is Source.MEASURED
    known = _known(case.baseline, case.head.host.epoch) if measured else {}
    silent = [name for name in sorted(known) if not usable(case.head.controls.get(name, ()))]
    if not silent:
        return ""
    return f"no built-in control says whether the host moved: the session lacks {', '.join(silent)}"


def _known(baseline: Baseline | None, now: Mapping[str, str]) -> dict[str, list[AcceptedSession]]:
    """By control, the newest sessions accepted of the host as it is now, where they are enough."""
    every = baseline.sessions if baseline else ()
    same = [one for one in every if not changed_facts(one.epoch_facts, now)]
    found = {
        name: [one for one in same if usable(one.controls.get(name, ()))][-limits.NEWEST :]
        for name in sorted({name for one in same for name in one.controls})
    }
    return {name: own for name, own in found.items() if len(own) >= LEAST_SESSIONS}


def _fresh(case: Case, name: str) -> Iterator[tuple[str, tuple[tuple[float, ...], ...]]]:
    """The control's log times: of the screen, of all strikes, of the pairs, each its sessions.

    The two sessions of pairs share their runs. Strikes stand together, as they are judged: what
    slowed a few of them can prove nothing.
    """
    for when, sessions in (
        (_SCREEN, (case.head,)),
        ("the further sessions", case.strikes),
        ("the pairs", (case.pair_head,)),
    ):
        runs = [one.controls.get(name, ()) for one in sessions if one is not None]
        if known := tuple(_logs(one) for one in runs if usable(one)):
            yield when, known


def _logs(runs: Sequence[float]) -> tuple[float, ...]:
    return tuple(math.log(value) for value in shorten_series(runs))


def moved_meanwhile(session: Session) -> str:
    """The control whose second half is far from its first; empty where none is."""
    for name, runs in sorted(session.controls.items()):
        half = len(runs) // 2
        if half < limits.HALF or not usable(runs):
            continue
        first, second = ([math.log(one) for one in part] for part in (runs[:half], runs[half:]))
        error = within_session([first, second]) * math.sqrt(math.pi / half)
        away = median(second) - median(first)
        if abs(away) > max(limits.MEANWHILE, limits.ERRORS * error):
            when = "in the second half of the session: the host moved meanwhile"
            return f"the built-in control {name} took {percent(ratio(away))} {when}"
    return ""


def warn_of_moves(findings: Sequence[Finding], suite: Suite) -> tuple[Finding, ...]:
    """The findings, with a warning where the host moved inside the session that they rest on.

    Pairs need none: both sides of a pair had the same host.
    """
    moves = {
        case.profile: next(filter(None, map(moved_meanwhile, (case.head, *case.strikes))), "")
        for case in suite.cases
    }
    return tuple(
        replace(one, warnings=(*one.warnings, moves[one.profile]))
        if moves[one.profile] and one.method in {"screen", "strikes"}
        else one
        for one in findings
    )
