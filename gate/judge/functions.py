"""What each function of the kernel executes for one operation, over a session's trials."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from gate.model import TrialStatus

if TYPE_CHECKING:
    from gate.model import Session


def instructions_of(session: Session | None, benchmark: str) -> dict[str, float]:
    """Medians by function; empty where no trial that counts keeps them.

    A function that a trial does not name had none in it, or was among its smallest.
    """
    trials = [
        one.functions
        for one in (session.trials if session else ())
        if one.benchmark == benchmark and one.status is TrialStatus.OK and one.functions
    ]
    names = {name for one in trials for name in one}
    return {name: median(one.get(name, 0.0) for one in trials) for name in sorted(names)}
