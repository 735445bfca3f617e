"""The fio harness: native job files, one run per trial, inside the work directory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.formats.profile.metric_kinds import FIO_KINDS
from gate.formats.strict import export, quote
from gate.harness.base import Harness, Reading
from gate.harness.fio.job import effective_job, job_options, torn_options
from gate.harness.fio.metrics import fio_latencies, fio_values, fio_work
from gate.harness.fio.output import parse
from gate.harness.fio.run import LAY_OUT, fio_command, safe_job
from gate.harness.fio.safety import DEVICE
from gate.harness.process import Clock, ask_version, demand, finish

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.harness.base import TrialContext
    from gate.model import Profile

_OLDEST = (3, 33)
_CURE = (
    "Install fio 3.33 or newer with the system's package manager: apt install fio "
    "(the PyPI package of that name is a stranger)."
)
_VERSION = re.compile(r"\Afio-((\d+)\.(\d+)\S*)\s*\Z")
_STEM = "job"


class Fio(Harness):
    """Runs a fio job file and reads its JSON output."""

    name = "fio"
    kinds: Mapping[str, MetricKind] = FIO_KINDS

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Ask fio for its version."""
        return {"fio": ask_version("fio", _VERSION, environment, oldest=_OLDEST, cure=_CURE)}

    def check(self, context: TrialContext) -> None:
        """Refuse a job that could touch anything outside the work directory."""
        _checked_job(context)

    def prepare(self, context: TrialContext) -> None:
        """Lay out the job's files."""
        _run(context, LAY_OUT)

    def trial(self, context: TrialContext) -> Reading:
        """Run the job once."""
        _run(context, {})
        document = parse(export(context.scratch / f"{_STEM}.json", "fio"))
        values, missing = fio_values(document)
        demand(context, self.kinds, values, missing)
        return Reading(
            values=values,
            notes=document.notes,
            work=fio_work(document),
            latencies=fio_latencies(document),
        )


def _run(context: TrialContext, extra: Mapping[str, str]) -> None:
    # Between check and run the work directory may have changed: look again.
    argv = fio_command(
        "the fio job", _STEM, lambda: effective_job(_checked_job(context), extra), context
    )
    finish(Clock(context).run(argv, context.work), "fio")


def _checked_job(context: TrialContext) -> str:
    """The profile's job with the point of the matrix in it, every line of which may be run."""
    work, profile = context.profile.work, context.profile
    if work.job_text is None:
        cure = 'Add job = "jobs/NAME.fio".'
        raise context.error("G232", "the profile names no fio job file.", cure)
    for name in torn_options(profile, context.benchmark):
        why = f"{quote(name)} is an option of fio, and `environment` or the background uses it: "
        cure = "Give the parameter that they use another name."
        raise context.error("G232", f"{why}it would not reach the job.", cure)
    options, file = job_options(profile, context.benchmark), work.job_file or "the fio job"
    return safe_job("this fio job", work.job_text, file, options, context, _device(context))


def _device(context: TrialContext) -> str:
    """The raw device that the guard let pass, or that the subject's module makes in memory."""
    if context.profile.subject.device:
        return context.profile.subject.device
    wanted = context.profile.storage
    if wanted is None or not wanted.device or wanted.filesystem:
        return ""
    return context.environment.get(DEVICE, "")
