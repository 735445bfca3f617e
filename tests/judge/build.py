"""Sessions and baselines as values, small enough to be read in a test."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gate.judge.judge import judge
from gate.judge.verdict.suite import Policy, arrange
from gate.measure.order import block_order
from gate.model import (
    SCHEMA,
    AcceptedSession,
    Baseline,
    BaselinePoint,
    BaselineSeries,
    Benchmark,
    Better,
    Host,
    Metric,
    Planned,
    Profile,
    Session,
    Side,
    Source,
    Stage,
    State,
    Subject,
    Trial,
    TrialStatus,
    Value,
    Work,
)
from gate.model.plan import block_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.model import Finding, Report

WALL = Metric(name="wall", unit="s", better=Better.LOWER)
HOST = Host(host_class="lab", fingerprint="f", stable={"cpu": "x"}, epoch={"kernel": "6.1"})
LEVELS = (1.0, 1.003, 0.998, 1.001, 0.9985)
"""Five accepted sessions."""
TRIALS = (1.0, 1.002, 0.9985)
"""Three trials of a session at level 1."""

Rows = "Mapping[str, Sequence[Any]]"


def at(level: float, trials: Sequence[float] = TRIALS) -> tuple[float, ...]:
    """Trials of one session at a level."""
    return tuple(level * one for one in trials)


def session(rows: Mapping[str, Any] | None = None, **more: Any) -> Session:
    """A whole head session; `rows` is benchmark -> values of `wall`, or -> metric -> values.

    A value None is a trial that failed. Fields of the session can be given by name; `planned`
    is taken from the rows unless given, `pair_numbers` makes the trials of a confirming session.
    `controls` names the benchmarks that are controls, `builtin` gives the runs of built-in ones.
    """
    rows = {"b": TRIALS} if rows is None else rows
    pairs = more.pop("pair_numbers", False)
    controls, builtin = more.pop("controls", ()), more.pop("builtin", {})
    metrics = more.pop("metrics", (WALL,))
    stage = more.get("stage", Stage.SCREEN)
    trials: list[Trial] = []
    counts = {}
    for benchmark, one in rows.items():
        columns = one if isinstance(one, dict) else {metrics[0].name: one}
        lines = list(itertools.zip_longest(*columns.values(), fillvalue="absent"))
        counts[benchmark] = len(lines)
        for index, line in enumerate(lines):
            values = tuple(
                Value(metric=name, value=value)
                for name, value in zip(columns, line, strict=True)
                if value is not None and value != "absent"
            )
            trials.append(
                Trial(
                    benchmark=benchmark,
                    sequence=len(trials),
                    stage=stage,
                    status=TrialStatus.FAILED if None in line else TrialStatus.OK,
                    started="2026-01-10T00:00:00Z",
                    duration=1.0,
                    values=values,
                    pair=index if pairs else None,
                    slot=_slot(benchmark, more.get("side", Side.HEAD), index) if pairs else None,
                    note="it fell over" if None in line else "",
                )
            )
    planned = tuple(
        Planned(benchmark=name, trials=0 if pairs else count, control=name in controls)
        for name, count in counts.items()
    )
    made = Session(
        schema=SCHEMA,
        id="head-1",
        profile="p",
        profile_digest="sha256:1",
        harness="replay",
        side=Side.HEAD,
        stage=stage,
        subject=Subject(),
        host=HOST,
        boot="boot-0",
        started="2026-01-10T00:00:00Z",
        ended="2026-01-10T00:01:00Z",
        seed=1,
        state=State.COMPLETE,
        source=Source.MEASURED,
        sides=False,
        planned=planned,
        metrics=metrics,
        trials=tuple(trials),
        tools={"replay": "1.2"},
        controls=builtin,
    )
    return replace(made, **more)


def _slot(benchmark: str, side: Side, pair: int) -> int:
    """Where a trial of a pair runs in its block."""
    return block_order(1, benchmark, block_of(pair)).index((side, pair))


def strikes(levels: Sequence[float], name: str = "b", **more: Any) -> list[Session]:
    """Further head sessions of one benchmark, one per level."""
    return [
        session({name: at(level)}, id=f"strike-{i}", started=f"2026-01-11T00:{i:02}:00Z", **more)
        for i, level in enumerate(levels)
    ]


def pair_sessions(
    base: Mapping[str, Sequence[Any]], head: Mapping[str, Sequence[Any]], **more: Any
) -> list[Session]:
    """The two confirming sessions of pairs."""
    common = {"stage": Stage.CONFIRM, "pair_numbers": True, "sides": True} | more
    return [
        session(base, id="pairs-base", side=Side.BASE, **common),
        session(head, id="pairs-head", side=Side.HEAD, **common),
    ]


def pairs(
    loss: float, count: int = 30, name: str = "b", noise: float = 0.004, level: float = 1.0
) -> list[Session]:
    """Pairs with a steady loss and a little noise that has no side; the base is at a level."""
    base = [level * (1 + noise * ((7 * i) % 5 - 2) / 2) for i in range(count)]
    head = [level * (1 + loss) * (1 + noise * ((3 * i) % 5 - 2) / 2) for i in range(count)]
    return pair_sessions({name: base}, {name: head})


def accepted(number: int, **more: Any) -> AcceptedSession:
    """The facts of the accepted session of that number."""
    made = AcceptedSession(
        id=f"a{number:02}",
        profile_digest="sha256:1",
        started=f"2026-01-{number + 1:02}T00:00:00Z",
        boot=f"boot-{number}",
        commit="",
        subject="",
        tools={"replay": "1.2"},
        epoch_facts={"kernel": "6.1"},
        fingerprint="f",
        accepted="2026-01-09T00:00:00Z",
        by="me",
        reason="first",
    )
    return replace(made, **more)


def series(
    name: str = "b",
    levels: Sequence[float] = LEVELS,
    *,
    metric: Metric = WALL,
    trials: Sequence[float] = TRIALS,
    epochs: Sequence[int] | None = None,
) -> BaselineSeries:
    """An accepted series with one session per level."""
    return BaselineSeries(
        benchmark=name,
        metric=metric.name,
        unit=metric.unit,
        better=metric.better,
        points=tuple(
            BaselinePoint(
                session=f"a{i:02}", epoch=epochs[i] if epochs else 1, values=at(level, trials)
            )
            for i, level in enumerate(levels)
        ),
    )


def baseline(*rows: BaselineSeries, **more: Any) -> Baseline:
    """A baseline of these series; by default of one quiet benchmark `b`."""
    rows = rows or (series(),)
    made = Baseline(
        profile="p",
        profile_digest="sha256:1",
        harness="replay",
        host_class="lab",
        stable={"cpu": "x"},
        sessions=tuple(accepted(i) for i in range(max(len(row.points) for row in rows))),
        series=tuple(sorted(rows, key=lambda row: (row.benchmark, row.metric))),
    )
    return replace(made, **more)


def decide(
    sessions: Session | Sequence[Session],
    baselines: Baseline | Sequence[Baseline] | None = None,
    *,
    profile: Profile | None = None,
    **policy: Any,
) -> Report:
    """The report on these sessions; by default against `baseline()`."""
    given = [sessions] if isinstance(sessions, Session) else list(sessions)
    known = [baseline()] if baselines is None else baselines
    known = [known] if isinstance(known, Baseline) else list(known)
    cases = arrange(given, known, {profile.name: profile} if profile else {})
    return judge(cases, Policy(**policy), created="2026-01-10T00:00:00Z", version="0")


def reviewed(*names: str, metrics: Sequence[Metric] = (WALL,), **more: Any) -> Profile:
    """A reviewed profile of these benchmarks (default `b`), matching `session()`."""
    made = Profile(
        name="p",
        path="profiles/p.toml",
        root=".",
        harness="replay",
        about="",
        digest="sha256:1",
        work=Work(),
        benchmarks=tuple(Benchmark(name=name) for name in names or ("b",)),
        metrics=tuple(metrics),
    )
    return replace(made, **more)


def only(report: Report, name: str = "b", metric: str = "wall") -> Finding:
    """The finding of one series."""
    (found,) = (f for f in report.findings if (f.benchmark, f.metric) == (name, metric))
    return found


def outcome(report: Report, name: str = "b", metric: str = "wall") -> tuple[str, str, int]:
    """Code and verdict of one series, and the exit status of the whole."""
    found = only(report, name, metric)
    return found.code, found.verdict.value, report.exit_status
