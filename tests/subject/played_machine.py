"""A machine whose restarts are played: kernels that run, firmware, boot loaders, `systemctl`.

The boot loaders are shell scripts that keep what is armed in files; `restart()` does what firmware
does: it clears the one-shot entry, and starts what it named, or else the machine's own kernel. What
the gate asks of them, and the order in which it does, is real.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

from builders import run_gate
from vm.made import VERSION, bzimage, kernel

from gate.cli.host import resume
from gate.measure import activation
from gate.pipeline import reboot
from gate.subject import metal, module_journal, one_shot
from gate.subject.boots import RunningKernel, read_boots

if TYPE_CHECKING:
    from pathlib import Path

GOOD = RunningKernel(
    boot="", release="6.1.0-good", version=VERSION, build_id="aa" * 20, command_line="root=x ro"
)
SIDES = {"base": b"\xbb" * 20, "head": b"\xcc" * 20}
SCRIPTS = {
    "grub-reboot": 'echo "next_entry=$1" >next',
    "grub-editenv": "case $2 in list) cat next 2>/dev/null || true;; unset) : >next;; esac",
    "efibootmgr": '[ "$1" = --bootnext ] && echo "BootNext: $2" >next; cat next 2>/dev/null; true',
    "kexec": 'echo "$*" >next; echo 1 >kexec_loaded',
    "bootctl": 'printf "\\0\\0\\0\\0" >one-shot; printf %s "$2" | iconv -t utf-16le >>one-shot; '
    'echo "$2" >next',
    "systemctl": 'echo "$*" >>restarts',
}


class Down(BaseException):
    """The machine went down."""


class PlayedMachine:
    """Restarts into whatever its boot loader was told, once."""

    def __init__(self, root: Path, monkeypatch) -> None:
        self.root, self.state = root, root / "state"
        self.kernels = {"good": GOOD}
        self.broken: set[str] = set()
        """Sides whose kernels do not come up."""
        self._boots = itertools.count(1)
        self.running = GOOD
        self.programs = root / "bin"
        self.programs.mkdir(parents=True)
        for name, script in SCRIPTS.items():
            self.script(name, script)
        for side, build_id in SIDES.items():
            (root / side).mkdir()
            inside = kernel(f"6.1.0-{side}", build_id)
            (root / side / "vmlinuz").write_bytes(bzimage(inside))
            self.kernels[side] = RunningKernel(
                boot="", release=f"6.1.0-{side}", version=VERSION, build_id=build_id.hex()
            )
        self.start("good")
        for module in (metal, reboot, resume):
            monkeypatch.setattr(module, "running_kernel", lambda: self.running)
        for module in (reboot, resume, activation):
            monkeypatch.setattr(module, "state_directory", lambda: self.state)
        clock = SimpleNamespace(sleep=self._down, time=time.time)
        monkeypatch.setattr(reboot, "time", clock)
        path = f"{self.programs}:/usr/bin:/bin"
        for module in (one_shot, module_journal):
            monkeypatch.setattr(module, "SYSTEM", {"PATH": path, "LC_ALL": "C.UTF-8"})
        monkeypatch.setattr(one_shot, "_LOADED", root / "kexec_loaded")
        monkeypatch.setattr(one_shot, "_ONE_SHOT", root / "one-shot")

    def script(self, name: str, text: str) -> None:
        """A program of the machine, started in its root."""
        path = self.programs / name
        path.write_text(f"#!/bin/sh\ncd {self.root}\n{text}\n")
        path.chmod(0o755)

    def start(self, name: str) -> None:
        """Run a kernel, in a boot of its own."""
        found = self.kernels[name]
        self.running = replace(found, boot=f"boot-{next(self._boots)}")

    def restart(self) -> str:
        """Firmware: the one-shot entry is cleared, then followed. Gives what was to be started."""
        path = self.root / "next"
        armed = path.read_text() if path.exists() else ""
        path.write_text("")
        side = next((name for name in SIDES if name in armed), "good")
        self.start("good" if side in self.broken else side)
        return side

    def _down(self, seconds: float) -> None:
        raise Down

    def measure(self, *words: str, most: int = 40, between=lambda: None):
        """A command, gone on with after each restart; the answer, and what was started, in order."""
        started = []
        while len(started) <= most:
            try:
                return run_gate(words, cwd=self.root), started
            except Down:
                started.append(self.restart())
                between()
            journal = read_boots(self.state)
            assert journal is not None
            words = journal.words
        raise AssertionError(f"still restarting: {started}")
