"""What a trial cost the processors of the whole machine, and who paid."""

from __future__ import annotations

from dataclasses import dataclass, field

from gate.model.bounds import Name, Number, Strict


@dataclass(frozen=True, slots=True, kw_only=True)
class Contexts(Strict):
    """CPU-seconds by what the processors did, by the kernel's tick accounting."""

    user: Number = 0.0
    nice: Number = 0.0
    system: Number = 0.0
    irq: Number = 0.0
    softirq: Number = 0.0
    steal: Number = 0.0
    """Taken by the hypervisor: no cost of ours."""
    iowait: Number = 0.0
    """Idle time with a disk request under way: shown, never added to a cost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owners(Strict):
    """CPU-seconds by whose tasks ran, over the whole life of the trial's process."""

    own_user: Number = 0.0
    """The benchmark's processes, in user space."""
    own_system: Number = 0.0
    """The benchmark's processes, in the kernel; workers of io_uring are among them."""
    background: Number = 0.0
    """The background load's processes."""
    kthreads: dict[Name, Number] = field(default_factory=dict)
    """Kernel threads by name without numbers: `kworker`, `ksoftirqd`, `loop`, `jbd2`."""
    rest: Number = 0.0
    """Everything else that was not idle: other processes, and interrupts on idle processors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters(Strict):
    """Events that the processors counted in the measured window, whole machine."""

    cycles_user: Number
    cycles_kernel: Number
    instructions_user: Number
    instructions_kernel: Number


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuBill(Strict):
    """What the measured window of one trial cost the whole machine."""

    window: Number
    """Seconds measured: without the ramp, without start and end of the harness."""
    life: Number
    """Seconds that the trial's process lived; `owners` are counted over these."""
    operations: Number
    """I/Os, or what the command counts, completed in the window; a run of a command is one."""
    transferred: Number
    """Bytes transferred in the window; 0 where it is not known."""
    busy: Number
    """CPU-seconds of all processors in the window that were not idle, iowait or steal."""
    idle_reference: Number
    """Of these, what the machine uses while nothing is measured."""
    contexts: Contexts
    per_cpu: tuple[Number, ...]
    """Busy seconds of each processor."""
    owners: Owners
    switches: Number
    """Context switches of the whole machine in the window."""
    counters: Counters | None = None
    """Absent where perf counts nothing here."""
    energy: Number | None = None
    """Joule of all packages in the window; absent where RAPL cannot be read."""
    source: Name = ""
    """What `busy` was read from."""
    resolution: Number = 0.0
    """Seconds: two readings of `busy` that differ by less do not differ."""

    @property
    def net(self) -> float:
        """CPU-seconds that the trial cost: busy, less the idle machine and the background load."""
        part = self.window / self.life if self.life > 0 else 0.0
        return self.busy - self.idle_reference - self.owners.background * part


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleReference(Strict):
    """What the machine used while nothing was measured, at the start of a sitting."""

    seconds: Number
    """How long was looked."""
    busy: Number
    """CPU-seconds per second that were not idle, iowait or steal."""
    energy: Number | None = None
    """Joule per second; absent where it cannot be read."""
