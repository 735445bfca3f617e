"""Strings in Markdown: inert wherever they stand, and still the same words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.report.markdown.escaping import md, md_code, sentence
from gate.text import clean
from tests.report.hostile import HOSTILE
from tests.report.rendered import found_in, read

PLACES = (
    ("{}", {"paragraph_open", "paragraph_close"}),
    ("said: {}", {"paragraph_open", "paragraph_close"}),
    ("- {}", {"bullet_list_open", "list_item_open", "paragraph_open", "paragraph_close"}),
    ("**Why.** {} and `more`", {"paragraph_open", "paragraph_close"}),
)
ALLOWED = {"inline", "text", "code_inline", "strong_open", "strong_close"} | {
    "list_item_close", "bullet_list_close"
}  # fmt: skip
TABLE = "| a | b |\n|---|--:|\n| {} | last |\n"
WORDS = st.lists(
    st.one_of(
        st.sampled_from([*"`|<>[]()!*_~#@$%&:^\\/.-+=\"'{};, \n", "``", "```", "->", "@ab", "#1"]),
        st.sampled_from(
            ["abc", "4d7c2e9", "www.", "http://", "x_y", "GH-1", "1.", "5 %", "é", "計"]
        ),
    ),
    max_size=14,
).map("".join)


def check(made: str) -> None:
    """The text can be put anywhere, and stays text and code."""
    assert "\n" not in made
    for place, blocks in PLACES:
        seen = read(place.format(made))
        assert seen.kinds <= ALLOWED | blocks, (made, seen)
        assert found_in(seen.texts) == [], made
    seen = read(TABLE.format(made))
    assert seen.rows == [2, 2], made
    assert seen.shown.endswith("last"), made
    assert not seen.html, made
    assert not seen.links, made
    assert "image" not in seen.kinds, made
    assert found_in(seen.texts) == [], made


def same(text: str, longest: int) -> str:
    """What must be readable in any rendering of the text, spaces and arrows aside."""
    return re.sub(r"[\s\u00a0`]", "", clean(text, longest).replace(" -> ", "→")).replace("→", "->")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert_in_running_text_and_in_a_cell(text):
    """Nothing of it becomes a link, picture, tag, mention, reference, emphasis, block or cell."""
    check(md(text))
    check(md_code(text))


@given(WORDS)
def test_any_text_is_inert_and_still_readable(text):
    """Whatever is put together, it does nothing, and every visible character is still there."""
    made, coded = md(text), md_code(text)
    check(made)
    check(coded)
    for one, wanted in ((made, same(text, 200)), (coded, same(text, 100) or coded.strip("`"))):
        shown = re.sub(r"[\s\u00a0`]", "", read(f"x {one}").shown[1:]).replace("→", "->")
        assert shown == re.sub(r"[`\s]", "", wanted)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("tolerance of iops 5 % -> 50 %", "tolerance of iops 5\u00a0% → 50\u00a0%"),
        (
            "cpu_per_io of db[iodepth=32] rose (see #12).",
            "cpu_per_io of `db[iodepth=32]` rose (see `#12`).",
        ),
        ("+12.0 % loss, at least +7.1 %", "+12.0\u00a0% loss, at least +7.1\u00a0%"),
        ("The filter `iometer*` left 4 out.", "The filter `iometer*` left 4 out."),
        ("thanks to @octocat and @org/team", "thanks to `@octocat` and `@org/team`"),
        ("a|b", "`a`&#124;`b`"),
        ("- item", "`-` item"),
        ("lost - then found", "lost - then found"),
        ("1. item", "`1`. item"),
    ],
)
def test_text_reads_as_a_person_would_write_it(text, made):
    """Plain sentences stay plain; only words that could mean something else become code."""
    assert md(text) == made


def test_a_code_span_cannot_be_left():
    """The fence is longer than any inside, and a name of back-ticks is shown as it is."""
    assert md_code("a`b``c") == "```a`b``c```"
    assert md_code("`a`") == "`` `a` ``"
    assert md_code("x|y|z") == "`x`&#124;`y`&#124;`z`"
    assert md_code("") == md_code("\u200b") == "`?`"


def test_long_text_is_cut_before_it_is_made_inert():
    """The limit is one of the text that a reader sees."""
    assert md("a " * 400, 50).count("a") <= 26
    assert len(md_code("x" * 5000)) == 102


def test_a_sentence_ends_once():
    """A full stop is added where there is none."""
    assert [sentence(text) for text in ("It lost 5 %", "It lost.", "")] == [
        "It lost 5\u00a0%.",
        "It lost.",
        "",
    ]
