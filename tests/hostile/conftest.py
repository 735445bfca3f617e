"""The projects that are attacked, made once."""

from __future__ import annotations

import pytest
from hostile.making import Honest
from hostile.project import attacked


@pytest.fixture(scope="session")
def roots(tmp_path_factory):
    """The two repositories, and what an honest machine sent for each."""
    return Roots(
        (slow, attacked(tmp_path_factory.mktemp("slow" if slow else "fine"), slow=slow))
        for slow in (False, True)
    )


class Roots(dict):
    """A table that is short in what a failing test tells."""

    def __repr__(self):
        return "the two repositories"


@pytest.fixture(scope="session")
def honest(roots):
    """The handovers that hostile files are made of."""
    return Honest(roots[False].sent, roots[True].sent, roots[False].accepted)
