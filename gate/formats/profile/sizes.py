"""A profile's document in one of its sizes, and the scripts beside it that it runs.

`[size.small]` is laid over the whole document before it is checked: tables are merged key by key,
everything else is replaced, lists too. Laid over twice, a size changes nothing the second time.

Scripts decide what is measured as much as the profile does. One counts when a command or variable
names it below `profiles/`, or when one that counts names it, as a neighbour in the same directory.
A name that is not plainly a file's, such as `profiles/work/{kind}.sh`, stands for every file below
the directory that is certain. What is named below `{side}` belongs to the subject under test.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from gate.errors import InputError
from gate.formats import disk, toml
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gate.model import Background, Work


FULL = "full"
"""The size of the document as it stands."""


def merge_documents(document: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """The document with the patch laid over it; neither is changed."""
    result = dict(document)
    for key, value in patch.items():
        below = result.get(key)
        if isinstance(value, dict):
            result[key] = merge_documents(below if isinstance(below, dict) else {}, value)
        else:
            result[key] = value
    return result


class Sized:
    """A profile's document in one size, and where in the text each of its keys stands."""

    def __init__(self, document: dict[str, Any], size: str, *, text: str, path: Path) -> None:
        """Lay the size over the document."""
        self.size, self.text, self.path = size, text, path
        self.place, self.stem = str(path), path.stem
        self.root = path.resolve().parent.parent
        """Of the project: the directory that holds `profiles/`."""
        declared = document.get("size", {})
        # What is no table of tables, the form refuses in its own words.
        patches = declared if isinstance(declared, dict) else {}
        self._refuse_strange(patches)
        if size != FULL and size not in patches:
            raise self._unknown(patches)
        patch = patches.get(size, {})
        self._patch: dict[str, Any] = patch if isinstance(patch, dict) else {}
        self._document = document
        self.data = merge_documents(document, self._patch)

    def where(self, path: toml.Path) -> toml.Path:
        """The path under which a key of the merged document stands in the text."""
        inside, leaf = _reached(self._patch, path)
        below, _ = _reached(self._document, path)
        return ("size", self.size, *path) if inside > below or (inside and leaf) else path

    def wrong(
        self, message: str, *path: str | int, code: str = "G210", cure: str = ""
    ) -> InputError:
        """An error at a key of the merged document."""
        return self._at(message, self.where(path), code=code, cure=cure)

    def quantity(self, text: str, unit: str, *path: str | int) -> float:
        """A quantity at a key, in its base unit."""
        return self._parsed(lambda: parse_quantity(text, unit), path)

    def percent(self, text: str, *path: str | int) -> float:
        """A percentage at a key, as a ratio."""
        return self._parsed(lambda: parse_percent(text), path)

    def _parsed(self, parse: Callable[[], float], path: toml.Path) -> float:
        try:
            return parse()
        except ValueError as error:
            raise self.wrong(f"{'.'.join(map(str, path))}: {error}.", *path) from error

    def _refuse_strange(self, patches: dict[str, Any]) -> None:
        for name, patch in patches.items():
            if name == FULL:
                said = "size.full is the file as it stands, and cannot be declared."
            elif not name.strip() or not name.isprintable():
                said = f"size: {name[:80]!r} is no printable name."
            elif isinstance(patch, dict) and "size" in patch:
                said = f"size.{name[:80]}: a size holds no sizes."
            else:
                continue
            raise self._at(said, ("size", name))

    def _unknown(self, patches: dict[str, Any]) -> InputError:
        names = ", ".join((FULL, *(str(name)[:80] for name in patches)))
        return self._at(
            f"there is no size {self.size[:80]!r} of this profile, only {names}.",
            ("size",),
            cure="Name one of these with --size, or declare it in a table [size.NAME].",
        )

    def _at(
        self, message: str, path: toml.Path, *, code: str = "G210", cure: str = ""
    ) -> InputError:
        place = f"{self.place}:{toml.toml_line(self.text, path)}"
        return InputError(code, message, cure=cure, place=place)


def _reached(table: object, path: toml.Path) -> tuple[int, bool]:
    """How many keys of a path a table has, and whether the last of them is no table."""
    for depth, key in enumerate(path):
        if not isinstance(table, dict) or key not in table:
            return depth, not isinstance(table, dict)
        table = table[key]
    return len(path), not isinstance(table, dict)


_NAMED = re.compile(r"(?P<before>[^\s;|&<>()=]*?)(?<![\w.}-])profiles(?P<rest>/[^\s\"';|&<>()`,]*)")
_PLAIN = re.compile(r"[\w./+-]*")
_FILE = re.compile(r"[\w-]+\.[\w]+")


def scripts_run(work: Work, background: Background | None, root: Path) -> dict[str, str]:
    """The scripts that a profile's commands and variables run, as `scripts_of` gives them."""
    load = background.command if background else None
    return scripts_of((work.command, work.prepare, load, *work.environment.values()), root)


def scripts_of(texts: Iterable[str | None], root: Path) -> dict[str, str]:
    """Path from the project's root -> hash, of each script that commands and variables run."""
    waiting = [name for text in texts if text for name in _named(text, root)]
    found: dict[str, str] = {}
    while waiting:
        name = waiting.pop()
        path = root / name
        if name in found or not path.is_file():
            continue
        text = disk.read_text(path, "script")
        found[name] = hashlib.sha256(text.encode()).hexdigest()
        waiting += [str(PurePosixPath(name).with_name(other)) for other in _FILE.findall(text)]
    return found


def _named(text: str, root: Path) -> Iterator[str]:
    """The files that a command or variable may mean."""
    for match in _NAMED.finditer(text):
        if "{side}" in match["before"]:
            continue
        parts = [part for part in match["rest"].split("/") if part not in ("", ".")]
        odd = (n for n, part in enumerate(parts) if not _PLAIN.fullmatch(part))
        certain = parts[: next(odd, len(parts))]
        if ".." in parts:
            certain = []
        place = root.joinpath("profiles", *certain)
        if place.is_file() and certain == parts:
            yield str(place.relative_to(root))
        else:
            yield from _below(place, root)


def _below(place: Path, root: Path) -> Iterator[str]:
    """Every file below the nearest directory that there is, but for profiles themselves."""
    top = root / "profiles"
    while place != top and not place.is_dir():
        place = place.parent
    for path in sorted(place.rglob("*")):
        if path.parent != top and "__pycache__" not in path.parts and path.is_file():
            yield str(path.relative_to(root))
