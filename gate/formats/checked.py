"""Parsed text to typed values, with errors that name the line, the key and the cure.

Validators for large files: in each list they stop at the first item that is wrong.

pydantic collects every mistake before it says one. A file of 600 kB in which everything is missing
makes millions of them, and takes more memory than the machine has.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

from gate.errors import InputError
from gate.formats import toml
from gate.formats.bounds import MOST_ENTRIES, MOST_KEYS, absurdity, find_crowding
from gate.model import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pydantic_core import ErrorDetails


LARGE = 48 << 10
"""Characters of compact JSON from which on mistakes are not counted but met."""


@cache
def eager(adapter: TypeAdapter[Any]) -> SchemaValidator:
    """The same validator, but for how many mistakes it tells; built once."""
    return SchemaValidator(_eager(adapter.core_schema))


def _eager(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_eager(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copied = {key: _eager(value) for key, value in schema.items()}
    return copied | {"fail_fast": True} if schema.get("type") in {"list", "tuple"} else copied


T = TypeVar("T")

_UNKNOWN = {"extra_forbidden", "unexpected_keyword_argument"}
_TAGS = {"[key]", "[one]", "[several]"}
"""Steps of a path that stand for no key of the file."""
_MOST_SHOWN = 5
_LONGEST_KEY = 200


def parse_toml(
    text: str, place: str, *, parse_float: Callable[[str], Any] = float
) -> dict[str, Any]:
    """The tables of a TOML text; `parse_float` makes a number of the text of a float.

    Raises:
        InputError: G204 with the line.
    """
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        message = _reason(error)
        line = message.rpartition("line ")[2].split(",")[0]
        where = f"{place}:{line}" if line.isdigit() else place
        what = message.split(" (at ")[0]
        raise InputError(
            "G204", f"not TOML: {what}.", cure="Mend this line.", place=where
        ) from error


def parse_json(text: str, place: str) -> Any:
    """Any JSON value, with NaN, infinities, doubled keys and absurd depth or number refused.

    Raises:
        InputError: G205 with the line.
    """
    crowd = find_crowding(text)
    if crowd:
        raise _not_usable(crowd, "G205", place)
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        where = f"{place}:{error.lineno}"
        raise _not_json(error.msg, where) from error
    except (RecursionError, ValueError) as error:
        raise _not_json(_reason(error), place) from error


def _reason(error: ValueError | RecursionError) -> str:
    """What a parser said, in words that help; Python's own limits are not the reader's."""
    if isinstance(error, RecursionError):
        return "nested too deep"
    text = str(error)
    return "a number has too many digits" if "set_int_max_str_digits" in text else text


def _not_json(what: str, place: str) -> InputError:
    cure = "Write the file anew with the command that made it."
    return InputError("G205", f"not JSON: {what}.", cure=cure, place=place)


def _not_usable(what: str, code: str, place: str) -> InputError:
    cure = "No file that the gate understands needs that."
    return InputError(code, f"cannot be used: {what}.", cure=cure, place=place)


def _refuse_constant(name: str) -> float:
    message = f"{name} is not a number that can be judged"
    raise ValueError(message)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        doubled = Counter(key for key, _ in pairs).most_common(1)[0][0]
        message = f'the key "{doubled[:80]}" stands twice'
        raise ValueError(message)
    return found


def validate(
    adapter: TypeAdapter[T],
    data: Any,
    *,
    text: str,
    place: str,
    kind: str,
    schema: str = "",
    where: Callable[[toml.Path], toml.Path] = lambda path: path,
) -> T:
    """Validate parsed data strictly; `kind` is `toml` or `json`, for finding lines.

    `schema` is what `gate schema` calls the format; `where` tells the path in the text of a path
    in the data, where they differ.

    Raises:
        InputError: G206 naming each wrong key with its line, G204 or G205 for absurd values.
    """
    what = absurdity(data, keys=MOST_ENTRIES if kind == "toml" else MOST_KEYS)
    if what:
        raise _not_usable(what, "G204" if kind == "toml" else "G205", place)
    compact = json.dumps(data, default=str)
    try:
        if len(compact) > LARGE:
            return cast("T", eager(adapter).validate_json(compact, strict=True))
        return adapter.validate_json(compact, strict=True)
    except ValidationError as error:
        # A misspelt key is missed too: what was written comes before what is lacking.
        details = sorted(error.errors(include_url=False), key=lambda d: d["type"] not in _UNKNOWN)
        said = [(_path(one), _say(one, adapter)) for one in details[:_MOST_SHOWN]]
        said = [(where(path), what) for path, what in said]
        wrong = _wrong(said, len(details), text=text, place=place, kind=kind, schema=schema)
        raise wrong from error


def refuse_any(complaints: Iterable[tuple[toml.Path, str]], *, text: str, place: str) -> None:
    """Raise if there is a complaint on the values of a JSON file.

    Raises:
        InputError: G206 naming each wrong key with the line of the first.
    """
    every = list(complaints)
    said = [(path, f"{_key(path)}: {what}") for path, what in every[:_MOST_SHOWN]]
    if said:
        raise _wrong(said, len(every), text=text, place=place, kind="json")


def _wrong(
    said: Sequence[tuple[toml.Path, str]],
    count: int,
    *,
    text: str,
    place: str,
    kind: str,
    schema: str = "",
) -> InputError:
    find = toml.toml_line if kind == "toml" else toml.json_line
    line = find(text, said[0][0])
    more = [f"and {count - len(said)} more"] if count > len(said) else []
    message = "; ".join([*(what for _, what in said), *more])
    message += "" if message.endswith("?") else "."
    cure = f"`{f'gate schema {schema}'.rstrip()}` prints the format."
    return InputError("G206", message, cure=cure, place=f"{place}:{line}")


def check_schema(data: Any, *, text: str, place: str, kind: str) -> None:
    """Refuse another schema number before anything else is looked at.

    Raises:
        InputError: G206 without a number, G207 with another one.
    """
    if not isinstance(data, dict) or "schema" not in data:
        cure = "Hand in a file that the gate wrote."
        raise InputError("G206", "schema: is required.", cure=cure, place=place)
    number = data["schema"]
    if number != SCHEMA or isinstance(number, bool):
        find = toml.toml_line if kind == "toml" else toml.json_line
        raise InputError(
            "G207",
            f"schema number {str(number)[:40]}; this gate reads {SCHEMA}.",
            cure="Use the version of the gate that wrote the file.",
            place=f"{place}:{find(text, ('schema',))}",
        )


def _path(detail: ErrorDetails) -> toml.Path:
    return tuple(part for part in detail["loc"] if part not in _TAGS)


def _key(path: toml.Path) -> str:
    return ".".join(map(str, path))[:_LONGEST_KEY] or "the file"


def _say(detail: ErrorDetails, adapter: TypeAdapter[Any]) -> str:
    key = _key(_path(detail))
    kind, message = detail["type"], detail["msg"].replace("Input should be", "must be")
    if kind in _UNKNOWN:
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
