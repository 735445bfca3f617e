"""The torture run itself: a part of it finds nothing, and finds what is broken on purpose."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [
    pytest.mark.night,
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("cc") is None, reason="needs root and a C compiler"
    ),
]


@pytest.mark.parametrize("command", ["accept", "tune"])
def test_no_fault_loses_anything(command):
    """Every call of these two fails once in every way, or kills the gate."""
    words = [sys.executable, ROOT / ".ci/torture.py", "--only", command]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert ", 0 wrong, " in done.stdout
