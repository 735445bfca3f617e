"""The fio harness: native job files, one run per trial, inside the work directory."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn

from gate.errors import InputError, MeasureError, TrialFailed
from gate.formats.profile.metric_kinds import FIO_KINDS
from gate.formats.strict import export, quote
from gate.harness.base import Reading
from gate.harness.fio.job import effective_job, job_options, numbered_job, torn_options
from gate.harness.fio.metrics import fio_latencies, fio_values, fio_work
from gate.harness.fio.output import parse
from gate.harness.fio.safety import DEVICE, opens_device, unsafe
from gate.harness.process import Clock, ask, demand, finish

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.harness.base import TrialContext
    from gate.model import Profile

OLDEST = (3, 33)
_CURE = (
    "Install fio 3.33 or newer with the system's package manager: apt install fio "
    "(the PyPI package of that name is a stranger)."
)
_NOT_A_VALUE = re.compile(r"[\x00-\x1f\x7f;#\[\]]")
_VERSION = re.compile(r"fio-((\d+)\.(\d+)\S*)\s*")


class Fio:
    """Runs a fio job file and reads its JSON output."""

    name = "fio"
    kinds: Mapping[str, MetricKind] = FIO_KINDS

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Ask fio for its version."""
        said = ask(("fio", "--version"), environment, cure=_CURE)
        match = _VERSION.fullmatch(said)
        if match is None:
            raise MeasureError("G231", f"fio does not say its version: {quote(said)}.", cure=_CURE)
        if (int(match[2]), int(match[3])) < OLDEST:
            raise MeasureError("G231", f"fio {quote(match[1])} is too old.", cure=_CURE)
        return {"fio": quote(match[1])}

    def check(self, context: TrialContext) -> None:
        """Refuse a job that could touch anything outside the work directory."""
        work = context.profile.work
        if work.job_text is None:
            raise InputError(
                "G232",
                "the profile names no fio job file.",
                place=context.profile.path,
                cure='Add job = "jobs/NAME.fio".',
            )
        for name in torn_options(context.profile, context.benchmark):
            raise InputError(
                "G232",
                f"{quote(name)} is an option of fio, and `environment` or the background uses it: "
                "it would not reach the job.",
                place=context.profile.path,
                cure="Give the parameter that they use another name.",
            )
        overrides = job_options(context.profile, context.benchmark)
        for name, value in overrides.items():
            if _NOT_A_VALUE.search(f"{name}{value}"):
                _refuse(f"{quote(name)} = {quote(value)} is no fio option", context.profile.path)
        rows = numbered_job(work.job_text, overrides)
        text = "\n".join(row for _, row in rows)
        device = _device(context)
        for number, why in unsafe(text, context.work, context.environment, device):
            # Lines that the matrix added stand in no file.
            line = rows[number - 1][0]
            place = f"{work.job_file or 'the fio job'}:{line}" if line else context.profile.path
            _refuse(why, place)
        if device and not opens_device(text):
            _refuse(
                "the profile names a device, and no line of the job is filename=${GATE_DEVICE}: "
                "it would measure files",
                context.profile.path,
            )

    def prepare(self, context: TrialContext) -> None:
        """Lay out the job's files."""
        self._run(context, {"create_only": "1"})

    def trial(self, context: TrialContext) -> Reading:
        """Run the job once."""
        document = parse(export(self._run(context, {}), "fio"))
        values, missing = fio_values(document)
        demand(context, self.kinds, values, missing)
        return Reading(
            values=values,
            notes=document.notes,
            work=fio_work(document),
            latencies=fio_latencies(document),
        )

    def _run(self, context: TrialContext, extra: Mapping[str, str]) -> Path:
        # Between check and run the work directory may have changed: look again.
        try:
            self.check(context)
        except InputError as error:
            raise TrialFailed(str(error)) from None
        job = context.scratch / "job.fio"
        output = context.scratch / "fio.json"
        output.unlink(missing_ok=True)
        try:
            context.work.mkdir(parents=True, exist_ok=True)
            job.write_text(effective_job(_job(context), extra), encoding="utf-8")
        except OSError as error:
            raise TrialFailed(f"the fio job cannot be written: {error}") from None
        argv = ("fio", "--output-format=json", f"--output={output}", str(job))
        finish(Clock(context).run(argv, context.work), "fio")
        return output


def _device(context: TrialContext) -> str:
    """The raw device that the guard let pass, or that the subject's module makes in memory."""
    if context.profile.subject.device:
        return context.profile.subject.device
    wanted = context.profile.storage
    if wanted is None or not wanted.device or wanted.filesystem:
        return ""
    return context.environment.get(DEVICE, "")


def _job(context: TrialContext) -> str:
    return effective_job(
        context.profile.work.job_text or "", job_options(context.profile, context.benchmark)
    )


def _refuse(why: str, place: str) -> NoReturn:
    raise InputError(
        "G232",
        f"this fio job must not be run: {why}.",
        place=place,
        cure="Let it use relative file names inside the work directory, or none.",
    )
