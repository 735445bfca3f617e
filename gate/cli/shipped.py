"""The profiles that come with the gate, from a wheel or from a checkout."""

from __future__ import annotations

from pathlib import Path

import gate
from gate.errors import InputError


def shipped_profiles() -> Path:
    """The directory of the shipped profiles.

    Raises:
        InputError: the installation lacks them.
    """
    package = Path(gate.__file__).resolve().parent
    for place in (package / "shipped" / "profiles", package.parent / "profiles"):
        if (place / "smoke-command.toml").is_file():
            return place
    raise InputError(
        "G201",
        "the shipped profiles are not part of this installation.",
        cure="Install the wheel or run from a checkout.",
        place=str(package),
    )
