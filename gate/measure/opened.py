"""A sitting while something is measured in it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from gate.measure.activating import put_back
from gate.measure.storage_of_sitting import storage_open

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.measure.sitting import Sitting


@contextmanager
def sitting_open(sitting: Sitting) -> Iterator[None]:
    """Inside, the sitting's storage may be written; at the end no side is active any more.

    Raises:
        InputError: the device may not be written any more.
        MeasureError: its file system cannot be made, or the subject cannot be put back.
    """
    with put_back(sitting.switch), storage_open(sitting):
        yield
