"""A kernel that plays: modules come and go in directories that stand for /proc and /sys."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from pathlib import Path

from vm.made import module, note

from gate.linux import kernel_modules
from gate.subject import module_journal
from gate.subject.switch import CommandFailed


class PlayedKernel:
    """What insmod and rmmod do to it; `refuses` names modules that do not load."""

    def __init__(self, place, monkeypatch):
        self.place, self.refuses, self.busy, self.calls = place, set(), set(), []
        self.lies = {}
        self.proc, self.sys = place / "modules", place / "module"
        self.sys.mkdir(parents=True)
        self.proc.write_text("")
        self.died = False
        monkeypatch.setattr(kernel_modules, "PROC", self.proc)
        monkeypatch.setattr(kernel_modules, "SYS", self.sys)
        monkeypatch.setattr("gate.subject.module.kernel_had_oops", lambda: self.died)
        monkeypatch.setattr("gate.subject.module._IN_USE", 0.05)
        monkeypatch.setattr(module_journal, "program", lambda name: (name,))
        monkeypatch.setattr("gate.subject.module.program", lambda name: (name,))
        monkeypatch.setattr("gate.subject.module.os.geteuid", lambda: 0)

    def names(self):
        """What is loaded."""
        return [line.split()[0] for line in self.proc.read_text().splitlines()]

    def load(self, name, build_id):
        """A module appears."""
        self.proc.write_text(f"{name} 1 0 - Live 0x0\n" + self.proc.read_text())
        (self.sys / name / "notes").mkdir(parents=True)
        (self.sys / name / "initstate").write_text("live\n")
        (self.sys / name / "notes" / ".note.gnu.build-id").write_bytes(note(b"GNU\0", 3, build_id))

    def unload(self, name):
        """It goes."""
        lines = self.proc.read_text().splitlines(keepends=True)
        self.proc.write_text("".join(one for one in lines if one.split()[0] != name))
        # The number of a directory that is gone may come again at once: keep it taken.
        (self.sys / name).rename(self.place / f"gone-{len(list(self.place.iterdir()))}")
        shutil.rmtree(self.sys / name, ignore_errors=True)

    def run(self, words, *_):
        """Play insmod and rmmod."""
        self.calls.append(words[0])
        if words[0] == "insmod":
            if is_written(words[1]):
                raise failed(
                    f"insmod: ERROR: could not insert module: {os.strerror(errno.ETXTBSY)}"
                )
            content = Path(words[1]).read_bytes()
            name = next(n for n in ("helper", "driver") if content[:-20].endswith(n.encode()))
            if name in self.refuses:
                raise failed(f"insmod: ERROR: {words[1]}: Invalid parameters")
            self.load(name, self.lies.get(name, content[-20:]))
        else:
            name = words[1]
            if name in self.busy:
                raise failed(f"rmmod: ERROR: Module {name} is in use")
            self.unload(name)
        return ""


def failed(said):
    """A program that ended with status 1."""
    return CommandFailed(f"ended with status 1: {said}", said)


def is_written(path):
    """Whether anybody has it open for writing: then no lease on reading it is given.

    Kernels read no module that may change meanwhile (`deny_write_access`).
    """
    with Path(path).open("rb") as file:
        try:
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        except BlockingIOError:
            return True
    return False


def write_module(place, name, build_id, depends=""):
    """A .ko in a side's directory, that ends with its name and build-id."""
    place.mkdir(parents=True, exist_ok=True)
    content = module(depends, build_id) + name.encode() + build_id
    (place / f"{name}.ko").write_bytes(content)
