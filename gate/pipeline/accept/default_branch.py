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
    Added,
    Ask,
    BranchState,
    fit,
    is_of_branch,
    is_spent,
    of_profile,
    sessions_to_go,
    those_passed,
    young,
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
    from collections.abc import Sequence

    from gate.model import Baseline, Session
    from gate.publish.github.api import Api
    from gate.publish.propose import CarrierBranch

CARRIER = "driftgate/baseline"


def add(api: Api, out: Sequence[Path], ask: Ask) -> Added:
    """Judge the sessions in these directories again, and add those that passed.

    Raises:
        GateError: they cannot be judged, or nothing could be published.
    """
    reason = _reason(ask)
    check_login(ask.by)
    below = inside(ask.baseline)
    given = read_parts({str(one): disk.read_text(_file(one), "handover") for one in out})
    tip = base_tip(api, ask.branch)
    ground = BranchState(api=api, tip=tip, below=below)
    added = Added()
    if not given:
        raise NothingCompared("G280", "no session was handed over.", cure="Measure first.")
    known = profiles_for({one.profile for one in given}, ask.profiles, ask.size)
    sessions = of_profile(given, known, ask, added)
    few = young(sessions, ask)
    chosen = fit([one for one in sessions if one.profile in few], added)
    rest = [one for one in sessions if one.profile not in few]
    verdict = "not judged: a first baseline"
    if rest:
        report, found = judge_again(rest, ask.baseline, known)
        added.status = max(added.status, report.exit_status)
        verdict = f"{report.verdict}: {report.headline}"
        chosen += those_passed(report, found, added)
    chosen = [one for one in chosen if is_of_branch(one, ground, ask, added)]
    if chosen:
        _publish(chosen, ground, ask, reason, verdict, added)
    return added


def _file(out: Path) -> Path:
    return out / "session.json" if out.is_dir() else out


def _reason(ask: Ask) -> str:
    if ask.first:
        return check_reason(ask.reason or "")
    if ask.reason is not None:
        raise InputError("G200", "--reason is for --first: what passed needs no other reason.")
    return f"passed on {clean(ask.branch, 100)}"


def _publish(
    chosen: list[Session], ground: BranchState, ask: Ask, reason: str, verdict: str, added: Added
) -> None:
    """Accept what is not too much, and let a commit carry it."""
    carrier = _carrier(chosen, ground, ask) if ask.mode == "pull-request" else None
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch)
        _overlay(store, ask.baseline, ground, carrier)
        known = {(b.host_class, b.profile): b for b in read_baselines(store)}
        kept = [one for one in chosen if not is_spent(one, known, ask, added)]
        if not kept:
            return
        results = accept_all(store, kept, by=ask.by, reason=reason)
        if not ask.first:
            results = [replace(one, baseline=trim_baseline(one.baseline)) for one in results]
        files = texts(store, results)
        after = {**known, **{_key(one.baseline): one.baseline for one in results}}
        rows = changes_between(read_baselines(ask.baseline), list(after.values()))
    require_same(ground.api, ask.branch, ground.tip, ask.baseline, files, ground.below)
    proposal = Proposal(
        rows=tuple((row.name, row.what) for row in rows),
        reason=reason,
        by=ask.by if ask.first else "",
        commit=max(kept, key=lambda one: (one.started, one.id)).subject.commit,
        host_classes=tuple(sorted({one.host.host_class for one in kept})),
        verdict=verdict,
        run=ask.run_url,
        notes=tuple(notes_on(files)),
    )
    placed = {f"{ground.below}/{name}": text for name, text in files.items()}
    if carrier is not None:
        added.done = carry_files(ground.api, carrier, placed, proposal, ground.below)
    else:
        added.done = commit_to_branch(
            ground.api, ask.branch, ground.tip, placed, proposal, ground.below
        )
    added.changes = [row.text for row in rows]
    added.notes = [note for one in results if (note := sessions_to_go(one.baseline))]


def _carrier(chosen: Sequence[Session], ground: BranchState, ask: Ask) -> CarrierBranch:
    """The one branch that carries sessions, or a dated one where that is out of date."""
    dated = f"{CARRIER}-{now()[:10].replace('-', '')}"
    names = [CARRIER, dated, *(f"{dated}-{n}" for n in range(2, 6))]
    mine = {f"{one.host.host_class}/{one.profile}.toml" for one in chosen}
    paths = [f"{ground.below}/{name}" for name in sorted(mine | set(_files(ask.baseline)))]
    return fresh_carrier(ground.api, names, ask.branch, ground.tip, paths)


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
