"""How often the gate is right beside a noisy neighbour: real checks, unchanged and planted.

    make calibrate-live                      the whole table, some hours
    .venv/bin/python .ci/calibrate_live.py --checks 4 --kinds command
    .venv/bin/python .ci/calibrate_live.py --kinds --demos 20

A neighbour uses one processor in bursts while checks run, at default limits. Both sides are there;
each kind is checked with five sessions accepted before the neighbour came, and with no baseline.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

GATE = [sys.executable, "-m", "gate"]
_SESSIONS = 5
_BURSTS = """
import random, time
dice = random.Random(1)
while True:
    end = time.monotonic() + dice.uniform(0.2, 1.0)
    while time.monotonic() < end:
        sum(range(1000))
    time.sleep(dice.uniform(0.2, 1.0))
"""
_SPIN = "for _ in range({work}): sum(range(1000))\n"
_TEST = """def test_it(benchmark):
    benchmark.pedantic(lambda: [sum(range(1000)) for _ in range({work})], rounds=30)
"""
_FIO = """[r]
ioengine=psync
rw=randread
bs=4k
size=4m
time_based
runtime=400ms
thinktime=${PAUSE_US}
"""
_PROFILES = {
    # Of an interpreter that starts at once, so that a planted loss is that of the whole command.
    "command": (
        f'harness = "hyperfine"\ncommand = "{sys.executable} -I -S {{side}}/spin.py"\n'
        "[metric.cpu]\n"
    ),
    "pytest": (
        'harness = "pytest-benchmark"\ndirectory = "{side}"\ntests = ["test_it.py::test_it"]\n'
        "[metric.minimum]\n"
    ),
    "fio": 'harness = "fio"\njob = "jobs/read.fio"\n[metric.iops]\n',
}
_TOLERANCE = 0.05


class Row(NamedTuple):
    """What one kind of check came to."""

    kind: str
    baseline: bool
    planted: float
    statuses: tuple[int, ...]
    seconds: tuple[float, ...]

    def __str__(self) -> str:
        """A row of a Markdown table."""
        count = self.statuses.count
        other = len(self.statuses) - count(0) - count(10)
        cells = (
            self.kind,
            "yes" if self.baseline else "no",
            f"{self.planted:.0%}" if self.planted else "unchanged",
            len(self.statuses),
            count(0),
            count(10),
            other,
            f"{statistics.median(self.seconds):.1f} s",
        )
        return f"| {' | '.join(map(str, cells))} |"


_HEAD = """| kind | baseline | planted | checks | open | regressed | other | median time |
| --- | --- | --- | --: | --: | --: | --: | --: |"""


def _project(place: Path) -> None:
    (place / "profiles/jobs").mkdir(parents=True)
    (place / "profiles/jobs/read.fio").write_text(_FIO, encoding="utf-8")
    (place / "empty").mkdir()
    for name, text in _PROFILES.items():
        whole = f'{text}tolerance = "{_TOLERANCE:.0%}"\n'
        (place / f"profiles/{name}.toml").write_text(whole, encoding="utf-8")


def _side(place: Path, loss: float) -> None:
    place.mkdir()
    (place / "spin.py").write_text(_SPIN.format(work=round(16000 * (1 + loss))), encoding="utf-8")
    (place / "test_it.py").write_text(_TEST.format(work=round(200 * (1 + loss))), encoding="utf-8")


def _gate(place: Path, *words: str) -> int:
    done = subprocess.run([*GATE, *words], cwd=place, capture_output=True, text=True, check=False)
    return done.returncode


def _pauses(loss: float) -> list[str]:
    return ["--base-env", "PAUSE_US=300", "--head-env", f"PAUSE_US={round(300 * (1 + loss))}"]


@contextmanager
def _neighbour() -> Iterator[None]:
    with subprocess.Popen([sys.executable, "-c", _BURSTS]) as process:
        try:
            yield
        finally:
            process.kill()


def _baselines(place: Path, kinds: list[str]) -> None:
    for kind in kinds:
        sides = ["--base", "base", "--head", "same", *(_pauses(0.0) if kind == "fio" else [])]
        words = [kind, *sides, "--side", "base", "--repeat", str(_SESSIONS), "--out", "sessions"]
        status = _gate(place, "run", *words)
        found = [str(path) for path in (place / "sessions").glob(f"{kind}-*.json")]
        if status or _gate(place, "baseline", "accept", *found, "--reason", "a first baseline"):
            raise SystemExit(f"no baseline of {kind}: the machine must be quiet before it begins")


def _row(place: Path, kind: str, *, baseline: bool, planted: float, checks: int) -> Row:
    statuses, seconds = [], []
    head = f"head-{planted:g}"
    for number in range(checks):
        out = f"out/{kind}-{baseline}-{planted:g}-{number}"
        words = ["--base", "base", "--head", head, *(_pauses(planted) if kind == "fio" else [])]
        words += ["--baseline", "baselines" if baseline else "empty", "--out", out]
        began = time.monotonic()
        statuses.append(_gate(place, "check", kind, *words, "--quiet", "--no-why"))
        seconds.append(time.monotonic() - began)
    return Row(kind, baseline, planted, tuple(statuses), tuple(seconds))


def _demos(place: Path, count: int) -> tuple[int, ...]:
    """Exit statuses of the demo: 0 where it was open and closed as it should be."""
    statuses = []
    for number in range(1, count + 1):
        began = time.monotonic()
        statuses.append(_gate(place, "demo", "--out", "demo"))
        took = f"{time.monotonic() - began:.0f} s"
        print(f"demo {number} of {count}: exit status {statuses[-1]} after {took}", flush=True)
    return tuple(statuses)


def main() -> int:
    """Print the table; 1 where an unchanged check was called regressed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the neighbour ends, too
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--checks", type=int, default=40, help="of each row")
    parser.add_argument("--kinds", nargs="*", default=list(_PROFILES), choices=list(_PROFILES))
    parser.add_argument("--losses", nargs="+", type=float, default=[0.0, 0.1])
    parser.add_argument("--demos", type=int, default=20, help="how often the demo is run, too")
    parser.add_argument("--json", type=Path, help="write the raw rows there")
    asked = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(prefix="calibrate-live-") as name:
        place = Path(name)
        _project(place)
        _side(place / "base", 0.0)
        _side(place / "same", 0.0)
        for loss in asked.losses:
            _side(place / f"head-{loss:g}", loss)
        _baselines(place, asked.kinds)
        print(_HEAD, flush=True)
        todo = [(k, b, p) for k in asked.kinds for b in (True, False) for p in asked.losses]
        random.Random(1).shuffle(todo)
        with _neighbour():
            for kind, baseline, planted in todo:
                row = _row(place, kind, baseline=baseline, planted=planted, checks=asked.checks)
                rows.append(row)
                print(row, flush=True)
            demos = _demos(place, asked.demos)
            print(f"demo: {demos.count(0)} of {len(demos)} open and closed as they should be")
    if asked.json:
        asked.json.write_text(json.dumps([row._asdict() for row in rows]), encoding="utf-8")
    return int(any(10 in row.statuses for row in rows if not row.planted))


if __name__ == "__main__":
    sys.exit(main())
