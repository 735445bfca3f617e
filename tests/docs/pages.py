"""The pages that a reader sees, and what stands in them: links, headings, blocks."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [README, *DOCS, ROOT / "profiles" / "README.md"]
"""Pages that show commands and examples."""
LINKING = [*PAGES, ROOT / "CHANGELOG.md", *sorted((ROOT / ".github").glob("*.md"))]
"""Pages whose links are followed."""


def called(page: Path) -> str:
    """A page by its path in the repository, as tests call it."""
    return str(page.relative_to(ROOT))


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language."""
    tokens = MarkdownIt().parse(read(page))
    return [one.content for one in tokens if one.type == "fence" and one.info == language]


def links(page: Path) -> list[str]:
    """Where the links and pictures of a page lead."""
    inner = [
        token
        for block in MarkdownIt().enable("table").parse(read(page))
        for token in block.children or ()
    ]
    found = [token.attrs.get("href") or token.attrs.get("src") for token in inner if token.attrs]
    return [str(one) for one in found if one]


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    tokens = MarkdownIt().enable("table").parse(read(page))
    titles = [
        "".join(child.content for child in after.children or ())
        for token, after in pairwise(tokens)
        if token.type == "heading_open"
    ]
    found: dict[str, int] = {}
    answer = set()
    for title in titles:
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = found.get(slug, 0)
        found[slug] = count + 1
        answer.add(f"{slug}-{count}" if count else slug)
    return answer
