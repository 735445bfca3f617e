"""What a person reads of a proposed baseline: the pull request that carries it, and the answers.

Numbers of pull requests are the API's own and are left to be links. Everything else (names of
benchmarks, reasons, logins) is made inert.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.publish.acceptance import title_of_acceptance
from gate.report.markdown.escaping import md, md_code
from gate.report.markdown.markdown import marker
from gate.report.wording.links import anchor
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

MARKER = marker("accept")
"""First line of the one comment that answers who asked."""
REFUSAL_MARKER = marker("accept-refused")
"""The same of the one that answers who may not ask."""
_IN_SIGHT = 20
_MOST_ROWS = 300
_LONGEST_TITLE = 200
_COUNTS = (
    "It counts once it is on the branch that pull requests are compared with: the gate reads "
    "baselines at the merge base, never from the pull request that it judges."
)


_COUNTS_HERE = (
    "It is part of this pull request: whoever approves that approves the level, which counts here "
    "from now on and, once merged, for what contains this change. What was measured is judged "
    "again by it; more than that still closes, and a later change of these files is not accepted."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A baseline that somebody wants accepted."""

    rows: tuple[tuple[str, str], ...]
    """Name of each series, and what becomes of it: `712.0 -> 641.0 k op/s (-10.0 %), epoch 2`."""
    reason: str
    by: str
    """Login; empty where nobody in particular asked."""
    commit: str
    host_classes: tuple[str, ...]
    verdict: str
    """The gate's word about the session against the baseline so far, one sentence."""
    pull: int | None = None
    """The pull request whose level it is; None for the default branch's own sessions."""
    run: str = ""
    own: bool = False
    """Whether the pull request's own branch carries it."""
    notes: tuple[str, ...] = ()


def title_of(proposal: Proposal) -> str:
    """The title of the pull request, and the first line of the commit."""
    if proposal.pull is not None:
        return title_of_acceptance(proposal.pull)
    profiles = sorted({name.split(" ")[0] for name, _ in proposal.rows})
    return clean(f"Baseline: sessions of {', '.join(profiles) or 'no profile'}", _LONGEST_TITLE)


def commit_message(proposal: Proposal) -> str:
    """The commit message: what, why, who, from where."""
    who = f"Accepted on the word of {proposal.by}." if proposal.by else "Added because it passed."
    commit = f"Measured commit: {proposal.commit}"
    return "\n".join([title_of(proposal), "", proposal.reason, "", who, commit])


def describe_proposal(proposal: Proposal) -> str:
    """The pull request's text: the diff, the reason, who asked, what was measured."""
    what = "Sessions of this branch that passed are added to the baseline"
    then = []
    if proposal.pull is not None:
        what = f"The level that was measured for #{proposal.pull} becomes the baseline"
        then = ["", f"When it is merged, update the branch of #{proposal.pull}; it is then "]
        then[-1] += "measured and judged against this level, and more than that still closes."
    classes = ", ".join(md_code(one) for one in proposal.host_classes)
    above = (f"{what} of host class {classes}.", "", "**Reason:**")
    return "\n".join([*_body(proposal, above, [*_facts(proposal), ""]), *then, ""])


def answer_proposed(
    proposal: Proposal, *, page: str, number: int | None, branch: str, commit: str
) -> str:
    """The comment that tells who asked what was done; its first line is the marker.

    `number` and `page` are of the pull request that carries it; without one the baseline was
    committed to `branch`.
    """
    if number is not None:
        where = f"#{number} carries it; {anchor('review it', page) or 'review it'} and merge it."
    else:
        where = f"Commit `{commit[:12]}` on {md_code(branch)} carries it."
    what = "**driftgate: this level is accepted for this pull request.**"
    if not proposal.own:
        what = "**driftgate: this level is proposed as the new baseline.**"
    what = f"{what} {where}"
    above = (MARKER, what, "", f"**Reason** ({_who(proposal.by)}):")
    return "\n".join([*_body(proposal, above), ""])


def answer_refused(why: str, by: str, first: str = MARKER) -> str:
    """The comment that tells who asked why nothing was done; `first` is its marker."""
    whose = f"asked for by {_who(by)}"
    return f"{first}\n**driftgate: nothing was accepted** ({whose}). {md(why, 900)}\n"


def _body(proposal: Proposal, above: Sequence[str], facts: Sequence[str] = ()) -> list[str]:
    """The reason (behind the last line `above`), the diff, facts, notes, and when it counts."""
    notes = [f"- {md(note, 600)}" for note in proposal.notes]
    return [
        *above[:-1],
        f"{above[-1]} {md(proposal.reason, 600)}",
        "",
        *_rows(proposal.rows),
        "",
        *facts,
        *([*notes, ""] if notes else []),
        _COUNTS_HERE if proposal.own else _COUNTS,
    ]


def _rows(rows: Sequence[tuple[str, str]]) -> list[str]:
    lines = [f"- {md_code(name, 300)}: {md(what)}" for name, what in rows[:_MOST_ROWS]]
    if len(rows) > _MOST_ROWS:
        lines.append(f"- and {len(rows) - _MOST_ROWS} more, in the changed files")
    if len(lines) <= _IN_SIGHT:
        return lines or ["- no series changed"]
    fold = f"<details><summary>{len(rows) - _IN_SIGHT} more</summary>"
    return [*lines[:_IN_SIGHT], "", fold, "", *lines[_IN_SIGHT:], "", "</details>"]


def _facts(proposal: Proposal) -> list[str]:
    link = anchor("the run", proposal.run)
    rows = [
        ("Asked for by", _who(proposal.by)),
        ("Measured commit", md_code(proposal.commit)),
        ("Verdict so far", md(proposal.verdict, 400)),
        *([("Measured by", link)] if link else []),
    ]
    return ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)]


def _who(by: str) -> str:
    return md_code(by) if by else "nobody in particular"
