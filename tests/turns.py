"""What is the whole machine's: loop devices, swap, real settings, the kernel's log. One test at a time has it.

Within one run of the tests the mark `MACHINE` gives all of them to one worker; between runs on one
host, a lock does.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

MACHINE = pytest.mark.xdist_group("machine")
_PLACES = (Path("/run/lock"), Path(tempfile.gettempdir()))
_LOCK = next(one for one in _PLACES if one.is_dir()) / "driftgate-tests-machine.lock"
_inside = [0]
"""How many blocks of this process have the machine: each may be inside another."""


@contextlib.contextmanager
def machine_to_ourselves() -> Iterator[None]:
    """Wait until no other test run on this host uses what is the machine's."""
    with contextlib.ExitStack() as until:
        if not _inside[0] and os.access(_LOCK.parent, os.W_OK):
            handle = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            until.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        _inside[0] += 1
        try:
            yield
        finally:
            _inside[0] -= 1
