"""Files that fio, hyperfine or pytest-benchmark exported elsewhere, made one session.

It has the metrics that all trials have, and an id made from the content.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import InputError, MeasureError, TrialFailed
from gate.formats.strict import DECODER, last_line, name_of, quote
from gate.harness import hyperfine, load_harness, pytest_benchmark
from gate.harness.fio import output
from gate.harness.fio.metrics import fio_latencies, fio_values
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
    from collections.abc import Sequence

    from gate.model import Host, Percentiles, Value


_CURE = (
    "Give the JSON export of fio (--output-format=json), hyperfine (--export-json) or "
    "pytest-benchmark (--benchmark-json), whole and unchanged."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedTrial:
    """One trial that a file holds."""

    benchmark: str
    values: tuple[Value, ...]
    latencies: tuple[Percentiles, ...] = ()
    """As `Reading.latencies`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """What one file holds."""

    harness: str
    """Key of `HARNESSES`, whose `kinds` say unit and direction of each metric."""
    version: str
    """The tool's version, as exact as the file tells it."""
    trials: tuple[ExportedTrial, ...]
    notes: tuple[str, ...] = ()


def read_export(text: str, name: str) -> Export:
    """Recognise and read one exported file; `name` is used in messages.

    Raises:
        InputError: it is of no known kind, broken or partial (`G235`).
        MeasureError: it holds a run that ended badly (`G236`).
    """
    try:
        return _read(text, name)
    except output.JobFailed as error:
        cure = "Correct the job and measure again."
        raise MeasureError("G236", f"{error}.", place=name, cure=cure) from None
    except TrialFailed as error:
        message = f"this export cannot be used: {error}."
        raise InputError("G235", message, place=name, cure=_CURE) from None


def _read(text: str, name: str) -> Export:
    try:
        keys = _keys(text)
    except TrialFailed:
        if '"fio version"' not in text:
            raise
        keys = {"fio version"}  # fio may say more than its JSON
    if "fio version" in keys:
        return _fio(text)
    if "machine_info" in keys and "benchmarks" in keys:
        return _pytest(text)
    if "results" in keys:
        return _hyperfine(text, name)
    seen = ", ".join(quote(key) for key in sorted(keys)[:8])
    raise TrialFailed(f"it is of no known kind; its top-level keys are: {seen or 'none'}")


def _keys(text: str) -> set[str]:
    stripped = text.strip()
    if not stripped:
        raise TrialFailed("the file is empty")
    try:
        raw = DECODER.decode(stripped)
    except (ValueError, RecursionError):
        raise TrialFailed(f"it is not complete JSON; it ends: {last_line(stripped)}") from None
    if not isinstance(raw, dict):
        raise TrialFailed("it is JSON, but no object")
    return set(raw)


def _fio(text: str) -> Export:
    document = output.parse(text)
    values, _ = fio_values(document)
    name = "+".join(dict.fromkeys(side.job for side in document.sides))
    trial = ExportedTrial(benchmark=name, values=values, latencies=fio_latencies(document))
    return Export(harness="fio", version=document.version, trials=(trial,), notes=document.notes)


def _hyperfine(text: str, name: str) -> Export:
    version, results = hyperfine.parse(text)
    trials = []
    for result in results:
        label = name_of(result.name, "a command (give it a name with --command-name)")
        for run in result.runs:
            if run.exit_code != 0:
                end = "by a signal" if run.exit_code is None else f"with status {run.exit_code}"
                message = f"a run of {label} ended {end}."
                cure = "Correct the command and measure again; do not ignore failures (-i)."
                raise MeasureError("G236", message, place=name, cure=cure)
            trials.append(ExportedTrial(benchmark=label, values=run.values))
    return Export(harness="hyperfine", version=version, trials=tuple(trials))


def _pytest(text: str) -> Export:
    version, benchmarks = pytest_benchmark.parse(text)
    if not benchmarks:
        raise TrialFailed("it holds no benchmark: nothing ran, or everything failed")
    trials = tuple(
        ExportedTrial(benchmark=name_of(test, "a test id"), values=values)
        for test, values in benchmarks.items()
    )
    return Export(harness="pytest-benchmark", version=version, trials=trials)


_GATES = {
    "fio": ("iops",),
    "hyperfine": ("cpu", "wall"),
    "pytest-benchmark": ("median",),
}
"""The metrics that an import gates on when it has them; the others are watched."""


def imported_session(
    exports: Sequence[Export],
    texts: Sequence[str],
    *,
    profile: str,
    tolerance: float,
    host: Host,
    boot: str,
    now: str,
) -> Session:
    """One complete session of all trials, which must be of one harness and version (G235)."""
    _refuse_mixture(exports)
    harness, version = exports[0].harness, exports[0].version
    trials = [trial for export in exports for trial in export.trials]
    counts = Counter(trial.benchmark for trial in trials)
    identity = _sha256("\0".join(sorted(texts)))
    metrics = _metrics(harness, trials, tolerance)
    return Session(
        schema=SCHEMA,
        id=f"imported-{identity[:16]}",
        profile=profile,
        profile_digest=f"imported:{_sha256(json.dumps([harness, sorted(counts)]))}",
        harness=harness,
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
        tools={harness: version},
        notes=tuple(note for export in exports for note in export.notes),
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _refuse_mixture(exports: Sequence[Export]) -> None:
    for one, kind, names in (
        ("harness", "harnesses", {export.harness for export in exports}),
        ("version", "major versions", {export.version.partition(".")[0] for export in exports}),
    ):
        if len(names) > 1:
            message = f"the files are of different {kind}: {', '.join(sorted(names))}."
            raise InputError("G235", message, cure=f"Import each {one} on its own.")


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
