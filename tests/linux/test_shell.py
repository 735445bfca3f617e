"""Lines of shell: a part of a pipe that fails must fail the line, or the line is not run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from gate.errors import InputError
from gate.linux.shell import has_pipe, sh_words, shell_words

SHELLS = [
    shell
    for shell in (("bash",), ("busybox", "sh"), ("zsh",), ("ksh",), ("mksh",), ("bash", "-e"))
    if shutil.which(shell[0])
]
OURS = dict(os.environ)


def status(words):
    """What these words end with."""
    return subprocess.run(words, capture_output=True, check=False).returncode


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_a_pipe_ends_as_its_worst_part(shell):
    """Real shells with pipefail: the left part's status comes out, and a whole pipe ends well."""
    assert status(shell_words("(exit 3) | cat", OURS, shell)) == 3
    assert status(shell_words("(exit 3) | cat | cat", OURS, shell)) == 3
    assert status(shell_words("echo yes | grep -q yes", OURS, shell)) == 0
    assert shell_words("echo yes", OURS, shell) == (*shell, "-c", "echo yes")


@pytest.fixture
def dash(tmp_path, monkeypatch):
    """A PATH whose sh has no pipefail, and that has no bash."""
    real = next(
        (
            found
            for found in map(shutil.which, ("dash", "sh"))
            if found and status((found, "-c", "set -o pipefail"))
        ),
        None,
    )
    if real is None:
        pytest.skip("every shell here has pipefail")
    (tmp_path / "sh").symlink_to(Path(real).resolve())
    (tmp_path / "cat").symlink_to(shutil.which("cat"))
    return {"PATH": str(tmp_path)}


def test_without_pipefail_a_pipe_is_refused(dash):
    """A real dash: a line with a pipe is an error with its cure, one without is run as ever."""
    with pytest.raises(InputError) as refused:
        shell_words("bench | cat", dash)
    assert (refused.value.code, "bash" in refused.value.cure) == ("G283", True)
    assert "sh has no pipefail" in refused.value.message
    assert shell_words("grep -c 'a|b' file", dash) == ("sh", "-c", "grep -c 'a|b' file")


def test_what_is_not_measured_is_run_by_bash_instead(dash):
    """A prepare command with a pipe is bash's where sh cannot tell; without bash it is refused."""
    with pytest.raises(InputError):
        sh_words("(exit 3) | cat", dash)
    (Path(dash["PATH"]) / "bash").symlink_to(shutil.which("bash"))
    assert sh_words("true", dash) == ("sh", "-c", "true")
    words = sh_words("(exit 3) | cat", dash)
    assert words[0] == "bash"
    assert status(words) == 3


def test_a_program_that_is_no_shell_runs_no_pipe():
    """python -c 'set -o pipefail' fails, so what it would take for a pipe is refused."""
    with pytest.raises(InputError):
        shell_words("print(1 | 2)", OURS, ("python3",))
    assert shell_words("print(1)", OURS, ("python3",)) == ("python3", "-c", "print(1)")


def test_a_shell_that_is_not_installed_fails_in_its_trial():
    """It is not said to lack an option: nothing starts, and that is what the trial says."""
    words = shell_words("a | b", OURS, ("/nowhere/shell",))
    assert words == ("/nowhere/shell", "-o", "pipefail", "-c", "a | b")


@pytest.mark.parametrize(
    ("line", "piped"),
    [
        ("a | b", True),
        ("a|b", True),
        ("a |& b", True),
        ("a || b | c", True),
        ('echo "$(a | b)"', True),
        ('echo "it\'s" | cat; echo "it\'s"', True),
        ("echo \\' | cat \\'", True),
        ("a || b", False),
        ("grep 'a|b' file", False),
        ('grep "a|b" file', False),
        ("a \\| b", False),
        ("a >| b", False),
        ("a; b && c", False),
    ],
)
def test_what_a_pipe_is(line, piped):
    """Quoted and escaped characters, `||` and `>|` are none; one in a substitution is."""
    assert has_pipe(line) is piped
