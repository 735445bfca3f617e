"""The report for a terminal or a log: verdict first, worst findings first, verdict last."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from gate.model import Role, Verdict
from gate.report import record, words
from gate.report.advice import without_steps
from gate.report.cells import fit, width_of, wrap
from gate.report.clean import guarded, scrub, shorten
from gate.units import percent

if TYPE_CHECKING:
    from gate.model import Finding, Report

PASSES_SHOWN = 20
SUBJECTS_ABOVE = 4
LONGEST_NAME = 300
_LEAST_NAME = 16

_BOLD, _DIM, _RESET = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_RED, _GREEN, _YELLOW, _CYAN = "\x1b[1;31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"
_COLOUR = {
    Verdict.PASSED: _GREEN,
    Verdict.IMPROVED: _CYAN,
    Verdict.WAIVED: _CYAN,
    Verdict.REGRESSED: _RED,
}


def render_text(report: Report, *, width: int = 80, colour: bool = False) -> str:
    """The report in lines of at most `width` columns; ANSI colours only when asked for."""
    report = scrub(report)
    page = _Page(max(40, width), colour=colour)
    _opening(page, report)
    _edits(page, report)
    for finding in report.findings:
        if finding.verdict is not Verdict.PASSED:
            _block(page, finding)
    _passes(page, [f for f in report.findings if f.verdict is Verdict.PASSED])
    page.blank()
    if len(report.subjects) > SUBJECTS_ABOVE:
        _subjects(page, report)
        page.blank()
    for note in report.notes:
        if note == words.lead(report):
            continue
        page.add(note, "note: ", "      ")
    page.blank()
    verdict = f"{words.verdict_sentence(report)} (exit status {report.exit_status})"
    page.add(f"{words.gate_symbol(report)} {verdict}", "", "  ", _gate_colour(report))
    return "\n".join(guarded(line) for line in page.lines) + "\n"


class _Page:
    """Lines under construction: wrapped first, coloured after, so no escape counts as width."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self.lines: list[str] = []

    def add(self, text: str, first: str = "", rest: str = "", code: str = "") -> None:
        self.lines += [self.paint(line, code) for line in wrap(text, self.width, first, rest)]

    def paint(self, text: str, code: str) -> str:
        return f"{code}{text}{_RESET}" if self.colour and code else text

    def blank(self) -> None:
        if self.lines and self.lines[-1]:
            self.lines.append("")


def _gate_colour(report: Report) -> str:
    if report.gate == "open":
        return _GREEN
    return _RED if report.verdict == Verdict.REGRESSED.value else _YELLOW


def _opening(page: _Page, report: Report) -> None:
    sentence = f"{words.gate_symbol(report)} {words.verdict_sentence(report)}"
    page.add(sentence, "", "  ", _gate_colour(report))
    if record.unfit(report.calibration):
        page.add(record.unfit(report.calibration), "  warning: ", "           ", _YELLOW)
    if words.failed(report):
        page.add(words.lead(report), "  why      ", "           ")
        page.add(without_steps(report), "  next     ", "           ")
    if not words.promises(report):
        return
    host = "unknown" if report.host is None else report.host.host_class or "unknown"
    page.add(f"{host}; {words.judged(report)}", "  host     ", "           ")
    for condition in report.conditions:
        page.add(condition, "           ", "             ", _DIM)
    if len(report.subjects) <= SUBJECTS_ABOVE:
        _subjects(page, report)
    page.add(words.promise(report), "  promise  ", "           ")
    if report.host is not None:
        page.add(record.line(report.calibration), "  record   ", "           ")
    if record.details(report.calibration):
        page.add(record.details(report.calibration), "           ", "           ", _DIM)


def _edits(page: _Page, report: Report) -> None:
    """Every change to the rules, the loosening ones first; none is in force."""
    if not report.edits:
        return
    page.blank()
    page.add(f"{words.EDITED}:", "", "  ", _YELLOW)
    for edit in report.edits:
        profile = f", {shorten(edit.profile, LONGEST_NAME)}" if edit.profile else ""
        told = f"{words.effect(edit)}{profile}: {edit.headline} ({shorten(edit.code, 8)})"
        page.add(told, "  ", "    ")
        if edit.advice:
            page.add(edit.advice, "    advice: ", "            ", _DIM)


def _subjects(page: _Page, report: Report) -> None:
    widest = max(8, *(min(width_of(side), 24) for side in report.subjects), 0)
    for side, subject in report.subjects.items():
        page.add(subject, f"  {fit(side, widest)} ", " " * (widest + 3))


