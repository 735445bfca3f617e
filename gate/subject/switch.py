"""What activates a side of a subject, proves it, and puts things back."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from gate.subject.command import ActiveSide

    Run = Callable[["Words"], "Said"]


class NotActive(Exception):
    """A side could not be activated or is not proven; the message says why, in one sentence."""


class Words(NamedTuple):
    """A program to run to its end."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    """Beside the usual ones."""
    timeout: float


class Said(NamedTuple):
    """How it ended."""

    status: int
    output: str
    errors: str
    timed_out: bool


class Switch(Protocol):
    """Brings one side at a time into force."""

    held: bool
    """Whether a side stays active from one of its trials to the next."""

    def activate(self, side: ActiveSide) -> str:
        """Make a side the active one and prove it; gives its proof, in a line.

        Raises:
            NotActive: it cannot be activated, or is not what it claims to be.
        """
        ...

    def prove(self, side: ActiveSide) -> None:
        """Prove that the side is still active, and nothing else was meanwhile.

        Raises:
            NotActive: it is not.
        """
        ...

    def deactivate(self) -> None:
        """Put things back as they were; nothing where no side is active.

        Raises:
            NotActive: that is not possible now.
        """
        ...
