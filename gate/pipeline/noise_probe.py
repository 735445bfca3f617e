"""The noise probe of a host: pieces of fixed work take turns, and the noise of each is shown."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from gate.errors import MeasureError
from gate.host.controls import calibrate_repetitions, pieces
from gate.pipeline.progress import ProgressDisplay
from gate.pipeline.subprocess_call import call_in_subprocess
from gate.units import percent, show_duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from gate.host.controls import Work
    from gate.measure.process.stop import Stop
    from gate.model.disturbance import HostNoise

ALPHA, BETA = 0.01, 0.025
"""The gate's usual error bounds."""
_LEAST_ROUNDS = 5
_STEP = 10.0
"""Seconds between two lines of progress where no terminal shows it live."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """What a probe has shown."""

    seconds: float
    """That it took, calibration included."""
    written: int
    """Bytes that its file piece wrote, those of the calibration included."""
    repeats: Mapping[str, int]
    """Parts in a trial of each piece."""
    noises: Mapping[str, HostNoise]


def probe(directory: Path, seconds: float, stop: Stop, *, quiet: bool) -> Probe:
    """Let the pieces take turns for so many seconds, each trial in a fresh process.

    Raises:
        InputError: G244, the directory has no room.
        MeasureError: G244, a piece of work failed.
        StopRequested: a signal came; what ran is dead.
    """
    began = time.monotonic()
    show = _ProbeProgress(seconds, quiet=quiet)
    try:
        repeats, took, written = _measure(pieces(directory), seconds, stop, show)
    except (OSError, RuntimeError) as error:
        raise MeasureError(
            "G244",
            f"the noise probe could not run its work: {error}.",
            cure="See that the work directory can be written and that no process is killed.",
            place=str(directory),
        ) from error
    finally:
        show.done()
    return Probe(
        seconds=time.monotonic() - began,
        written=written,
        repeats=repeats,
        noises=call_in_subprocess(stop, _noises, took),
    )


def _measure(
    works: Mapping[str, Work], seconds: float, stop: Stop, show: _ProbeProgress
) -> tuple[dict[str, int], dict[str, list[float]], int]:
    """Parts in a trial and seconds of each trial, by piece, and the bytes written in all."""
    sized = {
        name: call_in_subprocess(stop, calibrate_repetitions, name, run)
        for name, run in works.items()
    }
    written = sum(one.written for one in sized.values())
    took: dict[str, list[float]] = {name: [] for name in works}
    for turn in count():
        if turn >= _LEAST_ROUNDS and time.monotonic() - show.began >= seconds:
            break
        for name, run in works.items():
            done = call_in_subprocess(stop, run, sized[name].repeats)
            took[name].append(done.seconds)
            written += done.written
            show.trial(name, took)
    return {name: one.repeats for name, one in sized.items()}, took, written


def _noises(took: Mapping[str, Sequence[float]]) -> dict[str, HostNoise]:
    from gate.stats.probe import host_noise  # noqa: PLC0415 - after measuring

    return {name: host_noise(times, alpha=ALPHA, beta=BETA) for name, times in took.items()}


class _ProbeProgress(ProgressDisplay):
    """Progress that is written between trials, and never while one runs."""

    def __init__(self, seconds: float, *, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self._seconds = seconds
        self.began = self._printed = time.monotonic()

    def trial(self, name: str, took: Mapping[str, Sequence[float]]) -> None:
        now = time.monotonic()
        line = f"noise probe: {name}, {sum(map(len, took.values()))} trials"
        left = f", {show_duration(self._seconds - (now - self.began))} left"
        if self.live:
            self.rewrite(line, left)
        elif now - self._printed >= _STEP:
            self._printed = now
            self.say(line + left)


def as_text(found: Probe) -> Iterator[str]:
    """The result in lines of at most 80 columns."""
    noises = found.noises
    shown = ", ".join(f"{name} {_percent(one.noise)}" for name, one in noises.items())
    one = next(iter(noises.values()))
    yield f"noise of a trial: {shown} ({one.trials} trials of each)"
    yield "smallest loss that can be told, by trials a side:"
    heads = [f"{n} trial{'s' * (n > 1)}" for n in one.detectable]
    yield from _table(heads, {name: noise.detectable for name, noise in noises.items()})
    yield "smallest tolerance that the gate's pairs can hold, at most so many:"
    heads = [f"{n} pairs" for n in one.with_pairs]
    yield from _table(heads, {name: noise.with_pairs for name, noise in noises.items()})
    for name, noise in noises.items():
        if noise.drifts:
            yield f"{name}: neighbouring trials are alike ({noise.alike:.2f}), the host drifts:"
            yield "  many trials in a row tell less than this; pairs back to back tell more"


def _table(heads: Sequence[str], rows: Mapping[str, Mapping[int, float]]) -> Iterator[str]:
    yield "          " + "".join(f" {head:>10}" for head in heads)
    for name, figures in rows.items():
        yield f"  {name:<8}" + "".join(f" {_percent(value):>10}" for value in figures.values())


def _percent(value: float) -> str:
    return "none" if math.isinf(value) else percent(value, signed=False)


def as_data(found: Probe) -> dict[str, object]:
    """Every figure; a loss that cannot be told is null."""
    return {
        "seconds": found.seconds,
        "written": found.written,
        "alpha": ALPHA,
        "beta": BETA,
        "pieces": [
            {
                "name": name,
                "repeats": found.repeats[name],
                "trials": one.trials,
                "typical": one.typical,
                "noise": one.noise,
                "slowest": one.slowest,
                "autocorrelation": one.alike,
                "drifts": one.drifts,
                "detectable": _finite(one.detectable),
                "with_pairs": _finite(one.with_pairs),
            }
            for name, one in found.noises.items()
        ],
    }


def _finite(figures: Mapping[int, float]) -> dict[str, float | None]:
    return {str(n): None if math.isinf(value) else value for n, value in figures.items()}
