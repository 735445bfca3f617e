"""The figures of the house count what they say: each is tried on a small package with one fault."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / ".ci" / "house.py"
spec = importlib.util.spec_from_file_location("house", SCRIPT)
house = importlib.util.module_from_spec(spec)
spec.loader.exec_module(house)

LONG = "def f():\n" + "    g()\n" * 45


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A package of the given files, known to git."""

    def build(**files):
        for name, text in files.items():
            path = tmp_path / "gate" / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        monkeypatch.chdir(tmp_path)
        for words in (("init", "-q"), ("add", "-A")):
            subprocess.run(("git", *words), check=True)
        return house.House()

    return build


def test_a_circle_is_found_also_through_a_late_import_and_one_for_types(built):
    """Two files that need each other are a circle, whenever they import."""
    found = built(
        a="from gate import b\n",
        b="def f():\n    from gate.a import x\n",
        c="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from gate.d import x\n",
        d="from gate.c import y\n",
        e="from gate import a\n",
    ).circles()
    assert sorted(map(sorted, found)) == [["gate.a", "gate.b"], ["gate.c", "gate.d"]]


def test_what_is_small_and_needed_once_is_found(built):
    """Not what two need, and not what is long."""
    some = built(
        a="", b="from gate import a, c, d\n", c="x = 1\n" * 81, d="", e="from gate import d\n"
    )
    assert some.small_with_one_importer() == ["gate.a"]


def test_long_functions_names_and_classes_are_found(built):
    """A function of 46 lines, a class of two files, a name that says only that something happened."""
    some = built(
        a=LONG + "class Line:\n    pass\n", b="class Line:\n    pass\ndef told():\n    pass\n"
    )
    assert some.long_functions() == ["gate/a.py:1 f"]
    assert some.shared_class_names() == ["Line"]
    assert some.bare_participles() == ["gate.b.told"]


def test_readers_of_the_kernels_files_are_found_in_code_and_not_in_docstrings(built):
    """A path in a text of the code, whole or with a placeholder."""
    some = built(
        a='"""/proc/stat"""\n', b='x = open("/proc/stat")\n', c='y = open(f"/proc/{number}/stat")\n'
    )
    assert some.readers_of(house.PROC["/proc/stat"]) == ["gate.b"]
    assert some.readers_of(house.PROC["/proc/PID/stat"]) == ["gate.c"]


def test_a_missed_goal_fails_and_names_what_is_over_it(monkeypatch):
    """The row is marked, and what stands against it follows."""
    rows = [(house.Row("lines in gate/", 54_000, 54_000), []), (house.Row("circles", 0, 0), [])]
    monkeypatch.setattr(house, "House", lambda: None)
    monkeypatch.setattr(house, "figures", lambda _: iter(rows))
    said = []
    assert house.main(said.append) == 0
    assert not re.search("MISSED", "".join(said))
    rows[1] = house.Row("circles", 1, 0), ["a b"]
    assert house.main(said.append) == 1
    assert re.search(r"circles .* 1 .*0\).*MISSED", said[-2])
    assert said[-1].strip() == "a b"
