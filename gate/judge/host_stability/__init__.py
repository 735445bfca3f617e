"""Does the host still stand where it stood when the baseline was accepted?

Asked of the built-in controls (`controls`), and of the host's epoch facts, the benchmarks that no
change can reach and the scatter of all trials (`standing`, whose `host_refusal` gives the first
reason why it does not). Here stands what a host may move by and still be judged on; moves are logs
of ratios.
"""

from __future__ import annotations

import math

ERRORS = 6.0
"""Standard errors that any control may be off: only gross failures of the host count."""
CONTROL_BENCHMARK = 0.02
"""A control benchmark that moved by less condemns no host, however quiet it was."""
BUILTIN = math.log1p(0.03)
"""The same of a built-in control, where the accepted sessions are of `SITTINGS` or more."""
BUILTIN_OF_FEW = math.log1p(0.15)
"""And where they are of fewer."""
BLIND = math.log1p(0.25)
"""A built-in control that bears more than this tells nothing of a host."""
SITTINGS = 5
"""Sittings are of different boots, or begin in different hours."""
NEWEST = 10
"""Accepted sessions that count: a host that stays moved is itself again after a few more."""
MEANWHILE = math.log1p(0.05)
"""A built-in control moves by less between the halves of a session."""
HALF = 4
"""Runs in each half that can show whether it moved."""
SCATTER = 4.0
"""Times the accepted scatter of trials: recorded sittings lie within 1.5, bad ones at 30."""
SCATTERING = 5
"""Fewer metrics than this may scatter by bad luck or by the change itself."""
