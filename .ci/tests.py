"""Runs every test: folders beside each other on all processors, then those that want to be alone.

    tests.py [PYTEST ARGUMENT...]

One pytest for each folder, the longest first, so that no processor waits for another. What a folder
printed is shown when it has ended, and at the end how long each one took. A folder that is named
nowhere runs beside the others like any: tests hold on a busy machine.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

TESTS = Path("tests")
ALONE = ("accounting", "profiles", "profiles_shipped")
"""Folders whose tests run what is shipped, or see least of a machine that is busy otherwise."""
LOOPS = ("host", "attack", "storage", "vm")
"""One after the other: a loop device that one lets go for a moment another would take."""
LONGEST = (
    *("measure", "report", "host", "hostile", "calibrate", "kernel", "again", "demo"),
    *("stats", "publish", "github", "judge"),
)
"""Folders that begin first, as measured; the others follow by the alphabet."""
BESIDE = max(2, min(4, os.cpu_count() or 2))
"""Folders at a time."""
NO_TESTS = 5
"""Exit status of pytest where a selection leaves nothing."""


class Ended(NamedTuple):
    """One folder's pytest."""

    names: str
    status: int
    seconds: float


def main(arguments: list[str]) -> int:
    """Run all folders, also after a failure; 0 only if every one of them passed."""
    found = {path.relative_to(TESTS).parts[0] for path in TESTS.rglob("test_*.py")}
    beside = sorted(found - {*ALONE, *LOOPS})
    loops = tuple(name for name in LOOPS if name in found)
    jobs = sorted([*((name,) for name in beside), *filter(None, [loops])], key=_first)
    with ThreadPoolExecutor(BESIDE) as pool:
        ended = list(pool.map(lambda names: run(names, arguments), jobs))
    ended += [run((name,), arguments) for name in sorted(found & {*ALONE})]
    for one in sorted(ended, key=lambda one: -one.seconds):
        what = {0: "passed", NO_TESTS: "none"}.get(one.status, "FAILED")
        print(f"{one.seconds:7.1f} s  {what:6}  {one.names}")
    return outcome([one.status for one in ended], selected=bool(arguments))


def outcome(statuses: Sequence[int], *, selected: bool) -> int:
    """A selection may leave nothing of a folder; a folder that is empty by itself is a mistake."""
    bad = [one for one in statuses if one and not (selected and one == NO_TESTS)]
    if bad:
        return abs(bad[0])
    return NO_TESTS if all(statuses) else 0


def run(names: Sequence[str], arguments: Sequence[str]) -> Ended:
    """One pytest of its own; what it said comes in one piece when it has ended."""
    began = time.monotonic()
    paths = [str(TESTS / name) for name in names]
    command = [sys.executable, "-m", "pytest", *paths, *arguments]
    with tempfile.TemporaryFile() as told:
        status = subprocess.run(command, check=False, stdout=told, stderr=told).returncode
        seconds = time.monotonic() - began
        told.seek(0)
        text = told.read()
    sys.stdout.buffer.write(f"== {' '.join(paths)}: {seconds:.1f} s\n".encode() + text)
    sys.stdout.buffer.flush()
    return Ended(" ".join(paths), status, seconds)


def _first(names: Sequence[str]) -> int:
    return _rank(names[0])


def _rank(name: str) -> int:
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
