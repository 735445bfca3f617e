"""The machine that measured, and what its class must be."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gate.model.disturbance import Limits
from gate.model.strictness import STRICT

UNKNOWN = "unknown"
"""What stands for a fact that the machine does not tell; shown so, and compared so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What is known of a machine, in tiers: stable facts refuse, epoch facts open an epoch."""

    __pydantic_config__ = STRICT

    host_class: str
    """Name of the machine's hardware kind; sessions of one class may be compared."""
    fingerprint: str
    """Hash of the stable facts; empty when nothing is known of the host."""
    stable: dict[str, str]
    """Facts that must agree (CPU model, cores, memory size, disk); `unknown` where absent."""
    epoch: dict[str, str]
    """Facts that open a new baseline epoch when they change (kernel, microcode, governor)."""
    live: dict[str, str] = field(default_factory=dict)
    """Facts of the moment (wear, temperature): recorded, never compared."""


COUNTED = "counted"
"""Class of every machine where instructions are counted in an emulated one."""


def counted_host(host_class: str | None = None) -> Host:
    """The machine that counts instructions: emulated, and the same on whatever runs the emulator.

    What the counts depend on, the emulator's version, is among the tools.
    """
    facts = {"machine": "QEMU pc, one processor, all emulated"}
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()
    return Host(
        host_class=host_class or COUNTED, fingerprint=f"sha256:{digest}", stable=facts, epoch={}
    )


_OF_THE_KERNEL = frozenset({"kernel", "preemption", "command_line", "mitigations"})
"""Epoch facts that a kernel brings along."""


def without_kernel(host: Host) -> Host:
    """The machine alone, where its kernel is a side that is proven with each trial."""
    kept = {name: fact for name, fact in host.epoch.items() if name not in _OF_THE_KERNEL}
    return replace(host, epoch=kept)


class EpochPolicy(StrEnum):
    """What happens when an epoch fact is not what it was in the newest accepted session."""

    REFUSE = "refuse"
    """Nothing is judged until somebody accepts a session taken on the machine as it is now."""
    NEW_BASELINE = "new-baseline"
    """The benchmarks count as new: a new epoch is due, and no change was refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownHost:
    """`host.toml`: what a machine of a class must be, and how it is to be measured on."""

    host_class: str
    stable: dict[str, str]
    epoch: dict[str, str] = field(default_factory=dict)
    """As they were when the class was enrolled; the accepted sessions have their own."""
    policy: EpochPolicy = EpochPolicy.REFUSE
    tune: tuple[str, ...] = ()
    """Settings that are tuned around a check, and put back."""
    measured_cpus: str = ""
    """Processors that measure, as `1-3,5`; empty for the gate's own choice."""
    limits: Limits = field(default_factory=Limits)
    path: str = ""
    """The file it came from, for messages."""
