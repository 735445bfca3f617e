"""Which session may become a baseline, and which sessions may together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.judge.copies import EXACTLY, copied_from, is_copy, timed_values
from gate.judge.verdict.comparable import other_tool
from gate.judge.verdict.exclusions import too_many_excluded_in
from gate.judge.verdict.suite import failures_in, trials_by_benchmark, values_in
from gate.model import WORK_DONE, Better, Metric, Role, Stage, State, applies
from gate.model.disturbance import most_set_aside
from gate.model.host import changed_facts, describe_changed
from gate.stats.costs import usable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.model import Baseline, Planned, Session


_WORK = Metric(name=WORK_DONE, unit="1", better=Better.HIGHER, role=Role.WATCH)


def why_not(session: Session) -> str | None:
    """What keeps a session from any baseline."""
    return next(_obstacles(session), None)


def _obstacles(session: Session) -> Iterator[str]:
    if session.state is State.PARTIAL:
        yield "it is partial; finish it with `gate run --resume`"
    if session.planted:
        yield "a calibration slowed it on purpose"
    if session.left_out:
        yield "it was narrowed by --benchmark, and its profile has more"
    if session.stage is not Stage.SCREEN:
        yield "it holds only confirming trials, which were chosen because they looked slow"
    if session.disturbances:
        yield f"it was disturbed: {session.disturbances[0]}"
    if not session.planned or not session.metrics:
        yield "it holds no benchmark"
    yield from _lacking(session)


def _lacking(session: Session) -> Iterator[str]:
    trials = trials_by_benchmark(session)
    for plan in session.planned:
        own = trials.get(plan.benchmark, ())
        for failure in failures_in(own):
            yield f"{plan.benchmark} failed, {failure}"
        for metric in metrics_of(session, plan):
            values = values_in(own, metric.name)
            if metric.role is Role.GATE and not all_usable(values, plan.trials):
                good = sum(usable([value]) for value in values)
                name = f"{plan.benchmark} {metric.name}"
                yield f"{name} has {good} of {plan.trials} trials with a finite value above zero"


def why_not_here(session: Session, baseline: Baseline) -> str | None:
    """What keeps a session from this baseline."""
    if too_many := too_many_excluded_in(session, baseline.set_aside):
        return too_many
    marked = sum(bool(trial.marks) for trial in session.trials)
    if marked > most_set_aside(baseline.set_aside, len(session.trials)):
        # A comparison of both sides bears that; a level would have the others' work in it.
        return f"{marked} of {len(session.trials)} trials were disturbed by others"
    if session.host.host_class != baseline.host_class:
        return f"it is of host class {session.host.host_class}, not {baseline.host_class}"
    for key, theirs, ours in changed_facts(baseline.stable, session.host.stable):
        return f"the host class has {key} {theirs}, the session's host {ours}"
    if any(known.id == session.id for known in baseline.sessions):
        return "it was accepted before"
    if known := copied_from(session, baseline):
        return f"its values are those of {known}, {EXACTLY}"
    for last in baseline.sessions[-1:]:
        facts = changed_facts(session.host.epoch, last.epoch_facts)
        if facts and session.started < last.started:
            return (
                "it was measured before the newest accepted session, and the host moved in "
                f"between: {describe_changed(facts)}"
            )
    return None


def why_not_with(session: Session, first: Session, before: Sequence[Session]) -> str | None:
    """What keeps a session from being accepted together with the first of those given."""
    if any(other.id == session.id for other in before):
        return "it was given twice"
    timed = timed_values(session)
    for one in before:
        if is_copy(timed, timed_values(one).every):
            return f"its values are those of {one.id} to the last bit: it is a copy"
    if session.profile_digest != first.profile_digest:
        return f"it was made with another profile text than {first.id}"
    for what, theirs, ours in (
        ("benchmarks", benchmarks_in(first.planned), benchmarks_in(session.planned)),
        ("metrics", _kinds(first), _kinds(session)),
        ("metrics that the host can give", sorted(first.unavailable), sorted(session.unavailable)),
    ):
        if theirs != ours:
            return f"it holds other {what} than {first.id}"
    facts = changed_facts(first.host.epoch, session.host.epoch)
    if facts:
        return f"the host moved between {first.id} and it: {describe_changed(facts)}"
    other = other_tool(first.tools, session.tools)
    return f"it differs from {first.id} in {other}" if other else None


def benchmarks_in(planned: Sequence[Planned]) -> list[str]:
    """The benchmarks of a plan, sorted."""
    return sorted(plan.benchmark for plan in planned)


def _kinds(session: Session) -> list[tuple[str, str, str, str]]:
    return sorted((one.name, one.unit, one.better.value, one.made) for one in session.metrics)


def metrics_of(session: Session, plan: Planned) -> tuple[Metric, ...]:
    """The metrics that apply to a benchmark, and that the host can give if they are watched.

    And how much was done, where the trials tell, which is kept beside them.
    """
    own = (trial for trial in session.trials if trial.benchmark == plan.benchmark)
    tells = any(value.metric == WORK_DONE for trial in own for value in trial.values)
    return (_WORK,) * tells + tuple(
        metric
        for metric in session.metrics
        if applies(metric, plan)
        and not (
            metric.role is Role.WATCH
            and (metric.derived.of if metric.derived else metric.name) in session.unavailable
        )
    )


def all_usable(values: Sequence[float], planned: int) -> bool:
    """Whether every planned trial gave a value that can be compared."""
    return len(values) >= planned and usable(values)
