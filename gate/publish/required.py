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
    stops: bool
    """Whether this job alone keeps the gate closed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsVerdict:
    """All jobs together."""

    open: bool
    headline: str
    jobs: tuple[Job, ...]


def judge_jobs(text: str) -> JobsVerdict:
    """Open only when all jobs succeeded and each that gave a verdict, one at least, gave `open`."""
    jobs = tuple(_job(name, entry) for name, entry in sorted(_parse_needs(text).items()))
    stopping = [job for job in jobs if job.stops]
    if stopping:
        shown = "; ".join(f"{job.name}: {job.reason}" for job in stopping[:5])
        more = f"; and {len(stopping) - 5} more" if len(stopping) > 5 else ""
        return JobsVerdict(open=False, headline=f"gate closed: {shown}{more}", jobs=jobs)
    verdicts = sum(job.gate is not None for job in jobs)
    if not verdicts:
        return JobsVerdict(open=False, headline="gate closed: no job gave a verdict", jobs=jobs)
    say = "1 verdict says open" if verdicts == 1 else f"all {verdicts} verdicts say open"
    succeeded = "the only job" if len(jobs) == 1 else f"all {len(jobs)} jobs"
    return JobsVerdict(open=True, headline=f"gate open: {say}, {succeeded} succeeded", jobs=jobs)


def _job(name: str, entry: Any) -> Job:
    if not isinstance(entry, dict) or "result" not in entry:
        raise _unusable(f"the job {_mask(name)} has no result")
    result, outputs = entry["result"], entry.get("outputs")
    if not (result is None or isinstance(result, str)):
        raise _unusable(f"the result of the job {_mask(name)} is no text")
    if not (outputs is None or isinstance(outputs, dict)):
        raise _unusable(f"the outputs of the job {_mask(name)} are no table")
    outputs = outputs or {}
    gate = outputs.get("gate")
    given = None if gate is None else gate if isinstance(gate, str) else "?"
    verdict = _gate_in_words(given, outputs.get("verdict"))
    unknown = f'ended in an unknown way, "{_mask(result or "")}"'
    failure = "" if result == "success" else _ENDINGS.get(result or "", unknown)
    return Job(
        name=_mask(name),
        result=_mask(result or ""),
        gate=None if given is None else _mask(given),
        reason="; ".join(part for part in (failure, verdict) if part) or "succeeded",
        stops=bool(failure) or given not in {None, OPEN},
    )


def _gate_in_words(gate: str | None, verdict: Any) -> str:
    """What a job said of the gate; empty where it said nothing."""
    if gate is None:
        return ""
    worst = f", {_mask(verdict)}" if isinstance(verdict, str) and verdict else ""
    if gate in {OPEN, "closed"}:
        return f"the gate is {gate}{worst}"
    if not gate:
        return "its verdict is empty"
    return f'says "{_mask(gate)}" in place of open or closed'


def _mask(text: str) -> str:
    """Nothing that a terminal, a runner or Markdown could take for more than a name."""
    return re.sub(r"[^A-Za-z0-9_-]", "?", text[:_LONGEST_NAME])


def _parse_needs(text: str) -> dict[str, Any]:
    if len(text.encode("utf-8", "replace")) > LARGEST:
        raise _unusable(f"it is larger than {LARGEST >> 20} MiB")
    try:
        found = json.loads(text, object_pairs_hook=_refuse_double_keys)
    except RecursionError as error:
        raise _unusable("it is nested too deep", "G205") from error
    except ValueError as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise _unusable(f"it is not JSON{where}, or a key stands twice", "G205") from error
    if not isinstance(found, dict):
        raise _unusable("it is no table of jobs")
    if not found:
        raise _unusable("it names no job")
    if len(found) > MOST_JOBS:
        raise _unusable(f"it names more than {MOST_JOBS} jobs")
    return found


def _refuse_double_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _unusable(what: str, code: str = "G206") -> InputError:
    cure = "Give it `${{ toJSON(needs) }}` in a job that needs all the others."
    return InputError(code, f"--needs cannot be used: {what}.", cure=cure)
