"""A process that computes, and says when it really has: on a loud machine that takes its time."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

BURNT = 0.3
"""Seconds of a processor that each call burns."""
_SPIN = f"""
import time
while input():
    end = time.process_time() + {BURNT}
    while time.process_time() < end:
        pass
    print("burnt", flush=True)
"""


class Hog:
    """Burns processor time when it is told to, however long that takes beside others."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.pid, self._process = process.pid, process

    def burn(self, _seconds: float = 0.0) -> None:
        """Return when another `BURNT` seconds of a processor were used."""
        self._process.stdin.write("burn\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "burnt\n"


@contextmanager
def hog() -> Iterator[Hog]:
    """One that waits for its orders."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", _SPIN], **pipes) as process:
        try:
            yield Hog(process)
        finally:
            process.kill()
