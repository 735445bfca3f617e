"""The machine that measured: its facts, what its class must be, what changed."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from gate.model.bounds import Facts, Name, Strict
from gate.model.disturbance import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


UNKNOWN = "unknown"
"""What stands for a fact that the machine does not report; shown so, and compared so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host(Strict):
    """What is known of a machine, in tiers: stable facts refuse, epoch facts open an epoch."""

    host_class: Name
    """Name of the machine's hardware kind; sessions of one class may be compared."""
    fingerprint: Name
    """Hash of the stable facts; empty when nothing is known of the host."""
    stable: Facts
    """Facts that must agree (CPU model, cores, memory size, disk); `unknown` where absent."""
    epoch: Facts
    """Facts that open a new baseline epoch when they change (kernel, microcode, governor)."""
    live: Facts = field(default_factory=dict)
    """Facts of the moment (wear, temperature): recorded, never compared."""


COUNTED = "counted"
"""Class of every machine where instructions are counted in an emulated one."""


def counted_host(host_class: str | None) -> Host:
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


_LONG = 40
"""Characters above which only the parts of a value that differ are shown."""
_LONGEST = 120
"""Characters of one side that are shown at most."""
_GAP = "…"


class Moved(NamedTuple):
    """A fact that differs; `unknown` where a side does not report it."""

    key: str
    theirs: str
    """What was recorded before: in `host.toml`, or in an accepted session."""
    ours: str

    def __str__(self) -> str:
        """`microcode 0x1 -> 0x2`; of long values only what differs."""
        theirs, ours = self.shown
        return f"{self.key} {theirs} -> {ours}"

    @property
    def shown(self) -> tuple[str, str]:
        """Both values, of long ones only the parts that the other side lacks."""
        if max(len(self.theirs), len(self.ours)) <= _LONG:
            return self.theirs, self.ours
        if UNKNOWN in {self.theirs, self.ours}:
            return _cut(self.theirs), _cut(self.ours)
        glue = next((one for one in ("; ", ", ") if one in self.theirs + self.ours), " ")
        before, now = (re.split(rf"{glue}\s*", value) for value in (self.theirs, self.ours))
        gone, come = _beyond(before, now), _beyond(now, before)
        if not gone and not come:
            return "one order", "another order"
        if len(gone) == len(before) and len(come) == len(now):
            return _cut(self.theirs), _cut(self.ours)
        return _only(gone, glue), _only(come, glue)


def changed_facts(theirs: Mapping[str, str], ours: Mapping[str, str]) -> tuple[Moved, ...]:
    """The facts that differ, by key; a fact that one side lacks is `unknown` there."""
    return tuple(
        Moved(key, before, now)
        for key in sorted(theirs.keys() | ours.keys())
        if (before := theirs.get(key, UNKNOWN)) != (now := ours.get(key, UNKNOWN))
    )


def describe_changed(facts: Iterable[Moved]) -> str:
    """Every fact that moved, in one line."""
    return "; ".join(map(str, facts))


def _beyond(these: list[str], those: list[str]) -> list[str]:
    """The parts of one value that the other has not, or has less often, in order."""
    spare = Counter(those)
    found = []
    for part in these:
        spare[part] -= 1
        if spare[part] < 0:
            found.append(part)
    return found


def _only(parts: list[str], glue: str) -> str:
    return _cut(f"{_GAP} {glue.join(parts)} {_GAP}") if parts else _GAP


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}{_GAP}"
