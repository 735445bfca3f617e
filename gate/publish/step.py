"""The end of a step: the report of the check, or one that says that there is none, for GitHub.

The exit status is 0 for nothing but a report that is there, of now, and opens by its own findings.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from gate import __version__
from gate.clock import now
from gate.errors import GateError
from gate.formats import disk
from gate.formats.session.session_file import read_report
from gate.judge.verdict.findings import failed_report
from gate.model import Role, Verdict, join
from gate.publish.github.runner_commands import append_summary, append_text, output_lines
from gate.text import clean

if TYPE_CHECKING:
    from pathlib import Path

    from gate.model import Report
    from gate.report.wording.links import Links

NO_REPORT, NOT_JUDGED = "G278", "G288"
OLDEST = timedelta(days=7)
"""An older report is not of this run."""
AHEAD = timedelta(minutes=5)
"""How far the clock of the machine that judged may be ahead of this one."""
_MEASURING_FAILED, CANNOT_JUDGE, NOT_PUBLISHED = 4, 5, 6
_HIGHEST_STATUS = 255


class StepReport(NamedTuple):
    """The report that counts."""

    report: Report
    made: bool
    """Whether it was made here, because the check left none that can be used."""


def take_report(
    out: Path, *, now: datetime, version: str, because: str = "", refusal: str = ""
) -> StepReport:
    """The report in `out`, or a failed one; `because` is what is known of how the check ended.

    With a `refusal` nothing was to be judged, whatever lies in `out`.
    """
    if refusal:
        return StepReport(report=_refused(refusal, now, version), made=True)
    try:
        if disk.is_absent(out / "report.json"):
            why = "the check left no report: it crashed, was killed or never ran"
        else:
            report = read_report(out / "report.json")
            why = _complaint(report, now)
            if not why:
                return StepReport(report=report, made=False)
    except GateError as error:
        why = f"the check left a report that cannot be used: {error.message.rstrip('.')}"
    known = clean(because, 300).strip(" .")
    made = failed_report(
        code=NO_REPORT,
        message=clean(f"{why}{f' ({known})' if known else ''}."),
        exit_status=_MEASURING_FAILED,
        created=_stamp(now),
        version=version,
    )
    return StepReport(report=made, made=True)


def _refused(refusal: str, now: datetime, version: str) -> Report:
    """What was measured is not believed, or nothing was to be measured."""
    return failed_report(
        code=NOT_JUDGED,
        message=f"{clean(refusal, 300).strip(' .')}.",
        exit_status=CANNOT_JUDGE,
        created=_stamp(now),
        version=version,
    )


def _stamp(now: datetime) -> str:
    return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write_missing(out: Path, report: Report) -> None:
    """Write a report that was made here; what was refused is kept beside it under another name."""
    from gate.report.html.html import render_html  # noqa: PLC0415 - jinja2, seldom needed
    from gate.report.json_text import render_json  # noqa: PLC0415 - with it

    path = out / "report.json"
    if not disk.is_absent(path):
        path.replace(out / "refused-report.json")
    disk.write_text(path, render_json(report))
    disk.write_text(out / "report.html", render_html(report))


def opens_gate(report: Report) -> bool:
    """Whether the findings themselves open the gate, and all that the report says agrees.

    A report that opens although its worst verdict is `new` was judged with `--allow new`.
    """
    found = [finding.verdict for finding in report.findings if finding.role is Role.GATE]
    worst = join(found)
    return (
        worst is not None
        and (worst.opens or worst is Verdict.NEW)
        and (report.verdict, report.gate, report.exit_status) == (worst.value, "open", 0)
    )


def status_of(report: Report) -> int:
    """The exit status: 0 for an open gate, and no number that a shell could take for 0."""
    if opens_gate(report):
        return 0
    return report.exit_status if 0 < report.exit_status <= _HIGHEST_STATUS else CANNOT_JUDGE


def publish_step(
    report: Report, out: Path, links: Links, summary: Path | None, output: Path | None
) -> tuple[int, list[GateError]]:
    """Write the runner's files, None outside of GitHub; the exit status, and what failed.

    The outputs come last, and say `open` only where all the rest was written.
    """
    from gate.report.markdown.markdown import render_summary  # noqa: PLC0415 - only inside of GitHub

    status, failed = status_of(report), []
    # No word of it comes from outside.
    short = f"## driftgate: gate {'open' if opens_gate(report) else 'closed'}\n\n"
    short += "No room for more here: see the report and the log.\n"
    if summary is not None:
        try:
            append_summary(summary, render_summary(report, links), short)
        except GateError as error:
            failed.append(error)
            status = status or NOT_PUBLISHED
    if output is not None:
        try:
            append_text(output, output_lines(outputs(report, out, status)))
        except GateError as error:
            failed.append(error)
            status = status or NOT_PUBLISHED
    return status, failed


def outputs(report: Report, out: Path, status: int) -> dict[str, str]:
    """What later steps and jobs read."""
    files = {name: out / f"{name}.json" for name in ("report", "session")}
    return {
        "gate": "closed" if status else "open",
        "verdict": report.verdict,
        "status": str(status),
        **{name: str(path) if path.is_file() else "" for name, path in files.items()},
        "headline": report.headline,
    }


def _complaint(report: Report, now: datetime) -> str:
    """Why a report that reads well does not count; empty when it does."""
    if report.gate == "open" and not opens_gate(report):
        return "the check left a report that contradicts itself: its findings do not open the gate"
    try:
        age = now - datetime.fromisoformat(report.created)
    except (ValueError, TypeError, OverflowError):
        return "the check left a report that does not say when it was made"
    if age < -AHEAD:
        return "the report that lies there is of the future, so not of this check"
    if age > OLDEST:
        return f"the report that lies there is {age.days} days old, so not of this check"
    return ""


def confirmed_report(path: Path, said: str) -> Report:
    """The report, or a failed one where it opens and nothing else says so.

    A run that is started again keeps the artifacts of its earlier attempts, so a report that opens
    may be of another judgement than the one that is published.
    """
    report = read_report(path)
    if report.gate != "open" or (said in {"", "open"} and opens_gate(report)):
        return report
    return failed_report(
        code="G278",
        message="this report opens the gate and the job that judged did not: it is of an earlier "
        "attempt, or it contradicts itself. Run the judging job again.",
        exit_status=CANNOT_JUDGE,
        created=now(),
        version=__version__,
    )
