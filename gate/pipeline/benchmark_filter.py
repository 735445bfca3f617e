"""`--benchmark` and `--pairs`: less, or longer, than the profile says, and never without a word.

What is left out is judged by nothing, so the baseline and the waivers are narrowed with the
profiles, and the report says that it is no verdict on the change as a whole.
"""

from __future__ import annotations

import difflib
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.model import Stage
from gate.report.wording.commands import NARROWED

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gate.model import Baseline, Profile, Session, Waiver

FEWEST_PAIRS, MOST_PAIRS = 9, 1000
"""What a profile may ask for, too."""
_SHOWN = 3


def narrow_profiles(
    profiles: Sequence[Profile], names: Sequence[str], *, named: bool
) -> tuple[Profile, ...]:
    """The profiles with these benchmarks only; groups stay where all of their points do.

    `named` says that somebody named the profiles: each of them must have one of the benchmarks.
    Otherwise those that have none are left out. That a name matches nothing, or nothing of a named
    profile is left, is an error (G200).
    """
    if not names:
        return tuple(profiles)
    known = [one.name for profile in profiles for one in profile.benchmarks]
    for name in names:
        if name not in known:
            raise _unknown(name, known)
    kept = [_narrowed(one, frozenset(names)) for one in profiles]
    for profile in kept:
        if named and not profile.benchmarks:
            raise InputError(
                "G200",
                f"--benchmark leaves nothing of profile {profile.name}.",
                cure="Leave the profile out, or name one of its benchmarks too.",
                place=profile.path,
            )
    return tuple(profile for profile in kept if profile.benchmarks)


def _narrowed(profile: Profile, names: frozenset[str]) -> Profile:
    chosen = [one for one in profile.benchmarks if one.name in names]
    wanted = {name for one in chosen for name in (one.members or (one.name,))}
    kept = tuple(one for one in profile.benchmarks if wanted.issuperset(one.members or (one.name,)))
    points, left = (sum(not one.group for one in every) for every in (profile.benchmarks, kept))
    return replace(profile, benchmarks=kept, left_out=points - left)


def _unknown(name: str, known: Sequence[str]) -> InputError:
    near = difflib.get_close_matches(name, known, n=_SHOWN)
    some = ", ".join(one[:200] for one in near or known[:_SHOWN])
    more = len(known) - _SHOWN
    return InputError(
        "G200",
        f"--benchmark {name[:200]!r} matches nothing, and a filter that matches nothing passes "
        "nothing.",
        cure=f"Did you mean {some}?"
        if near
        else f"There are: {some}{f' and {more} more' if more > 0 else ''}.",
    )


def refuse_others(resumed: Session, chosen: Sequence[Profile], path: Path | None) -> None:
    """The session to finish says itself which benchmarks it holds: --benchmark names no others."""
    planned = {plan.benchmark for plan in resumed.planned}
    if any({one.name for one in profile.benchmarks} != planned for profile in chosen):
        raise InputError(
            "G200",
            "--benchmark: the session to resume is one of other benchmarks.",
            cure="Leave that out, or run it on its own.",
            place=str(path),
        )


def narrowed_baselines(
    baselines: Sequence[Baseline], profiles: Sequence[Profile]
) -> tuple[Baseline, ...]:
    """The baselines without the series of benchmarks that were left out."""
    kept = _kept(profiles)
    return tuple(
        replace(one, series=tuple(s for s in one.series if s.benchmark in kept[one.profile]))
        if one.profile in kept
        else one
        for one in baselines
    )


def narrowed_waivers(waivers: Sequence[Waiver], profiles: Sequence[Profile]) -> tuple[Waiver, ...]:
    """The waivers without those of benchmarks that were left out."""
    kept = _kept(profiles)
    return tuple(
        one for one in waivers if one.profile not in kept or one.benchmark in kept[one.profile]
    )


def _kept(profiles: Sequence[Profile]) -> dict[str, frozenset[str]]:
    return {
        one.name: frozenset(benchmark.name for benchmark in one.benchmarks)
        for one in profiles
        if one.left_out
    }


def narrowing_note(profiles: Sequence[Profile], *, others: int) -> str:
    """What the narrowed profiles cannot tell; empty where nothing was left out.

    `others` is the number of profiles of which nothing was measured.
    """
    kept = [
        (one.name, count, one.left_out)
        for one in profiles
        if (count := sum(not benchmark.group for benchmark in one.benchmarks))
        and (one.left_out or others)
    ]
    return _note(kept, others)


def narrowed_sessions_note(sessions: Sequence[Session]) -> str:
    """The same of sessions that were measured elsewhere; empty where they say of no narrowing."""
    kept: dict[str, tuple[str, int, int]] = {}
    for one in sessions:
        if one.left_out and (one.profile not in kept or one.stage is Stage.SCREEN):
            count = sum(not plan.group for plan in one.planned)
            kept[one.profile] = one.profile, count, one.left_out
    return _note(list(kept.values()), 0)


def _note(kept: Sequence[tuple[str, int, int]], others: int) -> str:
    """`kept` are names of profiles, each with the numbers of benchmarks measured and left out."""
    told = [f"{count} of {count + left} benchmarks of {name}" for name, count, left in kept]
    if not told:
        return ""
    rest = f", and nothing of {others} other profile{'s' if others > 1 else ''}" if others else ""
    was = "was" if len(told) == 1 and told[0].startswith("1 ") else "were"
    return (
        f"only {' and '.join(told)} {was} measured and judged {NARROWED}{rest}: no verdict on "
        "the change as a whole"
    )


def with_pairs(profiles: Sequence[Profile], pairs: int | None) -> tuple[Profile, ...]:
    """The profiles with another limit of pairs; what they run, and so their digest, is the same.

    One that takes no pairs is refused (G200).
    """
    if pairs is None:
        return tuple(profiles)
    for one in profiles:
        if not {"base", "head"} <= one.sides.keys():
            raise InputError(
                "G200",
                f"--pairs means nothing to profile {one.name}, which has no base and head side.",
                cure="Give it both with --base DIR and --head DIR, or leave --pairs out.",
                place=one.path,
            )
    return tuple(replace(one, trials=replace(one.trials, confirm_pairs=pairs)) for one in profiles)


def pairs_note(profiles: Sequence[Profile], pairs: int | None) -> str:
    """What `--pairs` changed, as `profiles` stood before; empty where it changed nothing.

    The bounds of a verdict hold at any limit that was set before the first pair: a proof stops
    the pairs whenever it comes, and the limit only says when to give up.
    """
    other = [one for one in profiles if pairs not in {None, one.trials.confirm_pairs}]
    if not other:
        return ""
    said = ", ".join(f"{one.name} {one.trials.confirm_pairs}" for one in other)
    return (
        f"up to {pairs} pairs (--pairs), where the profile says otherwise ({said}); the promise is "
        "the same, as the limit was set before the first pair"
    )
