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
    judge_again,
    passed_profiles,
    profiles_for,
    read_parts,
    replaced_files,
    require_same,
)
from gate.pipeline.accept.sessions import accept_all, changes_of, inside, notes_on, texts
from gate.publish.accept_command import check_reason, react
from gate.publish.comment import publish_comment
from gate.publish.github.artifacts import artifact_text
from gate.publish.measured_run import (
    head_of,
    newest_run,
    not_acceptable,
    read_pull_request,
    require_head,
    session_files,
)
from gate.publish.proposal import MARKER, Proposal, answer_proposed, answer_refused
from gate.publish.propose import base_tip, commit_to_branch, propose_in_pull_request
from gate.review.merge_base import open_merge_base
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from gate.model import Profile, Session
    from gate.publish.accept_command import AcceptRequest
    from gate.publish.github.api import Api
    from gate.publish.measured_run import PullRequest
    from gate.publish.propose import ProposalResult
    from gate.review.merge_base import MergeBase


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptOptions:
    """How to accept."""

    mode: str
    workflow: str
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
    api: Api, request: AcceptRequest, options: AcceptOptions
) -> tuple[ProposalResult, Proposal]:
    """Propose the measured level of a pull request as the baseline; returns what was done and said.

    Raises:
        GateError: G220, G277 and what reading, judging and the API raise: nothing was proposed.
    """
    request = replace(request, reason=check_reason(request.reason))
    below = inside(options.baseline)
    pull = read_pull_request(api, request.number)
    _refuse_branch(pull, api.repository, options.mode)
    run = newest_run(api, pull, options.workflow, options.run)
    content = session_files(api, run, options.shards, CAP_BYTES["handover"])
    sessions = read_parts({name: artifact_text(d, name, run.id) for name, d in content.items()})
    base = base_tip(api, pull.base_ref)
    with open_merge_base(
        options.merge_base,
        None,
        profiles=options.profiles,
        baseline=options.baseline,
        size=options.size,
    ) as ground:
        level = _new_level(sessions, ground, pull, request, options)
        require_same(api, pull.base_ref, base, ground.baseline, level.files, below)
        notes = [*_notes(level.sessions), *notes_on(level.files)]
        if options.mode == "branch":
            notes += _replaced(api, pull.head, ground.baseline, level.files, below)
    proposal = Proposal(
        rows=level.rows,
        reason=request.reason,
        by=request.by,
        commit=pull.head,
        host_classes=tuple(sorted({one.host.host_class for one in level.sessions})),
        verdict=level.verdict,
        pull=pull.number,
        run=run.url,
        notes=tuple(notes),
    )
    return _publish(api, pull, base, level, proposal, options, below), proposal


def _new_level(
    sessions: tuple[Session, ...],
    ground: MergeBase,
    pull: PullRequest,
    request: AcceptRequest,
    options: AcceptOptions,
) -> _NewLevel:
    store = ground.baseline
    names = {one.profile for one in sessions}
    known = dict(ground.profiles) or profiles_for(names, options.profiles, options.size)
    chosen, verdict = _chosen(sessions, store, known)
    _refuse(chosen, pull, known, store, options.mode)
    results = accept_all(store, chosen, by=request.by, reason=request.reason)
    rows = tuple((row.name, row.what) for row in changes_of(store, results))
    return _NewLevel(sessions=chosen, verdict=verdict, rows=rows, files=texts(store, results))


def _publish(
    api: Api,
    pull: PullRequest,
    base: str,
    level: _NewLevel,
    proposal: Proposal,
    options: AcceptOptions,
    below: str,
) -> ProposalResult:
    """Commit the new level to the branch, or open a pull request that carries it."""
    require_head(api, pull.number, pull.head)
    placed = {f"{below}/{name}": text for name, text in level.files.items()}
    if options.mode == "branch":
        return commit_to_branch(
            api, pull.head_ref, pull.head, placed, proposal, below, url=pull.url
        )
    ids = frozenset(one.id for one in level.sessions)
    return propose_in_pull_request(api, pull, base, placed, proposal, below, ids)


def _notes(chosen: list[Session]) -> list[str]:
    if any(one.subject.dirty for one in chosen):
        return ["the tree that was measured had uncommitted changes"]
    return []


def _replaced(
    api: Api, commit: str, store: Path, files: dict[str, str], below: str
) -> Iterator[str]:
    for path in replaced_files(api, commit, store, files, below):
        yield f"the branch had another `{path}`, which this replaces"


def _refuse_branch(pull: PullRequest, repository: str, mode: str) -> None:
    """Only the open branch of this very repository can be committed to."""
    if mode != "branch":
        return
    if pull.head_repository.lower() != repository.lower():
        raise not_acceptable(
            f"pull request {pull.number} comes from a fork, whose branch cannot be written to.",
            cure="Use --mode pull-request, or merge first and let the default branch be measured.",
        )
    if not pull.open:
        raise not_acceptable(
            f"pull request {pull.number} is merged.", cure="Use --mode pull-request."
        )


def _chosen(
    sessions: tuple[Session, ...], store: Path, profiles: dict[str, Profile]
) -> tuple[list[Session], str]:
    """The sessions of the profiles that did not simply pass, and what the gate says of all.

    Raises:
        GateError: they cannot be judged; G277, all passed, so there is nothing to accept.
    """
    report, found = judge_again(sessions, store, profiles)
    fine = passed_profiles(report)
    chosen = [one for name, one in sorted(found.items()) if name not in fine]
    if not chosen:
        raise not_acceptable("every gate metric passed, so there is nothing to accept.")
    return chosen, f"{report.verdict}: {report.headline}"


def _refuse(
    chosen: list[Session], pull: PullRequest, profiles: dict[str, Profile], store: Path, mode: str
) -> None:
    """What `gate baseline accept` leaves to its user, who knows the files that he names.

    Raises:
        PublishError: G277.
    """
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
        mine = profiles.get(one.profile)
        if mode != "branch" and (mine is None or mine.digest != one.profile_digest):
            raise not_acceptable(
                f"{name} was made with a profile text that {pull.base_ref} does not have.",
                cure="The pull request changes the profile, so it must carry the baseline itself: "
                "--mode branch.",
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
        heads = (proposal.commit,) if done.number is not None else (done.commit, proposal.commit)
        self._write(body, heads)
        react(self._api, self._request.comment, "+1")

    def refused(self, error: GateError) -> None:
        """Nothing was done."""
        with suppress(GateError):
            head = head_of(self._api, self._request.number)
            self._write(answer_refused(str(error), self._request.by), (head,))
        react(self._api, self._request.comment, "confused")

    def _write(self, body: str, heads: tuple[str, ...]) -> None:
        if self._file is not None:
            write_text(self._file, body)
        failure: PublishError | None = None
        for head in heads:
            try:
                publish_comment(self._api, self._request.number, body, marker=MARKER, head=head)
            except PublishError as error:
                failure = error
            else:
                return
        click.echo(f"not commented: {failure}", err=True)
