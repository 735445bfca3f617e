"""What else was not alike on both sides: machine, kernel, tools, texts, what was under test.

The base side of the pairs where pairs were measured; else the newest accepted session, as far as
a baseline keeps such facts. What neither side knows is neither alike nor different.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from gate.model import UNKNOWN, Alike, Difference, TrialStatus, short_digest
from gate.model.host import Moved
from gate.model.kernel_config import config_digest, public_options
from gate.model.report_rows import ACCEPTED, AREAS, BASE_SIDE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gate.judge.verdict.suite import Case
    from gate.model import AcceptedSession, Baseline, Kernel, Session, Subject

    Facts = Mapping[str, str]

_ELSEWHERE = {"kernel": "kernel", "command_line": "command line", "tuned": "tuning"}
"""Epoch facts that have an area of their own."""
CONFIG = "kernel config"
MOST_OPTIONS = 200
"""Options of a configuration that are shown one by one."""
WHOLE = "all options"
WHOLE_LINE = "the whole line"
"""Keys of rows on a configuration, or of a command line, as a whole."""
_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_NO_WORDS = "nothing"
_CUT = re.compile(r"… #[0-9a-f]{8}$")  # how a fact ends that was too long
_RANK = {area: rank for rank, area in enumerate(AREAS)}


class _Fact(NamedTuple):
    area: str
    key: str
    base: str
    head: str

    def as_row(self, against: str, case: Case) -> Difference:
        """The difference, where both sides of a case differ in it."""
        return Difference(**self._asdict(), against=against, profiles=(case.profile,))


def what_differed(cases: Iterable[Case]) -> tuple[tuple[Difference, ...], tuple[Alike, ...]]:
    """The differences of all cases, and how many facts of each area were alike in every one."""
    rows: list[Difference] = []
    keys: dict[str, set[str]] = {}
    counted: Counter[str] = Counter()
    for case in cases:
        known, compared = kernel_differences(case)
        rows += known
        against, facts = _facts(case)
        for fact in facts:
            if {fact.base, fact.head} - {"", UNKNOWN} and fact.area not in compared:
                keys.setdefault(fact.area, set()).add(fact.key)
                if fact.base != fact.head:
                    base, head = Moved(fact.key, fact.base, fact.head).shown
                    rows.append(fact._replace(base=base, head=head).as_row(against, case))
        counted |= compared  # facts without names: the case that compared most of them
    differ = {(row.area, row.key) for row in rows}
    for area, names in keys.items():
        counted[area] = max(counted[area], len(names))
    counted.subtract(Counter(area for area, _ in differ))
    return merge_differences(rows), alike_of(counted)


def merge_differences(rows: Iterable[Difference]) -> tuple[Difference, ...]:
    """One row for each difference with the profiles that have it, by area and key."""
    found: dict[tuple[int, str, str, str, bool], list[Difference]] = {}
    for row in rows:
        key = _RANK[row.area], row.key, row.base, row.head, row.against != BASE_SIDE
        found.setdefault(key, []).append(row)
    return tuple(
        replace(
            own[0],
            against=own[0].against if len({row.against for row in own}) == 1 else f"{ACCEPTED}s",
            profiles=tuple(sorted({name for row in own for name in row.profiles})),
        )
        for _, own in sorted(found.items())
    )


def alike_of(counted: Mapping[str, int]) -> tuple[Alike, ...]:
    """Counts by area, in the order of areas; an area without any is left out."""
    known = ((area, counted.get(area, 0)) for area in AREAS)
    return tuple(Alike(area=area, count=count) for area, count in known if count > 0)


def _facts(case: Case) -> tuple[str, Iterable[_Fact]]:
    if case.pair_base is not None:
        return BASE_SIDE, _of_sides(case.pair_base, case.pair_head or case.head)
    if case.baseline is not None and case.baseline.sessions:
        newest = case.baseline.sessions[-1]
        return f"{ACCEPTED} {newest.id}", _of_accepted(case.baseline, newest, case.head)
    return "", ()


def _of_sides(base: Session, head: Session) -> Iterator[_Fact]:
    text = base.harness, base.profile_digest
    yield from _of_any(base.host.stable, base.host.epoch, base.tools, text, head)
    if "tuned" not in base.host.epoch.keys() | head.host.epoch.keys():
        yield _Fact("tuning", "tuned", *(", ".join(one.tuned) for one in (base, head)))
    yield from _table("environment", base.environment, head.environment)
    yield from _table("subject", _subject(base.subject), _subject(head.subject))
    before, after = (sum(t.status is TrialStatus.ASIDE for t in s.trials) for s in (base, head))
    shown = [f"{before} of {len(base.trials)}", f"{after} of {len(head.trials)}"]
    if before == after:  # the same number is alike, whatever it is of
        shown = [str(before), str(after)]
    yield _Fact("disturbed", "trials set aside", *shown)


def _of_accepted(baseline: Baseline, newest: AcceptedSession, head: Session) -> Iterator[_Fact]:
    text = baseline.harness, newest.profile_digest
    yield from _of_any(baseline.stable, newest.epoch_facts, newest.tools, text, head)
    if newest.environment:
        yield from _table("environment", newest.environment, head.environment)
    # A baseline keeps neither proof nor whether the checkout was clean, so neither is compared.
    yield _Fact("subject", "description", newest.subject, head.subject.description)
    yield _Fact("subject", "commit", newest.commit, head.subject.commit)


def _table(area: str, base: Facts, head: Facts) -> Iterator[_Fact]:
    for key in sorted(base.keys() | head.keys()):
        yield _Fact(area, key, base.get(key, ""), head.get(key, ""))


def _of_any(
    stable: Facts, epoch: Facts, tools: Facts, text: tuple[str, str], head: Session
) -> Iterator[_Fact]:
    yield from _table("host", stable, head.host.stable)
    for fact in _table("host", epoch, head.host.epoch):
        area = _ELSEWHERE.get(fact.key, "host")
        key = "release" if area == "kernel" else fact.key.replace("_", " ")
        yield fact if area == "host" else fact._replace(area=area, key=key)
    yield from _table("tools", tools, head.tools)
    yield _Fact("profile", "harness", text[0], head.harness)
    yield _Fact("profile", "text", short_digest(text[1]), short_digest(head.profile_digest))


def _subject(subject: Subject) -> dict[str, str]:
    facts = {"description": subject.description, "commit": subject.commit, "proof": subject.proof}
    if subject.commit:  # only a checkout tells whether it was clean
        facts["uncommitted changes"] = "yes" if subject.dirty else "no"
    return facts


class _Known(NamedTuple):
    """One kernel; what is not known of it is empty."""

    facts: Facts
    words: str
    digest: str
    config: Facts
    tells: bool
    """Whether an empty digest means that the kernel does not tell its configuration."""


def kernel_differences(case: Case) -> tuple[list[Difference], Counter[str]]:
    """What differs between the kernels of a case, and how many names of an area were compared.

    The head's is compared with that of the base side where pairs were taken, else with that of the
    newest accepted session. What only one of them knows is not compared.
    """
    sides = _sides(case)
    rows: list[Difference] = []
    compared: Counter[str] = Counter()
    if sides is None:
        return rows, compared
    against, theirs, ours = sides
    for area, base, head in _areas(theirs, ours):
        unlike = sorted({name for name, _ in base.items() ^ head.items()})
        most = MOST_OPTIONS if area == CONFIG else len(unlike)
        shown = [
            _Fact(area, name, base.get(name, ""), head.get(name, "")) for name in unlike[:most]
        ]
        if len(unlike) > most:
            shown.append(_Fact(area, f"{len(unlike) - most} further options differ", "", ""))
        rows += [fact.as_row(against, case) for fact in shown]
        compared[area] = len(shown) + len(base.keys() | head.keys()) - len(unlike)
    return rows, +compared


def _sides(case: Case) -> tuple[str, _Known, _Known] | None:
    """What the base stands for, its kernel, and the head's as far as the two can be compared."""
    if case.head.kernel is None:
        return None
    ours = _measured(case.head.kernel)
    if case.pair_base is not None:
        base = case.pair_base.kernel
        return None if base is None else (BASE_SIDE, _measured(base), ours)
    if case.baseline is None or not case.baseline.sessions:
        return None
    # The accepted command line is a fact of the host, which is shortened: so is the head's.
    words = case.head.host.epoch.get("command_line", "")
    return (
        f"{ACCEPTED} {case.baseline.sessions[-1].id}",
        _accepted(case.baseline),
        ours._replace(words=words),
    )


