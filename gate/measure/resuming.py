"""Which unfinished session may go on: the same thing, on the same machine, since the same boot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.measure.opening import planted_loss
from gate.model.moved import moved

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.measure.sitting import Sitting
    from gate.model import Session, Side, Stage

_STAYS = "Start a new session; this one stays as it is."


def check_resumable(
    session: Session, sitting: Sitting, side: Side, stage: Stage, path: Path
) -> None:
    """A session is one side and stage of one profile text, on one host, one boot, one subject.

    Raises:
        InputError: G221, naming what differs.
    """
    subject = sitting.sides[side].subject
    for what, theirs, ours in (
        ("side", session.side.value, side.value),
        ("stage", session.stage.value, stage.value),
        ("profile", session.profile, sitting.profile.name),
        ("profile text", session.profile_digest, sitting.profile.digest),
        ("host class", session.host.host_class, sitting.host.host_class),
        ("host", session.host.fingerprint, sitting.host.fingerprint),
        # Where each trial is a boot of its own, that one is proven with it.
        ("boot", session.boot, sitting.boot),
        ("tools", _told(session.tools), _told(sitting.tools)),
        ("planted loss", f"{session.planted:g}", f"{planted_loss(sitting, side):g}"),
        (f"content of the {side.value} side", session.subject.proof, subject.proof),
        *(
            (f"host's {fact.key}", *fact.shown)
            for fact in moved(session.host.epoch, sitting.host.epoch)
        ),
    ):
        if theirs != ours:
            raise InputError(
                "G221",
                f"session {session.id} cannot be resumed: its {what} is "
                f"{theirs[:80] or 'unknown'}, now {ours or 'unknown'}.",
                cure=_STAYS,
                place=str(path),
            )
    known = {benchmark.name for benchmark in sitting.profile.benchmarks}
    planned = {plan.benchmark for plan in session.planned}
    strays = sorted((planned - known) | ({t.benchmark for t in session.trials} - planned))
    if strays or not planned:
        shown = f": {strays[0][:80]}" if strays else ", or none"
        message = f"session {session.id} cannot be resumed: it plans or holds other benchmarks"
        raise InputError("G221", f"{message}{shown}.", cure=_STAYS, place=str(path))


def _told(tools: Mapping[str, str]) -> str:
    """Versions of programs as one line."""
    return ", ".join(f"{name} {version}" for name, version in sorted(tools.items()))
