"""One place asks Linux: whoever reads /proc or /sys does so through gate/linux."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import gate

ROOT = Path(gate.__file__).parent
PLACE = re.compile(r"/(proc|sys)(/|$)")
ASKS = "asks a LinuxMachine, so that a recorded machine can be played"
GUEST = "text of a script that runs in a guest or in a load's shell, not in the gate"
ALLOWED = {
    "host/disk_guard/content.py": "the last look before a disk is written: what cannot be listed "
    "must raise, and open files are told by their numbers, which no recording has",
    "host/disk_guard/guard.py": ASKS,
    "host/disk_guard/uses.py": ASKS,
    "host/disturbance/watch.py": ASKS,
    "host/identity/facts.py": ASKS,
    "host/identity/facts_disk.py": ASKS,
    "host/identity/facts_epoch.py": ASKS,
    "host/identity/facts_live.py": ASKS,
    "host/identity/identity.py": ASKS,
    "host/identity/recording.py": "says what of a recording may leave the machine, by path",
    "host/lock_holder.py": "asks who owns a process, by its entry, which no recording has",
    "host/readiness/cpu.py": ASKS,
    "host/readiness/disk.py": ASKS,
    "host/readiness/ground.py": ASKS,
    "host/readiness/sample.py": ASKS,
    "host/readiness/system.py": ASKS,
    "host/tuning/restore.py": "a pattern of paths in the journal",
    "host/tuning/settings.py": ASKS,
    "host/tuning/sysctl_setting.py": ASKS,
    "measure/process/rounds.py": GUEST,
    "measure/process/guardian.py": "closes its own files after a fork, and writes oom_score_adj",
    "measure/storage/steps.py": "writes drop_caches",
    "subject/boots.py": ASKS,
    "subject/metal.py": "records that a dying kernel left in the firmware's store, by their time",
    "subject/one_shot.py": ASKS,
    "vm/build.py": GUEST,
    "vm/root.py": GUEST,
}
DIRECT = {
    "host/disk_guard/content.py",
    "host/lock_holder.py",
    "measure/process/guardian.py",
    "measure/storage/steps.py",
    "subject/metal.py",
}
"""Of those, the files that open such a path themselves."""
OPENERS = {"Path", "open", "listdir", "scandir", "readlink", "read_text", "read_bytes"}


def places(tree):
    """Texts of a module that name a file of /proc or /sys, without docstrings and messages."""
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
            if id(node) not in prose and (
                PLACE.match(text) or re.search(r"[ <(]/(proc|sys)/\S", text)
            ):
                yield node


def is_message(node):
    """Whether a text only mentions a path: it is a sentence for people."""
    return (not PLACE.match(node.value) and "\n" not in node.value) or " cannot " in node.value


def opened(tree):
    """Whether such a path is opened without asking gate/linux."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            texts = [part for one in node.args for part in ast.walk(one)]
            if name in OPENERS and any(
                isinstance(one, ast.Constant)
                and isinstance(one.value, str)
                and PLACE.match(one.value)
                for one in texts
            ):
                return True
    return False


def outside():
    """Modules that are not of gate/linux, each parsed."""
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith("linux/"):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def test_who_names_a_file_of_linux_is_listed_with_a_reason():
    """A file that names /proc or /sys is on the list, and the list holds no other: it shrinks."""
    found = {name for name, tree in outside() if any(not is_message(one) for one in places(tree))}
    assert found == set(ALLOWED)


def test_nobody_else_opens_such_a_file():
    """Apart from four with a reason, nobody hands such a path to the file system himself."""
    assert {name for name, tree in outside() if opened(tree)} == DIRECT


@pytest.mark.parametrize(
    ("pattern", "owner"),
    [
        (r"def parse_stat\b", "linux/proc_stat.py"),
        (r"def parse_process_stat\b", "linux/processes.py"),
        (r"def parse_mounts\b", "linux/mounts.py"),
        (r'"/proc/stat"', "linux/proc_stat.py"),
        (r"\}/stat\"", "linux/processes.py"),
        (r"mountinfo\"", "linux/mounts.py"),
    ],
)
def test_one_parser_each(pattern, owner):
    """/proc/stat, /proc/PID/stat and mountinfo are read and taken apart in one file each."""
    found = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if re.search(pattern, path.read_text(encoding="utf-8"))
    }
    found -= {"linux/kernel_counters.py"} if "/stat" in pattern else set()  # of block devices
    assert found == {owner}
