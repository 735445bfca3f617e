"""The form of `baselines/<host-class>/<profile>.toml`."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, TypeAdapter

from gate.model import Better  # noqa: TC001 - pydantic resolves it when it runs

_FORM = ConfigDict(extra="forbid", allow_inf_nan=False)


class SessionForm(BaseModel):
    """`[session."ID"]`: one accepted session."""

    model_config = _FORM
    reason: str = Field(min_length=1)
    by: str
    accepted: str
    started: str
    commit: str = ""
    subject: str = ""
    boot: str = ""
    fingerprint: str = ""
    digest: str
    tools: dict[str, str] = {}
    epoch_facts: dict[str, str] = {}
    duration: float = Field(default=0.0, ge=0)
    kernel_build: str = Field(default="", pattern=r"^[0-9a-f]{0,128}$")
    kernel_config: str = Field(default="", pattern=r"^([0-9a-f]{16})?$")
    controls: dict[str, Annotated[list[PositiveFloat], Field(min_length=1, max_length=100)]] = {}


class PointForm(BaseModel):
    """One line of a series."""

    model_config = _FORM
    session: str
    epoch: int = Field(ge=1)
    median: float
    values: list[float] = Field(min_length=1, max_length=1000)


class SeriesForm(BaseModel):
    """`[series."BENCHMARK"."METRIC"]`."""

    model_config = _FORM
    unit: str
    better: Better
    made: str = ""
    sessions: list[PointForm] = Field(min_length=1)


class BaselineForm(BaseModel):
    """The accepted sessions of one host class and profile."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, title="driftgate baseline")
    schema_number: int = Field(alias="schema")
    profile: str
    host_class: str
    harness: str
    profile_digest: str
    session: dict[str, SessionForm] = {}
    series: dict[str, dict[str, SeriesForm]] = {}


@cache
def adapter() -> TypeAdapter[BaselineForm]:
    """Validator of baselines, built once."""
    return TypeAdapter(BaselineForm)
