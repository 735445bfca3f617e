"""What every refusal must look like, and a project to be refused."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from builders import run_gate, unchanged, write_replay_project

from gate.docs import PAGES

if TYPE_CHECKING:
    from pathlib import Path

    from builders import Answer

LONGEST = 1500


def assert_refused(answer: Answer, code: str, *words: str, status: int = 2) -> None:
    """One paragraph `error[CODE]: ...` on stderr, the exact status, every word in it."""
    assert answer.status == status, answer
    assert answer.err.startswith(f"error[{code}]: "), answer.err
    assert code in PAGES
    assert answer.err.count("\n") == 1, answer.err
    assert answer.err.endswith("\n")
    text = answer.err.rstrip("\n")
    assert text[-1] in ".?", text
    assert len(text) < LONGEST, len(text)
    assert "Traceback" not in answer.err + answer.out
    assert not re.search(r"[a-z0-9] (Check|Name|Write|Say|Give|Hand|Use) ", text), "no full stop"
    for word in words:
        assert word in text, (word, text)
    if answer.out:
        told = json.loads(answer.out)
        assert (told["gate"], told["exit_status"]) == ("closed", status)
        assert told["error"]["code"] == code


@pytest.fixture(scope="session")
def refused():
    """`assert_refused`, for modules of this folder."""
    return assert_refused


@pytest.fixture
def refuse(tmp_path):
    """Call the gate below tmp_path; it must refuse and leave every file as it was."""

    def call(arguments, code, *words, status=2, cwd=None, env=None):
        root: Path = cwd or tmp_path
        with unchanged(tmp_path):
            answer = run_gate(arguments, cwd=root, env=env)
        assert_refused(answer, code, *words, status=status)
        return answer

    return call


@pytest.fixture
def project(tmp_path):
    """A replay project with one steady benchmark and no baseline."""
    return write_replay_project(tmp_path)


@pytest.fixture(scope="session")
def accepted_files(tmp_path_factory):
    """A project with an accepted baseline, made once."""
    root = tmp_path_factory.mktemp("accepted")
    made = write_replay_project(root)
    made.accept()
    made.session()
    return {
        path.relative_to(root): path.read_bytes() for path in root.rglob("*.*") if path.is_file()
    }


@pytest.fixture
def accepted(tmp_path, accepted_files):
    """That project anew: profile, recording, six sessions, the first five of them accepted."""
    made = write_replay_project(tmp_path)
    for name, content in accepted_files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return made
