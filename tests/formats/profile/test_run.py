"""A profile with every new key of a command, measured for real in its small size."""

from __future__ import annotations

import json

from builders import run_gate

PROFILE = """\
harness = "hyperfine"
command = 'echo "$GREETING"; echo "rate: {n} MB/sec"; echo "messages {n}"'
shell = "sh"
parameters = { n = 40 }
environment = { GREETING = "hello {jobs} in {side}" }
matrix = { jobs = [1, 2, 4] }
operations = "messages"
trials = { screen = 2 }
[side.head]
dir = "."
[output.rate]
pattern = '^rate: ([0-9.]+) MB/sec$'
unit = "MB/s"
better = "higher"
[output.messages]
pattern = '^messages ([0-9]+)$'
unit = "1"
better = "higher"
[output.greeted]
pattern = '^hello ([0-9]+) in /.*$'
unit = "1"
better = "higher"
[needs.sh]
install = "apt install dash"
[metric.rate]
[metric.knee]
of = "rate"
over = "jobs"
take = "knee"
[size.small]
parameters = { n = 4 }
matrix = { jobs = [1, 2, 3] }
"""


def test_measured(tmp_path):
    """Figures, parameters, environment, needs and size arrive in the session, exactly."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "chat.toml").write_text(PROFILE)
    answer = run_gate(["run", "chat", "--size", "small", "--json", "--quiet"], cwd=tmp_path)
    assert answer.status == 0, answer
    session = json.loads((tmp_path / answer.json["sessions"][0]["path"]).read_text())
    figures = {
        (trial["benchmark"], value["metric"]): value["value"]
        for trial in session["trials"]
        for value in trial["values"]
    }
    for jobs in (1, 2, 3):
        name = f"chat[jobs={jobs}]"
        assert figures[name, "rate"] == 4e6
        assert figures[name, "messages"] == 4.0
        assert figures[name, "greeted"] == jobs
    assert session["tools"]["sh"].startswith("sha256:")
    assert session["planned"][-1]["benchmark"] == "chat[jobs=*]"
    assert session["planned"][-1]["group"] == "jobs"


def test_pattern_that_fails(tmp_path):
    """A figure that is not printed fails the trial, and the command says what was found."""
    (tmp_path / "profiles").mkdir()
    text = PROFILE.replace('echo "messages {n}"', "true")
    (tmp_path / "profiles" / "chat.toml").write_text(text)
    answer = run_gate(["run", "chat", "--size", "small", "--quiet"], cwd=tmp_path)
    assert answer.status == 4
    assert "output messages: expected one match" in answer.err
    assert "none of the 2 lines printed" in answer.err
