"""What a guest is asked to measure: written by the gate around it, for the gate inside.

Pickled, as only the machine that booted the guest writes it, and only that guest reads it. What
comes back is a session file, read as strictly as any other.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from gate.model import Changes, Profile, Side


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestRequest:
    """One boot's trials of one benchmark."""

    profile: Profile
    """With the one benchmark, and nothing to activate any more."""
    side: Side
    trials: int
    directory: Path
    environment: dict[str, str]
    """Of the side."""
    tools: dict[str, str]
    changes: Changes | None
    """What differs between the sides, if the guest is to look what of it the trials call."""


def write_request(path: Path, request: GuestRequest) -> None:
    """Write it where the guest looks.

    Raises:
        OSError: it cannot be written.
    """
    path.write_bytes(pickle.dumps(request))


def read_request(path: Path) -> GuestRequest:
    """Inside the guest: what is to be measured."""
    found: GuestRequest = pickle.loads(path.read_bytes())  # noqa: S301 - of the gate around us
    return found
