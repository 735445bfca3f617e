"""Which metrics a harness can give: each with its unit, which way is better, and what it is.

Tables, so that a profile can be read and judged where nothing is measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError, TrialFailed
from gate.formats.strict import document, export, mapping, quote
from gate.model import Better
from gate.model.plan import BACKGROUND_RATE
from gate.units import BASE_UNITS, in_base

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gate.model import Output, Work


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricKind:
    """A metric that a harness can give: its unit, which way is better, what it is."""

    unit: str
    better: Better
    about: str


def metric_kinds(*rows: tuple[str, str, str, str]) -> dict[str, MetricKind]:
    """Metric kinds from rows of name, unit, better and explanation."""
    return {
        name: MetricKind(unit=unit, better=Better(better), about=about)
        for name, unit, better, about in rows
    }


FIO_SIDES = ("read", "write", "trim")
FIO_PERCENTILES = {"p50": "50", "p99": "99", "p999": "99.9"}

_VERB = {"read": "reads", "write": "writes", "trim": "trims"}


def _rows() -> Iterator[tuple[str, str, str, str]]:
    yield "iops", "op/s", "higher", "I/Os per second, all jobs and sides"
    yield "throughput", "B/s", "higher", "bytes per second, all jobs and sides"
    yield "clat_mean", "s", "lower", "mean completion latency"
    for name, point in FIO_PERCENTILES.items():
        yield f"clat_{name}", "s", "lower", f"completion latency, {point}th percentile"
    for side in FIO_SIDES:
        yield f"{side}_iops", "op/s", "higher", f"{_VERB[side]} per second"
        yield f"{side}_throughput", "B/s", "higher", f"bytes per second, {_VERB[side]}"
        yield f"{side}_clat_mean", "s", "lower", f"mean completion latency of {_VERB[side]}"
        for name, point in FIO_PERCENTILES.items():
            about = f"completion latency of {_VERB[side]}, {point}th percentile"
            yield f"{side}_clat_{name}", "s", "lower", about


FIO_KINDS = metric_kinds(*_rows())
"""Every metric that fio can give."""
HYPERFINE_KINDS = metric_kinds(
    ("wall", "s", "lower", "wall-clock time"),
    ("user", "s", "lower", "CPU time in user space"),
    ("system", "s", "lower", "CPU time in the kernel"),
    ("cpu", "s", "lower", "CPU time, user and kernel"),
    ("memory", "B", "lower", "peak resident memory"),
)
"""Every metric that hyperfine can give."""
PYTEST_KINDS = metric_kinds(
    ("median", "s", "lower", "median of the rounds of one process"),
    ("mean", "s", "lower", "mean of the rounds of one process"),
    ("minimum", "s", "lower", "fastest round of one process"),
)
"""Every metric that pytest-benchmark can give."""
_WORK = "work, not time: caches, locks that wait and devices are no part of it"
INSTRUCTION_KINDS = metric_kinds(
    ("kernel_instructions_per_io", "1", "lower", f"kernel instructions of one operation; {_WORK}"),
    ("user_instructions_per_io", "1", "lower", f"instructions of programs likewise; {_WORK}"),
    ("kernel_instructions", "1", "lower", f"kernel instructions of the long run; {_WORK}"),
    ("user_instructions", "1", "lower", f"instructions of programs likewise; {_WORK}"),
)
_RATE = "background load: rounds per second of the trial, or I/Os per second of its whole life"
_BACKGROUND = metric_kinds((BACKGROUND_RATE, "op/s", "higher", _RATE))
COUNTED = tuple(
    f"{what}{part}" for what in ("cycles", "instructions") for part in ("", "_user", "_kernel")
)
"""What the hardware counts."""
_WORDS = {"fio": ("io", "I/O"), "hyperfine": ("op", "operation")}
_OWN = {
    "fio": FIO_KINDS,
    "hyperfine": HYPERFINE_KINDS,
    "pytest-benchmark": PYTEST_KINDS,
    "instructions": INSTRUCTION_KINDS,
}


def kinds_of(harness: str, work: Work) -> Mapping[str, MetricKind]:
    """The metrics that a harness can give of a work, the figures that it prints included."""
    if harness == "replay":
        return replay_kinds(Path(work.replay_file)) if work.replay_file is not None else {}
    return {
        **_OWN[harness],
        **cpu_kinds(harness, work),
        **(_BACKGROUND if harness in _WORDS else {}),
        **output_kinds(work.outputs),
    }


def counter_metrics(harness: str) -> frozenset[str]:
    """The metrics that need hardware counters."""
    if harness not in _WORDS:
        return frozenset()
    return frozenset(f"{name}_per_{_WORDS[harness][0]}" for name in COUNTED)


def energy_metric(harness: str) -> str:
    """The metric that needs RAPL."""
    return f"energy_per_{_WORDS[harness][0]}" if harness in _WORDS else ""


def cpu_kinds(harness: str, work: Work) -> Mapping[str, MetricKind]:
    """The metrics that the CPU account gives beside a harness's own; none for most harnesses."""
    if harness not in _WORDS:
        return {}
    short, word = _WORDS[harness]
    whole = "CPU time of the whole machine, less the idle machine's"
    rows = [
        (f"cpu_per_{short}", "s", "lower", f"{whole}, for each {word}"),
        ("cpu_utilisation", "1", "lower", f"{whole}, as a share of all processors"),
        ("efficiency", "op/s", "higher", f"{word}s completed for each second of that CPU time"),
        ("cpu_share", "1", "lower", "processors that the benchmark's own processes kept busy"),
        (f"own_cpu_per_{short}", "s", "lower", f"CPU time of its own processes for each {word}"),
        (f"kthread_cpu_per_{short}", "s", "lower", f"CPU time of kernel threads for each {word}"),
        (f"softirq_cpu_per_{short}", "s", "lower", f"CPU time in soft interrupts for each {word}"),
        ("context_switches", "1", "lower", f"context switches of the machine for each {word}"),
        (f"energy_per_{short}", "J", "lower", f"energy, less the idle machine's, for each {word}"),
    ]
    for name in COUNTED:
        what, _, part = name.partition("_")
        where = {"": "", "user": " in user space", "kernel": " in the kernel"}[part]
        rows.append((f"{name}_per_{short}", "1", "lower", f"{what}{where} for each {word}"))
    if harness == "fio" or work.transferred:
        rows.append(("cpu_per_byte", "s", "lower", f"{whole}, for each byte transferred"))
    return metric_kinds(*rows)


