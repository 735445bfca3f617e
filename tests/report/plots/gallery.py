"""Plots at their limits: long names, many epochs, hundreds of dots, and nothing but equals."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.model import (
    Accepted,
    Better,
    Bill,
    Evidence,
    Latency,
    Level,
    Quantile,
    Share,
    Sweep,
    SweepPoint,
    Verdict,
)
from gate.report.html.html import _assets
from tests.report.build import finding
from tests.report.plots.drawn import of_bill, of_finding, of_latency, of_sweep

if TYPE_CHECKING:
    from gate.model import Finding

LONG = "W" * 300
_TAIL = (1.0, 50.0, 90.0, 99.0, 99.5, 99.9, 99.99, 99.999, 99.9999)


def accepted(made: Finding) -> dict[tuple[str, str], Accepted]:
    """Every session of a finding's history, some with a host that moved."""
    names = (*(one.session for one in made.evidence.earlier), *made.evidence.baseline_sessions)
    return {
        (made.profile, name): Accepted(
            profile=made.profile,
            session=name,
            started=f"2026-{n // 28 % 12 + 1:02d}-{n % 28 + 1:02d}T03:12:00Z",
            commit=f"{n:040x}",
            accepted="2026-11-02T00:00:00Z",
            by="ada",
            reason=f"reason {n // 20}",
            moved=("kernel 6.1 -> 6.2",) if n % 10 == 0 else (),
        )
        for n, name in enumerate(names)
    }


def sixty() -> Finding:
    """60 accepted sessions in 6 epochs."""
    rng = random.Random(3)
    made = finding(verdict=Verdict.REGRESSED, pairs=14, loss=0.11)
    earlier = tuple(
        Level(
            session=f"s{n}", epoch=n // 10 + 1, value=7e5 * (1 + n // 10 / 50 + rng.gauss(0, 0.004))
        )
        for n in range(50)
    )
    return replace(made, evidence=replace(made.evidence, epoch=6, earlier=earlier))


def crowded() -> Finding:
    """30 sessions of 10 trials in two heaps, 100 pairs, trials set aside, names of 300 letters."""
    rng = random.Random(4)
    made = finding(
        metric=LONG, unit="s", base=3.2e-6, loss=0.004, half=0.03, pairs=100, negligible=0.002
    )
    sessions = tuple(
        tuple(3.2e-6 * (1 + rng.choice((0, 0.03)) + rng.gauss(0, 0.004)) for _ in range(10))
        for _ in range(30)
    )
    shown = replace(
        made.evidence,
        baseline=sessions,
        baseline_sessions=tuple(f"{n}{LONG}"[:300] for n in range(30)),
        aside=(3.4e-6, 3.5e-6),
    )
    return replace(made, evidence=shown)


def equal() -> Finding:
    """Nothing but one value, one pair, and an interval without ends."""
    same = Evidence(
        baseline=((5.0,) * 3,) * 5, head=(5.0,) * 3, pairs_base=(5.0,), pairs_head=(5.0,)
    )
    made = finding(evidence=same, loss=0.0)
    return replace(made, base_value=5.0, head_value=5.0, loss_low=None, loss_high=None)


def nothing_before() -> Finding:
    """A base of zero and a tolerance far below the loss."""
    made = finding(unit="1", base=0.0, loss=900.0, half=20.0, strikes=3)
    return replace(made, base_value=0.0)


def _sweep(places: list[str]) -> Sweep:
    return Sweep(
        profile="p",
        group="g",
        parameter="iodepth",
        metric="iops",
        unit="op/s",
        better=Better.HIGHER,
        told="no longer grows beyond iodepth 32",
        points=tuple(
            SweepPoint(
                place=place,
                benchmark="b",
                base=7e5 * (1 - 2 ** -(n / 2 + 0.5)),
                head=None if n == 2 else 7e5 * (1 - 2 ** -(min(n, 4) / 2 + 0.5)),
                verdict=Verdict.REGRESSED if n > 5 else Verdict.PASSED,
            )
            for n, place in enumerate(places)
        ),
    )


def _latency(*, base: bool) -> Latency:
    return Latency(
        profile="p",
        benchmark="b",
        kind="read",
        trials_base=3 if base else 0,
        trials_head=3,
        points=tuple(
            Quantile(
                percentile=at,
                base=2e-5 * 3**n if base else None,
                head=3e-5 * 3**n,
                beyond=1e6 * (1 - at / 100),
            )
            for n, at in enumerate(_TAIL)
        ),
    )


def _bill(base: float | None) -> Bill:
    return Bill(
        profile="p",
        benchmark="b",
        word="I/O",
        trials_base=3,
        trials_head=3,
        base=base,
        head=9.9e-6,
        owners=(
            Share(name="kernel threads (loop)", base=1.1e-6, head=6.8e-6),
            Share(name=LONG, base=2e-6, head=2.1e-6),
        ),
        contexts=(Share(name="soft interrupts", base=None, head=5e-7),),
    )


def page() -> str:
    """All of them, with the style of a report."""
    lots = (sixty(), crowded(), equal(), nothing_before())
    plots = [
        *(of_finding(one, accepted(one)) for one in lots),
        of_sweep(_sweep([str(2**n) for n in range(9)])),
        of_sweep(_sweep([f"{LONG}{n}" for n in range(5)])),
        of_sweep(_sweep([str(n) for n in range(1, 31)])),
        of_latency(_latency(base=True)),
        of_latency(_latency(base=False)),
        of_bill(_bill(4.2e-6)),
        of_bill(_bill(None)),
    ]
    drawn = "".join(f'<div class="plots">{one}</div>' for one in plots)
    style = str(_assets().style)
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><title>plots</title>"
        f'<style>{style}</style><main class="v-regressed"><h1>Plots</h1>{drawn}</main>'
    )
