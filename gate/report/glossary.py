"""The words that a report uses, for a reader who meets them here first: `docs/glossary.md`."""

from __future__ import annotations

import re
from functools import cache

from gate.docs import docs_directory

_ITEM = re.compile(r"^- \*\*(.+?)\*\*: (.+(?:\n  .+)*)$", re.MULTILINE)


@cache
def glossary() -> dict[str, dict[str, str]]:
    """Each heading of the page, as `Terms`, with its words and what they mean."""
    text = (docs_directory() / "glossary.md").read_text(encoding="utf-8")
    _, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    return {
        section.partition("\n")[0]: {
            word: " ".join(meaning.split()) for word, meaning in _ITEM.findall(section)
        }
        for section in sections
    }
