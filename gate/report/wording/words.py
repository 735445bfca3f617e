"""The wording that every rendering shares, so that all of them say a thing in the same words."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.judge.verdict.tolerance import told_first
from gate.model import Role, Verdict
from gate.model.host import UNKNOWN
from gate.stats.tails import ENOUGH_TO_SHOW, chance_to_show
from gate.units import percent, show_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.model import Edit, Finding, Report, SuitePromise

SYMBOL = {
    Verdict.PASSED: "✓",
    Verdict.IMPROVED: "↑",
    Verdict.WAIVED: "~",
    Verdict.NEW: "+",
    Verdict.INCONCLUSIVE: "?",
    Verdict.SUSPICIOUS: "¿",
    Verdict.INCOMPARABLE: "≠",
    Verdict.MISSING: "○",
    Verdict.BROKEN: "!",
    Verdict.REGRESSED: "✗",
}
"""One sign per verdict; it always stands beside the word."""
_MOST_SUBJECTS = 3

_METHOD = {
    "screen": "screened against the accepted sessions",
    "pairs": "base and head in random-order pairs",
    "strikes": "fresh head sessions ranked against the accepted ones",
    "summary": "from a summary: printed means, no trials",
    "none": "not measured",
}


def gate_symbol(report: Report) -> str:
    """The sign of the whole report."""
    return "✓" if report.gate == "open" else "✗"


def is_error_report(report: Report) -> bool:
    """Whether the gate closed because the check itself ended with an error, before any verdict."""
    return report.verdict == "error"


def promises(report: Report) -> bool:
    """Whether there is anything that the promise is about."""
    return bool(report.findings) or not is_error_report(report)


def closing_findings(report: Report) -> list[Finding]:
    """The findings that close the gate, worst first; none where it is open."""
    if report.gate == "open":
        return []
    return [f for f in report.findings if f.role is Role.GATE and not f.verdict.opens]


def notable(report: Report) -> list[Finding]:
    """What closed the gate; where it is open, whatever did not simply pass. Worst first."""
    if report.gate != "open":
        return closing_findings(report)
    return [finding for finding in report.findings if finding.verdict is not Verdict.PASSED]


EDITED = "This change edits what the gate judges by; not in force here"
CLOSED_BY = "What closed the gate"
WORTH = "Worth a look"
NEXT = "What to do"
DIFFERED = "What else differed"
REST, ALL = "All other findings", "All findings"
HOST = "Host and tools"
ORDER = (EDITED, CLOSED_BY, WORTH, NEXT, DIFFERED, REST, HOST)
"""Titles of the sections, in the order in which every rendering has them.

What closed the gate and what is worth a look are never in the same report. On the page `ALL`
stands for `REST`: its table holds what stands above too.
"""

NOTHING_DIFFERED = "Nothing else that was compared differed."


def worst(report: Report) -> str:
    """The title above `notable`."""
    return WORTH if report.gate == "open" else CLOSED_BY


def effect(edit: Edit) -> str:
    """What an edit does once it is merged, in one word."""
    return "loosens" if edit.loosens else "does not loosen"


def without(findings: Iterable[Finding], some: Iterable[Finding]) -> list[Finding]:
    """The others, in their order."""
    seen = {id(finding) for finding in some}
    return [finding for finding in findings if id(finding) not in seen]


def count_of(number: int, noun: str) -> str:
    """`1 trial`, `3 trials`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def tally(findings: Iterable[Finding]) -> list[tuple[Verdict, int]]:
    """How many findings have each verdict, worst first."""
    counts = Counter(finding.verdict for finding in findings)
    return [(verdict, counts[verdict]) for verdict in reversed(Verdict) if counts[verdict]]


def verdict(finding: Finding) -> str:
    """`regressed`, and of a metric that closes nothing `regressed (watched)`."""
    watched = " (watched)" if finding.role is Role.WATCH else ""
    return f"{finding.verdict.value}{watched}"


def counts(report: Report) -> str:
    """`2 regressed, 1 inconclusive, 37 passed`: the metrics that may close the gate.

    With what was judged coarser than asked, and the ceiling for that where one is stated.
    """
    gated = [f for f in report.findings if f.role is Role.GATE]
    parts = [report.verdict] if is_error_report(report) else []
    parts += [f"{number} {verdict.value}" for verdict, number in tally(gated)]
    return told_first(gated, ", ".join(parts) or report.verdict)


def verdict_sentence(report: Report) -> str:
    """`gate closed: 2 regressed, 1 inconclusive, 37 passed`."""
    return f"gate {report.gate}: {counts(report)}"


def lead(report: Report) -> str:
    """What the report's own headline says beyond the verdict sentence."""
    rest = report.headline.removeprefix(verdict_sentence(report))
    rest = rest.removeprefix(f"gate {report.gate}: {report.verdict}").strip(" ,;:·—-")
    return rest[1:-1] if rest.startswith("(") and rest.endswith(")") else rest


def promise(report: Report) -> str:
    """What the verdicts hold to, in one sentence; nothing where not everything was judged."""
    if is_error_report(report):
        return "none, as the check ended with an error"
    promised = report.promise
    if not promised.metrics_judged:
        return "none, as no numbers were compared"
    condition = ", provided that the printed figures are correct" * from_summaries(report)
    return (
        f"an unchanged suite is called regressed with probability at most "
        f"{plain_percent(promised.alpha)}{_as_steady(promised)}; a loss as large as the tolerance "
        f"(a shift of the whole, by the median) goes unnoticed with probability at most "
        f"{plain_percent(promised.beta)}{condition}{_slow_runs_seen(report)}"
    )


