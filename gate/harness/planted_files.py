"""What stands in the way of a harness: files in the work directory that are not what they seem."""

from __future__ import annotations

import os
import stat


def irregular(path: str) -> str:
    """Why what is there must not be opened for writing; empty for a plain file or none at all."""
    try:
        seen = os.stat(path)  # noqa: PTH116 - many calls
    except FileNotFoundError:
        # A link that leads nowhere: its target would be made.
        return "is a link to nothing" if os.path.islink(path) else ""  # noqa: PTH114 - a name, no path
    except OSError:
        return "is no plain file"
    if not stat.S_ISREG(seen.st_mode):
        return "is no plain file"
    return "is a file that has another name elsewhere" if seen.st_nlink > 1 else ""
