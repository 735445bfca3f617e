"""Whether a machine is fit to measure on: one answer per question, each with its cure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gate.model.strictness import STRICT


class Answer(StrEnum):
    """What a readiness check says."""

    OK = "ok"
    OFF = "off"
    """Not as it should be for measuring."""
    UNKNOWN = "unknown"
    """The machine does not tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """One readiness check of a machine."""

    __pydantic_config__ = STRICT

    name: str
    """`governor`."""
    answer: Answer
    value: str
    """As measured: `powersave on 8 of 8 processors`."""
    wanted: str
    """`performance`."""
    why: str
    """What it does to a measurement, in one sentence."""
    cure: str = ""
    """The command or the step that mends it; empty where it is ok."""
