"""Comparable or refused: what must agree before a number may be judged."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from gate.judge.copies import EXACTLY, copied_from, is_copy, timed_values
from gate.judge.host_stability.standing import host_move
from gate.judge.verdict.exclusions import too_many_excluded, too_many_excluded_of_pairs
from gate.judge.verdict.suite import Refusal
from gate.model import ALWAYS_INHERITED, EpochPolicy, Side
from gate.model.host import changed_facts, describe_changed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.judge.verdict.suite import Case
    from gate.model import AcceptedSession, Baseline, Session


_SHOWN = 3
"""Stable facts that a refusal names; a machine that differs in more is another one anyway."""


OTHER_QUANTITY = frozenset({"G032", "G033", "G034", "G049"})
"""Refusals of a level whose accepted values are of something else than what is measured now."""


def refusal(case: Case) -> Refusal | None:
    """The first reason why this case's numbers may not be judged, if there is one.

    Where both sides can run they are compared with each other, and only what tells nothing of
    either side, or hits one of them, keeps them from it: `level_refusal` has the rest.
    """
    return next(_refusals_of_pairs(case) if case.by_pairs else _refusals(case), None)


def level_refusal(case: Case) -> Refusal | None:
    """The first reason why the accepted level says nothing of what was measured, if any."""
    return next(_refusals_of_level(case), None)


def _refusals(case: Case) -> Iterator[Refusal]:
    yield from _without_base(case)
    yield from _copies(case)
    yield from _disturbed(case.sessions, too_many_excluded(case))
    yield from _other_text(case)
    yield from _unlike_environment(case)
    if case.baseline is not None:
        yield from _against(case.head, case.baseline)
        yield from _unlike_work(case)
        yield from _unlike_host(case.sessions)
    else:
        yield from _other_class(case)


def _refusals_of_pairs(case: Case) -> Iterator[Refusal]:
    yield from _without_base(case)
    yield from _copies(case)
    yield from _disturbed(case.pairs, too_many_excluded_of_pairs(case))
    yield from _other_text(case)
    yield from _unlike_environment(case)
    yield from _unlike_work(case)
    yield from _unlike_host(case.pairs)


def _refusals_of_level(case: Case) -> Iterator[Refusal]:
    yield from _other_class(case)
    if case.baseline is not None:
        yield from _against(case.head, case.baseline)
    yield from _disturbed((case.head,), too_many_excluded(case))


def _disturbed(sessions: Sequence[Session], too_many: str) -> Iterator[Refusal]:
    for disturbed in (reason for session in sessions for reason in session.disturbances):
        yield Refusal("G036", f"the sitting was disturbed: {disturbed}")
    if too_many:
        yield Refusal("G036", f"the sitting was disturbed: {too_many}")


def _without_base(case: Case) -> Iterator[Refusal]:
    """The head says itself that base trials stood among its own: alone it passes nothing."""
    named, there = case.head.beside, case.screen_base.id if case.screen_base else ""
    if named and named != there:
        text = f"base trials stood among those of session {case.head.id}, in session {named}"
        yield Refusal("G037", f"{text}, which was not handed in")


def _other_text(case: Case) -> Iterator[Refusal]:
    if case.reviewed and case.reviewed.harness != case.head.harness:
        theirs = f"the profile's is {case.reviewed.harness}"
        yield Refusal("G034", f"the session's harness is {case.head.harness}, {theirs}")
    if case.reviewed and case.reviewed.digest != case.head.profile_digest:
        yield Refusal("G032", "the session was measured with another text than the profile's now")


def _other_class(case: Case) -> Iterator[Refusal]:
    if case.baseline is None and case.other_classes:
        theirs = ", ".join(case.other_classes)
        text = f"baselines are of host class {theirs}; this host is {case.head.host.host_class}"
        yield Refusal("G030", text)


def _against(head: Session, baseline: Baseline) -> Iterator[Refusal]:
    own = head.id in baseline.accepted_here
    if not own and any(accepted.id == head.id for accepted in baseline.sessions):
        yield Refusal("G038", f"session {head.id} was accepted into the baseline it is to meet")
    elif (known := copied_from(head, baseline)) and not (own and known == head.id):
        yield Refusal("G038", f"the values of session {head.id} are those of {known}, {EXACTLY}")
    if found := changed_facts(baseline.stable, head.host.stable):
        named = [f"{one.key}: baseline {one.theirs}, this host {one.ours}" for one in found]
        more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
        yield Refusal("G031", "; ".join([*named[:_SHOWN], *more]))
    if head.harness != baseline.harness:
        yield Refusal("G034", f"harness: baseline {baseline.harness}, session {head.harness}")
    if baseline.sessions and (other := other_tool(baseline.sessions[-1].tools, head.tools)):
        yield Refusal("G034", other)
    if head.profile_digest != baseline.profile_digest:
        yield Refusal(
            "G032",
            f"the profile's text changed what is run since the baseline was accepted "
            f"({baseline.profile_digest[:19]} then, {head.profile_digest[:19]} now)",
        )
    if baseline.sessions and (names := _other_values(baseline.sessions[-1], head)):
        yield Refusal("G049", f"{names}: the workload got another value than when it was accepted")
    if baseline.policy is not EpochPolicy.NEW_BASELINE and (
        move := host_move(baseline, head.host.epoch)
    ):
        yield Refusal("G041", f"the host moved: {move}")


def _copies(case: Case) -> Iterator[Refusal]:
    """Two sittings never time the same to the last bit, nor half of it."""
    timed = [(session.id, timed_values(session)) for session in case.sessions]
    for (one, ours), (other, theirs) in combinations(timed, 2):
        if is_copy(ours, theirs.every):
            text = f"the values of session {other} are those of {one} to the last bit"
            yield Refusal("G038", f"{text}: it is a copy")


def other_tool(accepted: dict[str, str], measured: dict[str, str]) -> str | None:
    """The first tool of another major version, with both versions."""
    for name in sorted(accepted.keys() | measured.keys()):
        theirs, ours = accepted.get(name, "unknown"), measured.get(name, "unknown")
        if _major(theirs) != _major(ours):
            return f"{name}: baseline {theirs}, session {ours}"
    return None


def _other_values(theirs: Session | AcceptedSession, ours: Session) -> str:
    """The variables that the profile names and of which two sittings had different values."""
    before, after = theirs.environment, ours.environment
    names = (before.keys() | after.keys()) - {*ALWAYS_INHERITED}
    return ", ".join(name for name in sorted(names) if before.get(name) != after.get(name))


def _shown(tools: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(tools.items()))


def _units(session: Session) -> str:
    kinds = (f"{m.name} [{m.unit}] {m.better.value} {m.made}".rstrip() for m in session.metrics)
    return ", ".join(sorted(kinds))


def _major(version: str) -> str:
    return version.removeprefix("fio-").split(".", maxsplit=1)[0]


def _unlike_host(sessions: Sequence[Session]) -> Iterator[Refusal]:
    """What moved on the host between the sessions of one check moved their numbers."""
    for other in sessions[1:]:
        if facts := changed_facts(sessions[0].host.epoch, other.host.epoch):
            between = f"between sessions {sessions[0].id} and {other.id}"
            yield Refusal("G037", f"the host moved {between}: {describe_changed(facts)}")


def _unlike_environment(case: Case) -> Iterator[Refusal]:
    for other in case.sessions[1:]:
        if names := _other_values(other, case.head):
            said = (
                f"{names}: the workload of session {other.id} got another value than the screen's"
            )
            yield Refusal("G049", said)


def _unlike_work(case: Case) -> Iterator[Refusal]:
    """The further sessions must be of the same sitting as the screen."""
    head, base, pair_head = case.head, case.pair_base, case.pair_head
    for other in case.sessions[1:]:
        if names := _other_values(other, head):
            said = (
                f"{names}: the workload of session {other.id} got another value than the screen's"
            )
            yield Refusal("G049", said)
        for what, theirs, ours in (
            ("host class", other.host.host_class, head.host.host_class),
            ("host", other.host.fingerprint, head.host.fingerprint),
            ("profile", other.profile_digest, head.profile_digest),
            ("harness", other.harness, head.harness),
            ("tools", _shown(other.tools), _shown(head.tools)),
            ("metrics", _units(other), _units(head)),
        ):
            if theirs != ours:
                yield Refusal("G037", f"{what} of session {other.id} is {theirs}, not {ours}")
    yield from _unlike_subject(case)
    if (base is None) != (pair_head is None):
        side = Side.HEAD if pair_head is None else Side.BASE
        yield Refusal("G037", f"the confirming session of the {side.value} side is missing")
    if pair_head is not None and pair_head.started < head.started:
        yield Refusal("G037", "the pairs are older than the screen that they are to confirm")
    if base is not None and pair_head is not None and base.boot != pair_head.boot:
        yield Refusal("G037", "base and head were confirmed in different boots")


def _unlike_subject(case: Case) -> Iterator[Refusal]:
    head, pair_head = case.head.subject, case.pair_head
    for other in (*case.strikes, *([pair_head] if pair_head else [])):
        for what, theirs, ours in (
            ("commit", other.subject.commit, head.commit),
            ("content", other.subject.proof, head.proof),
        ):
            if theirs and ours and theirs != ours:
                text = f"{what} under test of session {other.id} is {theirs}, not {ours}"
                yield Refusal("G037", text)
