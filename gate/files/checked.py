"""Parsed text to typed values, with errors that name the line, the key and the cure."""

from __future__ import annotations

import difflib
import json
import tomllib
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from gate.errors import InputError
from gate.files import lines

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

T = TypeVar("T")

_MOST_SHOWN = 5
_LONGEST_STRING = 100_000
_DEEPEST = 20


def parse_toml(text: str, place: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        InputError: G204 with the line.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        message = str(error) or "too deeply nested"
        line = message.rpartition("line ")[2].split(",")[0]
        where = f"{place}:{line}" if line.isdigit() else place
        what = message.split(" (at ")[0]
        raise InputError(
            "G204", f"not TOML: {what}.", cure="Mend this line.", place=where
        ) from error


def parse_json(text: str, place: str) -> Any:
    """Any JSON value, with NaN, infinities, doubled keys and absurd depth refused.

    Raises:
        InputError: G205 with the line.
    """
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = f"{place}:{error.lineno}"
        raise _not_json(error.msg, where) from error
    except (RecursionError, ValueError) as error:
        raise _not_json(str(error) or "too deeply nested", place) from error


def _not_json(what: str, place: str) -> InputError:
    cure = "Write the file anew with the command that made it."
    return InputError("G205", f"not JSON: {what}.", cure=cure, place=place)


def _refuse_constant(name: str) -> float:
    message = f"{name} is not a number that can be judged"
    raise ValueError(message)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        doubled = next(key for key in keys if keys.count(key) > 1)
        message = f'the key "{doubled[:80]}" stands twice'
        raise ValueError(message)
    return found


def validate(adapter: TypeAdapter[T], data: Any, *, text: str, place: str, kind: str) -> T:
    """Validate parsed data strictly; `kind` is `toml` or `json`, for finding lines.

    Raises:
        InputError: G206 naming each wrong key with its line, G205 for absurd sizes.
    """
    _refuse_absurd(data, place)
    try:
        return adapter.validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False)
        find = lines.toml_line if kind == "toml" else lines.json_line
        first_line = find(text, _path(details[0]))
        said = [_say(detail, adapter) for detail in details[:_MOST_SHOWN]]
        if len(details) > _MOST_SHOWN:
            said.append(f"and {len(details) - _MOST_SHOWN} more")
        message = "; ".join(said) + "."
        raise InputError(
            "G206", message, cure="`gate schema` prints the format.", place=f"{place}:{first_line}"
        ) from error


def _refuse_absurd(data: Any, place: str) -> None:
    """Cap nesting and string lengths: files from other machines are hostile."""
    level = [data]
    for _ in range(_DEEPEST):
        following: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                following += [*item.keys(), *item.values()]
            elif isinstance(item, list):
                following += item
            elif isinstance(item, str) and len(item) > _LONGEST_STRING:
                raise _not_json(f"a string has {len(item)} characters", place)
        if not following:
            return
        level = following
    raise _not_json(f"nested more than {_DEEPEST} deep", place)


def _path(detail: ErrorDetails) -> lines.Path:
    return tuple(part for part in detail["loc"] if part != "[key]")


def _say(detail: ErrorDetails, adapter: TypeAdapter[Any]) -> str:
    key = ".".join(str(part) for part in _path(detail)) or "the file"
    kind, message = detail["type"], detail["msg"]
    if kind in {"extra_forbidden", "unexpected_keyword_argument"}:
        return f"{key}: unknown key{_did_you_mean(detail, adapter)}"
    if kind in {"missing", "missing_argument", "missing_keyword_only_argument"}:
        return f"{key}: is required"
    if kind == "finite_number":
        return f"{key}: must be a finite number"
    return f"{key}: {message.removeprefix('Value error, ')}{_given(detail)}"


def _given(detail: ErrorDetails) -> str:
    given = detail.get("input")
    if isinstance(given, dict | list):
        return ""
    return f", not {json.dumps(given, default=str)[:80]}"


def _did_you_mean(detail: ErrorDetails, adapter: TypeAdapter[Any]) -> str:
    wrong = str(detail["loc"][-1])
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