def output_kinds(outputs: Iterable[Output]) -> dict[str, MetricKind]:
    """The metrics that the outputs are, each in its base unit."""
    return {
        one.name: MetricKind(
            unit=in_base(one.unit)[0],
            better=one.better,
            about=f"printed by the command [{one.unit}]",
        )
        for one in outputs
    }


def replay_kinds(path: Path | str) -> dict[str, MetricKind]:
    """Read the metrics that a recording declares."""
    try:
        raw = mapping(document(export(Path(path), "the recording"), "it"), "the recording")
        declared = mapping(raw.get("metrics"), "metrics")
        return {name: _kind(name, one) for name, one in declared.items()}
    except TrialFailed as error:
        raise InputError(
            "G235",
            f"the recording cannot be played: {error}.",
            place=str(path),
            cure="It needs metrics with unit and better, and benchmarks with base and head.",
        ) from None


def _kind(name: str, raw: object) -> MetricKind:
    declared = mapping(raw, f"metric {quote(name)}")
    unit, better = declared.get("unit"), declared.get("better")
    if unit not in BASE_UNITS or better not in tuple(Better):
        units = ", ".join(BASE_UNITS)
        raise TrialFailed(f"metric {quote(name)} needs a unit ({units}) and better")
    return MetricKind(unit=str(unit), better=Better(str(better)), about="recorded")
