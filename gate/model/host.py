"""The machine that measured."""

from __future__ import annotations

from dataclasses import dataclass

from gate.model.strictness import STRICT


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """What is known of a machine, in two tiers: stable facts refuse, epoch facts explain."""

    __pydantic_config__ = STRICT

    host_class: str
    """Name of the machine's hardware kind; sessions of one class may be compared."""
    fingerprint: str
    """Hash of the stable facts; empty when nothing is known of the host."""
    stable: dict[str, str]
    """Facts that must agree (CPU model, cores, memory size, disk); `unknown` where absent."""
    epoch: dict[str, str]
    """Facts that open a new baseline epoch when they change (kernel, microcode, governor)."""
