"""Does the host still stand where it stood when the baseline was accepted?

Asked of the built-in controls (`controls`), and of the host's epoch facts, the benchmarks that no
change can reach and the scatter of all trials (`standing`, whose `host_refusal` gives the first
reason why it does not). All limits stand here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HostStabilityLimits:
    """What a host may move by and still be judged on; moves are logs of ratios."""

    errors: float = 6.0
    """Standard errors that any control may be off: only gross failures of the host count."""
    control_benchmark: float = 0.02
    """A control benchmark that moved by less condemns no host, however quiet it was."""
    builtin: float = math.log1p(0.03)
    """The same of a built-in control, where the accepted sessions are of `sittings` or more."""
    builtin_of_few: float = math.log1p(0.15)
    """And where they are of fewer."""
    sittings: int = 5
    """Sittings are of different boots, or begin in different hours."""
    newest: int = 10
    """Accepted sessions that count: a host that stays moved is itself again after a few more."""
    meanwhile: float = math.log1p(0.05)
    """A built-in control moves by less between the halves of a session."""
    half: int = 4
    """Runs in each half that can show whether it moved."""
    scatter: float = 4.0
    """Times the accepted scatter of trials: recorded sittings lie within 1.5, bad ones at 30."""
    scattering: int = 5
    """Fewer metrics than this may scatter by bad luck or by the change itself."""


LIMITS = HostStabilityLimits()
