"""The page of the architecture names files that are there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_each_of_ten_questions_is_answered_by_a_file_that_exists():
    """Ten rows, ten different files, none of them moved away."""
    table = PAGE.partition("## Where is it?")[2].partition("## Rules")[0]
    files = re.findall(r"^\| [^|]+\? \| `(gate/[\w/]+\.py)` \|$", table, re.MULTILINE)
    assert len(files) == len(set(files)) == 10
    assert [path for path in files if not (ROOT / path).is_file()] == []


def test_every_file_and_room_of_the_page_exists():
    """What the picture and the way of a trial name is there."""
    named = set(re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`", PAGE))
    named |= set(re.findall(r"^.{55}(\w+/) ", PAGE, re.MULTILINE))
    assert len(named) >= 25
    gone = {one for one in named if not ((ROOT / "gate" / one).exists() or (ROOT / one).exists())}
    assert gone == set()
