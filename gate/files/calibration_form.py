"""The form of `baselines/<host-class>/calibration.toml`: one line per round."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from gate.model import Ending  # noqa: TC001 - pydantic resolves it when it runs

_FORM = ConfigDict(extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)
_LARGEST_LOSS = 10.0
_MOST_LINES = 1000
"""More than are ever written, so that a merge of two branches can still be read."""

_Count = Annotated[int, Field(ge=0, le=10**9)]
_Level = Annotated[float, Field(gt=0, le=0.5)]


class RoundForm(BaseModel):
    """One finished round."""

    model_config = _FORM
    id: str = Field(pattern=r"^[0-9A-Za-z-]{8,40}$")
    date: str = Field(pattern=r"^\d{4}-\d\d-\d\dT[0-9:.]{5,15}Z$")
    """UTC."""
    digest: str = Field(min_length=1, max_length=64)
    """First digits of the profile's digest."""
    gate: str = Field(min_length=1, max_length=40)
    rule: str = Field(min_length=1, max_length=40)
    """Versions of the gate and of its decision rule."""
    alpha: _Level
    beta: _Level
    seed: Annotated[int, Field(ge=0, lt=1 << 63)]
    number: Annotated[int, Field(ge=1, le=10**9)]
    """Seed of the schedule, and the number in it."""
    planted: float = Field(ge=0, le=_LARGEST_LOSS)
    """Asked loss; 0 for an unchanged round."""
    benchmark: str = Field(default="", max_length=500)
    """The benchmark that was slowed."""
    achieved: float | None = None
    """Loss that the data show."""
    tolerance: float | None = Field(default=None, gt=0)
    """Tolerance that the slowed metric was judged by."""
    ending: Ending
    metrics: _Count
    regressed: _Count
    inconclusive: _Count
    """Gate metrics compared, called regressed, left inconclusive."""
    trials: _Count
    seconds: float = Field(ge=0)


class ProfileForm(BaseModel):
    """`[profile.NAME]`: the rounds of one profile."""

    model_config = _FORM
    rounds: list[RoundForm] = Field(max_length=_MOST_LINES)


class CalibrationForm(BaseModel):
    """How often the gate was right on hosts of one class, where the truth was known."""

    model_config = ConfigDict(
        extra="forbid",
        allow_inf_nan=False,
        use_attribute_docstrings=True,
        title="driftgate calibration",
    )
    schema_number: int = Field(alias="schema")
    host_class: str
    profile: dict[str, ProfileForm] = {}


@cache
def adapter() -> TypeAdapter[CalibrationForm]:
    """Validator of calibrations, built once."""
    return TypeAdapter(CalibrationForm)
