"""Where the id of this boot cannot be read: that is no new boot, and no journal is thrown away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from builders import start_gate
from host.kernel import BOOT, FRESH, NUMA, THP, Kernel, Namespace
from turns import MACHINE

from gate.errors import InputError
from gate.host.journal import read_journal, write_journal
from gate.host.tuning.restore import restore
from gate.host.tuning.tuning import tune_host
from gate.subject import metal, module_journal

HIDE = ("sh", "-c", 'mount -t tmpfs none /proc/sys/kernel && exec "$@"', "sh")


@pytest.fixture
def kernel(monkeypatch):
    files = {THP: "always [madvise] never\n", NUMA: "1\n", "/proc/swaps": "Filename\n"}
    return Kernel(files).use(monkeypatch)


@pytest.fixture
def left(kernel, tmp_path, monkeypatch):
    """Huge pages and NUMA balancing tuned, by a gate that is gone."""
    with monkeypatch.context() as here:
        from gate.host.tuning import tuning

        here.setattr(tuning, "_undo", lambda *_: None)
        with tune_host(["thp", "numa_balancing"], state=tmp_path):
            pass
    journal = read_journal(tmp_path)
    assert len(journal.entries) == 2
    return journal


def hide(kernel):
    for path in (BOOT, NUMA):
        del kernel.files[path]


def test_an_unknown_boot_is_not_a_new_one(kernel, left, tmp_path):
    """What can be seen is put back; what is hidden stands in the journal until it can be seen."""
    numa = kernel.files[NUMA]
    hide(kernel)
    result = restore(tmp_path)
    assert result.forgotten == 0
    assert kernel.value("thp", THP) == "madvise"
    assert [one.change.path for one in result.left] == [NUMA]
    assert "LEFT AS IT IS" in "\n".join(result.lines())
    kernel.files |= {BOOT: "boot-1\n", NUMA: numa}
    assert not restore(tmp_path).left
    assert kernel.value("numa_balancing", NUMA) == "1"
    assert read_journal(tmp_path) is None


def test_only_who_sees_what_was_tuned_closes_the_journal(kernel, left, tmp_path):
    """Elsewhere all may read as before and the journal stays, with all that it names."""
    write_journal(tmp_path, replace(left, view="another"))
    result = restore(tmp_path)
    assert (len(result.back), result.left) == (2, ())
    assert "stays" in result.lines()[-1]
    assert read_journal(tmp_path).entries == left.entries
    write_journal(tmp_path, left)
    assert not restore(tmp_path).left
    assert read_journal(tmp_path) is None


def test_nothing_is_tuned_where_the_boot_is_unknown(kernel, tmp_path):
    """The journal could not say later whether the machine was restarted since."""
    del kernel.files[BOOT]
    with pytest.raises(InputError) as caught, tune_host(["thp"], state=tmp_path):
        pass
    assert caught.value.code == "G262"
    assert not kernel.told


def test_older_changes_are_kept_where_the_boot_is_unknown(kernel, left, tmp_path):
    """New tuning does not write over a journal that it cannot judge."""
    del kernel.files[BOOT]
    with pytest.raises(InputError), tune_host(["thp"], state=tmp_path):
        pass
    assert read_journal(tmp_path) == left


def test_modules_that_were_loaded_are_not_forgotten(tmp_path, monkeypatch):
    """The journal of modules stays too, and the line says why."""
    monkeypatch.setattr(module_journal, "read_boot_id", lambda _: "boot-1")
    module_journal.note(tmp_path, [("toy", "ab" * 20)])
    monkeypatch.setattr(module_journal, "read_boot_id", lambda _: "")
    (line,) = module_journal.unload_left(tmp_path)
    assert "toy" in line
    assert (tmp_path / module_journal.JOURNAL).exists()


def test_a_restart_is_not_assumed(monkeypatch, tmp_path):
    """A kernel whose boot has no id is none that came up as asked."""
    subject = object.__new__(metal.Metals)
    now = metal.running_kernel()
    monkeypatch.setattr(metal, "running_kernel", lambda: replace(now, boot=""))
    with pytest.raises(metal.NotActive, match="id of this boot"):
        metal.Metals.activate(subject, None)


@MACHINE
@pytest.mark.skipif(os.geteuid() != 0, reason="needs root and mount namespaces")
def test_a_namespace_without_the_kernels_settings_loses_nothing(tmp_path):
    """A real gate tunes and is killed with its guardian; one that sees no boot id restores first,
    and the journal stays; one that sees it puts the rest back and closes it."""
    space = Namespace(tmp_path / "space")
    root = tmp_path / "p"
    root.mkdir()
    words = ["host", "tune", "governor", "turbo", "--", sys.executable, "-c", _SAY]
    gate = start_gate(words, cwd=root, before=space.before)
    deadline = time.monotonic() + 60
    while not (root / "ready").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    _kill_all(gate.pid)
    gate.communicate(timeout=30)
    assert space.fake() != FRESH
    before = space.journal.read_bytes()
    hidden = _end(start_gate(["host", "restore"], cwd=root, before=(*space.before, *HIDE)))
    assert "restarted" not in hidden[0]
    assert space.journal.read_bytes() == before
    assert space.fake() == FRESH
    seen = _end(start_gate(["host", "restore"], cwd=root, before=space.before))
    assert seen[1] == 0
    assert not space.journal.exists()


_SAY = "import pathlib, time; pathlib.Path('ready').touch(); time.sleep(60)"


def _end(process):
    out, err = process.communicate(timeout=60)
    return out + err, process.returncode


def _kill_all(first):
    """A gate, its guardian and its command, all at once."""
    rows = subprocess.run(
        ["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True
    )
    parents = dict(map(int, row.split()) for row in rows.stdout.splitlines())
    mine = {first}
    while more := {one for one, parent in parents.items() if parent in mine} - mine:
        mine |= more
    for one in mine:
        os.kill(one, signal.SIGSTOP)
    for one in mine:
        os.kill(one, signal.SIGKILL)
