"""The measured level of a pull request as a proposed baseline: what `gate publish accept` does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.formats.disk import CAP_BYTES
from gate.pipeline.accept.handover_intake import (
    judge_again,
    passed_profiles,
    profiles_for,
    read_parts,
    replaced_files,
    require_same,
)
from gate.pipeline.accept.sessions import accept_all, changes_of, inside, notes_on, texts
from gate.publish.accept_command import check_reason
from gate.publish.github.artifacts import artifact_text
from gate.publish.measured_run import (
    newest_run,
    not_acceptable,
    read_pull_request,
    require_head,
    session_files,
)
from gate.publish.proposal import Proposal
from gate.publish.propose import base_tip, commit_to_branch, propose_in_pull_request
from gate.review.merge_base import open_merge_base
from gate.text import clean

if TYPE_CHECKING:
    from pathlib import Path

    from gate.model import Profile, Session
    from gate.publish.accept_command import AcceptRequest
    from gate.publish.github.api import Api
    from gate.publish.measured_run import PullRequest
    from gate.publish.propose import ProposalResult


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


def accept_level(
    api: Api, request: AcceptRequest, options: AcceptOptions
) -> tuple[ProposalResult, Proposal]:
    """Propose the measured level of a pull request as the baseline; returns what was done and said.

    Raises:
        GateError: G220, G277 and what reading, judging and the API raise: nothing was proposed.
    """
    reason = check_reason(request.reason)
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
        store = ground.baseline
        names = {one.profile for one in sessions}
        known = dict(ground.profiles) or profiles_for(names, options.profiles, options.size)
        chosen, verdict = _chosen(sessions, store, known)
        _refuse(chosen, pull, known, store, options.mode)
        results = accept_all(store, chosen, by=request.by, reason=reason)
        rows = changes_of(store, results)
        files = texts(store, results)
        require_same(api, pull.base_ref, base, store, files, below)
        notes = [*_notes(chosen), *notes_on(files)]
        if options.mode == "branch":
            others = replaced_files(api, pull.head, store, files, below)
            notes += [f"the branch had another `{path}`, which this replaces" for path in others]
    proposal = Proposal(
        rows=tuple((row.name, row.what) for row in rows),
        reason=reason,
        by=request.by,
        commit=pull.head,
        host_classes=tuple(sorted({one.host.host_class for one in chosen})),
        verdict=verdict,
        pull=pull.number,
        run=run.url,
        notes=tuple(notes),
    )
    require_head(api, pull.number, pull.head)
    placed = {f"{below}/{name}": text for name, text in files.items()}
    if options.mode == "branch":
        done = commit_to_branch(
            api, pull.head_ref, pull.head, placed, proposal, below, url=pull.url
        )
        return done, proposal
    ids = frozenset(one.id for one in chosen)
    return propose_in_pull_request(api, pull, base, placed, proposal, below, ids), proposal


def _notes(chosen: list[Session]) -> list[str]:
    if any(one.subject.dirty for one in chosen):
        return ["the tree that was measured had uncommitted changes"]
    return []


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
    chosen: list[Session],
    pull: PullRequest,
    profiles: dict[str, Profile],
    store: Path,
    mode: str,
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
