"""The pages of the codes: one for each code in use, of one shape, shown by `gate explain`."""

import re
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import pytest
from builders import run_gate
from docs.commands import check, examples

from gate import docs
from gate.docs import PAGES

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "codes"
FILES = sorted(FOLDER.iterdir())
SECTIONS = ["## What", "## Why", "## What to do", "## Example"]


def test_every_code_in_the_source_has_a_page_and_every_page_a_use():
    """A code that the gate can print is explained, and no page is left over."""
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "gate").rglob("*.py"))
    used = set(re.findall(r'"(G\d{3})"', source))
    assert used == set(PAGES) == {path.stem for path in FILES}
    assert {path.suffix for path in FILES} == {".md"}
    assert len(PAGES) == len(FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_page_has_its_title_and_its_four_sections(path):
    """The title names the code of the file; each section has one paragraph, or one block of code."""
    text = path.read_text(encoding="utf-8")
    title, _, rest = text.partition("\n")
    assert re.fullmatch(rf"# {path.stem}: \S.*", title)
    assert re.findall(r"^##? .*", rest, re.MULTILINE) == SECTIONS
    _, *bodies = re.split(r"^## .*\n", rest, flags=re.MULTILINE)
    for body in bodies[:-1]:
        assert re.fullmatch(r"\n(?:[^\s*#>|+-].*\n)+\n", body), body
        assert body.strip().endswith((".", "!"))
    assert re.fullmatch(r"\n```[a-z]+\n(?:\S.*\n|  .*\S\n)+```\n", bodies[-1])
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("code", PAGES)
def test_explain_shows_all_of_a_page_in_80_columns(code):
    """What it means, why, what to do and the example stand there, and no line is too long."""
    page, answer = PAGES[code], run_gate(["explain", code.lower()])
    assert answer.status == 0
    assert max(map(len, answer.out.splitlines())) <= 80
    shown = " ".join(answer.out.split())
    for part in (f"{code} {page.title}", page.meaning, page.why, page.cure, page.example):
        assert " ".join(part.split()) in shown
    written = " ".join((FOLDER / f"{code}.md").read_text(encoding="utf-8").split())
    for part in (page.meaning, page.why, page.cure):
        assert part in written
    fields = {"title", "meaning", "why", "cure", "example"}
    told = run_gate(["explain", code, "--json"]).json
    assert told == {"code": code} | {name: getattr(page, name) for name in fields}


def test_explain_lists_every_code_with_its_title():
    """Without a code all of them are listed, for people and for machines."""
    titles = {code: page.title for code, page in PAGES.items()}
    assert run_gate(["explain", "--json"]).json == titles
    lines = run_gate(["explain"]).out.splitlines()
    assert lines == [f"{code}  {title}" for code, title in sorted(titles.items())]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("code", PAGES)
def test_the_commands_of_a_page_exist(code):
    """Each `gate` line of an example, and each one in the text, has commands and options of ours."""
    page = PAGES[code]
    for words in examples(textwrap.indent(page.example, "  ")):
        check(words)
    quoted = re.findall(r"`gate ([^`]+)`", f"{page.meaning} {page.why} {page.cure}")
    for one in quoted:
        for words in examples(f" gate {one.removesuffix(' --help')}"):
            if words != ["COMMAND"]:
                check(words)


@pytest.mark.parametrize("name", ["", "G06", "G060x", "../codes/G060", "G٠٦٠", "g060", "x" * 5000])
def test_what_is_no_code_is_never_looked_up_as_a_file(name):
    """Only a name of the shape of a code leads to a file; everything else is unknown."""
    assert name not in PAGES
    assert PAGES.get(name) is None


def test_a_page_is_read_only_when_it_is_asked_for():
    """Help reads no page, and `explain` one: starting the gate must not cost 125 files."""
    docs._read.cache_clear()
    run_gate(["--help"])
    assert docs._read.cache_info().misses == 0
    run_gate(["explain", "G060"])
    assert docs._read.cache_info().misses == 1


def test_a_wheel_holds_the_pages_and_explains_from_them(tmp_path):
    """Unpacked beside nothing of the checkout, the gate explains, and its report has its words."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=60)
    (wheel,) = tmp_path.glob("*.whl")
    place = tmp_path / "site"
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(place)
    shipped = place / "gate" / "shipped"
    pages = {path.name: path.read_bytes() for path in (shipped / "codes").iterdir()}
    assert pages == {path.name: path.read_bytes() for path in FILES}

    def run(*words):
        argv = [sys.executable, "-m", "gate", *words]
        env = {"PYTHONPATH": str(place), "PATH": "/usr/bin:/bin"}
        return subprocess.run(
            argv, cwd=tmp_path, env=env, check=True, capture_output=True, text=True, timeout=60
        ).stdout

    (shipped / "codes" / "G060.md").write_bytes(pages["G061.md"])  # whose text is shown is proven
    assert run("explain", "G060").splitlines()[0] == f"G060  {PAGES['G061'].title}"
    run("report", ROOT / "reports" / "example" / "report.json", "--html", "out.html")
    assert "<dt>can detect</dt>" in (tmp_path / "out.html").read_text(encoding="utf-8")
