"""The errors a user can cause or meet. Each names the place, what is wrong, and the cure."""

from __future__ import annotations

_LONGEST_PLACE = 500
"""Characters of a path that a message repeats; its end tells most."""


class GateError(Exception):
    """An error with its own exit status and a page in `gate explain`."""

    status = 2
    """Exit status: usage or configuration, unless a subclass says otherwise."""

    def __init__(self, code: str, message: str, *, cure: str = "", place: str = "") -> None:
        """`place` is `file` or `file:line`; `cure` is one sentence that tells what to do."""
        super().__init__(code, message)  # as `args`, so that a child process can hand it over
        self.code = code
        self.message = message
        self.cure = cure
        self.place = place

    def __str__(self) -> str:
        """One paragraph: place, message, cure."""
        cut = len(self.place) > _LONGEST_PLACE
        place = f"…{self.place[-_LONGEST_PLACE:]}" if cut else self.place
        place = f"{place}: " if place else ""
        cure = f" {self.cure}" if self.cure else ""
        return f"{place}{self.message}{cure}"


class InputError(GateError):
    """A file, option or setting is wrong (exit status 2)."""


class NothingCompared(GateError):
    """There was nothing to measure or to compare (exit status 3)."""

    status = 3


class MeasureError(GateError):
    """A measurement could not be made (exit status 4)."""

    status = 4


class CannotJudge(GateError):
    """What was measured cannot be compared (exit status 5)."""

    status = 5


class PublishError(GateError):
    """What was judged could not be told where it belongs (exit status 6)."""

    status = 6


class Interrupted(GateError):
    """The user or the system stopped the run (exit status 128 + signal)."""

    def __init__(self, signal_number: int, message: str, *, cure: str = "") -> None:
        """`signal_number` is 2 for SIGINT, 15 for SIGTERM."""
        super().__init__("G290", message, cure=cure)
        self.status = 128 + signal_number


class TrialFailed(Exception):
    """The trial gave no number that may be used; the message says why, in one sentence."""


class TrialTimeout(TrialFailed):
    """The trial was killed because its time was up."""
