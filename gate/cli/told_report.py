"""The report that a publishing job was handed, checked against what the judging job said."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from gate.model import Report

_CANNOT_JUDGE = 5


def told_report(path: Path, said: str) -> Report:
    """The report, or a failed one where it opens and nothing else says so.

    A run that is started again keeps the artifacts of its earlier attempts, so a report that opens
    may be of another judgement than the one that is published.

    Raises:
        InputError: the report cannot be read.
    """
    from gate.files.report_file import read_report  # noqa: PLC0415 - the help is quick
    from gate.judge.failed import failed_report  # noqa: PLC0415 - likewise
    from gate.measure.sitting import now  # noqa: PLC0415 - likewise
    from gate.publish.step import opens_gate  # noqa: PLC0415 - likewise

    report = read_report(path)
    if report.gate != "open" or (said in {"", "open"} and opens_gate(report)):
        return report
    return failed_report(
        code="G278",
        message="this report opens the gate and the job that judged did not: it is of an earlier "
        "attempt, or it contradicts itself. Run the judging job again.",
        exit_status=_CANNOT_JUDGE,
        created=now(),
        version=__version__,
    )
