"""The report of a check that could not be judged: closed, with the reason and no findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import SCHEMA, Report, SuitePromise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Edit

ERROR = "error"
"""The verdict of such a report; no finding has it."""
_LONGEST = 4000
NOTHING = "nothing was judged, and a gate that judged nothing is closed"


def failed_report(
    *,
    code: str,
    message: str,
    exit_status: int,
    created: str,
    version: str,
    profiles: Sequence[str] = (),
    edits: Sequence[Edit] = (),
) -> Report:
    """A closed report that says why there is no verdict.

    `code` and `message` are those of the error, `exit_status` is what it ends with, `created` the
    UTC time to print, `version` the gate's own. It promises nothing, as nothing was compared.

    Raises:
        ValueError: the exit status is 0, which is that of an open gate.
    """
    if exit_status == 0:
        what = "an error has no exit status 0"
        raise ValueError(what)
    said = f"{code}: {' '.join(message.split())[:_LONGEST]}"
    return Report(
        schema=SCHEMA,
        gate="closed",
        verdict=ERROR,
        exit_status=exit_status,
        headline=f"gate closed: {ERROR}: {said}",
        created=created,
        profiles=tuple(sorted(set(profiles))),
        findings=(),
        host=None,
        tools={"driftgate": version},
        notes=(said, f"{NOTHING}; `gate explain {code}` tells more"),
        promise=SuitePromise(alpha=0.0, beta=0.0, metrics_judged=0, metrics_flagged=0),
        edits=tuple(edits),
    )
