"""Documentation is executed: commands, options and the profile in the README are real."""

import re
from pathlib import Path

import pytest
from builders import run_gate
from docs.commands import ALL, check, examples

from gate.cli.main import _COMMANDS
from gate.formats.profile.profile_file import read_profile
from gate.pipeline.wiring import kinds_of

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_shows_only_commands_that_exist():
    """Each `gate` line of the README names a command and options that the tool has."""
    found = list(examples(README))
    assert len(found) >= 4
    for words in found:
        check(words)


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_has_help_with_examples_that_exist(path):
    """Each command's help has a sentence and examples, and their options are its own."""
    command = ALL[path]
    assert command.help
    found = list(examples(command.epilog or ""))
    assert found, "no example"
    for words in found:
        check(words)


def test_every_command_of_the_list_is_there():
    """The lazy list and the modules agree."""
    assert {path[0] for path in ALL} == set(_COMMANDS)


def test_the_readme_profile_is_a_profile(tmp_path):
    """The profile shown in the README reads as it stands and gives three benchmarks."""
    text = next(t for t in re.findall(r"```toml\n(.*?)```", README, re.DOTALL) if "harness" in t)
    path = tmp_path / "profiles" / "db.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    profile = read_profile(path, kinds_of)
    assert [b.name for b in profile.benchmarks] == ["db[level=1]", "db[level=6]", "db[level=9]"]
    assert (profile.metrics[0].tolerance, profile.metrics[0].floor) == (0.05, 0.002)


def test_the_readme_summary_is_a_summary(tmp_path):
    """The summary shown in the README reads as it stands, and its row is judged."""
    blocks = re.findall(r"```toml\n(.*?)```", README, re.DOTALL)
    path = tmp_path / "article.toml"
    path.write_text(next(text for text in blocks if "[[row]]" in text), encoding="utf-8")
    answer = run_gate(["judge", "--summary", path, "--json"])
    assert [f["code"] for f in answer.json["findings"]] == ["G009"]


PROFILES_README = (ROOT / "profiles" / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("size", ["full", "small"])
def test_the_reference_of_profiles_reads(size, tmp_path):
    """The profile that shows every key reads as it stands, in both of its sizes."""
    text = re.findall(r"```toml\n(.*?)```", PROFILES_README, re.DOTALL)[0]
    path = tmp_path / "profiles" / "chat.toml"
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    names = [one.name for one in read_profile(path, kinds_of, size).benchmarks]
    rooms = (20, 30, 40) if size == "full" else (20, 30)
    assert names == [
        *(f"chat[rooms={r},cpus={c}]" for r in rooms for c in (1, 2)),
        *(f"chat[rooms={r},cpus=*]" for r in rooms),
    ]


def test_the_list_of_profiles_is_whole():
    """Every shipped workload stands in the list, and nothing that is not shipped."""
    listed = set(re.findall(r"^\| `([a-z-]+)` \|", PROFILES_README, re.MULTILINE))
    shipped = {path.stem for path in (ROOT / "profiles").glob("*.toml")}
    assert listed == {name for name in shipped if not name.startswith("smoke-")}


@pytest.mark.parametrize("path", sorted((ROOT / "profiles").glob("*.toml")), ids=lambda p: p.stem)
def test_every_shipped_profile_reads_and_says_what_it_is_about(path):
    """Each profile in profiles/ is valid, has an about, and runs as it is: one head side.

    But for one whose sides are kernels: it takes them where `gate build-kernel` leaves them.
    """
    profile = read_profile(path, kinds_of)
    assert profile.about
    if profile.harness == "instructions":
        assert {one.directory for one in profile.sides.values()} == {"kernels/base", "kernels/head"}
    else:
        assert set(profile.sides) <= {"head"}


def test_the_readme_names_every_exit_status():
    """The exit statuses of the design are in the README."""
    for status in ("`0`", "`1`", "`2`", "`3`", "`4`", "`5`", "`10`", "`130`", "`143`"):
        assert status in README
