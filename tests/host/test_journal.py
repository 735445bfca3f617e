"""The journal of tuning: whole or refused, never believed blindly."""

from __future__ import annotations

import json
import os

import pytest
from host.kernel import THP

from gate.errors import InputError
from gate.host.journal import JOURNAL, Journal, close_journal, read_journal, write_journal
from gate.host.tuning.settings import SettingChange
from gate.linux.processes import lives, own_mark, start_of

ONE = SettingChange(setting="thp", path=THP, before="madvise", after="never")
SWAP = SettingChange(setting="swap", path="/swap file", before="on 5", after="off")


@pytest.fixture
def journal():
    """What this process would write."""
    own = os.getpid()
    return Journal(boot="boot-1", pid=own, start=start_of(own), entries=(ONE, SWAP))


def test_there_and_back(journal, tmp_path):
    """What was written is read again, in its order, and is gone once it is closed."""
    state = tmp_path / "not/yet/there"
    assert read_journal(state) is None
    write_journal(state, journal)
    assert read_journal(state) == journal
    assert [path.name for path in state.iterdir()] == [JOURNAL]
    close_journal(state)
    assert read_journal(state) is None
    close_journal(state)


def test_on_the_disk_before_it_counts(journal, tmp_path, monkeypatch):
    """File and directory are synced, in this order, with the new name in between."""
    calls = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)

        def spy(*words, _name=name, _real=real):
            calls.append(_name)
            return _real(*words)

        monkeypatch.setattr(os, name, spy)
    write_journal(tmp_path, journal)
    assert calls == ["fsync", "replace", "fsync"]
    calls.clear()
    close_journal(tmp_path)
    assert calls == ["fsync"]


def _changed(**parts):
    entry = {"setting": "thp", "path": THP, "before": "madvise", "after": "never"}
    whole = {"schema": 1, "boot": "b", "owner": {"pid": 1, "start": "1"}, "entries": [entry]}
    entry |= parts.pop("entry", {})
    return json.dumps(whole | parts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 99_999,
        "\ud800",
        _changed()[:-20],
        _changed(schema=2),
        _changed(owner={"pid": "1", "start": "1"}),
        _changed(owner={"pid": 1}),
        _changed(boot=None),
        _changed(entries=[{}]),
        _changed(entries={"setting": "thp"}),
        _changed(entry={"more": "words"}),
        _changed(entry={"before": ""}),
        _changed(entry={"before": "a\0b"}),
        _changed(entry={"before": 1}),
        _changed(entry={"after": "x" * 5000}),
        _changed(entry={"setting": "cstates"}),
        _changed(entry={"path": "/etc/passwd"}),
        _changed(entry={"path": THP + "/../../../../../etc/passwd"}),
        _changed(entry={"setting": "irq", "path": "/proc/irq/1/../../sysrq-trigger"}),
        _changed(entry={"setting": "swap", "path": "relative"}),
    ],
)
def test_what_is_no_journal_is_refused(text, tmp_path):
    """A damaged or foreign journal is an error with its file and a cure, and is left there."""
    path = tmp_path / JOURNAL
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError) as caught:
        read_journal(tmp_path)
    assert (caught.value.code, caught.value.place) == ("G262", str(path))
    assert "Reboot" in caught.value.cure
    assert path.exists()


@pytest.mark.parametrize("kind", ["directory", "link to nothing", "pipe"])
def test_what_is_no_file_is_refused(kind, tmp_path):
    """Something else in the journal's place is not read as "nothing is tuned"."""
    path = tmp_path / JOURNAL
    {"directory": path.mkdir, "link to nothing": lambda: path.symlink_to("x")}.get(
        kind, lambda: os.mkfifo(path)
    )()
    with pytest.raises(InputError, match="journal of tuned settings"):
        read_journal(tmp_path)


def test_an_owner_is_more_than_a_number(journal):
    """A process that took over the number of a dead one owns nothing of it."""
    assert journal.owned
    assert own_mark() == f"{os.getpid()}-{journal.start}"
    assert not lives(os.getpid(), f"{int(journal.start) + 1}")
    assert not lives(os.getpid(), "")
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    assert start_of(child) == "", "a process that nobody has waited for yet has ended all the same"
    os.waitpid(child, 0)
