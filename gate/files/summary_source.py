"""A summary file while it is read: its text for lines, and the wording of what is wrong in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.errors import InputError
from gate.files import lines

if TYPE_CHECKING:
    from pathlib import Path

    from gate.files.summary_form import SummaryForm

_LONGEST_NAME = 500


@dataclass(frozen=True, slots=True)
class SummarySource:
    """One file on its way from form to model."""

    path: Path
    text: str
    form: SummaryForm
    data: dict[str, Any]
    """What the file holds, before it was checked: only here numbers know their digits."""

    def wrong(self, message: str, *path: str | int, cure: str) -> InputError:
        """The error for a key of the file."""
        key = ".".join(map(str, path))
        line = lines.toml_line(self.text, path)
        return InputError("G206", f"{key}: {message}.", cure=cure, place=f"{self.path}:{line}")

    def check_name(self, said: str, *path: str | int) -> None:
        """Refuse what cannot be shown.

        Raises:
            InputError: it is empty, long, or holds what no terminal prints.
        """
        if not said.strip() or not said.isprintable() or len(said) > _LONGEST_NAME:
            cure = f"Write one line of at most {_LONGEST_NAME} characters."
            raise self.wrong(f"{said[:80]!r} is no printable text", *path, cure=cure)
