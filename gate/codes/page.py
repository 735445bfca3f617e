"""What is told of one code; a module of its own, because pages stand in several files."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Page:
    """The page of one code."""

    title: str
    meaning: str
    cure: str
