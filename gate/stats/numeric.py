"""numpy, loaded here alone, without the threads of OpenBLAS.

OpenBLAS starts a thread for each further processor when it is loaded, and every one of them spins
for a tenth of a second before it sleeps: a quarter of what judging a session takes. Nothing here
multiplies matrices. The variable that says so is put back at once, because programs that the gate
starts later are measured in the environment of its caller.
"""

from __future__ import annotations

import os

_THREADS = "OPENBLAS_NUM_THREADS"
_before = os.environ.get(_THREADS)
os.environ[_THREADS] = "1"
try:
    import numpy as np
finally:
    if _before is None:
        del os.environ[_THREADS]
    else:
        os.environ[_THREADS] = _before

__all__ = ["np"]