def _measured(kernel: Kernel) -> _Known:
    config = public_options(kernel.config)  # of any session, not only of one that was read here
    return _Known(
        facts={"release": kernel.release, "version": kernel.version, "build id": kernel.build_id},
        words=kernel.command_line,
        digest=config_digest(config),
        config=config,
        tells=True,
    )


def _accepted(baseline: Baseline) -> _Known:
    """The kernel of the newest accepted session, as far as it was written down."""
    session = baseline.sessions[-1]
    release = session.epoch_facts.get("kernel", "")
    return _Known(
        facts={"release": release, "build id": session.kernel_build},
        words=session.epoch_facts.get("command_line", ""),
        digest=session.kernel_config,
        config=baseline.kernel_configs.get(session.kernel_config, {}),
        tells=bool(session.kernel_build),
    )


def _areas(theirs: _Known, ours: _Known) -> Iterator[tuple[str, Facts, Facts]]:
    known = [
        name
        for name in theirs.facts.keys() & ours.facts.keys()
        if not {"", UNKNOWN} & {theirs.facts[name], ours.facts[name]}
    ]
    was, now = ({name: one.facts[name] for name in known} for one in (theirs, ours))
    yield "kernel", was, now
    if not {"", UNKNOWN} & {theirs.words, ours.words}:
        yield "command line", *_words(theirs.words, ours.words)
    if theirs.digest or (theirs.tells and ours.digest):
        yield CONFIG, *_options(theirs, ours)


def _words(theirs: str, ours: str) -> tuple[Facts, Facts]:
    """Each parameter with all the values that it is given; what was cut short as one line."""
    was, now = _parameters(theirs), _parameters(ours)
    if theirs != ours and (was == now or _CUT.search(theirs) or _CUT.search(ours)):
        before, after = Moved("", theirs, ours).shown
        return {WHOLE_LINE: before}, {WHOLE_LINE: after}
    return was, now


def _parameters(line: str) -> dict[str, str]:
    """Parameters as they are written, by name; one given twice as both."""
    found: dict[str, list[str]] = {}
    for word in () if line == _NO_WORDS else _WORD.findall(line):
        found.setdefault(word.partition("=")[0], []).append(word)
    return {name: " ".join(words) for name, words in found.items()}


def _options(theirs: _Known, ours: _Known) -> tuple[Facts, Facts]:
    """Every option, or where the text of a side is not known both configurations as a whole."""
    if theirs.digest == ours.digest:
        return ours.config, ours.config
    if theirs.config and ours.config:
        return theirs.config, ours.config
    return {WHOLE: _whole(theirs)}, {WHOLE: _whole(ours)}


def _whole(side: _Known) -> str:
    if not side.digest:
        return "the kernel does not tell them"
    count = f"{len(side.config)} options" if side.config else "the text was not kept"
    return f"digest {side.digest} ({count})"
