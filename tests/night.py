"""Values of a parametrized test that only the night tries: `[*QUICK, *at_night(LONG)]`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable


def at_night(values: Iterable[Any]) -> list[Any]:
    """Each of these, marked; a tuple stands for several arguments."""
    return [
        pytest.param(*(one if isinstance(one, tuple) else (one,)), marks=pytest.mark.night)
        for one in values
    ]
