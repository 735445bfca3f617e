"""What every readiness check stands on: the machine, two looks at it, and how an answer is made.

A file that is absent answers `unknown`, never `ok`. In a virtual machine the hardware's own
settings are the hypervisor's: what a guest sees of them, it was shown.

Processors used by others are all that was not idle between the looks, less what this process
itself used. Others' I/O is that of the real disks, so that no byte counts twice; who did it is
named as far as /proc shows it.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING

from gate.host.identity.facts import container_kind
from gate.linux.cpu_list import CPU, cpu_numbers
from gate.linux.machine import line
from gate.linux.proc_stat import TICK, StatTicks, read_stat, waited_for
from gate.linux.processes import NOBODY, read_processes_of
from gate.model import UNKNOWN
from gate.model.disturbance import Answer, Limits, Readiness
from gate.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gate.linux.machine import LinuxMachine
    from gate.linux.processes import Processes, ProcessStat

_CLOCK = "the hypervisor decides: ask its owner to hold the clock and to pin the virtual processors"
_HIDDEN = "the hypervisor hides it: ask its owner"
_LONGEST = 300
_SECTOR = 512
_COUNTERS = ("core_throttle_count", "package_throttle_count")
_NAMED = 3


class MachineUnderCheck:
    """One machine under check; what is asked of it often is asked once."""

    seen: Sample
    """Two looks at it, there once somebody has looked."""

    def __init__(
        self,
        machine: LinuxMachine,
        work: Path,
        *,
        measured: str = "",
        limits: Limits | None = None,
        count: Callable[[], str] | None = None,
    ) -> None:
        """`count` tries to open a counter and says why it cannot; absent where nobody can try."""
        self.machine, self.work, self.count = machine, work, count
        self.limits = limits or Limits()
        self.measured = frozenset(cpu_numbers(measured))
        """Processors that measure; none where nobody named them."""

    @cached_property
    def cpus(self) -> tuple[int, ...]:
        """Processors that are online."""
        return cpu_numbers(self.line(f"{CPU}/online"))

    @cached_property
    def virtual(self) -> str:
        """The hypervisor, as far as it gives itself away; empty on bare metal."""
        answer = self.machine.ask("systemd-detect-virt", "--vm").strip()
        if answer and answer != "none":
            return answer
        flags = re.search(r"^flags\s*:.*$", self.machine.text("/proc/cpuinfo"), re.MULTILINE)
        if flags and " hypervisor" in flags[0]:
            return "virtual machine"
        return self.line("/sys/hypervisor/type")

    @cached_property
    def container(self) -> str:
        """The kind of container that we are in, or `none`; empty where nothing says which."""
        kind = container_kind(self.machine)
        return "" if kind in {"unnamed", UNKNOWN} else kind

    def line(self, path: str) -> str:
        """A file's first line; empty where there is none."""
        return line(self.machine, path)

    def of_cpus(self, file: str) -> dict[int, str]:
        """What each processor that is online says in a file of its own; the silent ones lack."""
        found = {cpu: self.line(f"{CPU}/cpu{cpu}/{file}") for cpu in self.cpus}
        return {cpu: text for cpu, text in found.items() if text}

    def count_text(self, texts: dict[int, str]) -> str:
        """What processors say, most frequent first: `powersave on 6 of 8 processors, ...`."""
        kinds = sorted(Counter(texts.values()).items(), key=lambda one: (-one[1], one[0]))
        shown = ", ".join(f"{kind} on {count}" for kind, count in kinds[:3])
        return f"{shown} of {len(self.cpus)} processors"

    def clock(self, missing: str) -> str:
        """What to do about a setting of the processors."""
        return _CLOCK if self.virtual else self.system(missing)

    def hidden(self, missing: str) -> str:
        """What to do about other hardware that a virtual machine does not have."""
        return _HIDDEN if self.virtual else self.system(missing)

    def system(self, cure: str) -> str:
        """What to do about the whole system, which a container must leave alone."""
        return cure if self.container in {"", "none"} else f"on the container's host: {cure}"

    def unseen(self, value: str, cure: str) -> Result:
        """A setting of the processors that is not shown here, perhaps by their hypervisor."""
        return unknown(f"{value} ({self.virtual})" if self.virtual else value, self.clock(cure))


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivitySample:
    """Counters of the machine at one moment; what it does not report is absent."""

    at: float
    """Seconds of a clock that does not jump."""
    stat: StatTicks
    waited: dict[str, float | None]
    """Seconds since boot in which some task waited, by resource."""
    moved: int | None
    """Bytes that the real disks read and wrote."""
    throttled: int | None
    processes: Processes


