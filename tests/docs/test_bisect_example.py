"""The worked example of `gate bisect-run`: over real commits, and its page shows what it does."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from gate.formats.profile.profile_file import read_profile

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "reports/example/bisect"
SCRIPT = HERE / "make.sh"
PROFILE = HERE / "profiles/import-harness.toml"
COMMITS = dict(re.findall(r"^(\w+)=([0-9a-f]{12})\b", SCRIPT.read_text(), re.MULTILINE))
CULPRIT = "824aacff93ae"


@pytest.fixture(scope="module")
def page():
    """The page, with continued lines joined."""
    return (ROOT / "docs/bisect.md").read_text().replace("\\\n", " ")


def ran(*words):
    return subprocess.run(words, check=False, capture_output=True, text=True, timeout=3600)


def spelled(text):
    """The lines of shell that do the work, with what the script names filled in."""
    check = re.search(r"^check=\((.*)\)$", text, re.MULTILINE)
    filled = text.replace('"${check[@]}"', check[1] if check else "")
    for name, commit in COMMITS.items():
        filled = filled.replace(f'"${name}"', commit).replace(f"${name}", commit)
    lines = (re.split(r"\s+#", line)[0].strip() for line in filled.splitlines())
    return {
        tuple(shlex.split(line))
        for line in lines
        if re.match(r"(gate (run|baseline|bisect)|git (bisect|worktree|checkout)) ", line)
    }


def test_the_page_shows_the_commands_of_the_script(page):
    """Word by word: a reader who copies the page does what the script did."""
    script = spelled(SCRIPT.read_text().replace("\\\n", " "))
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL))
    assert len(script) >= 7
    assert script <= spelled(blocks)


def test_the_page_names_the_commits_that_the_script_names(page):
    """And the one that was found, which lies between them."""
    assert set(COMMITS) == {"good", "bad", "suspect"}
    for commit in (*COMMITS.values(), CULPRIT):
        assert commit[:7] in page


def test_the_page_shows_the_whole_profile(page):
    """As it is read by the gate: without its comments and the line for editors."""
    shown = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert tomllib.loads(shown[1]) == tomllib.loads(PROFILE.read_text())


def test_the_profile_is_one_of_ours():
    """It is read as the commands read it, and one metric may close the gate."""
    profile = read_profile(PROFILE)
    assert [one.name for one in profile.metrics if one.role == "gate"] == ["cpu"]


@pytest.mark.parametrize("depth", [["--depth", "1"], []])
def test_a_clone_that_lacks_the_commits_is_told(tmp_path, depth):
    """A shallow one is told how to get the rest; neither measures anything."""
    clone, source = tmp_path / "clone", tmp_path / "source"
    begin = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", str(source)]
    source.mkdir()
    subprocess.run([*begin, "init", "--quiet"], check=True)
    for text in ("one", "two"):
        subprocess.run([*begin, "commit", "--quiet", "--allow-empty", "-m", text], check=True)
    subprocess.run(["git", "clone", "--quiet", *depth, f"file://{source}", str(clone)], check=True)
    shutil.copytree(HERE, clone / "reports/example/bisect")
    done = ran(str(clone / "reports/example/bisect/make.sh"), str(tmp_path / "work"))
    assert (done.returncode, (tmp_path / "work").exists()) == (1, False)
    assert ("git fetch --unshallow" if depth else "has no commit 95031cd") in done.stderr


def test_a_directory_that_is_there_is_left_alone(tmp_path):
    """Nobody's files are removed for an example."""
    done = ran(str(SCRIPT), str(tmp_path))
    assert (done.returncode, list(tmp_path.iterdir())) == (1, [])
    assert "is there already" in done.stderr


@pytest.mark.proof
def test_the_example_finds_the_commit(tmp_path):
    """For real: the suspect is skipped, and the commit that made the import slower is named."""
    done = ran(str(SCRIPT), str(tmp_path / "work"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"^{CULPRIT}\w* is the first bad commit$", done.stdout, re.MULTILINE)
    assert f"skipped (125 to git); {COMMITS['suspect']}" in done.stderr
