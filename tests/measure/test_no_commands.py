"""A benchmark speaks to nobody but the gate: no variable, no file, no word reaches the CI runner."""

from __future__ import annotations

import json
import shutil

import pytest
from builders import run_gate, write_replay_project

from gate.measure.process.environment import child_environment, is_runners
from gate.text import one_line

WORDS = (
    "::error::x",
    "::set-output name=gate::open",
    "##[set-env name=PATH]x",
    "::stop-commands::x",
    "  ::add-mask::a",
    "before ##[error]after",
)
GONE = [
    "GITHUB_ENV",
    "GITHUB_OUTPUT",
    "GITHUB_PATH",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_STATE",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITHUB_ACTIONS",
    "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_URL",
    "ACTIONS_CACHE_URL",
    "RUNNER_TEMP",
    "RUNNER_TOOL_CACHE",
    "INPUT_PROFILES",
    "STATE_x",
    "CI_JOB_TOKEN",
    "CI_JOB_JWT_V2",
    "CI_REGISTRY_PASSWORD",
    "GITEA_TOKEN",
    "NPM_TOKEN",
    "token",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_ACCESS_KEY_ID",
    "DB_PASSWORD",
    "OPENAI_API_KEY",
    "my_secret",
    "SIGNING_KEY_BASE64",
    "GH_PAT",
    "PAT",
    "RELEASE_PAT",
    "TOKEN_GH",
    "TOKEN_1",
    "PGPASSWORD",
    "SUDOPASSWORD",
    "PASSWORD_PROD",
    "MYSQL_PWD",
    "DOCKER_AUTH_CONFIG",
    "NPM_CONFIG__AUTH",
    "npm_config__auth",
    "REDISCLI_AUTH",
    "HTTP_AUTHORIZATION",
    "SSH_AUTH",
    "SSH_AUTH_SOCK",
    "GATE_API_URL",
]
KEPT = [
    "CI",
    "PATH",
    "HOME",
    "LANG",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "input_file",
    "TOKENIZER",
    "KEYBOARD",
    "TOKENIZERS_PARALLELISM",
    "SSH_CONNECTION",
    "MONKEY",
    "PATTERN",
    "PATH_INFO",
    "PYTHONPATH",
    "CLASSPATH",
    "COMPAT",
    "PWD",
    "OLDPWD",
    "AUTHOR",
    "GIT_AUTHOR_NAME",
    "XAUTHORITY",
    "AUTHENTICATE",
]


def test_what_is_the_runners_is_not_inherited(monkeypatch):
    """Files, addresses and secrets of the runner are left out, also where a profile names them; any
    other is given where it is named."""
    for name in (*GONE, *KEPT):
        monkeypatch.setenv(name, "x")
    found = child_environment(inherits=(*GONE, *KEPT))
    assert [name for name in GONE if name in found] == []
    assert [name for name in KEPT if name not in found] == []


def test_what_the_profile_names_is_given():
    """A benchmark that needs a secret gets it by name, from whoever wrote the profile."""
    assert child_environment(own={"NPM_TOKEN": "x"})["NPM_TOKEN"] == "x"
    assert is_runners("NPM_TOKEN")


@pytest.mark.parametrize("word", WORDS)
def test_one_line_is_no_command(word):
    """Neither at the beginning, nor after a line break of any kind, nor in the middle."""
    for text in (
        word,
        f"a\n{word}",
        f"a\r{word}",
        f"a\u2028{word}",
        f"a\x85{word}",
        f"\ufeff{word}",
    ):
        shown = one_line(text)
        assert_no_command(shown)


def assert_no_command(text):
    for line in text.splitlines():
        assert "##[" not in line, line
        assert not line.strip("\ufeff \t").startswith("::"), line


SPEAKS = """
import os, sys
for stream in (sys.stdout, sys.stderr):
    for word in {words!r}:
        print(word, file=stream)
for name in ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY", "GITHUB_PATH"):
    if name in os.environ:
        open(os.environ[name], "a").write("gate=open")
sys.exit({status})
"""


@pytest.mark.skipif(shutil.which("hyperfine") is None, reason="hyperfine measures it")
@pytest.mark.parametrize("status", [0, 3])
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_benchmark_that_speaks_to_the_runner_is_not_heard(tmp_path, status, more):
    """On both streams, in a trial that fails or passes: no line of ours is a command."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "speak.py").write_text(SPEAKS.format(words=WORDS, status=status))
    (tmp_path / "profiles" / "s.toml").write_text(
        'harness = "hyperfine"\ncommand = "python3 speak.py"\ntrials = { screen = 2 }\n'
        "[metric.wall]\n"
    )
    runner = tmp_path / "runner-file"
    runner.write_text("")
    files = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")
    answer = run_gate(
        ["check", "s", "--out", "out", *more], cwd=tmp_path, env=dict.fromkeys(files, str(runner))
    )
    assert answer.status == (4 if status else 5), answer
    assert_no_command(answer.out)
    assert_no_command(answer.err)
    assert runner.read_text() == ""
    if more:
        assert json.loads(answer.out)["gate"] == "closed"


@pytest.mark.parametrize("word", [word for word in WORDS if "/" not in word])
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_names_and_errors_are_no_commands_either(tmp_path, word, more):
    """A benchmark called so, a profile called so, and a file that is wrong with such a text."""
    project = write_replay_project(tmp_path / "p", head={word: ["fail"] * 3})
    for arguments in (
        ("check", "p", "--out", "out"),
        ("run", "p"),
        ("check", word, "--out", "b"),
        ("plan", word),
    ):
        answer = project.gate(*arguments, *more)
        assert answer.status not in {0, 1}, answer
        assert_no_command(answer.out)
        assert_no_command(answer.err)
    project.profile.write_text(f"'{word}' = 1\n")
    answer = project.gate("check", "--out", "c", *more)
    assert answer.status == 2
    assert_no_command(answer.out + answer.err)


def test_the_terminal_shows_no_command_either(monkeypatch, capfd):
    """The line that is rewritten on a terminal is guarded as well."""
    from types import SimpleNamespace

    from gate.model import TrialStatus
    from gate.pipeline.progress import ProgressDisplay

    teller = ProgressDisplay()
    teller.live = True
    trial = SimpleNamespace(
        duration=1.0,
        status=TrialStatus.OK,
        values=(),
        benchmark="::error::x##[y]",
        note="",
        pair=None,
    )
    seen = {"profile": "p", "total": 2, "done": 1, "side": "head", "units": {}, "left": None}
    teller(SimpleNamespace(trial=trial, **seen))
    assert capfd.readouterr().err.startswith("\r\033[K.:error::x## [y] trial 1/2 head")
