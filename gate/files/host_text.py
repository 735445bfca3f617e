"""The canonical text of `host.toml`, written for its reviewer: every fact with why it matters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.files import toml_text as toml
from gate.model import SCHEMA, EpochPolicy, Limits
from gate.model.facts import about
from gate.model.tuning import TUNABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gate.model import KnownHost

_POLICIES = {
    EpochPolicy.REFUSE: "nothing is judged until a session of the machine as it is now is accepted",
    EpochPolicy.NEW_BASELINE: "every benchmark counts as new; closed as well, unless --allow new",
}


def host_text(known: KnownHost) -> str:
    """The canonical text: equal host files give equal bytes."""
    names = toml.array(map(toml.string, known.tune))
    lines = [
        "# What a machine of this class must be, and how it is measured on. Written by",
        "# `gate host enroll`; `gate host diff` compares a machine with it.",
        f"schema = {SCHEMA}",
        f"host_class = {toml.string(known.host_class)}",
        "",
        "# Settings that are tuned around every check and put back after it:",
        *(f"#   {name:<15} {what}" for name, what in TUNABLE.items()),
        f"tune = {names}",
        "",
        '# The processors that measure, as "1-3,5"; empty for the gate\'s own choice.',
        f"measured_cpus = {toml.string(known.measured_cpus)}",
        "",
        "[policy]",
        "# What a check does when an epoch fact is not that of the newest accepted session:",
        *(f"#   {policy.value:<15} {what}" for policy, what in _POLICIES.items()),
        f"epoch = {toml.string(known.policy.value)}",
        "",
        "[limits]",
        "# How much of each a trial bears before it is set aside; defaults are commented out.",
        *_limits(known.limits),
        "",
        "# Stable facts: a machine that differs in one of them is another machine, and a check on",
        "# it is refused. Two machines that differ only in what is unknown are not told apart.",
        "[stable]",
        *_facts(known.stable),
        "",
        "# Epoch facts as they were when this file was written, to be read. Every accepted session",
        "# has its own; a check compares with the newest of them, as the policy above says.",
        "[epoch]",
        *_facts(known.epoch),
        "",
    ]
    return "\n".join(lines)


def _facts(facts: Mapping[str, str]) -> Iterator[str]:
    for key in sorted(facts):
        yield f"# {about(key)}"
        yield f"{toml.key(key)} = {toml.string(facts[key])}"


def _limits(limits: Limits) -> Iterator[str]:
    usual = Limits()
    for name, (write, what) in _LIMITS.items():
        value = getattr(limits, name)
        mark = "# " if value == getattr(usual, name) else ""
        yield f"# {what}"
        yield f"{mark}{name} = {write(value)}"


def _percent(ratio: float) -> str:
    return toml.string(f"{ratio * 100:.10g}%")


def _rate(per_second: float) -> str:
    """Bytes per second in the largest unit that they fill, and that reads back as the same."""
    for factor, unit in ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s")):
        digits = f"{per_second / factor:.10g}"
        if per_second >= factor and float(digits) * factor == per_second:
            return toml.string(f"{digits} {unit}")
    return toml.string(f"{per_second:.17g} B/s")


_LIMITS: dict[str, tuple[Callable[[float], str], str]] = {
    "steal": (_percent, "processor time that the hypervisor took from this machine"),
    "foreign_cpu": (toml.number, "processors that processes outside the trial used, on average"),
    "foreign_io": (_rate, "what processes outside the trial read and wrote"),
    "memory_pressure": (_percent, "time in which some task waited for memory"),
    "set_aside": (
        _percent,
        "trials set aside per trial planned (three at least, none at 0%); else nothing is judged",
    ),
}
