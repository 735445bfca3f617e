"""The part of `docs/` that the program itself shows, from a wheel or from a checkout.

These texts are constants of the program that stand in files of their own: nothing of them depends
on the machine or on the project that is judged.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def docs_directory() -> Path:
    """Where the wheel puts these files, or else the folder of the checkout."""
    shipped = _PACKAGE / "shipped"
    return shipped if (shipped / "codes").is_dir() else _PACKAGE.parent / "docs"
