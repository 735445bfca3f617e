"""A fio job as background load: made endless, checked like any job, its rate read at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate.errors import InputError, TrialFailed
from gate.formats.strict import export
from gate.harness.fio.job import lines_of, numbered_job
from gate.harness.fio.output import parse
from gate.harness.fio.safety import unsafe
from gate.harness.process import Clock, finish

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.harness.base import TrialContext
    from gate.model import Background

ENDLESS = {"time_based": "1", "runtime": "30d"}
"""It runs until it is stopped, whatever the job says."""
_JOB, _EXPORT = "background.fio", "background.json"


_ENDS = ("number_ios", "io_size", "loops", "steadystate")
"""Options that end a job early, whatever its run time."""


class Rate(NamedTuple):
    """What a fio load did, by its own count."""

    ios: int
    seconds: float


def check_job(
    background: Background, context: TrialContext, extra: Mapping[str, str] | None = None
) -> str:
    """The job as it is to run.

    Raises:
        InputError: G232, it could touch anything outside the work directory, or would end.
    """
    rows = numbered_job(background.job_text or "", ENDLESS | dict(extra or {}))
    text = "\n".join(row for _, row in rows)
    place = background.job_file or "the background job"
    for line in lines_of(text):
        if line.section is None and line.option[0] in _ENDS:
            raise InputError(
                "G232",
                f"the background's fio job must run until it is stopped; {line.option[0]} ends it.",
                place=f"{place}:{rows[line.number - 1][0]}",
                cure="Remove the option: the load lasts as long as the trial.",
            )
    for number, why in unsafe(text, context.work, context.environment):
        row = rows[number - 1][0]
        raise InputError(
            "G232",
            f"the background's fio job must not be run: {why}.",
            place=f"{place}:{row}",
            cure="Let it use relative file names inside the work directory, or none.",
        )
    return text


def prepare_job(background: Background, context: TrialContext) -> None:
    """Lay out the job's files, so that the load works from its first moment."""
    argv = job_argv(background, context, {"create_only": "1"})
    finish(Clock(context).run(argv, context.work), "laying out the background load's files")


def job_argv(
    background: Background, context: TrialContext, extra: Mapping[str, str] | None = None
) -> tuple[str, ...]:
    """Write the job, checked once more, and give the command that runs it.

    Raises:
        TrialFailed: it must not be run, or cannot be written.
    """
    try:
        text = check_job(background, context, extra)
        path = context.scratch / _JOB
        path.write_text(f"{text}\n", encoding="utf-8")
    except InputError as error:
        raise TrialFailed(str(error)) from None
    except OSError as error:
        raise TrialFailed(f"the background's fio job cannot be written: {error}") from None
    return ("fio", "--output-format=json", f"--output={_export(context)}", str(path))


def read_rate(context: TrialContext) -> Rate:
    """The I/Os that a stopped load has completed, and in how many seconds.

    Raises:
        TrialFailed: fio left no usable account, or says that a job failed.
    """
    sides = [side for job in parse(export(_export(context), "fio")).jobs for side in job.sides]
    return Rate(sum(side.ios for side in sides), max(side.runtime for side in sides))


def _export(context: TrialContext) -> Path:
    return context.scratch / _EXPORT
