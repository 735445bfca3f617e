"""numpy is loaded without threads that spin, and nobody else's programs notice."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

CHILD = """
import os
before = dict(os.environ)
from gate.stats import numeric
assert dict(os.environ) == before, "the environment of what is measured later has changed"
print(len(os.listdir("/proc/self/task")), float(numeric.np.float64(0.5)))
"""


@pytest.mark.parametrize("given", [{}, {"OPENBLAS_NUM_THREADS": "7"}])
def test_loading_starts_no_thread_and_leaves_the_environment_alone(given):
    """One thread, whatever the caller says of OpenBLAS, and that is said still."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD],
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["1", "0.5"]
