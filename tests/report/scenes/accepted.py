"""The accepted sessions of a profile: three epochs, who opened them, and why."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from gate.measure.groups import derived_values
from gate.model import (
    AcceptedSession,
    Baseline,
    BaselinePoint,
    BaselineSeries,
    Value,
    applies,
    plan_of,
)
from tests.report.scenes.loads import SAME, figures, level
from tests.report.scenes.machine import EPOCH, HOST, OLD, OLDER, STABLE, controls

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.model import Profile
    from tests.report.scenes.profiles import Known


class _Night(NamedTuple):
    """One accepted session."""

    day: str
    epoch: int
    shift: float
    """Of the rate, against today's."""
    facts: dict[str, str]
    by: str
    reason: str


_ERIKA, _JONAS = "Erika Muster", "Jonas Beispiel"
_NIGHTS = (
    _Night("2026-06-02", 1, 0.94, OLDER, _ERIKA, "first baseline"),
    _Night("2026-06-09", 1, 0.94, OLDER, _ERIKA, "weekly"),
    _Night("2026-07-14", 2, 0.96, OLD, _JONAS, "firmware of the processors is mandatory (OPS-311)"),
    _Night("2026-07-21", 2, 0.96, OLD, _JONAS, "weekly"),
    _Night("2026-07-28", 2, 0.96, OLD, _ERIKA, "weekly"),
    _Night("2026-09-01", 3, 1.0, {}, _ERIKA, "kernel 6.17: fewer locks in the block layer"),
    *(
        _Night(f"2026-{month:02}-{day:02}", 3, 1.0, {}, _JONAS if day % 2 else _ERIKA, "weekly")
        for month, days in ((9, (8, 15, 22, 29)), (10, (6, 13, 20, 27)), (11, (10,)))
        for day in days
    ),
)


def accepted_baseline(known: Known) -> Baseline:
    """Fifteen accepted sessions of three trials each, ten of them of the current epoch."""
    profile = known.profile
    series: dict[tuple[str, str], list[BaselinePoint]] = {}
    sessions = []
    for number, night in enumerate(_NIGHTS):
        name = f"{night.day.replace('-', '')}T0312-{number:02}a"
        for key, values in _session(known, night).items():
            point = BaselinePoint(session=name, epoch=night.epoch, values=values)
            series.setdefault(key, []).append(point)
        sessions.append(_facts(profile, name, night, number))
    kinds = {metric.name: metric for metric in profile.metrics}
    return Baseline(
        profile=profile.name,
        profile_digest=profile.digest,
        harness=profile.harness,
        host_class=HOST.host_class,
        stable=STABLE,
        sessions=tuple(sessions),
        series=tuple(
            BaselineSeries(
                benchmark=benchmark,
                metric=metric,
                unit=kinds[metric].unit,
                better=kinds[metric].better,
                made=kinds[metric].made,
                points=tuple(points),
            )
            for (benchmark, metric), points in sorted(series.items())
        ),
        path=f"baselines/{HOST.host_class}/{profile.name}.toml",
    )


def _facts(profile: Profile, name: str, night: _Night, number: int) -> AcceptedSession:
    return AcceptedSession(
        id=name,
        profile_digest=profile.digest,
        started=f"{night.day}T03:12:44Z",
        boot=f"boot-{number}",
        commit=f"{number:02x}c0ffee1b3f5d7c9e0a2b4c6d8e0f1a3b5c7d",
        subject="nvme.ko of main",
        tools={"fio": "3.41"} if profile.harness == "fio" else {"hyperfine": "1.20.0"},
        epoch_facts=EPOCH | night.facts,
        fingerprint=HOST.fingerprint,
        accepted=f"{night.day}T09:30:00Z",
        by=night.by,
        reason=night.reason,
        controls=controls(random.Random(f"{profile.name}/{number}")),
        duration=2300.0,
    )


def _session(known: Known, night: _Night) -> dict[tuple[str, str], tuple[float, ...]]:
    """The values of every series, curves included."""
    dice = random.Random(f"{known.profile.name}/{night.day}")
    wanted = {metric.name for metric in known.profile.metrics}
    trials: dict[str, list[tuple[Value, ...]]] = {}
    for load in known.loads:
        at = level(load, dice, night.shift)
        trials[load.name] = [figures(load, SAME, at, dice).values for _ in range(3)]
    found: dict[tuple[str, str], list[float]] = {}
    for name, rows in (*trials.items(), *_curves(known.profile, trials).items()):
        for row in rows:
            for value in row:
                if value.metric in wanted:
                    found.setdefault((name, value.metric), []).append(value.value)
    return {key: tuple(values) for key, values in found.items()}


def _curves(
    profile: Profile, trials: Mapping[str, list[tuple[Value, ...]]]
) -> dict[str, list[tuple[Value, ...]]]:
    """What the groups make of their points."""
    params = {each.name: each.params for each in profile.benchmarks}
    found = {}
    for group in (each for each in profile.benchmarks if each.group):
        places = [params[name][group.group] for name in group.members]
        metrics = [one for one in profile.metrics if applies(one, plan_of(profile, group, 0))]
        found[group.name] = [
            derived_values(group, places, {n: trials[n][i] for n in group.members}, metrics)[0]
            for i in range(3)
        ]
    return found
