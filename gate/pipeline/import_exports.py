"""Exports to a session: which metrics survive, what gates, and an id made from the content."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.harness import load_harness
from gate.model import (
    SCHEMA,
    Metric,
    Planned,
    Role,
    Session,
    Side,
    Source,
    Stage,
    State,
    Subject,
    Trial,
    TrialStatus,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.harness.exported import Export, ExportedTrial
    from gate.model import Host

_GATES = {
    "fio": ("iops",),
    "hyperfine": ("cpu", "wall"),
    "pytest-benchmark": ("median",),
}
"""The metrics that an import gates on when it has them; the others are watched."""


def imported_session(
    exports: Mapping[str, Export],
    texts: Sequence[str],
    *,
    profile: str,
    tolerance: float,
    host: Host,
    boot: str,
    now: str,
) -> Session:
    """One complete session of all trials in the exports.

    Raises:
        InputError: the files are of different harnesses, or hold no metric in common.
    """
    harnesses = {export.harness for export in exports.values()}
    if len(harnesses) > 1:
        raise InputError(
            "G235",
            f"the files are of different harnesses: {', '.join(sorted(harnesses))}.",
            cure="Import each harness on its own.",
        )
    versions = {export.version.partition(".")[0] for export in exports.values()}
    if len(versions) > 1:
        raise InputError(
            "G235",
            f"the files are of different major versions: {', '.join(sorted(versions))}.",
            cure="Import each version on its own.",
        )
    first = next(iter(exports.values()))
    trials = [trial for export in exports.values() for trial in export.trials]
    counts = Counter(trial.benchmark for trial in trials)
    digest = hashlib.sha256(json.dumps([first.harness, sorted(counts)]).encode())
    identity = hashlib.sha256("\0".join(sorted(texts)).encode("utf-8", "replace")).hexdigest()
    metrics = _metrics(first.harness, trials, tolerance)
    return Session(
        schema=SCHEMA,
        id=f"imported-{identity[:16]}",
        profile=profile,
        profile_digest=f"imported:{digest.hexdigest()}",
        harness=first.harness,
        side=Side.HEAD,
        stage=Stage.SCREEN,
        subject=Subject(description="imported"),
        host=host,
        boot=boot,
        started=now,
        ended=now,
        seed=0,
        state=State.COMPLETE,
        source=Source.IMPORTED,
        sides=False,
        planned=tuple(Planned(benchmark=name, trials=n) for name, n in counts.items()),
        metrics=metrics,
        trials=tuple(_trial(trial, i, metrics, now) for i, trial in enumerate(trials)),
        tools={first.harness: first.version},
        notes=tuple(note for export in exports.values() for note in export.notes),
    )


def _metrics(harness: str, trials: Sequence[ExportedTrial], tolerance: float) -> tuple[Metric, ...]:
    """Metrics that every trial has, so that different metrics describe the same trials."""
    common = set.intersection(*({v.metric for v in trial.values} for trial in trials))
    kinds = {name: kind for name, kind in load_harness(harness).kinds.items() if name in common}
    if not kinds:
        raise InputError("G235", "the trials have no metric in common.")
    gates = [name for name in _GATES[harness] if name in kinds] or [next(iter(kinds))]
    return tuple(
        Metric(
            name=name,
            unit=kind.unit,
            better=kind.better,
            role=Role.GATE if name in gates else Role.WATCH,
            tolerance=tolerance,
        )
        for name, kind in kinds.items()
    )


def _trial(trial: ExportedTrial, sequence: int, metrics: Sequence[Metric], now: str) -> Trial:
    kept = {metric.name for metric in metrics}
    return Trial(
        benchmark=trial.benchmark,
        sequence=sequence,
        stage=Stage.SCREEN,
        status=TrialStatus.OK,
        started=now,
        duration=0.0,
        values=tuple(value for value in trial.values if value.metric in kept),
        latencies=trial.latencies,
    )
