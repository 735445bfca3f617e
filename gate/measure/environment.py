"""The environment of what a trial runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gate.measure.runner_variables import is_runners

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.subject.command import ActiveSide


def child_environment(
    active: ActiveSide | None = None, own: Mapping[str, str] | None = None
) -> dict[str, str]:
    """What a harness sees: ours, in the C locale, the profile's `own`, the side's on top.

    Not ours: what is the gate's, and what the runner of a CI job gave to the gate alone
    (`is_runners`). What the profile or the command line names is given all the same.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GATE_") and not is_runners(name)
    }
    side = dict(active.environment) if active else {}
    return inherited | {"LC_ALL": "C.UTF-8"} | dict(own or {}) | side
