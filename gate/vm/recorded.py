"""`changed-functions.json` in a side's directory: what `gate build-kernel` saw to differ.

It is bound to both kernels by their build-ids, and of no use for any other two.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NAME = "changed-functions.json"
_SCHEMA = 1
_LARGEST = 1 << 26
KINDS = ("changed", "added", "removed")


def recorded_text(build_ids: tuple[str, str], functions: Mapping[str, str]) -> str:
    """The file's text: the build-ids of base and head, and what happened to each function."""
    base, head = build_ids
    told = {"schema": _SCHEMA, "base": base, "head": head, "functions": dict(functions)}
    return json.dumps(told, indent=1) + "\n"


def read_recorded(directory: Path, build_ids: tuple[str, str]) -> dict[str, str] | str:
    """What was recorded of two kernels; or, in words, why nothing of use was."""
    path = directory / NAME
    try:
        if path.stat().st_size > _LARGEST:
            return f"{NAME} is too large"
        told = json.loads(path.read_bytes())
        functions, ids = told["functions"], (told["base"], told["head"])
        known = told["schema"] == _SCHEMA and all(kind in KINDS for kind in functions.values())
    except FileNotFoundError:
        return f"there is no {NAME}, as `gate build-kernel` writes it"
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return f"{NAME} cannot be read"
    if not known:
        return f"{NAME} cannot be read"
    if ids != build_ids:
        return f"{NAME} is of other kernels"
    return {str(name): str(kind) for name, kind in functions.items()}
