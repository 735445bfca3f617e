"""Markdown as a platform reads it: CommonMark, GFM tables and autolinks, then what is found in text.

The parser is a real one with links, HTML and tables switched on. What platforms look for after it,
in text that is not code, is written down here as regular expressions.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from markdown_it import MarkdownIt

LOOKED_FOR = {
    "a mention": r"@\w",
    "an issue": r"#\d",
    "an issue of GitHub": r"(?i)\bGH-\d",
    "a reference to a tracker": r"\b[A-Za-z]\w*-\d+\b(?![\w.-])",
    "a merge request": r"!\d",
    "a label or a milestone": r"[~%]\w",
    "a commit": r"(?i)(?<![a-z0-9])[0-9a-f]{7,64}(?![a-z0-9])",
    "an emoji": r":[\w+-]+:",
    "a formula": r"\$",
    "an address": r"(?i)://|www\.|mailto:|\w@\w",
    "a footnote": r"\[\^",
    "a task": r"\[[ x]\]",
    "an entity or a tag": r"[<>&]",
    "an escape": r"\\\\",
    "emphasis": r"\*|~~|(?<!\w)_|_(?!\w)",
    "an invisible character": r"[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]",
}


class Seen(NamedTuple):
    """What a reader's page holds."""

    kinds: set[str]
    """Kinds of tokens, blocks and inline."""
    texts: list[str]
    """Text outside code."""
    codes: list[str]
    html: list[str]
    links: list[str]
    rows: list[int]
    """Cells of each table row."""
    shown: str
    """Text and code in order."""


def read(markdown: str) -> Seen:
    """The page that the Markdown makes."""
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": True, "typographer": False})
    seen = Seen(set(), [], [], [], [], [], "")
    shown: list[str] = []
    for token in parser.parse(markdown):
        seen.kinds.add(token.type)
        if token.type == "html_block":
            seen.html.append(token.content.strip())
        if token.type in ("fence", "code_block"):
            seen.codes.append(token.content)
        if token.type == "tr_open":
            seen.rows.append(0)
        if token.type in ("td_open", "th_open"):
            seen.rows[-1] += 1
        text = ""
        for child in token.children or ():
            seen.kinds.add(child.type)
            if child.type == "code_inline":
                seen.codes.append(child.content)
                text += "\x1a"  # not a word character, and no text runs on across code
            elif child.type == "html_inline":
                seen.html.append(child.content)
            elif child.type == "link_open":
                seen.links.append(str(child.attrs["href"]))
            else:
                text += child.content
            shown.append(child.content)
        seen.texts.extend(text.split("\x1a"))
    return seen._replace(shown="".join(shown))


def found_in(texts: list[str]) -> list[str]:
    """What a platform would find in text that is not code."""
    return [
        f"{what}: {text!r}"
        for text in texts
        for what, pattern in LOOKED_FOR.items()
        if re.search(pattern, text)
    ]
