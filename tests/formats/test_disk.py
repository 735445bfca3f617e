"""Files are replaced whole or stay as they are, whatever fails meanwhile."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from builders import write_replay_project

from gate.errors import InputError
from gate.formats.disk import write_text
from gate.formats.session.session_file import read_session

STEPS = {
    "mkdir": (Path, "mkdir"),
    "make": ("tempfile", "mkstemp"),
    "sync": (os, "fsync"),
    "chmod": (Path, "chmod"),
    "rename": (Path, "replace"),
}


@pytest.fixture
def old(tmp_path):
    """A file with content, alone in its directory."""
    path = tmp_path / "place" / "b.json"
    path.parent.mkdir()
    path.write_text("old")
    path.chmod(0o640)
    return path


def failing(number):
    """A function that fails with that errno."""

    def fail(*_args, **_more):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    "number", [errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EROFS, errno.EACCES]
)
@pytest.mark.parametrize("step", STEPS)
def test_a_failed_step_leaves_the_old_content(step, number, old, monkeypatch):
    """Any step may fail: an error tells path and reason, the old file stands, nothing else."""
    place, name = STEPS[step]
    with monkeypatch.context() as patch:
        if isinstance(place, str):
            patch.setattr(f"{place}.{name}", failing(number))
        else:
            patch.setattr(place, name, failing(number))
        with pytest.raises(InputError) as caught:
            write_text(old, "new")
    assert caught.value.code == "G208"
    assert str(old) in str(caught.value)
    assert os.strerror(number) in str(caught.value)
    assert old.read_text() == "old"
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert list(old.parent.iterdir()) == [old]


def test_a_full_disk_while_writing(old):
    """A disk that fills up in the middle of a large text leaves the old file and no litter."""
    # The file size limit of this process fails real writes, as a full disk does.
    import resource

    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(InputError, match="File too large"):
            write_text(old, "x" * 1_000_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert old.read_text() == "old"
    assert list(old.parent.iterdir()) == [old]


def test_a_failed_tidying_does_not_hide_the_reason(old, monkeypatch):
    """Where the temporary file cannot be removed either, the first reason is still told."""
    monkeypatch.setattr(os, "fsync", failing(errno.EIO))
    monkeypatch.setattr(Path, "unlink", failing(errno.EROFS))
    with pytest.raises(InputError, match=os.strerror(errno.EIO)):
        write_text(old, "new")
    assert old.read_text() == "old"


def test_a_file_system_that_cannot_sync_directories(old, monkeypatch):
    """After the rename the file is whole: a directory that cannot be synced is no error."""
    sync = os.fsync

    def files_only(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        sync(handle)

    monkeypatch.setattr(os, "fsync", files_only)
    write_text(old, "new")
    assert old.read_text() == "new"
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.parametrize("text", ["\ud800", "a\udcff"])
def test_a_text_that_is_no_unicode(text, old):
    """A text that cannot be encoded changes nothing."""
    with pytest.raises(UnicodeEncodeError):
        write_text(old, text)
    assert old.read_text() == "old"
    assert list(old.parent.iterdir()) == [old]


@pytest.mark.parametrize(
    ("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664), (0, 0o666)]
)
def test_permissions_follow_the_umask(mask, mode, tmp_path):
    """A written file has the permissions of any file this user makes, and the umask stays."""
    before = os.umask(mask)
    try:
        write_text(tmp_path / "a" / "b.json", "x")
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a/b.json").stat().st_mode) == mode


def test_the_file_is_synced_before_it_is_renamed(old, monkeypatch):
    """A power cut after the rename finds the text on the disk: sync, rename, sync of the place."""
    told = []
    sync, replace = os.fsync, Path.replace

    def synced(handle):
        told.append("directory" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def renamed(self, target):
        told.append("rename")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    write_text(old, "new")
    assert told == ["file", "rename", "directory"]


_WRITER = """
import sys
from pathlib import Path
from gate.formats.disk import write_text
place, number = Path(sys.argv[1]), 0
while True:
    number += 1
    write_text(place, str(number % 10) * 300_000)
"""


def test_killed_writers_never_leave_a_part(tmp_path):
    """Killed outright at any moment, a writer leaves the one text or the other."""
    place = tmp_path / "b.json"
    for pause in (0.0, 0.003, 0.007, 0.013, 0.021):
        place.write_text("0" * 300_000)
        begun = place.stat().st_ino
        with subprocess.Popen([sys.executable, "-c", _WRITER, place]) as writer:
            until = time.monotonic() + 60
            while place.stat().st_ino == begun:
                assert time.monotonic() < until
            time.sleep(pause)
            for _ in range(50):
                text = place.read_text("ascii")
                assert (len(text), len(set(text))) == (300_000, 1)
            writer.kill()
        text = place.read_text("ascii")
        assert (len(text), len(set(text))) == (300_000, 1)
    # What a killed writer leaves is hidden and has no ending that a reader looks for.
    left = [path for path in tmp_path.iterdir() if path != place]
    assert all(p.name.startswith(".b.json.") and p.suffix not in {".json", ".toml"} for p in left)


def test_a_side_whose_name_is_no_utf8(tmp_path):
    """A directory or variable that is no UTF-8 text is measured, and named by escapes."""
    project = write_replay_project(tmp_path / "p", sides=True)
    strange = os.fsdecode(b"h\xff")
    (project.root / strange).mkdir()
    answer = project.gate("run", "p", "--head", strange, "--head-env", f"A={strange}")
    assert answer.status == 0, answer
    session = read_session(project.root / "reports/sessions/p-001.json")
    assert "h\\udcff A=h\\udcff" in session.subject.description
