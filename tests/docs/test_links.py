"""Every link of the documentation leads somewhere, and every page is found from the index."""

from __future__ import annotations

import re
import subprocess

import pytest
from docs.pages import DOCS, LINKING, README, ROOT, anchors, called, links, read

ELSEWHERE = re.compile(r"[a-z]+:")
MENTION = re.compile(r"(?<![\w/.-])(?:docs|\.github)/[A-Za-z-]+\.md\b")


@pytest.mark.parametrize("page", LINKING, ids=called)
def test_every_link_leads_to_a_file_and_a_heading_that_exist(page):
    """A relative link names a file of the repository, and its anchor a heading of that page."""
    for link in links(page):
        if ELSEWHERE.match(link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_relative_to(ROOT), link
        assert target.exists(), f"{called(page)} links to {link}, which is not there"
        if anchor:
            assert anchor in anchors(target), f"{called(page)}: {link} has no such heading"


def test_the_index_names_every_page():
    """docs/README.md links to each page beside it, and so does the README."""
    others = {page.name for page in DOCS} - {"README.md"}
    assert others <= set(links(ROOT / "docs" / "README.md"))
    assert {f"docs/{page}" for page in others} <= {link.partition("#")[0] for link in links(README)}


def test_the_readme_is_short():
    """An entrance, not a manual: 160 lines at most."""
    assert len(read(README).splitlines()) <= 160


def test_every_page_that_a_file_mentions_is_there():
    """A path such as docs/github.md in code, workflows, scripts or texts is that of a page."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    gone = set()
    for file in listed.stdout.split("\0"):
        path = ROOT / file
        if not file or file.startswith("tests/data/") or not path.is_file() or path.is_symlink():
            continue
        text = path.read_bytes().decode("utf-8", errors="replace")
        for mention in MENTION.findall(text):
            if not (ROOT / mention).exists():
                gone.add(f"{file}: {mention}")
    assert not gone


@pytest.mark.parametrize(
    ("title", "anchor"),
    [
        ('A driver: `kind = "module"`', "a-driver-kind--module"),
        ("A machine to try it in: `gate boot`", "a-machine-to-try-it-in-gate-boot"),
        ("Why it's so", "why-its-so"),
    ],
)
def test_anchors_are_those_of_github(tmp_path, title, anchor):
    """Lower case, punctuation left out, a dash for each space; a second one is numbered."""
    page = tmp_path / "page.md"
    page.write_text(f"# {title}\n\n## {title}\n", encoding="utf-8")
    assert anchors(page) == {anchor, f"{anchor}-1"}
