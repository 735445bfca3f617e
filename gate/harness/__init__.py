"""The programs that measure, behind one interface.

Each is imported when it is asked for: the measuring process holds the one that it runs, and no
other.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.harness.base import Harness

HARNESSES = {
    "fio": ("fio.fio", "Fio"),
    "hyperfine": ("hyperfine", "Hyperfine"),
    "pytest-benchmark": ("pytest_benchmark", "PytestBenchmark"),
    "instructions": ("guest.instructions", "Instructions"),
    "replay": ("replay", "Replay"),
}
"""Module and class of every harness, by the name that profiles use."""


@cache
def load_harness(name: str) -> Harness:
    """The harness of that name, one of `HARNESSES`."""
    module, maker = HARNESSES[name]
    harness: Harness = getattr(import_module(f"gate.harness.{module}"), maker)()
    return harness
