"""A profile's document in one of its sizes.

`[size.small]` is laid over the whole document before it is checked: tables are merged key by key,
everything else is replaced, lists too. Laid over twice, a size changes nothing the second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gate.formats.document import Document

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.formats import toml


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
