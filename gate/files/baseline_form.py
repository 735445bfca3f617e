"""The forms of `baselines/<host-class>/<profile>.toml` and of `host.toml` beside it."""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

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


class HostForm(BaseModel):
    """`host.toml`: the stable facts of a host class."""

    model_config = _FORM
    schema_number: int = Field(alias="schema")
    host_class: str
    stable: dict[str, str]


@cache
def adapter() -> TypeAdapter[BaselineForm]:
    """Validator of baselines, built once."""
    return TypeAdapter(BaselineForm)


@cache
def host_adapter() -> TypeAdapter[HostForm]:
    """Validator of host files, built once."""
    return TypeAdapter(HostForm)
