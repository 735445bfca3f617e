"""Where the gate keeps what it must find again after a crash, outside every repository."""

from __future__ import annotations

import os
from pathlib import Path

SYSTEM = Path("/var/lib/driftgate")
"""For root, whose changes concern the whole machine."""


def state_directory() -> Path:
    """The directory for this user; it need not exist yet."""
    if os.geteuid() == 0:
        return SYSTEM
    given = os.environ.get("XDG_STATE_HOME", "")
    base = Path(given) if Path(given).is_absolute() else Path.home() / ".local/state"
    return base / "driftgate"
