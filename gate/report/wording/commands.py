"""Commands that a reader copies: reproduce a finding, measure it longer, bisect it, accept it.

Each is one line that runs as it is printed, in the directory where the check ran, or at the top of
a checkout of the head where it ran in a job of CI. Names come from sessions, which are hostile: a
word is quoted for the shell, and one that no terminal shows as it is makes no command.
"""

from __future__ import annotations

import posixpath
import shlex
from typing import TYPE_CHECKING, NamedTuple

from gate.model import Origin, Role, Verdict
from gate.report.wording.sides import COMMIT, OPTIONS, Sides
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.model import Finding, Report

REPRODUCE, LONGER = "reproduce this alone", "measure it longer"
BISECT, ACCEPT = "find the commit", "accept it"
NARROWED = "(--benchmark)"
"""Stands in the note of a report on less than its profiles hold."""
REASON = "why this level is right"
"""Stands in a printed command for what a person has to say."""

_LONGEST_WORD = 300
_FEWEST_PAIRS, _MOST_PAIRS = 60, 1000
_USUAL_PAIRS = 100
"""The limit of a profile that sets none."""
_OTHER_TEXT = "G032"
_LEVELS = frozenset({_OTHER_TEXT, "G034", "G041"})
"""Incomparable because something changed that a new epoch answers."""
_UNMEASURED = "G044"
_HOPELESS = frozenset({"G023", "G027", "G042", "G043", "G048"})
"""Inconclusive for another reason than noise, so that a larger limit of pairs decides nothing."""

_ACCEPTABLE = frozenset(
    {Verdict.REGRESSED, Verdict.IMPROVED, Verdict.SUSPICIOUS, Verdict.WAIVED, Verdict.MISSING}
)
_DOUBTED = frozenset({Verdict.REGRESSED, Verdict.INCONCLUSIVE, Verdict.WAIVED})


class ShellLine(NamedTuple):
    """One thing to do, as a shell line."""

    label: str
    line: str
    """Empty where there is none."""
    why: str = ""
    """Why there is no line, or what to know of it."""


def commands_for(finding: Finding, report: Report) -> tuple[ShellLine, ...]:
    """What can be done about a finding, in the order of the work.

    `report` must not be scrubbed: a name that had to be is one that no command can say.
    """
    if finding.method == "summary":
        text = "A summary holds no trials. Measure both sides: `gate check --base DIR --head DIR`."
        return (ShellLine(LONGER, "", text),)
    origin, text = report.origin or Origin(), ""
    if _unsayable(finding.profile, finding.benchmark):
        text = "Its name is too long for a command, or holds characters that no terminal shows."
    elif finding.code == _UNMEASURED or finding.benchmark == "*":
        text = "Nothing of it was measured: look for what ended the job or removed the profile."
    elif _unsayable(*origin.options, origin.out, origin.profiles):
        text = "How it was checked cannot be written as a command."
    if text:
        return (ShellLine(REPRODUCE, "", text),)
    return tuple(_Lines(finding, report, origin).every())


def check_again(report: Report, *words: str) -> str:
    """The line of a check of everything with further words; empty where none can be written."""
    origin = report.origin or Origin()
    if origin.checkout or _unsayable(*origin.options):
        return ""
    return shlex.join(["gate", "check", *words, *Sides(origin).words()])


