"""Which files are inputs of a benchmark: by themselves, by a pattern, and which are not."""

from __future__ import annotations

import subprocess

import pytest

from gate.errors import InputError
from gate.formats.profile.inputs import refuse_empty_patterns
from gate.formats.profile.profile_file import read_profile

COMMAND = 'harness = "hyperfine"\ncommand = "COMMAND"\n[metric.wall]\n'
TESTS = 'harness = "pytest-benchmark"\ntests = ["bench/test_a.py::test_a"]\n[metric.median]\n'
FILES = (
    "a/deep/b.txt", "a/c.txt", "run.sh", "profiles/run.sh", "profiles/beside", "profiles/q.toml",
    "profiles/work/run", "profiles/work/deep/more", "profiles/other/x", "bench/test_a.py",
    "bench/helper.py", "bench/conftest.py", "conftest.py", "other/conftest.py",
)  # fmt: skip


@pytest.fixture
def inputs(tmp_path):
    """The inputs of a profile in a project with FILES, or with what a test writes instead."""

    def of(text):
        for name in FILES:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        (tmp_path / "profiles/p.toml").write_text(text, "utf-8")
        of.profile = read_profile(tmp_path / "profiles/p.toml")
        return set(of.profile.input_files)

    of.root = tmp_path
    return of


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("true", set()),
        ("sh profiles/run.sh", {"profiles/run.sh", "profiles/beside"}),
        ("sh profiles/work/run", {"profiles/work/run", "profiles/work/deep/more"}),
        ("sh -c 'cd profiles/work && ./run'", {"profiles/work/run", "profiles/work/deep/more"}),
        ("sh run.sh", set()),
        ("sh run.sh {side}", {"run.sh"}),
        ("sh {side}/run.sh", set()),
        ("sh -c 'cd a && cat deep/b.txt {side}/x'", {"a/deep/b.txt"}),
        ("cat {side}/x --from=a/c.txt", {"a/c.txt"}),
        ("cat {side}/x a", set()),
        ("cat /etc/passwd ../x {side}", set()),
    ],
)
def test_inputs_of_a_command(inputs, command, expected):
    """What a command runs below profiles/, and with a {side} every file of the project it names."""
    assert inputs(COMMAND.replace("COMMAND", command)) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a", {"a/deep/b.txt", "a/c.txt"}),
        ("a/**", {"a/deep/b.txt", "a/c.txt"}),
        ("a/*.txt", {"a/c.txt"}),
        ("run.sh", {"run.sh"}),
    ],
)
def test_inputs_that_a_profile_names(inputs, pattern, expected):
    """A file, a pattern, or a folder, which stands for all below it."""
    assert inputs(f'inputs = ["{pattern}"]\n{COMMAND}') == expected
    refuse_empty_patterns(inputs.profile)


def test_a_pattern_without_a_file_is_refused(inputs):
    """It would protect nothing, in silence."""
    inputs(f'inputs = ["nothing/**"]\n{COMMAND}')
    with pytest.raises(InputError, match="names no file"):
        refuse_empty_patterns(inputs.profile)


@pytest.mark.parametrize("pattern", ["../x", "/etc/passwd", "~/x", "$HOME/x"])
def test_a_pattern_stays_in_the_project(inputs, pattern):
    """Inputs are of the project."""
    with pytest.raises(InputError, match="inputs"):
        inputs(f'inputs = ["{pattern}"]\n{COMMAND}')


def test_inputs_of_pytest(inputs):
    """The test's file and each conftest.py above it; neither its neighbours nor other folders."""
    assert inputs(TESTS) == {"bench/test_a.py", "bench/conftest.py", "conftest.py"}


@pytest.mark.parametrize(
    ("name", "text", "other"),
    [
        (
            "pyproject.toml",
            '[tool.pytest.ini_options]\naddopts = "-q"\n',
            "[project]\nname = 'a'\n",
        ),
        ("setup.cfg", "[tool:pytest]\naddopts = -q\n", "[metadata]\nname = a\n"),
        ("pytest.ini", "[pytest]\naddopts = -q\n", "# nothing\n"),
    ],
)
def test_an_ini_file_is_what_it_says_to_pytest(inputs, name, text, other):
    """Whatever else stands in it is no input, so that a new version of the project changes nothing."""
    place = inputs.root / name
    place.write_text(other, "utf-8")
    assert name not in inputs(TESTS)
    place.write_text(f"{text}{other}", "utf-8")
    assert name in inputs(TESTS)
    before = inputs.profile.digest
    place.write_text(f"{text}{other}\n", "utf-8")
    inputs(TESTS)
    assert inputs.profile.digest == before
    place.write_text(text.replace("-q", "-x") + other, "utf-8")
    inputs(TESTS)
    assert inputs.profile.digest != before


def test_neither_links_nor_what_git_ignores(inputs):
    """A link is what it leads to, and what git ignores is no part of a change."""
    subprocess.run(("git", "-C", inputs.root, "init", "-q"), check=True)
    (inputs.root / ".gitignore").write_text("*.bin\n", "utf-8")
    (inputs.root / "a").mkdir()
    (inputs.root / "a/x.bin").touch()
    (inputs.root / "a/link").symlink_to("c.txt")
    assert inputs(f'inputs = ["a"]\n{COMMAND}') == {"a/deep/b.txt", "a/c.txt"}
