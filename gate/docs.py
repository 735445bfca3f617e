"""The part of `docs/` that the program itself shows, from a wheel or from a checkout.

Every code that the gate prints has a page: `docs/codes/G060.md`. `gate explain CODE` shows it, and
a page is read only when somebody asks for it. These texts are constants of the program: nothing
of them depends on the machine or on the project that is judged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def docs_directory() -> Path:
    """Where the wheel puts these files, or else the folder of the checkout."""
    shipped = _PACKAGE / "shipped"
    return shipped if (shipped / "codes").is_dir() else _PACKAGE.parent / "docs"


_NAME = re.compile(r"G\d{3}", re.ASCII)
_PAGE = re.compile(
    r"# G\d{3}: (?P<title>[^\n]+)\n+## What\n(?P<meaning>.+)\n## Why\n(?P<why>.+)\n"
    r"## What to do\n(?P<cure>.+)\n## Example\n\n```\w+\n(?P<example>.+)\n```\n",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What is known of one code; all but the example is one line of plain text."""

    title: str
    meaning: str
    why: str
    cure: str
    """What to do; findings repeat it as their advice."""
    example: str
    """The lines of the example, as they stand."""


class CodePages(Mapping[str, Page]):
    """The pages by their code."""

    def __getitem__(self, code: str) -> Page:
        """The page of a code; what does not look like a code is never made a path."""
        path = _directory() / f"{code}.md"
        if not _NAME.fullmatch(code) or not path.is_file():
            raise KeyError(code)
        return _read(path)

    def __iter__(self) -> Iterator[str]:
        """Every code, in order."""
        return iter(sorted(path.stem for path in _directory().glob("G*.md")))

    def __len__(self) -> int:
        """How many codes there are."""
        return sum(1 for _ in self)


@cache
def _directory() -> Path:
    return docs_directory() / "codes"


@cache
def _read(path: Path) -> Page:
    found = _PAGE.fullmatch(path.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{path} is not the page of a code")  # a test keeps all of them right
    lines = {name: " ".join(found[name].split()) for name in ("title", "meaning", "why", "cure")}
    return Page(example=found["example"], **lines)


PAGES = CodePages()
