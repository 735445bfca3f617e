"""The CPU account of a run: which metrics it gives here, one bill and its values a trial."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gate.errors import MeasureError, TrialFailed
from gate.formats.profile.metric_kinds import counter_metrics, cpu_kinds, energy_metric
from gate.linux.kernel_counters import find_energy
from gate.linux.perf_event import CounterFiles, NoCounters
from gate.linux.proc_stat import StatFile
from gate.measure.cpu.bill import make_bill
from gate.measure.cpu.metrics import cpu_values
from gate.measure.cpu.samples import Meter, Sources, changed_rest, measure_idle
from gate.model import Role

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gate.harness.base import Reading
    from gate.measure.process.stop import Stop
    from gate.model import CpuBill, IdleReference, Profile, Trial, Value

_FRESH = 5.0
"""Seconds for which a look at a session's end also serves the session of the other side."""


@dataclass(slots=True)
class Accountant:
    """Keeps the account of one run."""

    sources: Sources
    gated: frozenset[str]
    """CPU metrics without which a trial has failed."""
    watched: frozenset[str]
    """CPU metrics that may be lacking, with a note."""
    unavailable: dict[str, str]
    """Watched metrics that this host cannot give -> why."""
    idle: IdleReference | None = None
    """One for all sessions of the run: base and head must be judged by the same."""
    _meter: Meter | None = field(default=None, repr=False)
    _rest: IdleReference | None = field(default=None, repr=False)
    """The last look at a session's end, which base and head share."""
    _rest_at: float = 0.0

    def reference(self, stop: Stop) -> IdleReference:
        """What the machine uses at rest, measured when it is first asked for."""
        if self.idle is None:
            self.idle = measure_idle(self.sources, stop)
        return self.idle

    def renew(self, idle: IdleReference | None = None) -> None:
        """For the next session look at rest anew, or take what a resumed one has for both sides."""
        self.idle = idle

    def look_again(self, trials: Sequence[Trial], idle: IdleReference, stop: Stop) -> str:
        """At a session's end: why its CPU costs must not be judged, if the rest changed."""
        if self._rest is None or time.monotonic() - self._rest_at > _FRESH:
            self._rest, self._rest_at = measure_idle(self.sources, stop), time.monotonic()
        return changed_rest(idle, self._rest, [one.cpu for one in trials if one.cpu])

    def open_meter(self, background_cpu: Callable[[], float] | None = None) -> Meter:
        """A meter for the process that starts now; a trial's last one is the one that counts.

        `background_cpu` gives the CPU-seconds that the background load has used so far.
        """
        self._meter = Meter(self.sources, background_cpu)
        self._meter.begin()
        return self._meter

    def account(
        self, reading: Reading, idle: IdleReference
    ) -> tuple[CpuBill, tuple[Value, ...], tuple[str, ...]]:
        """The bill of the trial that gave `reading`, its values, and notes on what is lacking.

        The trial fails without a bill, or without the value of a gated metric.
        """
        if self._meter is None or reading.work is None:
            raise TrialFailed(
                "the harness does not say which part of the trial was measured, so that part has "
                "no CPU cost: fio says it unless its jobs start late (startdelay)"
            )
        bill = make_bill(self._meter, reading.work, idle)
        names = sorted((self.gated | self.watched) - self.unavailable.keys())
        values, lacking = cpu_values(bill, idle, names)
        for name, why in lacking.items():
            if name in self.gated:
                raise TrialFailed(f"no value for {name}: {why}")
        return bill, values, tuple(f"no value for {name}: {why}" for name, why in lacking.items())


def make_accountant(profile: Profile) -> Accountant | None:
    """An accountant where the profile asks for CPU cost, else none.

    G238 where this host cannot give a metric that is to close the gate.
    """
    known = cpu_kinds(profile.harness, profile.work)
    asked: dict[str, bool] = {}
    for metric in profile.metrics:
        name = metric.derived.of if metric.derived else metric.name
        if name in known:
            asked[name] = asked.get(name, False) or metric.role is Role.GATE
    if not asked:
        return None
    sources, unavailable = _sources(profile.harness, asked)
    for name, why in unavailable.items():
        if asked[name]:
            raise MeasureError(
                "G238",
                f"{name} is not available on this host: {why}.",
                cure=f'Give [metric.{name}] role = "watch", or measure on a host that has it.',
                place=profile.path,
            )
    return Accountant(
        sources=sources,
        gated=frozenset(name for name, gates in asked.items() if gates),
        watched=frozenset(name for name, gates in asked.items() if not gates),
        unavailable=unavailable,
    )


def _sources(harness: str, asked: dict[str, bool]) -> tuple[Sources, dict[str, str]]:
    """Where this host is read for the metrics asked for, and why some of them cannot be had."""
    unavailable: dict[str, str] = {}
    counters, energy = None, None
    counted = counter_metrics(harness) & asked.keys()
    if counted:
        try:
            counters = CounterFiles()
        except NoCounters as error:
            unavailable |= dict.fromkeys(sorted(counted), str(error))
    name = energy_metric(harness)
    if name in asked:
        found = find_energy()
        if found.packages:
            energy = found
        else:
            unavailable[name] = found.reason
    try:
        stat = StatFile()
    except OSError as error:
        raise MeasureError(
            "G238",
            f"the processors' time cannot be read: /proc/stat: {error.strerror}.",
            cure="Mount /proc, or leave the CPU metrics out of the profile.",
        ) from None
    return Sources(stat=stat, energy=energy, counters=counters), unavailable
