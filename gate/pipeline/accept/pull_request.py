"""The measured level of a pull request as a proposed baseline: what `gate publish accept` does.

Who asked gets an answer: one comment, edited, and a reaction at his own.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from gate.errors import GateError, PublishError
from gate.formats.disk import CAP_BYTES, write_text
from gate.pipeline.accept.handover_intake import (
    BaseBranch,
    is_of_text,
    judge_again,
    profiles_for,
    read_parts,
    why_not_passed,
)
from gate.pipeline.accept.sessions import accept_all, changes_of, inside, notes_on, texts
from gate.publish.accept_command import check_reason, react, refuse_unseen
from gate.publish.acceptance import AcceptRecord, publish_acceptance, read_acceptance
from gate.publish.branch_rules import what_nobody_must_do
from gate.publish.comment import publish_comment
from gate.publish.github.artifacts import artifact_text
from gate.publish.github.git_data import blob_id, compare_commits
from gate.publish.measured_run import (
    head_of,
    newest_run,
    not_acceptable,
    read_pull_request,
    require_head,
    session_files,
)
from gate.publish.proposal import MARKER, REFUSAL_MARKER, Proposal, answer_proposed, answer_refused
from gate.publish.propose import base_tip, commit_to_branch, propose_in_pull_request
from gate.review.merge_base import open_merge_base
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.model import Profile, Session
    from gate.publish.accept_command import AcceptRequest
    from gate.publish.github.api import Api
    from gate.publish.measured_run import PullRequest
    from gate.publish.propose import ProposalResult
    from gate.publish.run_provenance import DemandedOrigin
    from gate.review.merge_base import MergeBase


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptOptions:
    """How to accept."""

    run: int | None
    shards: int
    merge_base: str | None
    profiles: Path
    size: str
    baseline: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class _NewLevel:
    """The sessions to accept, and what accepting them makes of the baselines."""

    sessions: list[Session]
    verdict: str
    rows: tuple[tuple[str, str], ...]
    files: dict[str, str]


def accept_level(
    api: Api, request: AcceptRequest, demand: DemandedOrigin, options: AcceptOptions
) -> tuple[ProposalResult, Proposal]:
    """Make the measured level of a pull request its baseline; returns what was done and said.

    A commit on its own branch carries it, or where that cannot be written to (a fork, a branch that
    is merged) a pull request.

    Raises:
        GateError: G220, G277, G288 and what reading, judging and the API raise: nothing was done.
    """
    request = replace(request, reason=check_reason(request.reason))
    below = inside(options.baseline)
    pull = read_pull_request(api, request.number)
    _refuse_twice(api, pull)
    run = newest_run(api, pull, demand, options.run)
    refuse_unseen(request, pull.head, run.ended)
    own = pull.open and pull.head_repository.lower() == api.repository.lower()
    content = session_files(api, run, options.shards, CAP_BYTES["handover"])
    sessions = read_parts({name: artifact_text(d, name, run.id) for name, d in content.items()})
    tip = base_tip(api, pull.base_ref)
    with open_merge_base(
        options.merge_base,
        profiles=options.profiles,
        baseline=options.baseline,
        size=options.size,
    ) as ground:
        store = ground.baseline
        base = BaseBranch(api=api, name=pull.base_ref, tip=tip, store=store, below=below)
        level = _new_level(sessions, ground, pull, request, options, own=own)
        base.require_same(level.files)
        if own:
            base.require_same(level.files, at=compare_commits(api, tip, pull.head)[0])
        notes = _notes(base, pull, level, own=own)
    proposal = Proposal(
        rows=level.rows,
        reason=request.reason,
        by=request.by,
        commit=pull.head,
        host_classes=tuple(sorted({one.host.host_class for one in level.sessions})),
        verdict=level.verdict,
        pull=pull.number,
        run=run.url,
        own=own,
        notes=tuple(notes),
    )
    require_head(api, pull.number, pull.head)
    done = _publish(base, pull, level, proposal)
    return replace(done, run=run.id if own else None), proposal


def _refuse_twice(api: Api, pull: PullRequest) -> None:
    """The commit that accepts a level is not measured: what it adds is its measurement."""
    if read_acceptance(api, pull.head, pull.number) is not None:
        raise not_acceptable(f"{pull.head[:12]} is the commit that accepted the level already.")


def _new_level(
    sessions: tuple[Session, ...],
    ground: MergeBase,
    pull: PullRequest,
    request: AcceptRequest,
    options: AcceptOptions,
    *,
    own: bool,
) -> _NewLevel:
    """What accepting the sessions of the profiles that did not simply pass makes of the baselines.

    Raises:
        GateError: they cannot be judged or accepted; G277, all passed.
    """
    store = ground.baseline
    names = {one.profile for one in sessions}
    known = ground.profiles or profiles_for(names, options.profiles, options.size)
    report, found = judge_again(sessions, store, known, options.baseline)
    chosen = [one for name, one in sorted(found.items()) if why_not_passed(report, name)]
    if not chosen:
        raise not_acceptable("every gate metric passed, so there is nothing to accept.")
    verdict = f"{report.verdict}: {report.headline}"
    _refuse(chosen, pull, known, store, own=own)
    results = accept_all(
        store, chosen, by=request.by, reason=request.reason, folder=options.baseline
    )
    rows = tuple((row.name, row.what) for row in changes_of(store, results))
    return _NewLevel(sessions=chosen, verdict=verdict, rows=rows, files=texts(store, results))


def _notes(base: BaseBranch, pull: PullRequest, level: _NewLevel, *, own: bool) -> list[str]:
    dirty = any(one.subject.dirty for one in level.sessions)
    replaced = base.replaced_at(pull.head, level.files) if own else []
    return [
        *(what_nobody_must_do(base.api, pull.base_ref) if own else []),
        *(["the tree that was measured had uncommitted changes"] if dirty else []),
        *notes_on(level.files),
        *(f"the branch had another `{path}`, which this replaces" for path in replaced),
    ]


def _publish(
    base: BaseBranch, pull: PullRequest, level: _NewLevel, proposal: Proposal
) -> ProposalResult:
    """Commit the new level to the branch, or open a pull request that carries it."""
    api, below, placed = base.api, base.below, base.placed(level.files)
    if proposal.own:
        done = commit_to_branch(
            api, pull.head_ref, pull.head, placed, proposal, below, url=pull.url
        )
        contents = tuple(blob_id(text) for text in placed.values())
        known = AcceptRecord(pull.number, pull.head, contents)
        try:
            publish_acceptance(api, done.commit, known, f"accepted by {proposal.by}")
        except PublishError as error:
            error.message += f" Commit {done.commit[:12]} has the level, and it is not in force."
            error.cure = "Push another commit, and write the command again when that is measured."
            raise
        return done
    ids = frozenset(one.id for one in level.sessions)
    return propose_in_pull_request(api, pull, base.tip, placed, proposal, below, ids)


def _refuse(
    chosen: list[Session],
    pull: PullRequest,
    profiles: Mapping[str, Profile],
    store: Path,
    *,
    own: bool,
) -> None:
    """What `gate baseline accept` leaves to its user, who knows the files that he names."""
    classes = {entry.name for entry in store.iterdir() if entry.is_dir()} if store.is_dir() else ()
    for one in chosen:
        name = f"the session of {one.profile}"
        if one.subject.commit != pull.head:
            what = clean(one.subject.commit, 60) or "no commit"
            raise not_acceptable(
                f"{name} is of {what}, not of {pull.head}.", cure="Measure the head."
            )
        if classes and one.host.host_class not in classes:
            raise not_acceptable(
                f"{name} is of host class {one.host.host_class}; the baselines are of "
                f"{', '.join(sorted(classes))}.",
                cure="Take a first baseline of that class on the default branch.",
            )
        if not own and not is_of_text(one, profiles):
            raise not_acceptable(
                f"{name} was made with a profile text that {pull.base_ref} does not have.",
                cure="The pull request changes the profile, so its own branch must carry the "
                "baseline: open it from a branch of this repository.",
            )


class AcceptReply:
    """The one comment that answers who asked; where it cannot be written, a line says so."""

    def __init__(self, api: Api, request: AcceptRequest, file: Path | None) -> None:
        self._api, self._request, self._file = api, request, file

    def done(self, done: ProposalResult, proposal: Proposal) -> None:
        """Something was proposed."""
        body = answer_proposed(
            proposal, page=done.url, number=done.number, branch=done.branch, commit=done.commit
        )
        # A commit on the branch is its head from now on, as soon as GitHub has noticed.
        heads = (done.commit, proposal.commit) if proposal.own else (proposal.commit,)
        self._write(body, heads)
        react(self._api, self._request.comment, "+1")

    def refused(self, error: GateError) -> None:
        """Nothing was done; who may not ask is answered where a comment asked."""
        if error.code == "G276" and self._request.comment is None:
            return
        with suppress(GateError):
            head = head_of(self._api, self._request.number)
            # Anybody can be refused, who must not write over the answer to somebody who may ask.
            marker = REFUSAL_MARKER if error.code == "G276" else MARKER
            body = answer_refused(str(error), self._request.by, marker)
            self._write(body, (head,), marker)
        react(self._api, self._request.comment, "confused")

    def _write(self, body: str, heads: tuple[str, ...], marker: str = MARKER) -> None:
        if self._file is not None:
            write_text(self._file, body)
        failure: PublishError | None = None
        for head in heads:
            try:
                publish_comment(self._api, self._request.number, body, marker=marker, head=head)
            except PublishError as error:
                failure = error
            else:
                return
        click.echo(f"not commented: {failure}", err=True)
