"""What is judged together: the sessions and the baseline of each profile, sorted into roles."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from gate.errors import InputError, NothingCompared
from gate.model import Baseline, Session, Side, Stage, TrialStatus, Waiver, plan_of
from gate.model.plan import block_of, pairs_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from gate.model import Metric, Profile, Trial, Value

K = TypeVar("K")
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The promise to keep, and what the user lets through."""

    alpha: float = 0.01
    """Bound on the chance that an unchanged suite is called regressed."""
    beta: float = 0.025
    """Bound on the chance that a loss as large as the tolerance goes unnoticed."""
    allow_new: bool = False
    levels: bool = True
    """Whether anything could have been accepted: not where two commands are just compared."""
    waivers: tuple[Waiver, ...] = ()
    accepted: frozenset[str] = frozenset()
    """Profiles of which there is a baseline, judged here or not."""
    today: str = "1970-01-01"
    """UTC date, for waivers that begin, as this machine's clock has it."""
    not_before: str = ""
    """UTC date that today cannot be earlier than, for waivers that end; empty where unknown."""

    @property
    def latest_day(self) -> str:
        """Today; where the clock is behind what happened already, the day of that."""
        return max(self.today, self.not_before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One profile's sessions in their roles, with the baseline they are judged against."""

    profile: str
    head: Session
    """The screen of the head side."""
    strikes: tuple[Session, ...]
    """Further whole head sessions, taken after the screen."""
    pair_base: Session | None
    pair_head: Session | None
    baseline: Baseline | None
    other_classes: tuple[str, ...]
    """Host classes for which this profile has a baseline, where this host's has none."""
    metrics: tuple[Metric, ...]
    """Metrics with the tolerances in force, from the reviewed profile where there is one."""
    reviewed: Profile | None
    """The profile to judge by; without it the session's own word is taken for what it planned."""
    screen_base: Session | None = None
    """Trials of the base side beside those of the screen."""
    unplanned: frozenset[str] = frozenset()
    """Benchmarks of the reviewed profile that the session itself did not set out to measure."""

    @property
    def sessions(self) -> tuple[Session, ...]:
        """All of them: the screen, further head sessions, and both sides of the pairs."""
        every = (self.head, self.screen_base, *self.strikes, self.pair_base, self.pair_head)
        return tuple(session for session in every if session is not None)

    @property
    def pairs(self) -> tuple[Session, ...]:
        """Both sides of the pairs, as far as they are there."""
        return tuple(one for one in (self.pair_base, self.pair_head) if one is not None)

    @property
    def by_pairs(self) -> bool:
        """Whether pairs decide, or would: both sides can run, and no strikes stand in."""
        return self.pair_base is not None or (self.head.sides and not self.strikes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """All cases of a report, one of each profile, and the policy that they are judged by."""

    cases: tuple[Case, ...]
    policy: Policy

    @property
    def by_profile(self) -> dict[str, Case]:
        """The cases by their profiles' names."""
        return {case.profile: case for case in self.cases}


class Refusal(NamedTuple):
    """Why a profile's numbers may not be judged."""

    code: str
    reason: str


def arrange(
    sessions: Sequence[Session], baselines: Sequence[Baseline], profiles: Mapping[str, Profile]
) -> tuple[Case, ...]:
    """Sort sessions into cases by profile.

    `profiles` holds reviewed profiles by name: their metrics, benchmarks, trials and policy are
    in force, whatever a session says; its own stand in where no profile was given.

    Raises:
        NothingCompared: there is no session, or a profile has no head session to screen.
        InputError: a session is there twice, or two hold the pairs of one side.
    """
    if not sessions:
        raise NothingCompared("G280", "no session was given.", cure="Name one with --session.")
    _refuse_doubles(sessions)
    names = sorted({session.profile for session in sessions})
    return tuple(_case(name, sessions, baselines, profiles.get(name)) for name in names)


def _refuse_doubles(sessions: Sequence[Session]) -> None:
    """No measurement may count twice, and of two none may be dropped in silence."""
    pairs = [s for s in sessions if s.stage is Stage.CONFIRM]
    identities = Counter(f"session {s.id}" for s in sessions)
    sides = Counter(f"the confirming session of {s.profile} {s.side.value}" for s in pairs)
    for what, count in (*identities.items(), *sides.items()):
        if count > 1:
            raise _doubled(what, count)


def _doubled(what: str, count: int) -> InputError:
    cure = "Hand in each session once, and the sessions of one check only."
    return InputError("G200", f"{what} was handed in {count} times.", cure=cure)


def _case(
    name: str, sessions: Iterable[Session], baselines: Iterable[Baseline], reviewed: Profile | None
) -> Case:
    own = sorted(
        (session for session in sessions if session.profile == name),
        key=lambda session: (session.started, session.id),
    )
    whole = [s for s in own if s.stage is Stage.SCREEN and s.side is Side.HEAD]
    pairs = {s.side: s for s in own if s.stage is Stage.CONFIRM}
    if not whole:
        raise NothingCompared(
            "G280",
            f"profile {name} has no session of the head side.",
            cure="Hand in the session that `gate run` or `gate check` wrote for the head side.",
        )
    benchmarks = {one.name for one in reviewed.benchmarks} if reviewed else set()
    of_profile = [baseline for baseline in baselines if baseline.profile == name]
    mine = [b for b in of_profile if b.host_class == whole[0].host.host_class]
    return Case(
        profile=name,
        head=_as_reviewed(whole[0], reviewed),
        strikes=tuple(whole[1:]),
        pair_base=pairs.get(Side.BASE),
        pair_head=pairs.get(Side.HEAD),
        baseline=mine[0] if mine else None,
        other_classes=tuple(sorted(b.host_class for b in of_profile)) if not mine else (),
        metrics=reviewed.metrics if reviewed else whole[0].metrics,
        reviewed=reviewed,
        screen_base=_beside(whole[0], own),
        unplanned=frozenset(benchmarks - {plan.benchmark for plan in whole[0].planned}),
    )


def _beside(head: Session, sessions: Iterable[Session]) -> Session | None:
    """The base trials that were taken among those of the head's screen, not before or after it."""
    found = [
        one
        for one in sessions
        if (one.stage, one.side, one.boot) == (Stage.SCREEN, Side.BASE, head.boot)
        and one.started <= head.ended
        and head.started <= one.ended
    ]
    if len(found) > 1:
        what = f"a base session of the screen of {head.profile}"
        raise _doubled(what, len(found))
    return found[0] if found else None


def _as_reviewed(head: Session, reviewed: Profile | None) -> Session:
    if reviewed is None:
        return head
    return replace(
        head,
        planned=tuple(
            plan_of(reviewed, benchmark, reviewed.trials.screen)
            for benchmark in reviewed.benchmarks
        ),
        loud=reviewed.loud,
        pairs=reviewed.trials.confirm_pairs,
    )


def trials_by_benchmark(session: Session | None) -> dict[str, tuple[Trial, ...]]:
    """The trials of each benchmark in run order, those set aside left out."""
    if session is None:
        return {}
    own = (trial for trial in session.trials if trial.stage is session.stage)
    return in_run_order(trial for trial in own if trial.status is not TrialStatus.ASIDE)


def in_run_order(trials: Iterable[Trial]) -> dict[str, tuple[Trial, ...]]:
    """Trials by benchmark. Made once for a session, since suites can be large."""
    found: dict[str, list[Trial]] = {}
    for trial in sorted(trials, key=lambda trial: trial.sequence):
        found.setdefault(trial.benchmark, []).append(trial)
    return {benchmark: tuple(own) for benchmark, own in found.items()}


def metric_values(trials: Iterable[Trial], metric: str) -> Iterator[Value]:
    """What these trials gave of a metric, whatever became of them."""
    return (value for trial in trials for value in trial.values if value.metric == metric)


def _counted_values(trials: Iterable[Trial], metric: str) -> Iterator[Value]:
    return metric_values((trial for trial in trials if trial.status is TrialStatus.OK), metric)


def values_in(trials: Iterable[Trial], metric: str) -> tuple[float, ...]:
    """A metric's values in these trials, failed ones left out."""
    return tuple(value.value for value in _counted_values(trials, metric))


def resolution_in(trials: Iterable[Trial], metric: str) -> float:
    """The median resolution of a metric in these trials, in its base unit.

    Not the coarsest: a single noisy trial would lift the tolerance of all of them.
    """
    found = [value.resolution for value in _counted_values(trials, metric)]
    return median(found) if found else 0.0


def failures_in(trials: Sequence[Trial]) -> tuple[str, ...]:
    """Why trials failed, in run order."""
    return tuple(
        f"trial {trial.sequence + 1}: {trial.note or trial.status.value}"
        for trial in trials
        if trial.status is not TrialStatus.OK
    )


def on_both_sides(
    case: Case, read: Callable[[Session | None], Mapping[K, Sequence[T]]]
) -> dict[K, tuple[Sequence[T], Sequence[T]]]:
    """What `read` finds of the base and of the head side, by the keys that it gives.

    Of the pairs where both of their sides have it, for these are of one day; else of the screen.
    """
    base, pair_head, screen = map(read, (case.pair_base, case.pair_head, case.head))
    paired = base.keys() & pair_head.keys()
    alone = {key: ((), screen[key]) for key in screen.keys() - paired}
    return alone | {key: (base[key], pair_head[key]) for key in paired}


Values = tuple[tuple[float, ...], tuple[float, ...]]
"""A block's values of the base and of the head side, in the order of their pairs."""


class Pairing:
    """The confirming trials of one benchmark."""

    def __init__(self, base: Session | None, head: Session | None, benchmark: str) -> None:
        self._base, self._head = (_by_pair(session, benchmark) for session in (base, head))

    @property
    def blocks(self) -> tuple[int, ...]:
        """Numbers of the complete blocks; one that was cut short does not count."""
        both = self._base.keys() & self._head.keys()
        numbers = sorted({block_of(pair) for pair in both})
        return tuple(number for number in numbers if both.issuperset(pairs_in(number)))

    def values(self, metric: str) -> tuple[Values, ...]:
        """A metric's values in the complete blocks that hold it in every trial."""
        before, after = (
            {pair: value for pair, trial in side.items() for value in values_in((trial,), metric)}
            for side in (self._base, self._head)
        )
        return tuple(
            (tuple(before[p] for p in pairs_in(b)), tuple(after[p] for p in pairs_in(b)))
            for b in self.blocks
            if all(p in before and p in after for p in pairs_in(b))
        )

    def resolution(self, metric: str) -> float:
        """The median resolution of a metric in these trials, in its base unit."""
        return resolution_in((*self._base.values(), *self._head.values()), metric)


def _by_pair(session: Session | None, benchmark: str) -> dict[int, Trial]:
    return {
        trial.pair: trial
        for trial in (session.trials if session else ())
        if trial.benchmark == benchmark
        and trial.pair is not None
        and trial.status is TrialStatus.OK
    }
