"""What activates a side of a subject, proves it, and puts things back.

Sides that the user's own commands activate, prove and deactivate.

For what no gate can know: a lab controller, kexec, firmware, a remote target. The commands say by
their exit status whether it worked; what `prove` prints is the proof, which must stay the same for
a side and differ between the sides.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Protocol

from gate.linux.shell import sh_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gate.model import Activation, Side
    from gate.subject.command import ActiveSide

    Run = Callable[[tuple[str, ...], Mapping[str, str], float], str]
    """Runs a program to its end: its words, variables beside the usual ones, seconds; its output.

    Raises `CommandFailed`.
    """


class NotActive(Exception):
    """A side could not be activated or is not proven; the message says why, in one sentence."""


class CommandFailed(NotActive):
    """A program did not end well; the message says how, and `said` is its last line."""

    def __init__(self, ending: str, said: str) -> None:
        super().__init__(ending)
        self.said = said


class Switch(Protocol):
    """Brings one side at a time into force; a step that is not possible raises `NotActive`."""

    held: bool
    """Whether a side stays active from one of its trials to the next."""

    def activate(self, side: ActiveSide) -> str:
        """Make a side the active one and prove it; gives its proof, in a line."""
        ...

    def prove(self, side: ActiveSide) -> None:
        """Prove that the side is still active, and nothing else was meanwhile."""
        ...

    def deactivate(self) -> None:
        """Put things back as they were; nothing where no side is active."""
        ...


_LONGEST_PROOF = 300


class Custom:
    """Keeps a side active until the other one is wanted."""

    held = True

    def __init__(self, subject: Activation, run: Run) -> None:
        self._subject, self._run = subject, run
        self._active: ActiveSide | None = None
        self._proofs: dict[Side, str] = {}
        for line in (subject.activate, subject.prove, subject.deactivate):
            sh_words(line, os.environ)  # a pipe that cannot be run is refused before any is

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
        try:
            words = sh_words(text, os.environ | side.environment)
            return self._run(words, side.environment, self._subject.timeout)
        except CommandFailed as failure:
            raise NotActive(f"`{key}` of the {side.side.value} side {failure}") from None
