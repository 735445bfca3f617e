"""Sides that the user's own commands activate, prove and deactivate.

For what no gate can know: a lab controller, kexec, firmware, a remote target. The commands say by
their exit status whether it worked; what `prove` prints is the proof, which must stay the same for
a side and differ between the sides.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from gate.subject.switch import NotActive, Words

if TYPE_CHECKING:
    from gate.model import Activation, Side
    from gate.subject.command import ActiveSide
    from gate.subject.switch import Run

_LONGEST_PROOF = 300


class Custom:
    """Keeps a side active until the other one is wanted."""

    held = True

    def __init__(self, subject: Activation, run: Run) -> None:
        self._subject, self._run = subject, run
        self._active: ActiveSide | None = None
        self._proofs: dict[Side, str] = {}

    def activate(self, side: ActiveSide) -> str:
        """Activate the side, unless it is, and prove it."""
        if self._active is None or self._active.side is not side.side:
            self._active = side  # also where it fails half way: then there is something to undo
            self._do("activate", self._subject.activate, side)
        return self._proven(side)

    def prove(self, side: ActiveSide) -> None:
        """Ask again, and compare with what was said before."""
        self._proven(side)

    def deactivate(self) -> None:
        """Put things back, once."""
        side, self._active = self._active, None
        if side is not None and self._subject.deactivate:
            self._do("deactivate", self._subject.deactivate, side)

    def _proven(self, side: ActiveSide) -> str:
        said = " ".join(self._do("prove", self._subject.prove, side).split())
        proof = "".join(c for c in said if c.isprintable())[:_LONGEST_PROOF]
        name = side.side.value
        if not proof:
            raise NotActive(f"the {name} side is not proven: `prove` printed nothing")
        before = self._proofs.setdefault(side.side, proof)
        if before != proof:
            raise NotActive(f"the {name} side was proven by {before!r}, and now says {proof!r}")
        for other, known in self._proofs.items():
            if other is not side.side and known == proof:
                raise NotActive(f"both sides prove the same, {proof!r}: one of them is not active")
        return proof

    def _do(self, key: str, command: str, side: ActiveSide) -> str:
        text = command.replace("{side}", shlex.quote(str(side.directory or "")))
        said = self._run(Words(("sh", "-c", text), side.environment, self._subject.timeout))
        if said.timed_out:
            limit = f"{self._subject.timeout:g} s"
            raise NotActive(f"`{key}` of the {side.side.value} side took more than {limit}")
        if said.status != 0:
            last = (said.errors or said.output).strip().splitlines()[-1:] or ["it said nothing"]
            raise NotActive(
                f"`{key}` of the {side.side.value} side ended with status {said.status}: {last[0]}"
            )
        return said.output
