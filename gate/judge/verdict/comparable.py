"""Comparable or refused: what must agree before a number may be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.judge.host_stability.standing import host_move
from gate.judge.verdict.exclusions import too_many_excluded
from gate.judge.verdict.suite import Refusal
from gate.model import EpochPolicy, Side
from gate.model.host import changed_facts, describe_changed

if TYPE_CHECKING:
    from gate.judge.verdict.suite import Case
    from gate.model import Baseline, Session


_SHOWN = 3
"""Stable facts that a refusal names; a machine that differs in more is another one anyway."""


def refusal(case: Case) -> Refusal | None:
    """The first reason why this case cannot be compared with its baseline, if there is one."""
    head = case.head
    disturbed = [reason for session in case.sessions for reason in session.disturbances]
    if disturbed:
        return Refusal("G036", f"the sitting was disturbed: {disturbed[0]}")
    too_many = too_many_excluded(case)
    if too_many:
        return Refusal("G036", f"the sitting was disturbed: {too_many}")
    if case.reviewed and case.reviewed.digest != case.head.profile_digest:
        return Refusal("G032", "the session was measured with another text than the profile's now")
    if case.baseline is None:
        if case.other_classes:
            theirs = ", ".join(case.other_classes)
            return Refusal(
                "G030", f"baselines are of host class {theirs}; this host is {head.host.host_class}"
            )
        return None
    for check in (_own, _host, _tools, _digest, _epoch):
        found = check(head, case.baseline)
        if found is not None:
            return found
    return _alike(case)


def _own(head: Session, baseline: Baseline) -> Refusal | None:
    if all(accepted.id != head.id for accepted in baseline.sessions):
        return None
    return Refusal("G038", f"session {head.id} was accepted into the baseline it is to meet")


def _host(head: Session, baseline: Baseline) -> Refusal | None:
    found = changed_facts(baseline.stable, head.host.stable)
    if not found:
        return None
    named = [f"{one.key}: baseline {one.theirs}, this host {one.ours}" for one in found[:_SHOWN]]
    more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return Refusal("G031", "; ".join([*named, *more]))


def _epoch(head: Session, baseline: Baseline) -> Refusal | None:
    """An epoch fact moved, and the class's policy is to judge nothing then."""
    move = host_move(baseline, head.host.epoch)
    if move is None or baseline.policy is EpochPolicy.NEW_BASELINE:
        return None
    return Refusal("G041", f"the host moved: {move}")


def _digest(head: Session, baseline: Baseline) -> Refusal | None:
    if head.profile_digest == baseline.profile_digest:
        return None
    return Refusal(
        "G032",
        f"the profile's text changed what is run since the baseline was accepted "
        f"({baseline.profile_digest[:19]} then, {head.profile_digest[:19]} now)",
    )


def _tools(head: Session, baseline: Baseline) -> Refusal | None:
    if head.harness != baseline.harness:
        return Refusal("G034", f"harness: baseline {baseline.harness}, session {head.harness}")
    if not baseline.sessions:
        return None
    other = other_tool(baseline.sessions[-1].tools, head.tools)
    return Refusal("G034", other) if other else None


def other_tool(accepted: dict[str, str], measured: dict[str, str]) -> str | None:
    """The first tool of another major version, with both versions."""
    for name in sorted(accepted.keys() | measured.keys()):
        theirs, ours = accepted.get(name, "unknown"), measured.get(name, "unknown")
        if _major(theirs) != _major(ours):
            return f"{name}: baseline {theirs}, session {ours}"
    return None


def _shown(tools: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(tools.items()))


def _units(session: Session) -> str:
    kinds = (f"{m.name} [{m.unit}] {m.better.value} {m.made}".rstrip() for m in session.metrics)
    return ", ".join(sorted(kinds))


def _major(version: str) -> str:
    return version.removeprefix("fio-").split(".", maxsplit=1)[0]


def _alike(case: Case) -> Refusal | None:
    """The further sessions must be of the same sitting as the screen."""
    return _same_work(case) or _same_host(case)


def _same_host(case: Case) -> Refusal | None:
    """What moved on the host between the sessions of one check moved their numbers."""
    for other in case.sessions[1:]:
        facts = changed_facts(case.head.host.epoch, other.host.epoch)
        if facts:
            between = f"between sessions {case.head.id} and {other.id}"
            text = f"the host moved {between}: {describe_changed(facts)}"
            return Refusal("G037", text)
    return None


def _same_work(case: Case) -> Refusal | None:
    head = case.head
    for other in case.sessions[1:]:
        for what, theirs, ours in (
            ("host class", other.host.host_class, head.host.host_class),
            ("host", other.host.fingerprint, head.host.fingerprint),
            ("profile", other.profile_digest, head.profile_digest),
            ("harness", other.harness, head.harness),
            ("tools", _shown(other.tools), _shown(head.tools)),
            ("metrics", _units(other), _units(head)),
        ):
            if theirs != ours:
                return Refusal("G037", f"{what} of session {other.id} is {theirs}, not {ours}")
    for other in (*case.strikes, *([case.pair_head] if case.pair_head else [])):
        for what, theirs, ours in (
            ("commit", other.subject.commit, head.subject.commit),
            ("content", other.subject.proof, head.subject.proof),
        ):
            if theirs and ours and theirs != ours:
                text = f"{what} under test of session {other.id} is {theirs}, not {ours}"
                return Refusal("G037", text)
    base, pair_head = case.pair_base, case.pair_head
    if (base is None) != (pair_head is None):
        side = Side.HEAD if pair_head is None else Side.BASE
        return Refusal("G037", f"the confirming session of the {side.value} side is missing")
    if pair_head is not None and pair_head.started < head.started:
        return Refusal("G037", "the pairs are older than the screen that they are to confirm")
    if base is not None and pair_head is not None and base.boot != pair_head.boot:
        return Refusal("G037", "base and head were confirmed in different boots")
    return None
