"""Whether what was measured is what is judged: the commit of the change, and of its merge base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.model import Side

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gate.model import Profile, Session

_LONGEST = 200


def refuse_other_commits(
    sessions: Iterable[Session], proposed: str, merge_base: str, reviewed: Mapping[str, Profile]
) -> None:
    """Refuse sessions that say that they are of another commit than the one they stand for.

    The head side is of the commit that is judged; the base side of the merge base, or where the
    reviewed profile itself declares a base side, of the commit judged, in which that side then is.
    A profile that nobody reviewed may declare one too; it is new, and compared with nothing.
    A session that names no commit is told by `commit_notes`.

    Raises:
        InputError: G243.
    """
    for one in sessions:
        said = one.subject.commit
        wanted = proposed if one.side is Side.HEAD else merge_base
        profile = reviewed.get(one.profile)
        own = said == proposed and (profile is None or one.side.value in profile.sides)
        if said and said != wanted and not own:
            raise InputError(
                "G243",
                f"the {one.side.value} side of profile {one.profile[:_LONGEST]} was measured of "
                f"commit {said[:_LONGEST]}, and {wanted} is judged by.",
                cure=f"Measure {wanted[:12]}, or hand in the sessions that were measured of it.",
            )


def commit_notes(sessions: Iterable[Session]) -> Iterator[str]:
    """What is said of sessions that do not tell which commit they measured."""
    names = sorted({one.profile for one in sessions if not one.subject.commit})
    if names:
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""  # noqa: PLR2004 - names
        shown = ", ".join(name[:_LONGEST] for name in names[:5])
        yield (
            f"{shown}{more}: the sessions do not tell which commit was measured, so nothing shows "
            "that it is the one judged"
        )
