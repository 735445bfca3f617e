"""A git that was killed, or could not be started, has not said that there is no repository."""

from __future__ import annotations

import errno
import os
import subprocess

import pytest

from gate import vcs
from gate.errors import MeasureError


def test_a_git_that_was_killed_is_no_answer(tmp_path, monkeypatch):
    """Short of memory the kernel kills it: what is measured then has no known commit."""
    program = tmp_path / "git"
    program.write_text("#!/bin/sh\nkill -9 $$\n", "ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    with pytest.raises(MeasureError, match="killed by signal 9") as caught:
        vcs.run_git(tmp_path, "status")
    assert caught.value.code == "G287"


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM, errno.EAGAIN])
def test_a_git_that_could_not_be_started_is_no_answer(tmp_path, monkeypatch, number):
    """Only a git that is not there means that there is none."""

    def fail(*_, **__):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(subprocess, "run", fail)
    with pytest.raises(MeasureError, match="git gave no answer"):
        vcs.run_git(tmp_path, "status")
    monkeypatch.setattr(
        subprocess, "run", lambda *_, **__: (_ for _ in ()).throw(FileNotFoundError)
    )
    assert vcs.run_git(tmp_path, "status") is None
