"""`baselines/<host-class>/calibration.toml`: a line per round, appended to and written whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from gate.errors import InputError
from gate.formats import disk, names, toml
from gate.formats.document import Form, read_toml
from gate.formats.only_writer import only_writer
from gate.model import SCHEMA, Ending, Round

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
_LARGEST_LOSS = 10.0
_MOST_LINES = 1000
"""More than are ever written, so that a merge of two branches can still be read."""

_Count = Annotated[int, Field(ge=0, le=10**9)]
_Level = Annotated[float, Field(gt=0, le=0.5)]


class RoundForm(Form):
    """One finished round."""

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


class ProfileRoundsForm(Form):
    """`[profile.NAME]`: the rounds of one profile."""

    rounds: list[RoundForm] = Field(max_length=_MOST_LINES)


class CalibrationForm(Form, title="driftgate calibration"):
    """How often the gate was right on hosts of one class, where the truth was known."""

    schema_number: int = Field(alias="schema")
    host_class: str
    profile: dict[str, ProfileRoundsForm] = {}


CALIBRATION_FILE = "calibration.toml"
MOST_KEPT = 500
"""Rounds of one profile that are kept, the newest."""
_UNCHANGED = {Ending.CLEAR, Ending.ALARM}
_PLANTED = {Ending.FOUND, Ending.MISSED}
_ORDER = (
    *("id", "date", "planted", "ending", "benchmark", "achieved", "tolerance"),
    *("metrics", "regressed", "inconclusive", "trials", "seconds"),
    *("digest", "gate", "rule", "alpha", "beta", "seed", "number"),
)
"""The keys of a line, most telling first."""
_MAY_LACK = {"benchmark", "achieved", "tolerance"}
_REGRESSED = {Ending.CLEAR: False, Ending.ALARM: True, Ending.FOUND: True}
"""Endings that say whether something was called regressed."""


def read_rounds(directory: Path) -> tuple[Round, ...]:
    """The rounds of every host class under a baseline directory, oldest first."""
    if disk.is_absent(directory):
        return ()
    files = sorted(directory.glob(f"*/{CALIBRATION_FILE}"))
    return tuple(one for path in files for one in _read(path))


def append_round(directory: Path, new: Round) -> Path:
    """Add a finished round to the file of its host class; one of the same id is replaced."""
    path = directory / new.host_class / CALIBRATION_FILE
    with only_writer(directory) as demand_as_read:
        before = () if disk.is_absent(path) else _read(path)
        rounds = [one for one in before if one.id != new.id]
        demand_as_read()
        disk.write_text(path, calibration_text(new.host_class, [*rounds, new]))
    return path


def calibration_text(host_class: str, rounds: Sequence[Round]) -> str:
    """The canonical text: the same rounds in any order give the same bytes."""
    text = [
        "# How often the gate was right on this host class: a line per round of `gate calibrate`.",
        "# Where two branches add lines to one profile, keep both; the next round sorts them.",
        f"schema = {SCHEMA}",
        *toml.pairs({"host_class": host_class}),
    ]
    ordered = sorted(rounds, key=lambda one: (one.date, one.id))
    for profile in sorted({one.profile for one in rounds}):
        own = [one for one in ordered if one.profile == profile][-MOST_KEPT:]
        text += ["", f"[profile.{toml.key(profile)}]", "rounds = ["]
        text += [f"  {{ {', '.join(toml.pairs(_row(one)))} }}," for one in own]
        text.append("]")
    return "\n".join([*text, ""])


def _row(one: Round) -> dict[str, Any]:
    found = {name: getattr(one, name) for name in _ORDER}
    found |= {name: float(found[name]) for name in ("planted", "seconds")}
    return {k: v for k, v in found.items() if k not in _MAY_LACK or v not in {"", None}}


def _read(path: Path) -> tuple[Round, ...]:
    document = read_toml(path, "calibration")
    document.check_schema()
    form = document.validate(CalibrationForm)
    if form.host_class != path.parent.name:
        here = f"{path.parent.name!r} belongs"
        message = f"host_class is {form.host_class!r}, but the file stands where {here}."
        raise document.wrong(message, "host_class", cure="Move the file back.")
    found: dict[str, Round] = {}
    for profile, block in form.profile.items():
        if not names.is_plain(profile):
            message = f"{profile[:80]!r} is no profile."
            raise document.wrong(message, "profile", profile, cure=f"A name has {names.RULE}.")
        for line in block.rounds:
            why = "stands there twice" if line.id in found else _contradiction(line)
            if why:
                message = f"round {line.id} of {profile} {why}."
                place = f"{path}:{_last_line_with(document.text, line.id)}"
                raise InputError("G206", message, cure="Remove that line.", place=place)
            found[line.id] = Round(host_class=form.host_class, profile=profile, **line.model_dump())
    return tuple(sorted(found.values(), key=lambda one: (one.date, one.id)))


def _last_line_with(text: str, word: str) -> int:
    return text.count("\n", 0, text.rindex(word)) + 1


def _contradiction(line: RoundForm) -> str:
    """What no single key can say: an ending that its own round cannot have."""
    if line.ending in (_PLANTED if line.planted == 0 else _UNCHANGED):
        return f"cannot have ended {line.ending.value} with {line.planted:g} planted"
    if _REGRESSED.get(line.ending, line.regressed > 0) != (line.regressed > 0):
        return f"cannot have ended {line.ending.value} with {line.regressed} regressed"
    return ""
