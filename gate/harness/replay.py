"""The replay harness: plays recorded values, so that the whole gate can be tried in a moment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import TrialFailed, TrialTimeout
from gate.formats.profile.metric_kinds import MetricKind, replay_kinds
from gate.formats.strict import document, export, finite, items, mapping, quote
from gate.harness.base import Harness, Reading
from gate.harness.process import Clock, demand, finish
from gate.model import Value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.harness.base import TrialContext
    from gate.model import Profile

_ACTS = "fail, timeout, hang, nan, inf, zero"


class Replay(Harness):
    """Plays the values of a JSON file; the i-th trial of a benchmark and side is the i-th value."""

    name = "replay"
    kinds: Mapping[str, MetricKind] = {}
    """Open: `replay_kinds` reads them from the file."""

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Give the version of this harness; nothing else is needed."""
        return {"replay": "1"}

    def check(self, context: TrialContext) -> None:
        """Refuse a file that cannot be read."""
        replay_kinds(_path(context))

    def trial(self, context: TrialContext) -> Reading:
        """Play one trial."""
        path = _path(context)
        raw = mapping(document(export(path, "the recording"), "the recording"), "the recording")
        kinds = replay_kinds(path)
        delay = finite(raw.get("delay", 0), "delay")
        if delay > 0:
            _sleep(context, f"{delay:f}")
        values = tuple(
            Value(metric=metric, value=_play(context, metric, row))
            for metric, row in _series(raw, context).items()
        )
        demand(context, kinds, values, {})
        return Reading(values=values)


def _path(context: TrialContext) -> Path:
    if context.profile.work.replay_file is None:
        message, cure = "the profile names no recording.", 'Add file = "recording.json".'
        raise context.error("G235", message, cure)
    return Path(context.profile.work.replay_file)


def _series(raw: dict[str, object], context: TrialContext) -> dict[str, list[object]]:
    name, side = context.benchmark.name, context.side.value
    benchmarks = mapping(raw.get("benchmarks"), "benchmarks")
    if name not in benchmarks:
        raise TrialFailed(f"the recording has no benchmark {name}")
    sides = mapping(benchmarks[name], f"benchmark {name}")
    if side not in sides:
        raise TrialFailed(f"the recording has no {side} side of {name}")
    rows = mapping(sides[side], f"{side} of {name}")
    return {metric: items(row, f"{metric} of {name}") for metric, row in rows.items()}


def _play(context: TrialContext, metric: str, row: list[object]) -> float:
    """One recorded value, or the failure it acts."""
    if context.index >= len(row):
        raise TrialFailed(f"the recording ends after {len(row)} trials of {context.benchmark.name}")
    value = row[context.index]
    match value:
        case "fail":
            raise TrialFailed("the recorded trial failed")
        case "timeout":
            raise TrialTimeout("the recorded trial was killed: its time was up")
        case "hang":
            _sleep(context, "3600")
            raise TrialFailed("the recorded trial hung")
        case "nan" | "inf":
            raise TrialFailed(f"{metric} is {value}: that is no finite number")
        case "zero":
            return 0.0
        case str():
            raise TrialFailed(f"the recording says {quote(value)}; known are {_ACTS}")
    return finite(value, f"{metric} of {context.benchmark.name}")


def _sleep(context: TrialContext, seconds: str) -> None:
    """Run a real child, so that time limits and interruptions can be tried."""
    finish(Clock(context).run(("sleep", seconds), Path(context.profile.root)), "the recorded trial")
