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
from gate.publish.artifacts import text_of
from gate.publish.command_line import checked_reason
from gate.publish.measured import newest_run, pull_request, refused, session_files
from gate.publish.proposal import Proposal
from gate.publish.proposing import base_tip, commit_to_head, propose
from gate.publish.pull import require_head
from gate.review.merge_base import open_merge_base
from gate.text import clean

if TYPE_CHECKING:
    from pathlib import Path

    from gate.model import Profile, Session
    from gate.publish.api import Api
    from gate.publish.carrying import Carried
    from gate.publish.command_line import Asked
    from gate.publish.measured import PullRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelAcceptance:
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
    api: Api, repository: str, asked: Asked, wanted: LevelAcceptance
) -> tuple[Carried, Proposal]:
    """Propose the measured level of a pull request as the baseline; returns what was done and said.

    Raises:
        GateError: G220, G277 and what reading, judging and the API raise: nothing was proposed.
    """
    reason = checked_reason(asked.reason)
    below = inside(wanted.baseline)
    pull = pull_request(api, repository, asked.number)
    _refuse_branch(pull, repository, wanted.mode)
    run = newest_run(api, repository, pull, wanted.workflow, wanted.run)
    content = session_files(api, repository, run, wanted.shards, CAP_BYTES["handover"])
    sessions = read_parts({name: text_of(d, name, run.id) for name, d in content.items()})
    base = base_tip(api, repository, pull.base_ref)
    with open_merge_base(
        wanted.merge_base,
        None,
        profiles=wanted.profiles,
        baseline=wanted.baseline,
        size=wanted.size,
    ) as ground:
        store = ground.baseline
        names = {one.profile for one in sessions}
        known = dict(ground.profiles) or profiles_for(names, wanted.profiles, wanted.size)
        chosen, verdict = _chosen(sessions, store, known)
        _refuse(chosen, pull, known, store, wanted.mode)
        results = accept_all(store, chosen, by=asked.by, reason=reason)
        rows = changes_of(store, results)
        files = texts(store, results)
        require_same(api, repository, pull.base_ref, base, store, files, below)
        notes = [*_notes(chosen), *notes_on(files)]
        if wanted.mode == "branch":
            others = replaced_files(api, repository, pull.head, store, files, below)
            notes += [f"the branch had another `{path}`, which this replaces" for path in others]
    proposal = Proposal(
        rows=tuple((row.name, row.what) for row in rows),
        reason=reason,
        by=asked.by,
        commit=pull.head,
        host_classes=tuple(sorted({one.host.host_class for one in chosen})),
        verdict=verdict,
        pull=pull.number,
        run=run.url,
        notes=tuple(notes),
    )
    require_head(api, repository, pull.number, pull.head)
    placed = {f"{below}/{name}": text for name, text in files.items()}
    if wanted.mode == "branch":
        return commit_to_head(api, repository, pull, placed, proposal, below), proposal
    ids = frozenset(one.id for one in chosen)
    return propose(api, repository, pull, base, placed, proposal, below, ids), proposal


def _notes(chosen: list[Session]) -> list[str]:
    if any(one.subject.dirty for one in chosen):
        return ["the tree that was measured had uncommitted changes"]
    return []


def _refuse_branch(pull: PullRequest, repository: str, mode: str) -> None:
    """Only the open branch of this very repository can be committed to."""
    if mode != "branch":
        return
    if pull.head_repository.lower() != repository.lower():
        raise refused(
            f"pull request {pull.number} comes from a fork, whose branch cannot be written to.",
            cure="Use --mode pull-request, or merge first and let the default branch be measured.",
        )
    if not pull.open:
        raise refused(f"pull request {pull.number} is merged.", cure="Use --mode pull-request.")


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
        raise refused("every gate metric passed, so there is nothing to accept.")
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
            raise refused(f"{name} is of {what}, not of {pull.head}.", cure="Measure the head.")
        if classes and one.host.host_class not in classes:
            raise refused(
                f"{name} is of host class {one.host.host_class}; the baselines are of "
                f"{', '.join(sorted(classes))}.",
                cure="Take a first baseline of that class on the default branch.",
            )
        mine = profiles.get(one.profile)
        if mode != "branch" and (mine is None or mine.digest != one.profile_digest):
            raise refused(
                f"{name} was made with a profile text that {pull.base_ref} does not have.",
                cure="The pull request changes the profile, so it must carry the baseline itself: "
                "--mode branch.",
            )
