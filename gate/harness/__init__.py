"""The programs that measure, behind one interface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.harness.fio import Fio
from gate.harness.hyperfine import Hyperfine
from gate.harness.instructions import Instructions
from gate.harness.pytest_benchmark import PytestBenchmark
from gate.harness.replay import Replay

if TYPE_CHECKING:
    from gate.harness.base import Harness

HARNESSES: dict[str, Harness] = {
    harness.name: harness
    for harness in (Fio(), Hyperfine(), PytestBenchmark(), Instructions(), Replay())
}
"""Every harness by the name that profiles use."""