def look(ground: MachineUnderCheck, at: float) -> ActivitySample:
    """Look now."""
    return ActivitySample(
        at=at,
        stat=read_stat(ground.machine),
        waited={what: waited_for(ground.machine, what) for what in ("cpu", "memory")},
        moved=_moved(ground.machine),
        throttled=_throttled(ground),
        processes=read_processes_of(ground.machine),
    )


def _moved(machine: LinuxMachine) -> int | None:
    """Of whole disks only, and not of what is made of disks or of memory."""
    rows = [row.split() for row in machine.text("/proc/diskstats").splitlines()]
    known = [row for row in rows if len(row) > 9]
    real = [row for row in known if machine.real(f"/sys/block/{row[2]}/device")]
    return sum(int(row[5]) + int(row[9]) for row in real) * _SECTOR if real else None


def _throttled(ground: MachineUnderCheck) -> int | None:
    texts = [ground.of_cpus(f"thermal_throttle/{name}").values() for name in _COUNTERS]
    found = [value for each in texts for text in each if (value := number(text)) is not None]
    return sum(found) if found else None


@dataclass(frozen=True, slots=True)
class Sample:
    """Two looks, and who is looking."""

    before: ActivitySample
    after: ActivitySample
    own: int = 0
    """Number of the process that looks: it is no stranger."""

    @property
    def seconds(self) -> float:
        """Between the two."""
        return self.after.at - self.before.at

    @property
    def ticks(self) -> StatTicks:
        """What each column of /proc/stat grew by; empty where it is not known."""
        early, late = self.before.stat.total, self.after.stat.total
        if len(early) != len(late) or sum(late) <= sum(early):
            return StatTicks()
        return StatTicks(tuple(b - a for a, b in zip(early, late, strict=True)))

    def stalled(self, what: str) -> float | None:
        """Share of the time in which some task waited for it."""
        early, late = self.before.waited[what], self.after.waited[what]
        if early is None or late is None or self.seconds <= 0:
            return None
        return max(late - early, 0.0) / self.seconds

    def growth(self, figure: Callable[[ProcessStat], float]) -> dict[tuple[int, int], float]:
        """By how much a figure of each process grew; those that began in between grew from 0."""
        early = self.before.processes
        return {
            who: figure(now) - figure(early.get(who, NOBODY))
            for who, now in self.after.processes.items()
        }

    @property
    def strangers(self) -> float:
        """Processors in use by others, on average."""
        growth = self.growth(lambda one: one.own * TICK)
        own = sum(much for who, much in growth.items() if who[0] == self.own)
        return max((self.ticks.busy - self.ticks.steal) * TICK - own, 0.0) / self.seconds

    def most(self, figure: Callable[[ProcessStat], float]) -> list[tuple[str, float]]:
        """The strangers who did most of it, per second: names with their numbers."""
        found = [
            (f"{self.after.processes[who].name} ({who[0]})", much / self.seconds)
            for who, much in self.growth(figure).items()
            if who[0] != self.own and much > 0
        ]
        return sorted(found, key=lambda one: -one[1])[:_NAMED]


Result = tuple[Answer, str, str]
"""The answer to a question, the value, and the cure."""


def question(
    name: str, wanted: str | Callable[[MachineUnderCheck], str]
) -> Callable[[Callable[[MachineUnderCheck], Result]], Callable[[MachineUnderCheck], Readiness]]:
    """Make a readiness check of a function, whose docstring tells the user why it matters."""

    def check_of(
        ask: Callable[[MachineUnderCheck], Result],
    ) -> Callable[[MachineUnderCheck], Readiness]:
        @wraps(ask)
        def check(ground: MachineUnderCheck) -> Readiness:
            answer, value, cure = ask(ground)
            return Readiness(
                name=name,
                answer=answer,
                value=printable(value, "?")[:_LONGEST],
                wanted=wanted if isinstance(wanted, str) else wanted(ground),
                why=(ask.__doc__ or "").partition("\n")[0],
                cure=printable(cure, "?")[:_LONGEST],
            )

        return check

    return check_of


def ok(value: str) -> Result:
    """As it should be."""
    return Answer.OK, value, ""


def off(value: str, cure: str) -> Result:
    """Not as it should be."""
    return Answer.OFF, value, cure


def unknown(value: str, cure: str) -> Result:
    """The machine does not report it."""
    return Answer.UNKNOWN, value, cure


def unreported(cure: str) -> Result:
    """The machine has no such file, or nothing in it."""
    return unknown("not reported", cure)


def number(text: str) -> int | None:
    """A whole number as the kernel writes it; None where it is none."""
    try:
        return int(text)
    except ValueError:
        return None
