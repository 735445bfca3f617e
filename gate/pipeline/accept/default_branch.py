"""Sessions of the default branch added to its baseline: what `gate publish baseline` does."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.clock import now
from gate.errors import InputError, NothingCompared
from gate.formats import disk
from gate.formats.baseline.baseline_file import read_baselines
from gate.pipeline.accept.candidates import (
    BaselineGrowth,
    BranchState,
    GrowthOptions,
    fit_sessions,
    is_of_branch,
    is_spent,
    of_known_profile,
    passed_sessions,
    sessions_to_go,
    too_young,
)
from gate.pipeline.accept.handover_intake import judge_again, profiles_for, read_parts, require_same
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
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.model import Baseline, Session
    from gate.pipeline.accept.sessions import SeriesChange
    from gate.publish.github.api import Api
    from gate.publish.propose import CarrierBranch

CARRIER = "driftgate/baseline"


def grow_baseline(api: Api, out: Sequence[Path], how: GrowthOptions) -> BaselineGrowth:
    """Judge the sessions in these directories again, and add those that passed.

    Raises:
        GateError: they cannot be judged, or nothing could be published.
    """
    reason = _reason(how)
    check_login(how.by)
    below = inside(how.baseline)
    given = read_parts({str(one): disk.read_text(_file(one), "handover") for one in out})
    tip = base_tip(api, how.branch)
    ground = BranchState(api=api, tip=tip, below=below)
    growth = BaselineGrowth()
    if not given:
        raise NothingCompared("G280", "no session was handed over.", cure="Measure first.")
    known = profiles_for({one.profile for one in given}, how.profiles, how.size)
    sessions = of_known_profile(given, known, how, growth)
    few = too_young(sessions, how)
    chosen = fit_sessions([one for one in sessions if one.profile in few], growth)
    rest = [one for one in sessions if one.profile not in few]
    verdict = "not judged: a first baseline"
    if rest:
        report, found = judge_again(rest, how.baseline, known)
        growth.status = max(growth.status, report.exit_status)
        verdict = f"{report.verdict}: {report.headline}"
        chosen += passed_sessions(report, found, growth)
    chosen = [one for one in chosen if is_of_branch(one, ground, how, growth)]
    if chosen:
        _publish(chosen, ground, how, reason, verdict, growth)
    return growth


def _file(out: Path) -> Path:
    return out / "session.json" if out.is_dir() else out


def _reason(how: GrowthOptions) -> str:
    if how.first:
        return check_reason(how.reason or "")
    if how.reason is not None:
        raise InputError("G200", "--reason is for --first: what passed needs no other reason.")
    return f"passed on {clean(how.branch, 100)}"


def _publish(
    chosen: list[Session],
    ground: BranchState,
    how: GrowthOptions,
    reason: str,
    verdict: str,
    growth: BaselineGrowth,
) -> None:
    """Accept what is not too much, and let a commit carry it."""
    carrier = _carrier(chosen, ground, how) if how.mode == "pull-request" else None
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch)
        _overlay(store, how.baseline, ground, carrier)
        known = {(b.host_class, b.profile): b for b in read_baselines(store)}
        kept = [one for one in chosen if not is_spent(one, known, how, growth)]
        if not kept:
            return
        results = accept_all(store, kept, by=how.by, reason=reason)
        if not how.first:
            results = [replace(one, baseline=trim_baseline(one.baseline)) for one in results]
        files = texts(store, results)
        after = {**known, **{_key(one.baseline): one.baseline for one in results}}
        rows = changes_between(read_baselines(how.baseline), list(after.values()))
    require_same(ground.api, how.branch, ground.tip, how.baseline, files, ground.below)
    proposal = _proposal(kept, rows, files, how, reason, verdict)
    placed = {f"{ground.below}/{name}": text for name, text in files.items()}
    if carrier is not None:
        growth.done = carry_files(ground.api, carrier, placed, proposal, ground.below)
    else:
        growth.done = commit_to_branch(
            ground.api, how.branch, ground.tip, placed, proposal, ground.below
        )
    growth.changes = [row.text for row in rows]
    growth.notes = [note for one in results if (note := sessions_to_go(one.baseline))]


def _proposal(
    sessions: list[Session],
    rows: Sequence[SeriesChange],
    files: Mapping[str, str],
    how: GrowthOptions,
    reason: str,
    verdict: str,
) -> Proposal:
    return Proposal(
        rows=tuple((row.name, row.what) for row in rows),
        reason=reason,
        by=how.by if how.first else "",
        commit=max(sessions, key=lambda one: (one.started, one.id)).subject.commit,
        host_classes=tuple(sorted({one.host.host_class for one in sessions})),
        verdict=verdict,
        run=how.run_url,
        notes=tuple(notes_on(files)),
    )


def _carrier(chosen: Sequence[Session], ground: BranchState, how: GrowthOptions) -> CarrierBranch:
    """The one branch that carries sessions, or a dated one where that is out of date."""
    dated = f"{CARRIER}-{now()[:10].replace('-', '')}"
    names = [CARRIER, dated, *(f"{dated}-{n}" for n in range(2, 6))]
    mine = {f"{one.host.host_class}/{one.profile}.toml" for one in chosen}
    paths = [f"{ground.below}/{name}" for name in sorted(mine | set(_files(how.baseline)))]
    return fresh_carrier(ground.api, names, how.branch, ground.tip, paths)


def _files(store: Path) -> list[str]:
    return [path.relative_to(store).as_posix() for path in sorted(store.glob("*/*.toml"))]


def _overlay(target: Path, store: Path, ground: BranchState, carrier: CarrierBranch | None) -> None:
    """The baselines of this checkout, and over them what the carrying branch has added to them."""
    for name in _files(store):
        disk.write_text(target / name, disk.read_text(store / name, "baseline"))
    if carrier is None or carrier.start is None or carrier.start == ground.tip:
        return
    api = ground.api
    before = CommitTree(api, ground.tip).files(ground.below)
    for path, content in CommitTree(api, carrier.start).files(ground.below).items():
        if before.get(path) != content:
            text = blob_text(api, content)
            disk.write_text(target / path.removeprefix(f"{ground.below}/"), text)


def _key(baseline: Baseline) -> tuple[str, str]:
    return baseline.host_class, baseline.profile
