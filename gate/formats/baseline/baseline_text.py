"""The form of a baseline, and its canonical text for the reviewer of a pull request.

One block per series, one short line per session in it, then one block per accepted session with
who and why. Sorted, so that two branches that touch different benchmarks merge. The line that
opens an epoch carries a comment that says what moved and why.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, PositiveFloat

from gate.formats import toml
from gate.formats.document import Form
from gate.model import SCHEMA, Better
from gate.model.host import changed_facts, describe_changed
from gate.units import percent, show, show_pair

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gate.model import AcceptedSession, Baseline, BaselinePoint, BaselineSeries


def baseline_text(baseline: Baseline) -> str:
    """The canonical text: equal baselines give equal bytes."""
    head = [
        "# Accepted measurements. Written by `gate baseline accept`; read the epochs' comments.",
        f"schema = {SCHEMA}",
        *_pairs(baseline, ("profile", "host_class", "harness", "profile_digest")),
    ]
    known = {session.id: session for session in baseline.sessions}
    series = sorted(baseline.series, key=lambda s: (s.benchmark, s.metric))
    blocks = [line for one in series for line in _series_lines(one, known)]
    sessions = sorted(baseline.sessions, key=lambda session: session.id)
    facts = [line for session in sessions for line in _session_lines(session)]
    return "\n".join([*head, *blocks, *facts, ""])


def _pairs(owner: object, names: Iterable[str]) -> list[str]:
    return toml.pairs({name: getattr(owner, name) for name in names})


def _session_lines(session: AcceptedSession) -> list[str]:
    always = ("reason", "by", "accepted", "started", "commit", "subject", "boot", "fingerprint")
    rarely = ("dirty", "duration", "kernel_build", "kernel_config", "environment", "controls")
    return [
        "",
        f"[session.{toml.value(session.id)}]",
        *_pairs(session, always),
        f"digest = {toml.value(session.profile_digest)}",
        *_pairs(session, ("tools", "epoch_facts")),
        *_pairs(session, (name for name in rarely if getattr(session, name))),
    ]


def _series_lines(series: BaselineSeries, known: Mapping[str, AcceptedSession]) -> list[str]:
    lines = [
        "",
        f"[series.{toml.value(series.benchmark)}.{toml.value(series.metric)}]",
        *_pairs(series, ("unit", "better", "made") if series.made else ("unit", "better")),
        "sessions = [",
    ]
    before: BaselinePoint | None = None
    for point in series.points:
        if before is None or before.epoch != point.epoch:
            lines.append(f"  # {_epoch_comment(series, before, point, known)}")
        values = [*map(float, point.values)]
        row = {"session": point.session, "epoch": point.epoch, "median": median(values)}
        lines.append(f"  {{ {', '.join(toml.pairs(row | {'values': values}))} }},")
        before = point
    return [*lines, "]"]


def _epoch_comment(
    series: BaselineSeries,
    before: BaselinePoint | None,
    point: BaselinePoint,
    known: Mapping[str, AcceptedSession],
) -> str:
    """What a reviewer reads in the diff: from, to, how much, why. One line, no control codes.

    Where facts of the host moved with it, they stand before the reason.
    """
    session = known.get(point.session)
    now = median(point.values)
    level = show(now, series.unit)
    if before is not None:
        was = median(before.values)
        step = now / was - 1 if was else None
        level = f"{show_pair(was, now, series.unit)} ({percent(step)})"
        last = known.get(before.session)
        facts = changed_facts(last.epoch_facts, session.epoch_facts) if last and session else ()
        level += f", on the host {describe_changed(facts)}" if facts else ""
    text = f"epoch {point.epoch}: {level}, because: {session.reason if session else ''}"
    return "".join(c if c.isprintable() else " " for c in text)


class SessionForm(Form):
    """`[session."ID"]`: one accepted session."""

    reason: str = Field(min_length=1)
    by: str
    accepted: str
    started: str
    commit: str = ""
    subject: str = ""
    boot: str = ""
    fingerprint: str = ""
    digest: str
    tools: dict[str, str] = {}
    epoch_facts: dict[str, str] = {}
    duration: float = Field(default=0.0, ge=0)
    kernel_build: str = Field(default="", pattern=r"^[0-9a-f]{0,128}$")
    kernel_config: str = Field(default="", pattern=r"^([0-9a-f]{16})?$")
    dirty: bool = False
    environment: dict[str, str] = {}
    controls: dict[str, Annotated[list[PositiveFloat], Field(min_length=1, max_length=100)]] = {}


class PointForm(Form):
    """One line of a series."""

    session: str
    epoch: int = Field(ge=1)
    median: float
    values: list[float] = Field(min_length=1, max_length=1000)


class SeriesForm(Form):
    """`[series."BENCHMARK"."METRIC"]`."""

    unit: str
    better: Better
    made: str = ""
    sessions: list[PointForm] = Field(min_length=1)


class BaselineForm(Form, title="driftgate baseline"):
    """The accepted sessions of one host class and profile."""

    schema_number: int = Field(alias="schema")
    profile: str
    host_class: str
    harness: str
    profile_digest: str
    session: dict[str, SessionForm] = {}
    series: dict[str, dict[str, SeriesForm]] = {}
