"""A file's text and what it holds: validated, with errors that name the line, the key and the cure.

Of a large file only the first mistake in each list is looked for: pydantic collects every one
before it says any, and a file of 600 kB in which everything is missing makes millions of them,
more than the machine has memory for.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

from gate.errors import InputError
from gate.formats import disk, toml
from gate.model import SCHEMA
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from pydantic_core import ErrorDetails

T = TypeVar("T")

_UNKNOWN = {"extra_forbidden", "unexpected_keyword_argument"}
_MISSING = {"missing", "missing_argument", "missing_keyword_only_argument"}
_TAGS = {"[key]", "[one]", "[several]"}
"""Steps of a path that stand for no key of the file."""
_MOST_SHOWN = 5
_LONGEST_KEY = 200
_LARGE = 48 << 10
"""Characters of compact JSON from which on validating stops early."""
_BOUNDS = {
    "greater_than": "must be above {gt:.16g}",
    "greater_than_equal": "must be at least {ge:.16g}",
    "less_than": "must be below {lt:.16g}",
    "less_than_equal": "must be at most {le:.16g}",
    "predicate_failed": "no number that anything measures",
    "string_too_long": "{length} characters are more than the {max_length} allowed",
    "string_too_short": "{length} characters are less than the {min_length} needed",
    "too_long": "{length} are more than the {max_length} allowed",
    "too_short": "{length} are less than the {min_length} needed",
    "finite_number": "must be a finite number",
}
"""What is wrong with a value beyond a bound, by the type of pydantic's error."""


class Form(BaseModel):
    """A table of a file as it is written, every key of it known; what it says is in its schema."""

    # Built when it is first read: a command reads two or three of some twenty forms.
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, defer_build=True)

    def as_fields(self) -> dict[str, Any]:
        """What it holds, for a value of the model with fields of the same names."""
        return {key: tuple(one) if isinstance(one, list) else one for key, one in self}


@dataclass(frozen=True, slots=True)
class Document:
    """What was parsed of a text, and where in the text each key of it stands."""

    data: Any
    text: str
    place: str
    kind: str = "toml"
    """`toml` or `json`."""
    schema: str = ""
    """What `gate schema` calls the format."""
    code: str = "G206"
    """Of what is wrong with a value that its form allows."""

    def where(self, path: toml.Path) -> toml.Path:
        """The path in the text of a path in the data."""
        return path

    def wrong(self, message: str, *path: str | int, code: str = "", cure: str = "") -> InputError:
        """The error for a key."""
        find = toml.toml_line if self.kind == "toml" else toml.json_line
        place = f"{self.place}:{find(self.text, self.where(path))}"
        return InputError(code or self.code, message, cure=cure, place=place)

    def refused(self, why: str, *path: str | int, cure: str = "") -> InputError:
        """The error for a key that the message begins with."""
        return self.wrong(f"{'.'.join(map(str, path))}: {why}.", *path, cure=cure)

    def quantity(self, text: str, unit: str, *path: str | int, cure: str = "") -> float:
        """A quantity at a key, in its base unit."""
        return self._parsed(lambda: parse_quantity(text, unit), path, cure)

    def percent(self, text: str, *path: str | int, cure: str = "") -> float:
        """A percentage at a key, as a ratio."""
        return self._parsed(lambda: parse_percent(text), path, cure)

    def _parsed(self, parse: Callable[[], float], path: toml.Path, cure: str) -> float:
        try:
            return parse()
        except ValueError as error:
            raise self.refused(str(error), *path, cure=cure) from error

    def check_schema(self) -> None:
        """Refuse another schema number before anything else is looked at.

        Raises:
            InputError: G206 without a number, G207 with another one.
        """
        if not isinstance(self.data, dict) or "schema" not in self.data:
            cure = "Hand in a file that the gate wrote."
            raise InputError("G206", "schema: is required.", cure=cure, place=self.place)
        number = self.data["schema"]
        if number != SCHEMA or isinstance(number, bool):
            message = f"schema number {str(number)[:40]}; this gate reads {SCHEMA}."
            cure = "Use the version of the gate that wrote the file."
            raise self.wrong(message, "schema", code="G207", cure=cure)

    def validate(self, form: type[T]) -> T:
        """The value of that type, validated strictly.

        Raises:
            InputError: G206 naming each wrong key with its line, G204 or G205 for absurd values.
        """
        toml.refuse_absurd(self.data, self.place, self.kind)
        adapter = adapter_of(cast("Any", form))
        compact = json.dumps(self.data, default=str)
        try:
            if len(compact) > _LARGE:
                return cast("T", stopping_early(adapter).validate_json(compact, strict=True))
            return cast("T", adapter.validate_json(compact, strict=True))
        except ValidationError as error:
            # A misspelt key is missed too: what was written comes before what is lacking.
            details = [one for one in error.errors(include_url=False) if not _is_echo(one)]
            details.sort(key=lambda one: one["type"] not in _UNKNOWN)
            said = [(_path(one), _say(one, adapter)) for one in details[:_MOST_SHOWN]]
            raise self._refusal(said, len(details)) from error

    def refuse_any(self, complaints: Iterable[tuple[toml.Path, str]]) -> None:
        """Raise if there is a complaint on the values.

        Raises:
            InputError: G206 naming each wrong key with the line of the first.
        """
        every = list(complaints)
        if every:
            said = [(path, f"{_key(path)}: {what}") for path, what in every[:_MOST_SHOWN]]
            raise self._refusal(said, len(every))

    def _refusal(self, said: Sequence[tuple[toml.Path, str]], count: int) -> InputError:
        more = [f"and {count - len(said)} more"] if count > len(said) else []
        message = "; ".join([*(what for _, what in said), *more])
        message += "" if message.endswith("?") else "."
        cure = f"`{f'gate schema {self.schema}'.rstrip()}` prints the format."
        return self.wrong(message, *said[0][0], code="G206", cure=cure)


