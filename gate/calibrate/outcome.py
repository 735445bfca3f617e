"""How a rule ended on one suite, the counts over many, and the tables of them.

Markdown is for docs/evidence.md, plain text for a terminal.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from gate.stats.special import exact_limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PLANTS = (0.01, 0.02, 0.03, 0.05, 0.10, 0.20)
"""Relative losses planted."""
TOLERANCE = 0.05
"""Asked for, of every series whose accepted sessions show that it can hold it; of the others the
line that accepting them proposes."""
AT_TOLERANCE = -1.0
"""In place of a planted loss: each series' own tolerance."""
SLOWER = 0.05
"""The planted loss at which the trials of a slower metric are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricEnding:
    """How one metric ended."""

    verdict: str
    """`closed`, `passed`, `inconclusive`, or `refused`: no verdict on numbers, as the host is
    unfit or the series is constant."""
    trials: int
    """Trials spent on it, of both sides."""


@dataclass(slots=True)
class RuleTally:
    """Counts of one rule; tallies of parts add up."""

    suites: Counter[str] = field(default_factory=Counter)
    """Unchanged suites by how they ended, worst metric first, and `all`."""
    metrics: Counter[str] = field(default_factory=Counter)
    """Unchanged metrics likewise, and `trials`."""
    planted: Counter[tuple[float, str]] = field(default_factory=Counter)
    """By planted loss: slowed metrics `all`, `closed`, ..., of quiet series `quiet all`, ..."""
    trials_slower: int = 0

    def add_unchanged(self, endings: tuple[MetricEnding, ...]) -> None:
        """One suite in which nothing was planted."""
        verdicts = {ending.verdict for ending in endings}
        worst = next(v for v in ("closed", "refused", "inconclusive", "passed") if v in verdicts)
        self.suites.update((worst, "all"))
        for ending in endings:
            self.metrics.update((ending.verdict, "all"))
            self.metrics["trials"] += ending.trials

    def add_planted(self, loss: float, ending: MetricEnding, *, quiet: bool) -> None:
        """One metric in which a loss was planted."""
        self.planted.update(((loss, "all"), (loss, ending.verdict)))
        if quiet:
            self.planted.update(((loss, "quiet all"), (loss, f"quiet {ending.verdict}")))
        if loss == SLOWER:
            self.trials_slower += ending.trials

    def found(self, loss: float, kind: str = "") -> float | None:
        """Share of planted losses that are called so; None where nothing was planted.

        Of the suites that were judged: on a host that is refused as unfit the gate is closed
        whatever was planted, and that share is told apart. `kind` may be `quiet `.
        """
        judged = self.planted[loss, f"{kind}all"] - self.planted[loss, f"{kind}refused"]
        return self.planted[loss, f"{kind}closed"] / judged if judged else None

    def __iadd__(self, other: RuleTally) -> Self:
        """The sum of both, in place."""
        self.suites += other.suites
        self.metrics += other.metrics
        self.planted += other.planted
        self.trials_slower += other.trials_slower
        return self


CONFIDENCE = 0.95
"""Of the one-sided upper limits."""


def figures(rule: str, suites: Mapping[int, RuleTally], *, sides: bool) -> dict[str, Any]:
    """What one rule did on one recording, by names of the JSON; shares are of 1.

    `suites` are by size; the first one is what was asked for and has the planted losses.
    """
    main = next(iter(suites.values()))
    return {
        "rule": rule,
        "sides": sides,
        **_closures(main.suites),
        "found": {f"{100 * loss:g}%": main.found(loss) for loss in PLANTS},
        "found_quiet": {f"{100 * loss:g}%": main.found(loss, "quiet ") for loss in PLANTS},
        "found_at_tolerance": main.found(AT_TOLERANCE),
        "inconclusive": main.suites["inconclusive"] / main.suites["all"],
        "refused": main.suites["refused"] / main.suites["all"],
        "trials_unchanged": main.metrics["trials"] / main.metrics["all"],
        "trials_slower": main.trials_slower / main.planted[SLOWER, "all"],
        **_closures(main.metrics, "_per_comparison"),
        "suites": {
            str(size): {
                "draws": one.suites["all"],
                **_closures(one.suites),
                "inconclusive": one.suites["inconclusive"] / one.suites["all"],
            }
            for size, one in suites.items()
        },
    }


def _closures(unchanged: Counter[str], of: str = "") -> dict[str, float]:
    """The share that closes although nothing was changed, and its upper limit."""
    closed, every = unchanged["closed"], unchanged["all"]
    upper = exact_limits(closed, every, 1 - 2 * (1 - CONFIDENCE))[1]
    return {f"false_closures{of}": closed / every, f"false_closures{of}_upper": upper}


_OTHER_SIZE = "40"
_SHORT = ("3%", "5%", "10%")
_LEAST_SHOWN = 0.01
"""Per cent; what is less is no zero."""


def markdown(results: Sequence[Mapping[str, Any]], size: int) -> str:
    """One row per rule, of its figures."""
    head = [
        "rule",
        "sides",
        f"unchanged suites of {size} closed (95 % upper limit)",
        f"of {_OTHER_SIZE}",
        "unchanged metrics closed",
        *(f"{100 * loss:g} % found" for loss in PLANTS),
        "5 % found, quiet series",
        "own tolerance found",
        "inconclusive suites",
        "refused suites",
        "trials per metric, unchanged / slower",
    ]
    lines = [head, ["---"] * 2 + ["--:"] * (len(head) - 2)]
    lines += map(_row, results)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _row(one: Mapping[str, Any]) -> list[str]:
    return [
        f"`{one['rule']}`",
        "yes" if one["sides"] else "no",
        f"{_share(one['false_closures'])} ({_share(one['false_closures_upper'])})",
        _share(one["suites"].get(_OTHER_SIZE, {}).get("false_closures")),
        _share(one["false_closures_per_comparison"]),
        *map(_share, one["found"].values()),
        _share(one["found_quiet"]["5%"]),
        *(_share(one[name]) for name in ("found_at_tolerance", "inconclusive", "refused")),
        f"{one['trials_unchanged']:.1f} / {one['trials_slower']:.1f}",
    ]


def plain(results: Sequence[Mapping[str, Any]], size: int) -> str:
    """The most important columns, within 80 characters."""
    title = f"{'':27}{'suites of ' + str(size):>15}   {'losses found':^20}{'undecided':>11}"
    names = f"{'rule':27}{'closed':>8}{'at most':>8}{'':2}"
    names += "".join(f"{loss.replace('%', ' %'):>7}" for loss in _SHORT) + f"{'suites':>11}"
    lines = [title.rstrip(), names]
    for one in results:
        found = "".join(f"{_share(one['found'][loss]):>7}" for loss in _SHORT)
        lines.append(
            f"{one['rule']:27}{_share(one['false_closures']):>8}"
            f"{_share(one['false_closures_upper']):>8}{'':2}{found}{_share(one['inconclusive']):>11}"
        )
    lines += ["", "Nothing was changed in these sessions, so every closed suite is a false alarm."]
    return "\n".join([*lines, "--markdown shows all columns, --json all numbers."]) + "\n"


def _share(value: float | None) -> str:
    """A share with the digits that matter: 0.05 %, 1.3 %, 98 %."""
    if value is None:
        return "-"
    shown = 100 * value
    if shown in (0, 100):
        return f"{shown:.0f} %"
    if shown < _LEAST_SHOWN:
        return f"<{_LEAST_SHOWN:g} %"
    digits = 2 if shown < 1 else 1  # of 99.97 no 100 is made
    text = f"{shown:.{digits}f}"
    return f"{text} %" if float(text) < 100 else ">99.9 %"
