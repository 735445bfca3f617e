"""The readers of these tests are no blind ones: raw, each hostile text is complained of."""

from __future__ import annotations

import pytest
from hostile import reading
from hostile.payloads import COMMANDS, HTML, MARKDOWN, MIXED, TERMINAL

_INERT = {"back-slashes", "emphasis", "list and quote", "bot commands", "heading"}
"""Markdown that changes how a text looks and calls nobody."""
_TEXT = {"entity", "javascript address", "data address", "attribute"}
"""Harmless between tags; the page must not put them into an address or an attribute."""


@pytest.mark.parametrize("name", sorted(HTML.keys() - _TEXT))
def test_raw_html_is_found_in_page_and_markdown(name):
    """A tag or comment of a stranger is seen by both readers."""
    if name != "end of details":  # tags that end what we began are all ours by name
        assert reading.html(f"<p>{HTML[name]}</p>"), name
    assert reading.markdown(f"x {HTML[name]} y"), name


@pytest.mark.parametrize("name", sorted(MARKDOWN.keys() - _INERT))
def test_raw_markdown_is_found(name):
    """A link, an image, a mention, an issue or a block of a stranger is seen."""
    assert reading.markdown(MARKDOWN[name]), name


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"output of a file", "encoded newline"}))
def test_raw_commands_are_found(name):
    """A command at the start of any line is seen."""
    assert list(reading.lines(COMMANDS[name])), name


@pytest.mark.parametrize("name", sorted(TERMINAL))
def test_raw_escapes_are_found(name):
    """A sequence that steers a terminal is seen."""
    assert list(reading.lines(TERMINAL[name])), name


def test_what_is_ours_is_not_found():
    """The link to our report, our fold and our marker are no complaints; an attribute on* is."""
    ours = "<!-- driftgate:gate -->\n### x\n\n<details>\n<summary>All findings (3)</summary>\n\ny\n"
    assert reading.markdown(f"{ours}\n[Open]({reading.REPORT_URL})\n\n</details>\n") == []
    assert reading.html('<p onclick="x">y</p>') == ["an attribute onclick"]
    assert reading.html('<a href="//example.com">y</a>') == ["an address '//example.com'"]
    assert reading.html(MIXED) != []