def _block(page: _Page, finding: Finding) -> None:
    """Everything about one finding that did not simply pass."""
    page.blank()
    _title(page, finding)
    page.add(finding.headline, "  ", "  ")
    if finding.base_value is not None or finding.head_value is not None:
        page.add(_numbers(finding), "  ", "  ", _BOLD)
    if finding.paid:
        page.add(words.payers(finding), "  who paid: ", "            ")
    for warning in finding.warnings:
        page.add(warning, "  warning: ", "           ", _YELLOW)
    page.add(", ".join(_facts(finding)), "  ", "  ", _DIM)
    if finding.advice:
        page.add(finding.advice, "  advice: ", "          ")


def _numbers(finding: Finding) -> str:
    """`713.2 -> 638.1 k op/s, loss +11.1 % [+9.8 % … +12.4 %], tolerance 5.0 %`."""
    parts = [words.sides(finding)]
    if finding.loss is not None:
        ends = words.interval(finding)
        parts.append(f"loss {percent(finding.loss)}" + (f" [{ends}]" if ends else ""))
    return ", ".join([*parts, f"tolerance {words.tolerance(finding)}"])


def _title(page: _Page, finding: Finding) -> None:
    """`✗ regressed  benchmark metric` with the code at the right edge."""
    mark = f"{words.SYMBOL[finding.verdict]} {finding.verdict.value}"
    code = shorten(finding.code, 8)
    lines = wrap(_name(finding), page.width - width_of(code) - 2, f"{mark}  ", "    ")
    lines[0] = fit(lines[0], page.width - width_of(code)) + code
    painted = page.paint(mark, _COLOUR.get(finding.verdict, _YELLOW))
    lines[0] = painted + lines[0][len(mark) :]
    page.lines += lines


def _name(finding: Finding) -> str:
    watch = " (watch)" if finding.role is Role.WATCH else ""
    benchmark = shorten(finding.benchmark, LONGEST_NAME)
    return f"{benchmark} {shorten(finding.metric, LONGEST_NAME)}{watch}"


def _facts(finding: Finding) -> list[str]:
    facts = [f"n {words.trials(finding)} trials"]
    if words.sessions(finding):
        facts.append(words.sessions(finding))
    facts.append(words.method(finding))
    if words.confidence(finding):
        facts.append(f"{words.confidence(finding)} interval")
    if finding.minimum_detectable_loss is not None:
        smallest = percent(finding.minimum_detectable_loss, signed=False)
        facts.append(f"minimum detectable loss {smallest}")
    return facts


def _passes(page: _Page, passes: list[Finding]) -> None:
    """One line each up to a limit, then a count; no warning is dropped."""
    if not passes:
        return
    page.blank()
    tolerances = {words.plain_percent(finding.tolerance_used) for finding in passes}
    common = f", each judged at a tolerance of {min(tolerances)}" if len(tolerances) == 1 else ""
    title = f"{words.SYMBOL[Verdict.PASSED]} {Verdict.PASSED.value}"
    lines = wrap(f"{len(passes)}{common}", page.width, f"{title}  ", "  ")
    page.lines += [page.paint(title, _GREEN) + lines[0][len(title) :], *lines[1:]]
    counts = Counter(warning for finding in passes for warning in finding.warnings)
    marks = {warning: index for index, warning in enumerate(counts, 1)}
    shown = passes[:PASSES_SHOWN]
    _columns(page, [_cells(finding, marks, same=bool(common)) for finding in shown])
    if len(passes) > len(shown):
        more = f"… and {len(passes) - len(shown)} more passed; all of them in the HTML report"
        page.add(more, "  ", "  ")
    for warning, index in marks.items():
        count = f" ({counts[warning]} findings)" if counts[warning] > 1 else ""
        page.add(f"{warning}{count}", f"  warning [{index}]: ", "    ", _YELLOW)


def _columns(page: _Page, rows: list[tuple[str, ...]]) -> None:
    """Name, sides, loss and n below each other; a name too long for its column is shortened."""
    widths = [max(width_of(cell) for cell in column) for column in zip(*rows, strict=True)]
    room = min(widths[0], page.width - sum(widths[1:]) - 8)
    for name, both, loss, count in rows:
        if room >= _LEAST_NAME:
            numbers = f"{_right(both, widths[1])}  {_right(loss, widths[2])}  {count}"
            page.lines.append(f"  {fit(name, room)}  {numbers}")
        else:
            page.add(f"{name}: {both}, {loss}, {count}", "  ", "    ")


def _right(text: str, width: int) -> str:
    return " " * (width - width_of(text)) + text


def _cells(finding: Finding, marks: dict[str, int], *, same: bool) -> tuple[str, ...]:
    mark = "".join(f" [{marks[warning]}]" for warning in finding.warnings)
    limit = "" if same else f" of {words.plain_percent(finding.tolerance_used)}"
    trials = words.trials(finding).replace(" ", "")
    loss = f"{percent(finding.loss)}{limit}"
    return _name(finding), words.sides(finding), loss, f"n {trials}{mark}"