def read_toml(path: Path, kind: str, schema: str = "") -> Document:
    """A TOML file, parsed; `kind` is what its cap is found by."""
    text = disk.read_text(path, kind)
    return Document(toml.parse_toml(text, str(path)), text, str(path), schema=schema)


def read_json(path: Path, kind: str, schema: str = "") -> Document:
    """A JSON file that the gate wrote, parsed and of our schema number."""
    text = disk.read_text(path, kind)
    found = Document(toml.parse_json(text, str(path)), text, str(path), "json", schema)
    found.check_schema()
    return found


@cache
def adapter_of(form: type) -> TypeAdapter[Any]:
    """Validator of a form or of a type of the model, built once."""
    adapter: TypeAdapter[Any] = TypeAdapter(form)
    adapter.rebuild()  # forms wait for it
    return adapter


@cache
def stopping_early(adapter: TypeAdapter[Any]) -> SchemaValidator:
    """The same validator, but that it leaves a list at the first item that is wrong; built once.

    What `pydantic.FailFast` does for one field, for every list: the model knows no pydantic.
    """
    return SchemaValidator(_failing_fast(adapter.core_schema))


def _failing_fast(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_failing_fast(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copied = {key: _failing_fast(value) for key, value in schema.items()}
    return copied | {"fail_fast": True} if schema.get("type") in {"list", "tuple"} else copied


def _is_echo(detail: ErrorDetails) -> bool:
    """Whether a list is called too short because the items that it has are wrong."""
    return detail["type"] == "too_short" and len(detail["input"]) >= detail["ctx"]["min_length"]


def _path(detail: ErrorDetails) -> toml.Path:
    return tuple(part for part in detail["loc"] if part not in _TAGS)


def _key(path: toml.Path) -> str:
    return ".".join(map(str, path))[:_LONGEST_KEY] or "the file"


def _say(detail: ErrorDetails, adapter: TypeAdapter[Any]) -> str:
    key, kind, given = _key(_path(detail)), detail["type"], detail["input"]
    if kind in _UNKNOWN:
        return f"{key}: unknown key{_did_you_mean(detail, adapter)}"
    if kind in _MISSING:
        return f"{key}: is required"
    message = detail["msg"].replace("Input should be", "must be").removeprefix("Value error, ")
    sized = isinstance(given, str | list | dict)
    if kind in _BOUNDS:
        length = len(given) if sized else 0
        message = _BOUNDS[kind].format(length=length, **detail.get("ctx", {}))
    if kind == "finite_number" or isinstance(given, list | dict) or (sized and kind in _BOUNDS):
        return f"{key}: {message}"
    return f"{key}: {message}, not {json.dumps(given, default=str)[:80]}"


def _did_you_mean(detail: ErrorDetails, adapter: TypeAdapter[Any]) -> str:
    wrong = str(detail["loc"][-1])[:_LONGEST_KEY]
    names = _known_keys(adapter.json_schema())
    close = difflib.get_close_matches(wrong, names, n=1, cutoff=0.6)
    return f'; did you mean "{close[0]}"?' if close else ""


def _known_keys(schema: Any) -> set[str]:
    if isinstance(schema, list):
        return {key for item in schema for key in _known_keys(item)}
    if not isinstance(schema, dict):
        return set()
    own = set(schema.get("properties", {}))
    return own | {key for value in schema.values() for key in _known_keys(value)}