class _Lines:
    """The lines of one finding."""

    def __init__(self, finding: Finding, report: Report, origin: Origin) -> None:
        self.finding, self.report, self.origin = finding, report, origin
        self.sides = Sides(origin)

    def every(self) -> Iterator[ShellLine]:
        finding = self.finding
        gates, verdict = finding.role is Role.GATE, finding.verdict
        if verdict not in {Verdict.NEW, Verdict.MISSING}:
            yield ShellLine(REPRODUCE, self._check(), self._lacking_base() or self._edited())
        if gates and verdict in _DOUBTED and finding.code not in _HOPELESS:
            yield self._longer()
        if gates and verdict is Verdict.REGRESSED:
            yield self._bisect()
        if gates and verdict is Verdict.NEW:
            yield self._first()
        elif gates and self._acceptable():
            yield self._accept()

    def _check(self, *more: str) -> str:
        """`gate check` of this benchmark alone, a base side made first where that is gone."""
        return self.sides.made() + self._alone("check", *more)

    def _alone(self, command: str, *more: str) -> str:
        what = (self.finding.profile, "--benchmark", self.finding.benchmark)
        in_force = self.sides.in_force(own_text=self.finding.code in _LEVELS)
        return shlex.join(["gate", command, *what, *more, *in_force])

    def _edited(self) -> str:
        """What to know where the change lets more of this in, and the line does not say."""
        mine = self.finding
        of_this = (
            edit.loosens
            and edit.profile in {"", mine.profile}
            and edit.benchmark in {"", mine.benchmark}
            and edit.metric in {"", mine.metric}
            for edit in self.report.edits
        )
        if self.sides.gone or not any(of_this):
            return ""
        return "The change loosens its rules: give the merge base's `--profiles` and `--baseline`."

    def _paired(self) -> bool:
        paired = self.finding.evidence.pairs_base or self.finding.method == "pairs"
        return bool(paired or self.sides.gone or self.sides.value_of("--base", "--base-env"))

    def _lacking_base(self) -> str:
        """What a line does not say, because the report does not."""
        if self.report.origin is None and self.finding.method == "pairs":
            return "Name the base side with `--base DIR`: this report does not say where it was."
        return ""

    def _longer(self) -> ShellLine:
        used = len(self.finding.evidence.pairs_base)
        undecided = self.finding.verdict is Verdict.INCONCLUSIVE
        text = self._lacking_base()
        if not (text or self._paired()):
            text = "Only the head side was run. Pairs show more: give the check `--base DIR` too."
        elif not text and undecided and used >= _MOST_PAIRS - 1:
            text = f"{_MOST_PAIRS} pairs are the maximum; a quieter host helps."
        if text:
            return ShellLine(LONGER, "", text)
        least = _FEWEST_PAIRS if undecided and used else 2 * _USUAL_PAIRS
        pairs = min(max(2 * used, least), _MOST_PAIRS)
        why = "" if undecided else "It ends at the first proof, in either direction."
        return ShellLine(LONGER, self._check("--pairs", str(pairs)), why)

    def _bisect(self) -> ShellLine:
        origin, text = self.origin, ""
        good, bad = origin.base_commit, origin.head_commit
        if origin.restarts:
            text = "git bisect cannot restart the machine; check the kernels one by one."
        elif not (COMMIT.fullmatch(good) and COMMIT.fullmatch(bad)):
            text = "The commits of both sides are not known."
        elif good == bad:
            text = "Both sides are of the same commit."
        elif origin.dirty:
            text = "The head side had uncommitted changes."
        if text:
            return ShellLine(BISECT, "", text)
        step = self._alone("bisect-run")
        head = self.sides.value_of("--head")
        if self.sides.at_top() and head in {"", "."}:
            git, run = "git", step
        else:
            # git bisects at the top of the head's tree, and the options are seen from here.
            top = f'"$(git -C {shlex.quote(head or ".")} rev-parse --show-toplevel)"'
            git, run = f"git -C {top}", f'env -C "$PWD" {step}'
        begin = f"{git} bisect start {bad} {good}"
        why = "`git bisect reset` ends it."
        if not self.sides.gone:
            why += " Name `--profiles` and `--baseline` if commits edit theirs."
        return ShellLine(BISECT, f"{self.sides.made()}{begin} && {git} bisect run {run}", why)

    def _acceptable(self) -> bool:
        if self.finding.verdict is Verdict.INCOMPARABLE:
            return self.finding.code in _LEVELS
        return self.finding.verdict in _ACCEPTABLE

    def _accept(self) -> ShellLine:
        mine = [f for f in self.report.findings if f.profile == self.finding.profile]
        text = ""
        if any(NARROWED in note for note in self.report.notes):
            text = "Only some benchmarks were measured; check the whole profile, then accept that."
        elif any(f.role is Role.GATE and f.verdict is Verdict.BROKEN for f in mine):
            text = "Its session holds a benchmark that is broken; fix that, and measure again."
        elif self.finding.verdict is Verdict.MISSING and not self._retires(mine):
            text = (
                "The profile is as it was accepted, and no session of it can remove this "
                "benchmark: bring it back, or remove its series from the baseline by hand."
            )
        elif not self.origin.out:
            text = (
                "Comment `/driftgate accept REASON` on the pull request, or hand the session file "
                "of the check to `gate baseline accept`."
            )
        if text:
            return ShellLine(ACCEPT, "", text)
        session = posixpath.join(self.origin.out, self.finding.profile, "head.json")
        return ShellLine(ACCEPT, self._accepting(shlex.quote(session)))

    def _retires(self, mine: Sequence[Finding]) -> bool:
        """Whether a session without this series is accepted: of another text, or of its metric."""
        return any(
            f.code == _OTHER_TEXT
            or (f.benchmark == self.finding.benchmark and f.verdict is not Verdict.MISSING)
            for f in mine
        )

    def _first(self) -> ShellLine:
        """Sessions of the level before the change, where none is there to compare with."""
        profile = self.finding.profile
        place = posixpath.join("reports", "first", profile)
        sides = self.sides.words(without=("--baseline",))
        base = {"--base", "--base-env"} & {*sides}
        of = ("--side", "base") if base else ()
        accepting = self._accepting(f"{shlex.quote(place)}/*.json")
        why = "Sessions of several days describe the host better than five in a row."
        if self.origin.restarts:  # one session at a time, and no line outlives a restart
            words = ["gate", "run", profile, *of, "--out", place, *sides]
            return ShellLine(ACCEPT, self.sides.made() + shlex.join(words), f"Then: {accepting}")
        words = ["gate", "run", profile, "--repeat", "5", *of, "--out", place, *sides]
        if base:
            why += " What the base cannot run yet is measured with `--side head`."
        return ShellLine(ACCEPT, f"{self.sides.made()}{shlex.join(words)} && {accepting}", why)

    def _accepting(self, sessions: str) -> str:
        """`sessions` are words of a shell already."""
        store = self.sides.value_of("--baseline")
        more = f" --baseline {shlex.quote(store)}" if store else ""
        return f"gate baseline accept {sessions} --reason {shlex.quote(REASON)}{more}"


def _unsayable(*words: str) -> bool:
    """Whether a reader could not see or copy one of them, or a command take it for another."""
    return any(
        (word.startswith("-") and word not in OPTIONS)
        or len(word) > _LONGEST_WORD
        or clean(word) != word
        or not word.isprintable()
        for word in words
    )
