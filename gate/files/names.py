"""Names that become file names: of profiles and of host classes."""

from __future__ import annotations

RESERVED = ("calibration", "host")
"""`calibration.toml` and `host.toml` stand beside the baselines of a class."""
_LONGEST = 100

RULE = f"at most {_LONGEST} printable characters without a slash, not starting with . or -"


def is_plain(name: str) -> bool:
    """Whether a file may be called so, wherever the name came from."""
    return (
        0 < len(name.encode("utf-8", "replace")) <= _LONGEST
        and name.isprintable()
        and "/" not in name
        and name[0] not in ".-"
        and name == name.strip()
        and name not in RESERVED
    )
