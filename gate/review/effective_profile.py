"""Which profiles are checked, by what of them the merge base decides, and which it must know.

What a profile runs is in its digest, so that another text is compared with nothing; of its inputs
the merge base's are run, and those are in the digest. All that is not in it (sides, timeouts,
trials, what may disturb) decides too what the values mean, and is taken from the merge base. A
baseline without its profile is refused: nothing may be forgotten, and nothing added in its shadow.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError, NothingCompared
from gate.formats.names import why_outside
from gate.formats.profile.profile_file import is_there, load_profiles, with_inputs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from gate.model import Baseline, Profile, SideSpec
    from gate.review.merge_base import MergeBase


_IN_FORCE = ("sides", "trials", "timeout", "loud", "needs", "companions", "expects")
"""What no digest covers, so that the merge base's word holds."""
_OF_ONE_TEXT = ("benchmarks", "control", "storage")
"""What is of the merge base, too, where both texts run the same."""
_APART = (
    "Remove this baseline in a change of its own, which may pass, and add a profile of that name "
    "in the next."
)


def as_reviewed(profile: Profile, reviewed: Profile | None) -> Profile:
    """The profile of the tree, with all that its digest does not cover from the merge base.

    Directories of sides are named from the project root, which stays the tree's: of the merge base
    there is no tree to run anything in, and none may lead out of it (G254). Metrics stay too; the
    judge takes the reviewed ones.
    """
    if reviewed is None:
        return profile
    _refuse_outside(reviewed.sides, profile)
    load, reviewed_load = profile.background, reviewed.background
    if load and reviewed_load:
        load = replace(load, least=reviewed_load.least)
    python = reviewed.work.python
    if python is not None and python.startswith(f"{reviewed.root}/"):
        python = profile.root + python.removeprefix(reviewed.root)
    work = replace(profile.work, warmup=reviewed.work.warmup, python=python)
    profile = with_inputs(replace(profile, inputs=reviewed.inputs), reviewed.input_files)
    names = (*_IN_FORCE, *(_OF_ONE_TEXT if profile.digest == reviewed.digest else ()))
    in_force = {name: getattr(reviewed, name) for name in names}
    return replace(profile, work=work, background=load, **in_force)


def _refuse_outside(sides: Mapping[str, SideSpec], profile: Profile) -> None:
    """The merge base's word was confined in its own tree; a link of this one may lead out."""
    root = Path(profile.root)
    for name, spec in sides.items():
        why = why_outside(root / spec.directory, (root,)) if spec.directory is not None else ""
        if why:
            raise InputError(
                "G254",
                f"side.{name}.dir: {str(spec.directory)[:200]!r}: {why}.",
                cure=f"Name a directory of the project, or use --{name} DIR when you measure.",
                place=profile.path,
            )


def profiles_of(
    names: Sequence[str], directory: Path, size: str, known: MergeBase
) -> tuple[tuple[Profile, ...], tuple[str, ...]]:
    """The profiles of the tree that are asked for, and the names of those that it has lost.

    Lost is what the merge base has and the tree has not; without names all of both are asked for.

    Raises:
        NothingCompared: neither has any.
        InputError: a name is unknown to both, or a profile of the tree is wrong.
    """
    if not names:
        try:
            there = load_profiles((), directory, size)
        except NothingCompared:
            if not known.profiles:
                raise
            there = ()
        return there, tuple(sorted(known.profiles.keys() - {one.name for one in there}))
    stems = {name: Path(name).stem if name.endswith(".toml") else name for name in names}
    lost = {
        name: stem
        for name, stem in stems.items()
        if stem in known.profiles and not is_there(name, directory)
    }
    kept = [name for name in names if name not in lost]
    there = load_profiles(kept, directory, size) if kept else ()
    return there, tuple(sorted(set(lost.values()) - {one.name for one in there}))


def refuse_forgotten(
    here: Collection[str], known: MergeBase, baselines: Sequence[Baseline]
) -> None:
    """All profiles are to be checked: one that only its baseline remembers is refused (G211).

    `here` are the profiles of the tree. At the merge base no change could mend it, so one that
    itself removes the baseline passes.
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
    """Refuse profiles that the merge base has a baseline of, and no tolerance (G211).

    They would be compared by the word of the change alone, named or not.
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
