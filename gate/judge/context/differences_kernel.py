"""What of the kernel was not alike on both sides: its build, command line and configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from gate.model import UNKNOWN, Alike, Difference
from gate.model.host import Moved
from gate.model.kernel_config import config_digest, public_options
from gate.model.shown import BASE_SIDE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.judge.verdict.suite import Case
    from gate.model import Baseline, Kernel

CONFIG = "kernel config"
MOST_OPTIONS = 200
"""Options of a configuration that are told one by one."""
WHOLE = "all options"
WHOLE_LINE = "the whole line"
"""Keys of rows that tell of a configuration, or of a command line, as a whole."""
_WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
_NO_WORDS = "nothing"
_CUT = re.compile(r"… #[0-9a-f]{8}$")
"""How a fact ends that was too long."""


class _Known(NamedTuple):
    """What is known of one kernel; empty where it is not."""

    facts: Mapping[str, str]
    words: str
    digest: str
    config: Mapping[str, str]
    tells: bool
    """Whether an empty digest means that the kernel does not tell its configuration."""


class _Compared(NamedTuple):
    """What two sides say of one area."""

    area: str
    base: Mapping[str, str]
    head: Mapping[str, str]


def kernel_differences(case: Case) -> tuple[tuple[Difference, ...], tuple[Alike, ...]]:
    """What differs between the kernels of a case, and how much of them is alike.

    The head's is compared with that of the base side, where pairs were taken, and otherwise with
    that of the newest accepted session. Nothing is compared that one of two does not know.
    """
    sides = _sides(case)
    if sides is None:
        return (), ()
    against, theirs, ours = sides
    rows: list[Difference] = []
    alike: list[Alike] = []
    for one in _areas(theirs, ours):
        unlike = sorted({name for name, _ in one.base.items() ^ one.head.items()})
        rows += _rows(one, unlike, against, case.profile)
        same = len(one.base.keys() | one.head.keys()) - len(unlike)
        alike += [Alike(area=one.area, count=same)] if same else []
    return tuple(rows), tuple(alike)


def _rows(one: _Compared, names: list[str], against: str, profile: str) -> Iterator[Difference]:
    """A row for each of these names; of many options the first ones, and how many there are."""
    most = MOST_OPTIONS if one.area == CONFIG else len(names)
    told = [(name, one.base.get(name, ""), one.head.get(name, "")) for name in names[:most]]
    if len(names) > most:
        told.append((f"{len(names) - most} further options differ", "", ""))
    for key, base, head in told:
        yield Difference(
            area=one.area, key=key, base=base, head=head, against=against, profiles=(profile,)
        )


def _sides(case: Case) -> tuple[str, _Known, _Known] | None:
    """What the head's kernel is compared with: its name, it, and the head's in the same words."""
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
    against = f"accepted session {case.baseline.sessions[-1].id}"
    return against, _accepted(case.baseline), ours._replace(words=words)


def _measured(kernel: Kernel) -> _Known:
    config = public_options(kernel.config)  # of any session, not only of one that was read here
    return _Known(
        facts={
            "release": kernel.release,
            "version": kernel.version,
            "build id": kernel.build_id,
        },
        words=kernel.command_line,
        digest=config_digest(config),
        config=config,
        tells=True,
    )


def _accepted(baseline: Baseline) -> _Known:
    """The kernel of the newest accepted session, as far as it was written down."""
    session = baseline.sessions[-1]
    digest = session.kernel_config
    return _Known(
        facts={
            "release": session.epoch_facts.get("kernel", ""),
            "build id": session.kernel_build,
        },
        words=session.epoch_facts.get("command_line", ""),
        digest=digest,
        config=baseline.kernel_configs.get(digest, {}),
        tells=bool(session.kernel_build),
    )


def _areas(theirs: _Known, ours: _Known) -> Iterator[_Compared]:
    known = [
        name
        for name in theirs.facts.keys() & ours.facts.keys()
        if not {"", UNKNOWN} & {theirs.facts[name], ours.facts[name]}
    ]
    was, now = ({name: one.facts[name] for name in known} for one in (theirs, ours))
    yield _Compared("kernel", was, now)
    if not {"", UNKNOWN} & {theirs.words, ours.words}:
        yield _Compared("command line", *_words(theirs.words, ours.words))
    if theirs.digest or (theirs.tells and ours.digest):
        yield _Compared(CONFIG, *_options(theirs, ours))


def _words(theirs: str, ours: str) -> tuple[dict[str, str], dict[str, str]]:
    """Each parameter with all the values that it is given; what was cut short as one line."""
    was, now = _parameters(theirs), _parameters(ours)
    if theirs == ours:
        return was, now
    if _CUT.search(theirs) or _CUT.search(ours) or was == now:
        before, after = Moved("", theirs, ours).shown
        return {WHOLE_LINE: before}, {WHOLE_LINE: after}
    return was, now


def _parameters(line: str) -> dict[str, str]:
    """Parameters as they are written, by name; one given twice as both."""
    found: dict[str, list[str]] = {}
    for word in () if line == _NO_WORDS else _WORD.findall(line):
        found.setdefault(word.partition("=")[0], []).append(word)
    return {name: " ".join(words) for name, words in found.items()}


def _options(theirs: _Known, ours: _Known) -> tuple[Mapping[str, str], Mapping[str, str]]:
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
