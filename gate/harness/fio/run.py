"""A fio job on its way to fio, as a trial or as background load: checked, written, run, read.

As background load it is made endless, and its rate is read at the end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.errors import InputError, TrialFailed
from gate.formats.strict import export, quote
from gate.harness.fio.job import lines_of, numbered_job
from gate.harness.fio.output import parse
from gate.harness.fio.safety import opens_device, unsafe
from gate.harness.process import Clock, finish

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gate.harness.base import TrialContext
    from gate.model import Background

_NOT_A_VALUE = re.compile(r"[\x00-\x1f\x7f;#\[\]]")


def safe_job(
    name: str,
    text: str,
    file: str,
    options: Mapping[str, str],
    context: TrialContext,
    device: str = "",
) -> str:
    """The text of a job with these options in it, every line of which may be run.

    Raises:
        InputError: G232, one must not; its place is a line of `file`, or the profile where the
            option is.
    """
    rows = numbered_job(text, options)
    effective = "\n".join(row for _, row in rows)
    found = [
        (0, f"{quote(option)} = {quote(value)} is no fio option")
        for option, value in options.items()
        if _NOT_A_VALUE.search(f"{option}{value}")
    ]
    found += unsafe(effective, context.work, context.environment, device)
    if device and not opens_device(effective):
        why = "the profile names a device, and no line of the job is filename=${GATE_DEVICE}"
        found.append((0, f"{why}: it would measure files"))
    if not found:
        return effective
    number, why = found[0]
    # Lines that the options added stand in no file.
    line = rows[number - 1][0] if number else 0
    raise InputError(
        "G232",
        f"{name} must not be run: {why}.",
        place=f"{file}:{line}" if line else context.profile.path,
        cure="Let it use relative file names inside the work directory, or none.",
    )


def fio_command(
    name: str, stem: str, checked_text: Callable[[], str], context: TrialContext
) -> tuple[str, ...]:
    """Write the job, checked just now, and give the command that runs it.

    `stem` is the file name of job and export in the trial's scratch.

    Raises:
        TrialFailed: it must not be run, or cannot be written.
    """
    job, output = (context.scratch / f"{stem}.{kind}" for kind in ("fio", "json"))
    try:
        text = checked_text()
        output.unlink(missing_ok=True)
        context.work.mkdir(parents=True, exist_ok=True)
        job.write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    except InputError as error:
        raise TrialFailed(str(error)) from None
    except OSError as error:
        raise TrialFailed(f"{name} cannot be written: {error}") from None
    return ("fio", "--output-format=json", f"--output={output}", str(job))


LAY_OUT = {"create_only": "1"}
"""Makes the job's files, and does nothing with them."""
ENDLESS = {"time_based": "1", "runtime": "30d"}
"""It runs until it is stopped, whatever the job says."""
_ENDS = ("number_ios", "io_size", "loops", "steadystate")
"""Options that end a job early, whatever its run time."""
_LOAD, _STEM = "the background's fio job", "background"


def check_load(
    background: Background, context: TrialContext, options: Mapping[str, str] = ENDLESS
) -> str:
    """The job of a background load as it is to run.

    Raises:
        InputError: G232, it could touch anything outside the work directory, or would end.
    """
    text, file = background.job_text or "", background.job_file or "the background job"
    for line in lines_of(text):
        if line.section is None and line.option[0] in _ENDS:
            raise InputError(
                "G232",
                f"{_LOAD} must run until it is stopped; {line.option[0]} ends it.",
                place=f"{file}:{line.number}",
                cure="Remove the option: the load lasts as long as the trial.",
            )
    return safe_job(_LOAD, text, file, options, context)


def prepare_load(background: Background, context: TrialContext) -> None:
    """Lay out the job's files, so that the load works from its first moment."""
    argv = load_command(background, context, ENDLESS | LAY_OUT)
    finish(Clock(context).run(argv, context.work), "laying out the background load's files")


def load_command(
    background: Background, context: TrialContext, options: Mapping[str, str] = ENDLESS
) -> tuple[str, ...]:
    """`fio_command` of a background load."""
    return fio_command(_LOAD, _STEM, lambda: check_load(background, context, options), context)


def read_rate(context: TrialContext) -> tuple[int, float]:
    """The I/Os that a stopped load has completed, and in how many seconds.

    Raises:
        TrialFailed: fio left no usable account, or says that a job failed.
    """
    sides = parse(export(context.scratch / f"{_STEM}.json", "fio")).sides
    return sum(side.ios for side in sides), max(side.runtime for side in sides)