def _slow_runs_seen(report: Report) -> str:
    """What the shortest screen that cleared a metric beside a base side shows of slow runs."""
    gates = (one for one in report.findings if one.role is Role.GATE and one.verdict.opens)
    screened = [one.trials_head for one in gates if one.method == "screen" and one.level]
    if not screened:
        return ""
    few, seen = min(screened), plain_percent(round(chance_to_show(min(screened)), 2))
    more = f"{ENOUGH_TO_SHOW} would: {plain_percent(round(chance_to_show(ENOUGH_TO_SHOW), 2))}"
    cure = f", trials.screen = {more}" if few < ENOUGH_TO_SHOW else ""
    slow = "a head that is slow in one run of five shows it with probability"
    return f"; {slow} {seen} ({few} trials screened{cure})"


def _as_steady(promised: SuitePromise) -> str:
    """What the bound rests on without a base side, and how often that failed here."""
    if not promised.replayed:
        return ""
    closed, every = promised.replayed_regressed, promised.replayed
    return (
        " if the host is as steady today as when sessions were accepted: of the last "
        f"{every} accepted, {closed} would have been (a true share of up to "
        f"{percent(promised.replayed_limit, signed=False)})"
    )


def from_summaries(report: Report) -> bool:
    """Whether printed means were judged; there were no trials then, and no screen."""
    return any(finding.method == "summary" for finding in report.findings)


def count_judged(report: Report) -> str:
    """How many metrics were compared, and how many of them the screen could not clear."""
    judged = report.promise
    watched = sum(finding.role is Role.WATCH for finding in report.findings)
    more = f"; {watched} more only watched" if watched else ""
    flagged = f"{judged.metrics_flagged} flagged by the screen"
    if from_summaries(report):
        gated = len(report.findings) - watched
        flagged = f"{gated - judged.metrics_judged} printed without a spread"
    return f"{count_of(judged.metrics_judged, 'metric')} judged, {flagged}{more}"


def plain_percent(ratio: float) -> str:
    """A level or bound as per cent without idle zeros: `99 %`, `2.5 %`."""
    return f"{ratio * 100:.4g} %"


def sides(finding: Finding) -> str:
    """`712.4 -> 641.1 k op/s`."""
    return show_pair(finding.base_value, finding.head_value, finding.unit)


def interval(finding: Finding) -> str:
    """`+8.7 % … +11.2 %`; an end the data do not give is a `?`; empty when there is neither."""
    ends = f"{percent(finding.loss_low)} … {percent(finding.loss_high)}"
    return "" if finding.loss_low is None and finding.loss_high is None else ends


def confidence(finding: Finding) -> str:
    """`99 %`, or nothing where there is no interval."""
    return "" if finding.confidence is None else plain_percent(finding.confidence)


def tolerance(finding: Finding) -> str:
    """`5.0 %`; where the metric is too noisy for it, the tolerance judged by before it."""
    requested = percent(finding.tolerance, signed=False)
    used = percent(finding.tolerance_used, signed=False)
    if not finding.tolerance_used or requested == used:
        return requested
    return f"{used} (requested: {requested})"


def trials(finding: Finding) -> str:
    """`30 + 13`: independent trials of base and head."""
    return f"{finding.trials_base} + {finding.trials_head}"


def sessions(finding: Finding) -> str:
    """`5 baseline sessions`; of a summary the sittings that it prints of the base side."""
    kind = "sittings of base" if finding.method == "summary" else "baseline sessions"
    return f"{finding.sessions_base} {kind}" if finding.sessions_base else ""


def method(finding: Finding) -> str:
    """How the finding was judged, in words."""
    return _METHOD.get(finding.method, finding.method)


def plainly_passed(finding: Finding) -> bool:
    """Passed with nothing to qualify it."""
    return finding.verdict is Verdict.PASSED and not finding.warnings


def payers(finding: Finding) -> str:
    """`kernel threads (loop) 3.100 -> 9.400 µs; ...`: the cost of one operation, by who paid it."""
    costs = (f"{one.context} {show_pair(one.base, one.head, one.unit)}" for one in finding.paid)
    return f"{'; '.join(costs)} for each operation"


def host_class(report: Report) -> str:
    """Of the host, as far as it is known."""
    return report.host.host_class or UNKNOWN if report.host else UNKNOWN


def subjects(report: Report) -> Iterator[tuple[str, list[str], int]]:
    """By side what was under test, each text once for all profiles that agree on it.

    The first of these texts, and how many more there are.
    """
    for side in ("base", "head"):
        every = {text: None for key, text in report.subjects.items() if key.endswith(f" {side}")}
        if texts := list(every):
            yield side, texts[:_MOST_SUBJECTS], max(0, len(texts) - _MOST_SUBJECTS)


def machine(report: Report) -> list[tuple[str, str]]:
    """The class of the host and its facts by tier, a line each; without facts not known.

    `("stable", "cpu_model AMD EPYC 9454P; memory 384 GiB")`
    """
    host = report.host
    if host is None:
        return []
    lines = [("class", host_class(report))]
    for tier, known in (("stable", host.stable), ("epoch", host.epoch), ("live", host.live)):
        facts = [f"{key} {value}" for key, value in known.items() if value != UNKNOWN]
        lines += [(tier, "; ".join(facts))] if facts else []
    return lines


def circumstances(report: Report) -> list[tuple[str, str]]:
    """Tools, how the host was while it measured, and what a reader must know, a line each."""
    tools = ", ".join(f"{name} {version}" for name, version in report.tools.items())
    return [
        ("tools", tools or UNKNOWN),
        *(("condition", text) for text in report.conditions),
        *(("note", text) for text in report.notes if text != lead(report)),
        ("written", report.created),
    ]
