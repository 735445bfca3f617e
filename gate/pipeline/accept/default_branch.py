"""Sessions of the default branch added to its baseline: what `gate publish baseline` does."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gate.clock import now
from gate.errors import CannotJudge, InputError, NothingCompared
from gate.formats import disk
from gate.formats.baseline.baseline_file import read_baselines
from gate.pipeline.accept.candidates import (
    BaselineGrowth,
    GrowthOptions,
    sessions_to_go,
    too_young,
    why_not_first,
    why_not_of_branch,
    why_spent,
)
from gate.pipeline.accept.handover_intake import (
    BaseBranch,
    is_of_text,
    judge_again,
    profiles_for,
    read_parts,
    why_not_passed,
)
from gate.pipeline.accept.sessions import (
    accept_all,
    changes_between,
    inside,
    notes_on,
    texts,
    trim_baseline,
)
from gate.publish.accept_command import check_login, check_reason
from gate.publish.github.git_data import CommitTree, blob_text
from gate.publish.proposal import Proposal
from gate.publish.propose import base_tip, carry_files, commit_to_branch, fresh_carrier
from gate.scratch import scratch_directory
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.model import Session
    from gate.publish.github.api import Api
    from gate.publish.propose import CarrierBranch, ProposalResult

CARRIER = "driftgate/baseline"
_REFUSED = 6


def grow_baseline(api: Api, out: Sequence[Path], how: GrowthOptions) -> BaselineGrowth:
    """Judge the sessions in these directories again, and add those that passed.

    Raises:
        GateError: they cannot be judged, or nothing could be published.
    """
    reason = _reason(how)
    check_login(how.by)
    below = inside(how.baseline)
    files = {str(one): one / "session.json" if one.is_dir() else one for one in out}
    given = read_parts({name: disk.read_text(one, "handover") for name, one in files.items()})
    tip = base_tip(api, how.branch)
    base = BaseBranch(api=api, name=how.branch, tip=tip, store=how.baseline, below=below)
    growth = BaselineGrowth()
    if not given:
        raise NothingCompared("G280", "no session was handed over.", cure="Measure first.")
    chosen, verdict = _chosen(given, how, growth)
    chosen = growth.fit(chosen, partial(why_not_of_branch, base=base), status=_REFUSED)
    if chosen:
        _publish(chosen, base, how, reason, verdict, growth)
    return growth


def _reason(how: GrowthOptions) -> str:
    if how.first:
        return check_reason(how.reason or "")
    if how.reason is not None:
        raise InputError("G200", "--reason is for --first: what passed needs no other reason.")
    return f"passed on {clean(how.branch, 100)}"


def _chosen(
    given: Sequence[Session], how: GrowthOptions, growth: BaselineGrowth
) -> tuple[list[Session], str]:
    """The sessions of first baselines and those that passed, and what the gate says of them."""
    profiles = profiles_for({one.profile for one in given}, how.profiles, how.size)
    strange = {one.profile for one in given if not is_of_text(one, profiles)}
    other = f"it was made with a profile text that is not in {how.profiles} (--profiles, --size)"
    sessions = growth.fit(
        given, lambda one: other if one.profile in strange else None, status=_REFUSED
    )
    few = too_young(sessions, how)
    young = [one for one in sessions if one.profile in few]
    chosen = growth.fit(young, why_not_first, name=lambda one: f"{one.profile}, session {one.id}")
    if {one.profile for one in young} != {one.profile for one in chosen}:
        growth.status = CannotJudge.status
    rest = [one for one in sessions if one.profile not in few]
    if not rest:
        return chosen, "not judged: a first baseline"
    report, found = judge_again(rest, how.baseline, profiles, how.baseline)
    growth.status = max(growth.status, report.exit_status)
    of_profile = [one for _, one in sorted(found.items())]
    chosen += growth.fit(of_profile, lambda one: why_not_passed(report, one.profile))
    return chosen, f"{report.verdict}: {report.headline}"


def _publish(
    chosen: list[Session],
    base: BaseBranch,
    how: GrowthOptions,
    reason: str,
    verdict: str,
    growth: BaselineGrowth,
) -> None:
    """Accept what is not too much, and let a commit carry it."""
    carrier = _carrier(chosen, base) if how.mode == "pull-request" else None
    with scratch_directory("any") as scratch:
        store = Path(scratch)
        _overlay(store, base, carrier)
        known = {(b.host_class, b.profile): b for b in read_baselines(store)}
        kept = growth.fit(chosen, partial(why_spent, known=known, first=how.first))
        if not kept:
            return
        results = accept_all(store, kept, by=how.by, reason=reason, folder=how.baseline)
        if not how.first:
            results = [replace(one, baseline=trim_baseline(one.baseline)) for one in results]
        files = texts(store, results)
    after = known | {(b.host_class, b.profile): b for b in (one.baseline for one in results)}
    rows = changes_between(read_baselines(how.baseline), list(after.values()))
    base.require_same(files)
    proposal = Proposal(
        rows=tuple((row.name, row.what) for row in rows),
        reason=reason,
        by=how.by if how.first else "",
        commit=max(kept, key=lambda one: (one.started, one.id)).subject.commit,
        host_classes=tuple(sorted({one.host.host_class for one in kept})),
        verdict=verdict,
        run=how.run_url,
        notes=tuple(notes_on(files)),
    )
    growth.done = _carry(base, carrier, files, proposal)
    growth.changes = [row.text for row in rows]
    growth.notes = [note for one in results if (note := sessions_to_go(one.baseline))]


def _carry(
    base: BaseBranch, carrier: CarrierBranch | None, files: Mapping[str, str], proposal: Proposal
) -> ProposalResult:
    placed = base.placed(files)
    if carrier is not None:
        return carry_files(base.api, carrier, placed, proposal, base.below)
    return commit_to_branch(base.api, base.name, base.tip, placed, proposal, base.below)


def _carrier(chosen: Sequence[Session], base: BaseBranch) -> CarrierBranch:
    """The one branch that carries sessions, or a dated one where that is out of date."""
    dated = f"{CARRIER}-{now()[:10].replace('-', '')}"
    names = [CARRIER, dated, *(f"{dated}-{n}" for n in range(2, 6))]
    mine = {f"{one.host.host_class}/{one.profile}.toml" for one in chosen}
    paths = [f"{base.below}/{name}" for name in sorted(mine | set(_files(base.store)))]
    return fresh_carrier(base.api, names, base.name, base.tip, paths)


def _files(store: Path) -> list[str]:
    return [path.relative_to(store).as_posix() for path in sorted(store.glob("*/*.toml"))]


def _overlay(target: Path, base: BaseBranch, carrier: CarrierBranch | None) -> None:
    """The baselines of this checkout, and over them what the carrying branch has added to them."""
    for name in _files(base.store):
        disk.write_text(target / name, disk.read_text(base.store / name, "baseline"))
    if carrier is None or carrier.start is None or carrier.start == base.tip:
        return
    before = CommitTree(base.api, base.tip).files(base.below)
    for path, content in CommitTree(base.api, carrier.start).files(base.below).items():
        if before.get(path) != content:
            text = blob_text(base.api, content)
            disk.write_text(target / path.removeprefix(f"{base.below}/"), text)
