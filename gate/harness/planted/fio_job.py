"""A loss planted into a fio job: think time after every so many I/Os.

One job does an I/O in t = jobs / IOPS on average, so a loss l takes l t more for each. A job that
has a think time gets that much more of it. Any other sleeps for W after B I/Os: W so long that
what a sleep lasts too long is little of it. (`thinktime_spin` would be exact, and lets fio 3.33
hang now and then.) Before it sleeps, fio lets its queue run dry, which costs about half a queue's
time: B is so large that this is little too, and W is shorter by it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.errors import TrialFailed
from gate.formats.profile.metric_kinds import FIO_KINDS
from gate.harness.base import Planter
from gate.harness.fio.job import VARIABLE, effective_job, job_options, lines_of
from gate.harness.planted.commands import typical_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.harness.base import Harness, TrialContext
    from gate.model import Benchmark, Profile

_SHORTEST_SLEEP = 2000.0
"""Microseconds; the kernel's timers add about 60."""
_QUEUES = 10
"""The work between two stops is at least this many queues for each unit of loss."""
_TIME = re.compile(r"(\d+)\s*(|us|usec|ms|msec|s|sec)")
_MICROSECONDS = {"": 1.0, "us": 1.0, "usec": 1.0, "ms": 1e3, "msec": 1e3, "s": 1e6, "sec": 1e6}
_LIMITED = ("rate", "thinktime_iotime", "flow", "latency_target")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What of a job matters for a plant."""

    options: Mapping[str, str]
    """Options of the one job, [global] included; variables replaced."""
    refusal: str

    def number(self, name: str) -> int | None:
        """A whole number, 1 where the option is absent; None where it is something else."""
        text = self.options.get(name, "1")
        return int(text) if text.isdecimal() and int(text) > 0 else None


class PlantFio(Planter):
    """Makes the jobs of fio think longer."""

    def reaches(self, profile: Profile) -> tuple[str, ...]:
        """Rates; a completion latency does not hold the think time."""
        return tuple(name for name in FIO_KINDS if name.endswith(("iops", "throughput")))

    def refusal(self, profile: Profile, benchmark: Benchmark) -> str:
        """A job that does not run as fast as it can, or several jobs in one file."""
        return _job(profile, benchmark, {}).refusal

    def size(
        self, inner: Harness, context: TrialContext, loss: float, metric: str
    ) -> dict[str, str]:
        """Measure how long an I/O takes as the job is; all rates fall alike."""
        job = _job(context.profile, context.benchmark, context.environment)
        jobs, depth = job.number("numjobs"), job.number("iodepth")
        if job.refusal or jobs is None or depth is None:
            raise TrialFailed(job.refusal or "numjobs or iodepth is no plain number")
        inner.prepare(context)
        each = jobs / typical_value(inner, context, "iops") * 1e6
        if "thinktime" in job.options:
            return _longer(job, loss * each)
        blocks = math.ceil(max(_SHORTEST_SLEEP / (loss * each), _QUEUES * (depth - 1) / loss, 1))
        sleep = round(loss * each * blocks - each * (depth - 1) / 2)
        return {"thinktime": str(sleep), "thinktime_blocks": str(blocks)}

    def slowed(self, context: TrialContext, settings: Mapping[str, str]) -> TrialContext:
        """The job with more think time."""
        params = dict(context.benchmark.params) | dict(settings)
        return replace(context, benchmark=replace(context.benchmark, params=params))


def _longer(job: _Job, extra: float) -> dict[str, str]:
    """More of the think time that is there already; `extra` microseconds for each I/O."""
    blocks = job.number("thinktime_blocks")
    match = _TIME.fullmatch(job.options["thinktime"])
    if match is None or blocks is None:
        raise TrialFailed("the job's own think time is not understood")
    now = int(match[1]) * _MICROSECONDS[match[2]]
    more = round(extra * blocks)
    if more < 1:
        raise TrialFailed("the loss is too small for the job's think time")
    return {"thinktime": str(round(now) + more)}


def _job(profile: Profile, benchmark: Benchmark, environment: Mapping[str, str]) -> _Job:
    text = effective_job(profile.work.job_text or "", job_options(profile, benchmark))
    lines = lines_of(text)
    sections = [one for one in lines if one.opens_job]
    pairs = [one.option for one in lines if one.section is None]
    names = [name for name, _ in pairs]
    limited = next((name for name in names if name.startswith(_LIMITED)), "")
    refusal = ""
    if len(sections) != 1:
        refusal = f"a loss can be planted into a fio job of one section, not of {len(sections)}"
    elif limited:
        refusal = f"the job is held by {limited}, so more think time need not make it slower"
    elif names.count("thinktime") > 1:
        refusal = "the job sets its think time twice"

    def known(match: re.Match[str]) -> str:
        return environment.get(match[1], match[0])

    return _Job(
        options={name: VARIABLE.sub(known, value) for name, value in pairs}, refusal=refusal
    )
