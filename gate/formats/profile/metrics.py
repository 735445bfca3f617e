"""A profile's metrics: what they may lose, and those of groups, made of their points' metrics."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gate.formats.profile.points import number_in, point_text
from gate.model import BACKGROUND_RATE, Better, Derived, Leeway, Metric, Role, Take
from gate.model.metric import LEAST_POINTS, LEAST_TOLERANCE, MOST_TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.errors import InputError
    from gate.formats.profile.metric_kinds import MetricKind
    from gate.formats.profile.profile_form import MetricForm, ProfileForm
    from gate.formats.profile.sizes import Sized


def metrics(
    form: ProfileForm, source: Sized, kinds: Mapping[str, MetricKind]
) -> tuple[Metric, ...]:
    """Every metric of the profile; `kinds` are those that its harness can give."""
    if not any(one.role == "gate" for one in form.metric.values()):
        cure = f'Add for example [metric."{next(iter(kinds), "NAME")}"].'
        raise source.wrong("no metric may close the gate.", "metric", cure=cure)
    return tuple(_MetricReader(name, form, source).metric(kinds) for name in form.metric)


def leeway(form: ProfileForm, source: Sized) -> Leeway:
    """How far above its own tolerance a metric may be judged that is too noisy for it."""
    if form.loud_ceiling is None:
        if form.loud == "raise":
            said = 'loud = "raise" needs a ceiling: nothing is raised without a bound.'
            cure = 'Add for example loud_ceiling = "40%", or remove `loud`.'
            raise source.wrong(said, "loud", cure=cure)
        return Leeway(times=1.0) if form.loud == "refuse" else Leeway()
    if form.loud != "raise":
        said = 'loud_ceiling means something only beside loud = "raise".'
        raise source.wrong(said, "loud_ceiling", cure='Add loud = "raise", or remove it.')
    ceiling = source.percent(form.loud_ceiling, "loud_ceiling")
    if not LEAST_TOLERANCE <= ceiling <= MOST_TOLERANCE:
        raise source.wrong("loud_ceiling must lie between 0.1% and 500%.", "loud_ceiling")
    return Leeway(ceiling=ceiling)


HOW_MADE = 'made by of = "iops", over = "iodepth", take = "scaling".'


def parts_given(form: object) -> tuple[list[str], list[str]]:
    """What a metric's form says of how a group makes it, and what it should say beside that."""
    parts = ("of", "over", "take")
    present = [key for key in parts if getattr(form, key) is not None]
    return present, [key for key in parts if key not in present]


class _MetricReader:
    """One metric on its way from form to model."""

    def __init__(self, name: str, profile: ProfileForm, source: Sized) -> None:
        self.name, self.profile, self.source = name, profile, source
        self.form: MetricForm = profile.metric[name]
        self.at = ("metric", name)

    def wrong(self, message: str, *key: str, cure: str = "") -> InputError:
        return self.source.wrong(message, *self.at, *key, cure=cure)

    def metric(self, kinds: Mapping[str, MetricKind]) -> Metric:
        derived = self.derived(kinds)
        if derived is not None:
            kind = kinds[derived.of]
            unit = kind.unit if derived.take is Take.GEOMEAN else "1"
        else:
            kind = self.kind(self.name, kinds)
            unit = kind.unit
        tolerance, negligible = self.limits()
        text = self.form.floor
        floor = None if text is None else self.source.quantity(text, unit, *self.at, "floor")
        return Metric(
            name=self.name,
            unit=unit,
            better=kind.better,
            role=Role(self.form.role),
            tolerance=tolerance,
            negligible=negligible,
            floor=floor,
            derived=derived,
        )

    def kind(self, name: str, kinds: Mapping[str, MetricKind], *key: str) -> MetricKind:
        """What the harness says of a metric of the points."""
        found = kinds.get(name)
        if found is None:
            known = ", ".join(sorted(kinds))
            raise self.wrong(f"{self.profile.harness} has no metric {name}; it has {known}.", *key)
        if name == BACKGROUND_RATE and self.profile.background is None:
            raise self.wrong(f"{name} needs a [background], and there is none.", *key)
        return found

    def derived(self, kinds: Mapping[str, MetricKind]) -> Derived | None:
        """How a group's metric is made; None for a metric of the points."""
        of, over, take = self.form.of, self.form.over, self.form.take
        if of is None or over is None or take is None:
            present, lacking = parts_given(self.form)
            if present:
                said = f"{present[0]} needs {' and '.join(lacking)} too."
                raise self.wrong(said, present[0], cure=f"A metric of a group is {HOW_MADE}")
            return None
        if self.name in kinds:
            said = f"{self.name} is a metric that is measured, so a group's must be called"
            raise self.wrong(f"{said} otherwise.")
        target = self.profile.metric.get(of)
        if target is not None and target.of is not None:
            raise self.wrong(f"of: {of} is a group's metric itself; name one of the points.", "of")
        kind = self.kind(of, kinds, "of")
        if of == BACKGROUND_RATE and over == "load":
            said = f"of: {of} over load cannot be: no load runs at the point `alone`."
            cure = f"Take {of} over another key of the matrix, or [metric.{of}] of the points."
            raise self.wrong(said, "of", cure=cure)
        self.check_curve(over, Take(take), kind)
        return Derived(of=of, over=over, take=Take(take))

    def check_curve(self, over: str, take: Take, kind: MetricKind) -> None:
        """The key must be swept over enough values, for a knee over rising numbers."""
        matrix = self.profile.matrix
        if over not in matrix:
            known = f"it has {', '.join(matrix)}" if matrix else "there is none"
            raise self.wrong(f"over: the matrix has no key {over}; {known}.", "over")
        values, least = matrix[over], LEAST_POINTS[take]
        if len(values) < least:
            said = f"over: {take.value} needs {least} values of {over} at least, not {len(values)}."
            raise self.wrong(said, "over")
        if take is not Take.KNEE:
            return
        numbers = [number_in(point_text(value)) for value in values]
        if any(map(math.isnan, numbers)) or numbers != sorted(numbers) or numbers[0] <= 0:
            raise self.wrong(f"over: a knee needs rising numbers above 0 for {over}.", "over")
        if kind.better is not Better.HIGHER:
            raise self.wrong("of: a knee needs a metric of which more is better.", "of")

    def limits(self) -> tuple[float, float]:
        """Tolerance and negligible loss, as ratios."""
        tolerance = self.source.percent(self.form.tolerance, *self.at, "tolerance")
        negligible, text = tolerance / 5, self.form.negligible
        if text is not None:
            negligible = self.source.percent(text, *self.at, "negligible")
        if not LEAST_TOLERANCE <= tolerance <= MOST_TOLERANCE:
            raise self.wrong("tolerance must lie between 0.1% and 500%.", "tolerance")
        if negligible > tolerance / 2:
            raise self.wrong("negligible must be at most half the tolerance.", "negligible")
        return tolerance, negligible
