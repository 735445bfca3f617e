"""Recorded sessions in the shapes that the judge takes, and its first stage over a suite."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.calibrate.drawing import slow_values, some
from gate.calibrate.outcome import TOLERANCE
from gate.judge.host_stability.standing import unsteady
from gate.judge.power.planning import expected_of
from gate.judge.verdict.screening import Flagged, noises_in, screen_series
from gate.judge.verdict.series import Series, key_of
from gate.judge.verdict.suite import Case, Policy
from gate.judge.verdict.tolerance import by_pairs, in_force
from gate.model import (
    SCHEMA,
    BaselinePoint,
    BaselineSeries,
    Host,
    Leeway,
    Metric,
    Planned,
    Session,
    Side,
    Source,
    Stage,
    State,
    Subject,
    Trial,
    TrialStatus,
    Value,
)
from gate.model.metric import MOST_TOLERANCE
from gate.model.plan import BASE_TRIALS
from gate.model.profile import Trials as Plan
from gate.stats.noise import known_sigma, provable_with_strikes
from gate.stats.planning import screen_trials

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from gate.calibrate.drawing import DrawnSuite, Pool, Trials
    from gate.judge.verdict.series import SeriesKey
    from gate.model import Finding
    from gate.model.calibration import RecordedSeries
    from gate.stats.noise import Noise

POLICY = Policy()
PLAN = Plan()
_METRIC = "value"
_NOWHERE = Host(host_class="recorded", fingerprint="", stable={}, epoch={})


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    """A suite after its first stage, nothing planted."""

    series: tuple[Series, ...]
    """In the order of the suite."""
    noises: Mapping[SeriesKey, Noise]
    answers: tuple[Finding | Flagged, ...]
    unfit: bool
    """The host scatters as never before, and only the head can run: nothing of it is judged."""
    unknown: str = ""
    """The same where both sides can run: why nothing is screened, and pairs decide all."""


def first_stage(
    pool: Pool,
    suite: DrawnSuite,
    dice: Random,
    *,
    sessions: int,
    sides: bool,
    builds: str = "same",
) -> Screening:
    """Screen a suite against so many sessions before it, as a check would.

    `builds` says of which build the base is, where each recorded session is another one.
    """
    case = Case(
        profile="recorded",
        head=session({}, sides=sides),
        strikes=(),
        pair_base=None,
        pair_head=None,
        baseline=None,
        other_classes=(),
        metrics=(),
        reviewed=None,
    )
    bare = [_series(case, one, pool.before(one, suite.place, sessions)) for one in suite.series]
    noises = noises_in(bare)
    bare = [_as_proposed(one, noises) for one in bare]
    series = tuple(
        _with_trials(pool, suite.place, one, source, _trials(one, noises), builds, dice)
        for one, source in zip(bare, suite.series, strict=True)
    )
    unfit = unsteady(series, noises)
    unknown = unfit.reason if unfit and sides else ""
    return Screening(
        series=series,
        noises=noises,
        answers=tuple(
            screen_series(one, POLICY, noises.get(key_of(one)), unknown) for one in series
        ),
        unfit=unfit is not None and not sides,
        unknown=unknown,
    )


def plant_loss(screening: Screening, loss: float) -> Finding | Flagged:
    """The first series' answer with a loss planted."""
    first = screening.series[0]
    head = slow_values(first.head, loss, first.metric.better)
    noise = screening.noises.get(key_of(first))
    return screen_series(_with_head(first, head), POLICY, noise, screening.unknown)


def _as_proposed(series: Series, noises: Mapping[SeriesKey, Noise]) -> Series:
    """With the line for its tolerance committed that accepting these sessions proposes."""
    noise = noises.get(key_of(series))
    if noise is None:
        return series
    clears = provable_with_strikes(noise, _trials(series, noises))
    sigma, sides = known_sigma(noise), series.case.head.sides
    provable = by_pairs(sigma, PLAN.confirm_pairs) if sides else lambda _: clears
    able = in_force(series.metric, series.sessions, Leeway(), provable).can_detect or TOLERANCE
    tolerance = min(max(TOLERANCE, able), MOST_TOLERANCE)
    return replace(series, metric=replace(series.metric, tolerance=tolerance))


def _trials(series: Series, noises: Mapping[SeriesKey, Noise]) -> int:
    """As many as a check would plan."""
    noise = noises.get(key_of(series))
    if noise is None:
        return PLAN.screen
    pairs = PLAN.confirm_pairs if series.case.head.sides else 0
    metric = expected_of(series.metric, series.sessions, noise, pairs, Leeway())
    return screen_trials((metric,), PLAN.screen, POLICY.beta)


def _series(case: Case, series: RecordedSeries, history: tuple[Trials, ...]) -> Series:
    """A series with its accepted sessions, and without a head yet."""
    points = tuple(
        BaselinePoint(session=f"{number}", epoch=1, values=values)
        for number, values in enumerate(history)
    )
    accepted = BaselineSeries(
        benchmark=series.name, metric=_METRIC, unit="s", better=series.better, points=points
    )
    return Series(
        case=case,
        benchmark=series.name,
        metric=Metric(name=_METRIC, unit="s", better=series.better, tolerance=TOLERANCE),
        control=False,
        planned=0,
        head=(),
        failures=(),
        accepted=accepted,
    )


def _with_trials(
    pool: Pool,
    place: int,
    series: Series,
    source: RecordedSeries,
    trials: int,
    builds: str,
    dice: Random,
) -> Series:
    """So many head trials, and with sides base trials mixed among them, of one sitting."""
    today = pool.session(source, place)
    if not series.case.head.sides:
        return _with_head(series, some(today, trials, dice))
    drawn = list(some(today, trials + BASE_TRIALS, dice))
    dice.shuffle(drawn)
    base, head = tuple(drawn[:BASE_TRIALS]), tuple(drawn[BASE_TRIALS:])
    if builds != "same":
        base = some(pool.session(source, place + 1), BASE_TRIALS, dice)
    return replace(_with_head(series, head), base=base)


def _with_head(series: Series, head: Trials) -> Series:
    return replace(series, planned=len(head), head=head)


def session(rows: Mapping[str, Trials], *, sides: bool = False) -> Session:
    """A head session that holds these trials by benchmark."""
    values = [(name, value) for name, values in rows.items() for value in values]
    return Session(
        schema=SCHEMA,
        id="recorded",
        profile="recorded",
        profile_digest="",
        harness="replay",
        side=Side.HEAD,
        stage=Stage.SCREEN,
        subject=Subject(),
        host=_NOWHERE,
        boot="",
        started="",
        ended="",
        seed=0,
        state=State.COMPLETE,
        source=Source.REPLAYED,
        sides=sides,
        planned=tuple(Planned(benchmark=name, trials=len(rows[name])) for name in rows),
        metrics=(),
        trials=tuple(
            Trial(
                benchmark=name,
                sequence=number,
                stage=Stage.SCREEN,
                status=TrialStatus.OK,
                started="",
                duration=0.0,
                values=(Value(metric=_METRIC, value=value),),
            )
            for number, (name, value) in enumerate(values)
        ),
        tools={},
        pairs=PLAN.confirm_pairs,
    )
