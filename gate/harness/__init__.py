"""The programs that measure, behind one interface.

Each is imported when it is asked for: the measuring process holds the one that it runs, and no
other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.harness.base import Harness


def _fio() -> Harness:
    from gate.harness.fio.fio import Fio  # noqa: PLC0415

    return Fio()


def _hyperfine() -> Harness:
    from gate.harness.hyperfine import Hyperfine  # noqa: PLC0415

    return Hyperfine()


def _pytest_benchmark() -> Harness:
    from gate.harness.pytest_benchmark import PytestBenchmark  # noqa: PLC0415

    return PytestBenchmark()


def _instructions() -> Harness:
    from gate.harness.guest.instructions import Instructions  # noqa: PLC0415

    return Instructions()


def _replay() -> Harness:
    from gate.harness.replay import Replay  # noqa: PLC0415

    return Replay()


_MAKERS: dict[str, Callable[[], Harness]] = {
    "fio": cache(_fio),
    "hyperfine": cache(_hyperfine),
    "pytest-benchmark": cache(_pytest_benchmark),
    "instructions": cache(_instructions),
    "replay": cache(_replay),
}


class _Harnesses(Mapping[str, "Harness"]):
    def __getitem__(self, name: str) -> Harness:
        return _MAKERS[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(_MAKERS)

    def __len__(self) -> int:
        return len(_MAKERS)


HARNESSES = _Harnesses()
"""Every harness by the name that profiles use."""
