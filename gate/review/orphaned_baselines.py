"""Baselines without their profile: nothing may be forgotten, and nothing added in their shadow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from gate.model import Baseline
    from gate.review.merge_base import MergeBase

_APART = (
    "Remove this baseline in a change of its own, which may pass, and add a profile of that name "
    "in the next."
)


def refuse_forgotten(
    here: Collection[str], known: MergeBase, baselines: Sequence[Baseline]
) -> None:
    """All profiles are to be checked: one that only its baseline remembers must not be forgotten.

    `here` are the profiles of the tree. At the merge base no change could mend it, so one that
    itself removes the baseline passes.

    Raises:
        InputError: G211.
    """
    for one in _orphans(known.profiles if known.commit else here, baselines):
        if not known.commit:
            cure = "Bring the profile back, or remove its baseline in the same change."
            raise _refused(one, "which is not there any more", cure)
        if not known.removes(one):
            raise _refused(one, "which was not there any more at the merge base", _APART)


def refuse_unjudged(
    names: Collection[str], known: MergeBase, baselines: Sequence[Baseline]
) -> None:
    """Refuse profiles that the merge base has a baseline of, and no tolerance.

    They would be compared by the word of the change alone, named or not.

    Raises:
        InputError: G211.
    """
    for one in _orphans(known.profiles, baselines):
        if one.profile in names:
            raise _refused(one, "which the merge base does not have", _APART)


def _orphans(profiles: Collection[str], baselines: Sequence[Baseline]) -> Iterator[Baseline]:
    for one in baselines:
        if one.profile not in profiles and not one.profile_digest.startswith("imported:"):
            yield one


def _refused(one: Baseline, which: str, cure: str) -> InputError:
    said = f"this is a baseline of profile {one.profile}, {which}."
    return InputError("G211", said, cure=cure, place=one.path)
