"""What the gate wrote, read as its readers read it; each function tells what is not harmless."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from hostile.payloads import MARK
from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterator

REPORT_URL = "https://example.com/our/report"
RUN_URL = "https://example.com/our/run"
OUTPUTS = ("gate", "verdict", "status", "report", "session", "headline")
_STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
_OUR_TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section"),
    *("nav", "h1", "h2", "h3", "h4", "p", "div", "span", "a", "ul", "ol", "li", "dl", "dt", "dd"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "colgroup", "col", "code", "pre"),
    *("strong", "em", "b", "i", "small", "abbr", "time", "details", "summary", "button", "input"),
    *("label", "select", "option", "form", "svg", "path", "line", "rect", "circle", "text", "g"),
    *(
        "defs",
        "use",
        "tspan",
        "symbol",
        "polygon",
        "polyline",
        "br",
        "hr",
        "script",
        "link",
        "fieldset",
    ),
    *("legend", "figure", "figcaption", "article", "aside", "kbd", "samp", "var", "mark", "output"),
    *("noscript", "template", "desc", "clippath", "sup", "sub", "wbr"),
}
_CALLS = re.compile(
    r"@\w|(?<!\w)#\d|\bGH-\d|https?:|www\.|javascript:|[0-9a-f]{12}|\w@\w|!\d|\$\$|:\w+:|^/",
    re.IGNORECASE,
)
"""What a platform would still find in the plain text of finished Markdown."""


def lines(text: str) -> Iterator[str]:
    """Complaints of a runner's log: commands, escapes, hidden characters."""
    for line in re.split(r"\r\n|\r|\n", text):
        if line.lstrip().startswith("::") or "##[" in line:
            yield f"a command: {line[:120]!r}"
        if _STEERING.search(line):
            yield f"a character that steers: {line[:120]!r}"


def annotations(text: str) -> tuple[list[str], str]:
    """Our own commands, and the text without them."""
    own = re.compile(r"::(?:error|warning) (?:file=profiles/[\w.-]+\.toml,)?title=[^:,]*::.*")
    found, rest = [], []
    for line in text.split("\n"):
        (found if own.fullmatch(line) else rest).append(line)
    return found, "\n".join(rest)


_NAMES = ("report.json", "findings.csv", "trials.csv")
_FILES = {f"{name}{packed}" for name in _NAMES for packed in ("", ".gz")}
_INERT = re.compile(r"data:(application/json|text/csv|application/gzip);base64,[a-z0-9+/]*={0,2}$")
"""What a page may hold of its own data: saved under one of these names, never opened."""


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.complaints: list[str] = []
        self.scripts = 0
        self.inside = ""

    def handle_starttag(self, tag, attrs):
        self.inside = tag if tag in {"script", "style"} else ""
        self.scripts += tag == "script"
        if tag not in _OUR_TAGS:
            self.complaints.append(f"a tag <{tag}>")
        for name, value in attrs:
            if name.startswith("on") or name in {"srcdoc", "formaction", "srcset", "background"}:
                self.complaints.append(f"an attribute {name}")
            told = (value or "").strip().lower()
            saved = name == "href" and dict(attrs).get("download") in _FILES and _INERT.match(told)
            local = told.startswith("#") or told == "data:,"
            if name in {"href", "src", "xlink:href", "action"} and not (local or saved):
                self.complaints.append(f"an address {value!r}")
            if name in {"style", "class", "id"} and MARK in (value or ""):
                self.complaints.append(f"hostile {name}")

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_comment(self, data):
        self.complaints.append(f"a comment {data[:80]!r}")

    def handle_data(self, data):
        if self.inside and MARK in data:
            self.complaints.append(f"hostile text inside of <{self.inside}>")

    def unknown_decl(self, data):
        self.complaints.append(f"a declaration {data[:80]!r}")


def html(text: str) -> list[str]:
    """Complaints of the page."""
    page = _Page()
    page.feed(text)
    page.close()
    extra = [f"{page.scripts} scripts"] if page.scripts > 1 else []
    return [*page.complaints, *extra, *(f"text: {one[0]!r}" for one in _steering(text))]


def _steering(text: str) -> Iterator[re.Match[str]]:
    return _STEERING.finditer(text)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("gfm-like", {"html": True, "linkify": True})


_OUR_HTML = re.compile(r"(?:<!-- driftgate:gate -->|</?details>|<summary>[\w ,()-]+</summary>|\s)*")


def markdown(text: str) -> list[str]:
    """Complaints of Markdown, parsed as GitHub does: links, images, HTML, mentions."""
    found = [f"text: {one[0]!r}" for one in _steering(text)]
    for block in _parser().parse(text):
        if block.type == "html_block" and not _OUR_HTML.fullmatch(block.content):
            found.append(f"HTML {block.content[:100]!r}")
        if block.type in {"fence", "code_block"}:
            found.append(f"a block of code {block.content[:100]!r}")
        for token in block.children or ():
            if token.type == "html_inline":
                found.append(f"HTML {token.content[:100]!r}")
            if token.type == "image":
                found.append(f"an image {token.attrs}")
            if token.type == "link_open" and token.attrs["href"] not in {REPORT_URL, RUN_URL}:
                found.append(f"a link {token.attrs['href']!r}")
            if token.type == "text" and _CALLS.search(token.content):
                found.append(f"plain text {token.content[:120]!r}")
    return found


def junit(text: str) -> list[str]:
    """Complaints of JUnit XML; one that does not parse raises."""
    root = ET.fromstring(text.encode())
    tags = {one.tag for one in root.iter()}
    ours = {"testsuites", "testsuite", "testcase", "properties", "property", "failure", "error"}
    strange = [f"an element {tag}" for tag in tags - ours - {"system-out"}]
    entities = ["an entity or CDATA"] if re.search(r"<!DOCTYPE|<!ENTITY|<!\[CDATA", text) else []
    return [*strange, *entities, *(f"text: {one[0]!r}" for one in _steering(text))]


def outputs(text: str) -> dict[str, str]:
    """The outputs of a step, as the runner reads its file; what is neither raises."""
    found: dict[str, str] = {}
    rest = text.split("\n")
    while rest[:-1]:
        name, _, end = rest.pop(0).partition("<<")
        assert end, name
        value = []
        while (line := rest.pop(0)) != end:
            value.append(line)
        assert name not in found, name
        found[name] = "\n".join(value)
    return found


def invisible(text: str) -> list[str]:
    """Characters of a text that cannot be seen, line ends left out."""
    return [repr(c) for c in text if c != "\n" and unicodedata.category(c) in {"Cc", "Cf", "Co"}]
