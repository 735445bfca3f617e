"""The journal of modules that the gate loaded: on the disk before the first is loaded.

    <state>/modules.json  {"boot": ..., "modules": [[NAME, BUILD-ID], ...]}

Whoever finds one after a gate was killed unloads what is still loaded and still proven to be it.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats import disk
from gate.linux.kernel_modules import loaded_module
from gate.linux.machine import ThisMachine, read_boot_id
from gate.subject.switch import CommandFailed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

JOURNAL = "modules.json"
_PATIENCE = 60.0
SYSTEM = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
"""Where what loads modules comes from: no directory of a project comes before."""


def program(name: str) -> tuple[str, ...]:
    """The words that start `insmod` or `rmmod`: kmod's, or busybox's; empty where both lack."""
    if shutil.which(name, path=SYSTEM["PATH"]):
        return (name,)
    return ("busybox", name) if shutil.which("busybox", path=SYSTEM["PATH"]) else ()


def run_program(*words: str, patience: float = _PATIENCE) -> str:
    """Run a program of the system to its end; gives its output.

    Raises:
        CommandFailed: it cannot be run, took too long, or ended with another status than 0.
    """
    try:
        done = subprocess.run(
            words, env=SYSTEM, capture_output=True, timeout=patience, check=False, text=True
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = error.strerror if isinstance(error, OSError) else f"it took over {patience:g} s"
        raise CommandFailed(f"{words[0]} cannot be run: {why}", str(why)) from error
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split())[:200] or "it said nothing"
        ending = f"{shlex.join(words)[:200]} ended with status {done.returncode}: {said}"
        raise CommandFailed(ending, said)
    return done.stdout


def note(state: Path, modules: Sequence[tuple[str, str]]) -> None:
    """Write down what will be loaded, in order; or G208, and nothing may be loaded."""
    state.mkdir(parents=True, exist_ok=True)
    data = {"boot": read_boot_id(ThisMachine()), "modules": [list(one) for one in modules]}
    disk.write_text(state / JOURNAL, json.dumps(data) + "\n")


def close(state: Path) -> None:
    """Everything is unloaded."""
    with suppress(OSError):
        (state / JOURNAL).unlink(missing_ok=True)


def unload_left(state: Path) -> tuple[str, ...]:
    """Unload what a killed gate left loaded; a line for each module, and for each that stays."""
    lines: list[str] = []
    stays = False
    try:
        left = _journaled(state)
    except (InputError, ValueError, KeyError, TypeError):
        close(state)
        return ("which modules it loaded cannot be read; a check names the one that stays loaded",)
    if left and not read_boot_id(ThisMachine()):
        names = ", ".join(name for name, _ in left)
        return (f"this boot's id cannot be read here: whether {names} stays loaded is not known",)
    for name, build_id in reversed(left):
        now = loaded_module(name)
        if now is None or now.build_id != build_id:
            continue  # it was never loaded, is gone, or is somebody else's now
        try:
            run_program(*program("rmmod"), name)
        except CommandFailed as failure:
            stays = True
            lines.append(f"{name} stays loaded: {failure.said}")
        else:
            lines.append(f"unloaded {name}")
    if not stays:
        close(state)
    return tuple(lines)


def _journaled(state: Path) -> list[tuple[str, str]]:
    """What the journal names; nothing where there is none, or a restart forgot it."""
    path = state / JOURNAL
    if disk.is_absent(path):
        return []
    data = json.loads(disk.read_text(path, "profile"))
    if read_boot_id(ThisMachine()) not in {data["boot"], ""}:
        return []
    pairs = [(name, build_id) for name, build_id in data["modules"]]
    return [(name, one) for name, one in pairs if isinstance(name, str) and name.isidentifier()]
