"""Whether all jobs together let a change in: what the one job that a branch requires is asked.

GitHub lets a skipped required job count as a success, so this must run always and read every way
in which a job can end without a verdict as closed. It loads nothing but the standard library.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from gate.errors import InputError

OPEN = "open"
LARGEST = 1 << 20
"""Bytes of `toJSON(needs)` that are read."""
MOST_JOBS = 500

_LONGEST_NAME = 100
_ENDINGS = {
    "failure": "failed",
    "cancelled": "cancelled or superseded",
    "skipped": "never ran: it was skipped",
    "": "no runner answered",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job that was needed."""

    name: str
    """Letters, digits, `_` and `-` only; anything else reads as `?`."""
    result: str
    """`success`, `failure`, `cancelled`, `skipped`, or empty; cleaned like the name."""
    gate: str | None
    """What the job gave as output `gate`; None where it gave none."""
    reason: str
    """Half a sentence for a reader: how it ended."""
    stops: bool
    """Whether this job alone keeps the gate closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All jobs together."""

    open: bool
    headline: str
    """One sentence with the reason."""
    jobs: tuple[Job, ...]


def answer_of(text: str) -> Answer:
    """Open only when every job succeeded and each that gave a verdict, one at least, gave `open`.

    Raises:
        InputError: G205 or G206: this is not GitHub's `toJSON(needs)`.
    """
    needs = _parse(text)
    jobs = tuple(_job(name, told) for name, told in sorted(needs.items()))
    stopping = [job for job in jobs if job.stops]
    if stopping:
        shown = "; ".join(f"{job.name}: {job.reason}" for job in stopping[:5])
        more = f"; and {len(stopping) - 5} more" if len(stopping) > 5 else ""
        return Answer(open=False, headline=f"gate closed: {shown}{more}", jobs=jobs)
    told = sum(job.gate is not None for job in jobs)
    if not told:
        return Answer(open=False, headline="gate closed: no job gave a verdict", jobs=jobs)
    return Answer(open=True, headline=f"gate open: {_count(told, len(jobs))}", jobs=jobs)


def _count(told: int, jobs: int) -> str:
    verdicts = "1 verdict says open" if told == 1 else f"all {told} verdicts say open"
    return f"{verdicts}, {'the only job' if jobs == 1 else f'all {jobs} jobs'} succeeded"


def _job(name: str, told: Any) -> Job:
    """How one job ended, in plain words."""
    if not isinstance(told, dict) or "result" not in told:
        raise _wrong(f"the job {_plain(name)} has no result")
    result, outputs = told["result"], told.get("outputs")
    if not (result is None or isinstance(result, str)):
        raise _wrong(f"the result of the job {_plain(name)} is no text")
    if not (outputs is None or isinstance(outputs, dict)):
        raise _wrong(f"the outputs of the job {_plain(name)} are no table")
    outputs = outputs or {}
    gate = outputs.get("gate")
    given = None if gate is None else gate if isinstance(gate, str) else "?"
    said = _said(given, outputs.get("verdict"))
    ended = _ended(result or "")
    return Job(
        name=_plain(name),
        result=_plain(result or ""),
        gate=None if given is None else _plain(given),
        reason="; ".join(part for part in (ended, said) if part) or "succeeded",
        stops=bool(ended) or given not in {None, OPEN},
    )


def _ended(result: str) -> str:
    """What kept a job from succeeding; empty where it succeeded."""
    if result == "success":
        return ""
    return _ENDINGS.get(result) or f'ended in an unknown way, "{_plain(result)}"'


def _said(gate: str | None, verdict: Any) -> str:
    """What a job said of the gate; empty where it said nothing."""
    if gate is None:
        return ""
    worst = f", {_plain(verdict)}" if isinstance(verdict, str) and verdict else ""
    if gate in {OPEN, "closed"}:
        return f"the gate is {gate}{worst}"
    if not gate:
        return "its verdict is empty"
    return f'says "{_plain(gate)}" in place of open or closed'


def _plain(text: str) -> str:
    """Nothing that a terminal, a runner or Markdown could take for more than a name."""
    return re.sub(r"[^A-Za-z0-9_-]", "?", text[:_LONGEST_NAME])


def _parse(text: str) -> dict[str, Any]:
    """The table of jobs."""
    if len(text.encode("utf-8", "replace")) > LARGEST:
        raise _wrong(f"it is larger than {LARGEST >> 20} MiB")
    try:
        found = json.loads(text, object_pairs_hook=_unique)
    except RecursionError as error:
        raise _wrong("it is nested too deep", "G205") from error
    except ValueError as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise _wrong(f"it is not JSON{where}, or a key stands twice", "G205") from error
    if not isinstance(found, dict):
        raise _wrong("it is no table of jobs")
    if not found:
        raise _wrong("it names no job")
    if len(found) > MOST_JOBS:
        raise _wrong(f"it names more than {MOST_JOBS} jobs")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        message = "a key stands twice"
        raise ValueError(message)
    return found


def _wrong(what: str, code: str = "G206") -> InputError:
    return InputError(
        code,
        f"--needs cannot be used: {what}.",
        cure="Give it `${{ toJSON(needs) }}` in a job that needs all the others.",
    )
