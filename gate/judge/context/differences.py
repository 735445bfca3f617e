"""What else was not alike on both sides: the machine, the tools, the texts, what was under test.

The base side of the pairs where pairs were measured; else the newest accepted session, as far as
a baseline keeps such facts. What neither side tells is neither alike nor different.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gate.judge.context.differences_kernel import kernel_differences
from gate.model import UNKNOWN, Alike, Difference, TrialStatus, short_digest
from gate.model.host import Moved
from gate.model.shown import ACCEPTED, AREAS, BASE_SIDE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import AcceptedSession, Baseline, Session, Subject

_ELSEWHERE = {"kernel": "kernel", "command_line": "command line", "tuned": "tuning"}
"""Epoch facts that have an area of their own."""
_RANK = {area: rank for rank, area in enumerate(AREAS)}


class _Fact(NamedTuple):
    area: str
    key: str
    base: str
    head: str

    @property
    def told(self) -> bool:
        """Whether a side says anything of it."""
        return not {self.base, self.head} <= {"", UNKNOWN}


def what_differed(
    cases: Iterable[Case],
) -> tuple[tuple[Difference, ...], tuple[Alike, ...]]:
    """The differences of all cases, and how many facts of each area were alike in every one."""
    rows: list[Difference] = []
    keys: dict[str, set[str]] = {}
    counted: Counter[str] = Counter()
    for case in cases:
        known, alike = kernel_differences(case)
        rows += known
        compared = Counter(area for area, _ in {(row.area, row.key) for row in known})
        compared.update({one.area: one.count for one in alike})
        against, facts = _facts(case)
        for fact in facts:
            if fact.told and fact.area not in compared:
                keys.setdefault(fact.area, set()).add(fact.key)
                rows += _row(fact, against, case.profile)
        counted |= compared  # facts without names: the case that compared most of them
    differ = {(row.area, row.key) for row in rows}
    for area, names in keys.items():
        counted[area] = max(counted[area], len(names))
    counted.subtract(Counter(area for area, _ in differ))
    return merge_differences(rows), alike_of(counted)


def merge_differences(rows: Iterable[Difference]) -> tuple[Difference, ...]:
    """One row for each difference with the profiles that have it, by area and key."""
    found: dict[tuple[str, str, str, str, bool], list[Difference]] = {}
    for row in rows:
        key = (row.area, row.key, row.base, row.head, row.against == BASE_SIDE)
        found.setdefault(key, []).append(row)
    return tuple(_together(found[key]) for key in sorted(found, key=_order))


def alike_of(counted: Mapping[str, int]) -> tuple[Alike, ...]:
    """Counts by area, in the order of areas; an area without any is not told."""
    return tuple(
        Alike(area=area, count=counted[area]) for area in AREAS if counted.get(area, 0) > 0
    )


def _order(key: tuple[str, str, str, str, bool]) -> tuple[int, str, str, str, bool]:
    area, name, base, head, by_base = key
    return _RANK[area], name, base, head, not by_base


def _together(rows: Sequence[Difference]) -> Difference:
    against = {row.against for row in rows}
    return replace(
        rows[0],
        against=against.pop() if len(against) == 1 else f"{ACCEPTED}s",
        profiles=tuple(sorted({name for row in rows for name in row.profiles})),
    )


def _row(fact: _Fact, against: str, profile: str) -> Iterator[Difference]:
    if fact.base == fact.head:
        return
    base, head = Moved(fact.key, fact.base, fact.head).shown
    yield Difference(
        area=fact.area, key=fact.key, base=base, head=head, against=against, profiles=(profile,)
    )


def _facts(case: Case) -> tuple[str, Iterable[_Fact]]:
    """What the base of a case stands for, and every fact of both sides."""
    if case.pair_base is not None:
        return BASE_SIDE, _of_sides(case.pair_base, case.pair_head or case.head)
    if case.baseline is not None and case.baseline.sessions:
        newest = case.baseline.sessions[-1]
        return f"{ACCEPTED} {newest.id}", _of_accepted(case.baseline, newest, case.head)
    return "", ()


def _of_sides(base: Session, head: Session) -> Iterator[_Fact]:
    yield from _table("host", base.host.stable, head.host.stable)
    yield from _epoch(base.host.epoch, head.host.epoch)
    yield from _table("tools", base.tools, head.tools)
    yield from _text(base.profile_digest, base.harness, head)
    if "tuned" not in base.host.epoch.keys() | head.host.epoch.keys():
        yield _Fact("tuning", "tuned", *(", ".join(one.tuned) for one in (base, head)))
    yield from _table("subject", _subject(base.subject), _subject(head.subject))
    yield from _disturbed(base, head)


def _of_accepted(baseline: Baseline, newest: AcceptedSession, head: Session) -> Iterator[_Fact]:
    yield from _table("host", baseline.stable, head.host.stable)
    yield from _epoch(newest.epoch_facts, head.host.epoch)
    yield from _table("tools", newest.tools, head.tools)
    yield from _text(newest.profile_digest, baseline.harness, head)
    # A baseline keeps neither proof nor whether the checkout was clean, so neither is compared.
    yield _Fact("subject", "description", newest.subject, head.subject.description)
    yield _Fact("subject", "commit", newest.commit, head.subject.commit)


def _table(area: str, base: Mapping[str, str], head: Mapping[str, str]) -> Iterator[_Fact]:
    for key in sorted(base.keys() | head.keys()):
        yield _Fact(area, key, base.get(key, ""), head.get(key, ""))


def _epoch(base: Mapping[str, str], head: Mapping[str, str]) -> Iterator[_Fact]:
    for fact in _table("host", base, head):
        area = _ELSEWHERE.get(fact.key, "host")
        key = "release" if area == "kernel" else fact.key.replace("_", " ")
        yield fact if area == "host" else fact._replace(area=area, key=key)


def _text(digest: str, harness: str, head: Session) -> Iterator[_Fact]:
    yield _Fact("profile", "harness", harness, head.harness)
    yield _Fact("profile", "text", short_digest(digest), short_digest(head.profile_digest))


def _subject(subject: Subject) -> dict[str, str]:
    """`dirty` is known of a checkout only."""
    dirty = {"uncommitted changes": "yes" if subject.dirty else "no"} if subject.commit else {}
    return {
        "description": subject.description,
        "commit": subject.commit,
        "proof": subject.proof,
    } | dirty


def _disturbed(base: Session, head: Session) -> Iterator[_Fact]:
    """How many trials of each side were set aside; the same number is alike."""
    before, after = (
        Counter(trial.status is TrialStatus.ASIDE for trial in one.trials) for one in (base, head)
    )
    same = before[True] == after[True]
    said = [str(one[True]) if same else f"{one[True]} of {one.total()}" for one in (before, after)]
    yield _Fact("disturbed", "trials set aside", *said)
