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
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from gate.formats import disk
from gate.formats.document import Document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gate.formats import toml
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sized(Document):
    """A profile's document in one size."""

    code: str = "G210"
    path: Path
    size: str
    whole: dict[str, Any]
    """The document as it stands."""
    patch: dict[str, Any]
    """What the size lays over it."""

    @property
    def root(self) -> Path:
        """The project: the directory that holds `profiles/`."""
        return self.path.resolve().parent.parent

    def where(self, path: toml.Path) -> toml.Path:
        """The path under which a key of the merged document stands in the text."""
        inside, leaf = _reached(self.patch, path)
        below, _ = _reached(self.whole, path)
        return ("size", self.size, *path) if inside > below or (inside and leaf) else path


def in_size(document: Document, size: str, path: Path) -> Sized:
    """The size laid over the document of a profile."""
    declared = document.data.get("size", {})
    # What is no table of tables, the form refuses in its own words.
    patches = declared if isinstance(declared, dict) else {}
    for name, patch in patches.items():
        if name == FULL:
            said = "size.full is the file as it stands, and cannot be declared."
        elif not name.strip() or not name.isprintable():
            said = f"size: {name[:80]!r} is no printable name."
        elif isinstance(patch, dict) and "size" in patch:
            said = f"size.{name[:80]}: a size holds no sizes."
        else:
            continue
        raise document.wrong(said, "size", name, code="G210")
    if size != FULL and size not in patches:
        names = ", ".join((FULL, *(str(name)[:80] for name in patches)))
        said = f"there is no size {size[:80]!r} of this profile, only {names}."
        cure = "Name one of these with --size, or declare it in a table [size.NAME]."
        raise document.wrong(said, "size", code="G210", cure=cure)
    given = patches.get(size)
    patch = given if isinstance(given, dict) else {}
    return Sized(
        data=merge_documents(document.data, patch),
        text=document.text,
        place=document.place,
        path=path,
        size=size,
        whole=document.data,
        patch=patch,
    )


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
