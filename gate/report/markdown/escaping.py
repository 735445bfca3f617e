r"""Strings from sessions in Markdown: shown, and inert in GitHub, GitLab and Gitea.

Escapes do not reach far enough. A platform looks for mentions, issues, commits, emoji and formulas
in the *finished* text, where a backslash or an entity is gone; `\@name` still calls somebody. None
of them looks into an inline code span. So a word that could mean anything but itself becomes code,
and plain words stay plain. No `|` is ever left, so the same string may stand in a table cell.
"""

from __future__ import annotations

import re
from itertools import groupby
from operator import itemgetter

from gate.text import clean

LONGEST_TEXT = 200
LONGEST_NAME = 100

_PIPE = "&#124;"
"""A pipe that no table takes for the end of a cell: an entity is read after cells are cut."""
_GLUE = "\u00a0"
_LEAD, _TRAIL = "(\"'", "\"',.;:?"

_RISKY = re.compile(
    r"[`\\*<>\[\]{}@#$&~^|!]"  # markup, HTML, mentions, issues, formulas, footnotes
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore that is not inside a word
    r"|:(?=.)"  # :emoji:, http://, ::directives
    r"|%(?=[^\W_]|[\"'])"  # GitLab: a milestone
    r"|\.(?=[^\W\d_]{2})"  # example.com, test.py
    r"|(?i:www|[0-9a-f]{7})"  # addresses, commits
    r"|^/"  # a command to a bot
    r"|(?i:(?<![^\W_])[a-z]\w*-\d)"  # GH-123, TICKET-7
    r"|={2}"
)
_AT_THE_START = re.compile(r"\d+[.)]|[=+-]+")
"""At the start of a line: the mark of a list, a rule, the underline of a heading."""
_CODED = re.compile(r"(?:^|(?<= ))([(\"']*)`([^`]*[^` ][^`]*)`([)\"',.;:?]*)(?= |$)")
"""Code as our own sentences write it, with the punctuation that touches it."""


def md(text: str, longest: int = LONGEST_TEXT) -> str:
    """One line of running text, of at most `longest` characters before it is made inert.

    Text between back-ticks is code, as in our own sentences; it can do nothing else.
    """
    text = clean(text, longest).strip().replace(" -> ", " → ")
    done: list[str] = []
    at = 0
    for found in _CODED.finditer(text):
        done += _words(text[at : found.start()], first=at == 0)
        done.append(found[1] + md_code(found[2], longest) + found[3])
        at = found.end()
    return " ".join([*done, *_words(text[at:], first=at == 0)])


def sentence(text: str, longest: int = LONGEST_TEXT) -> str:
    """The same with a full stop at its end, where it has none."""
    done = md(text, longest)
    return done if not done or done.endswith((".", "?", ":")) else f"{done}."


def md_code(text: str, longest: int = LONGEST_NAME) -> str:
    """An inline code span that nothing in the text can leave; `?` where the text is empty.

    A pipe stands between two spans, because tables cut their cells before they look for code.
    """
    parts = [part.strip() for part in clean(text, longest).split("|")]
    if parts == [""]:
        return "`?`"
    return _PIPE.join(_span(part) if part else "" for part in parts)


def _span(text: str) -> str:
    """CommonMark's own rule: a fence longer than any inside, and a space beside a back-tick."""
    runs = {len(run) for run in re.findall(r"`+", text)}
    fence = "`" * next(n for n in range(1, len(runs) + 2) if n not in runs)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _words(text: str, *, first: bool) -> list[str]:
    done: list[str] = []
    known = ((_is_risky(w, first=first and n == 0), w) for n, w in enumerate(text.split()))
    for risky, group in groupby(known, key=itemgetter(0)):
        words = " ".join(word for _, word in group)
        done.append(_bare(words) if risky else words.replace(" %", f"{_GLUE}%"))
    return done


def _is_risky(word: str, *, first: bool) -> bool:
    core = word.lstrip(_LEAD).rstrip(_TRAIL + ")")
    return bool(_RISKY.search(core) or (first and _AT_THE_START.fullmatch(word)))


def _bare(text: str) -> str:
    """As code, but with the punctuation around it left outside."""
    core = text.lstrip(_LEAD)
    lead = text[: len(text) - len(core)]
    inner = core.rstrip(_TRAIL + ("" if "(" in core else ")"))
    return lead + md_code(inner, len(inner)) + core[len(inner) :]
