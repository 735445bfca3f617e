"""Are pairs quieter when both sides run at the same time, on processors that they swap?

    .venv/bin/python .ci/together.py [PAIRS]     some minutes; prints a Markdown table

A command that uses the processor alone is run against itself: in turn, and at once on two
processors, which change sides from pair to pair; alone on the machine, beside a neighbour that uses
one processor in bursts, and beside one on each. Scatter is the robust standard deviation of the
log ratios of the two sides.
"""

from __future__ import annotations

import math
import os
import random
import subprocess
import sys
import time
from contextlib import ExitStack
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_WORK = "for _ in range(8000): sum(range(1000))"
_BURSTS = """
import random, sys, time
dice = random.Random(sys.argv[1])
while True:
    end = time.monotonic() + dice.uniform(0.2, 1.0)
    while time.monotonic() < end:
        sum(range(1000))
    time.sleep(dice.uniform(0.2, 1.0))
"""
Cost = tuple[float, float]
"""Seconds on the wall, and of the processor."""


def _start(cpu: int | None) -> tuple[subprocess.Popen[bytes], float]:
    pinned = [] if cpu is None else ["taskset", "--cpu-list", str(cpu)]
    return subprocess.Popen([*pinned, sys.executable, "-c", _WORK]), time.monotonic()


def _end(process: subprocess.Popen[bytes], began: float) -> Cost:
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return time.monotonic() - began, used.ru_utime + used.ru_stime


def in_turn(dice: random.Random, _: tuple[int, int]) -> tuple[Cost, Cost]:
    """One after the other, in random order, wherever the kernel puts them."""
    first, second = _end(*_start(None)), _end(*_start(None))
    return (first, second) if dice.random() < 0.5 else (second, first)


def together(dice: random.Random, cpus: tuple[int, int]) -> tuple[Cost, Cost]:
    """At once, on processors that are dealt anew."""
    one, other = dice.sample(cpus, 2)
    started = _start(one), _start(other)
    costs: dict[int, Cost] = {}
    waiting = dict(enumerate(started))
    while waiting:
        number = next((n for n, (p, _) in waiting.items() if _has_ended(p)), None)
        if number is None:
            time.sleep(0.0005)
            continue
        costs[number] = _end(*waiting.pop(number))
    return costs[0], costs[1]


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def scatter(take: Callable[..., tuple[Cost, Cost]], pairs: int, cpus: tuple[int, int]) -> Cost:
    """Robust standard deviation of the log ratios: wall time, CPU time."""
    dice = random.Random(1)
    rows = [take(dice, cpus) for _ in range(pairs)]
    wall, cpu = ([math.log(a[i] / b[i]) for a, b in rows] for i in (0, 1))
    return _scale(wall), _scale(cpu)


def _scale(values: list[float]) -> float:
    centre = median(values)
    return 1.4826 * median(abs(one - centre) for one in values)


def main() -> int:
    """Print the table."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    cpus = tuple(sorted(os.sched_getaffinity(0)))[:2]
    if len(cpus) < 2:
        raise SystemExit("two processors are needed")
    print("| neighbours | pairs | wall time | CPU time |\n| --: | --- | --: | --: |")
    for neighbours in (0, 1, 2):
        with ExitStack() as stack:
            for number in range(neighbours):
                words = [sys.executable, "-c", _BURSTS, str(number)]
                stack.callback(stack.enter_context(subprocess.Popen(words)).kill)
            for name, take in (("in turn", in_turn), ("together", together)):
                wall, cpu = scatter(take, pairs, cpus)
                print(f"| {neighbours} | {name} | {wall:.1%} | {cpu:.1%} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
