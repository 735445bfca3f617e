"""Attempts to make the gate destroy a disk: each is refused with a reason, and nothing changes.

Through the command line itself and real fio, as root, on devices and file systems made here: one
that is mounted, one that holds a file system, one with partitions, swap, one over a file of the
mounted one, and one that is empty. Their bytes, and every file outside the work directory, are
hashed before and after each attempt. The same jobs on the empty, allowed device write to it.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from attempts import ATTEMPTS, BODY, HEAD, QUIET, STORAGE, TAIL, WALL, Attempt
from builders import Answer, run_gate, tree
from own_mounts import Loops, ask, in_own_mounts, listed, swap_on
from turns import MACHINE

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = MACHINE

EXT4 = ("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0")


class Lab(NamedTuple):
    """Devices that hold data, one that does not, and files that nobody may touch."""

    loops: Loops
    outside: Path
    mounted: Path

    def fill(self, text: str) -> str:
        """`@name@` replaced by the device of that name, `@outside@` by the directory."""
        for name, device in self.loops.devices.items():
            text = text.replace(f"@{name}@", device).replace(
                f"@{name}-name@", device.removeprefix("/dev/")
            )
        return text.replace("@outside@", str(self.outside))

    def backing(self, name: str) -> Path:
        """The file that a device shows: what the device itself gives may be an old copy of it."""
        return self.mounted / "nested.img" if name == "nested" else self.loops.file(name)

    def state(self) -> dict[str, object]:
        """A hash of everything that must stay as it is."""
        os.sync()
        devices = {
            name: digest(name, self.backing(name)) for name in self.loops.devices if name != "good"
        }
        return {**devices, "outside": tree(self.outside), "files": tree(self.mounted)}


def digest(name: str, file: Path) -> str:
    """A hash of a device's bytes, but for those that the kernel itself writes while it is in use.

    Of swap that is everything behind its header; of a mounted ext4 the superblock, which counts.
    """
    content = bytearray(file.read_bytes())
    if name == "swap":
        del content[4096:]
    elif name == "mounted":
        del content[1024:2048]
    return hashlib.sha256(content).hexdigest()


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> Iterator[Lab]:
    """Made once: no attempt may change it."""
    root = tmp_path_factory.mktemp("lab")
    outside, mounted = root / "outside", root / "mounted"
    outside.mkdir()
    mounted.mkdir()
    (outside / "victim").write_text("precious", encoding="utf-8")
    (outside / "evil.fio").write_text("[j]\nrw=write\nsize=4k\n", encoding="utf-8")
    with Loops(root) as loops:
        loops.make("good")
        ask(*EXT4, "-O", "^has_journal", loops.make("mounted", "64M"))
        ask(*EXT4, loops.make("signed"))
        entry = struct.pack("<B3sB3sII", 0, bytes(3), 0x83, bytes(3), 2048, 8192)
        with Path(loops.make("table")).open("r+b") as stream:
            stream.write(bytes(446) + entry + bytes(48) + b"\x55\xaa")
        swap_on(loops.make("swap"))
        try:
            ask("mount", "-o", "noatime", loops.devices["mounted"], mounted)
            (mounted / "precious").write_text("precious", encoding="utf-8")
            nested = mounted / "nested.img"
            ask("truncate", "--size", "17M", nested)
            ask(*EXT4, nested)
            loops.make("nested", file=nested)
            ask("addpart", loops.devices["table"], 1, 2048, 8192)
            yield Lab(loops, outside, mounted)
        finally:
            ask("swapoff", loops.devices["swap"])
            if (last := loops.devices.pop("nested", None)) is not None:
                ask("delpart", loops.devices["table"], 1)
                ask("losetup", "--detach", last)
            ask("umount", mounted)


def write(lab: Lab, root: Path, attempt: Attempt) -> None:
    """The attempt as a project, with a list of allowed devices of its own that nobody reads."""
    (root / "profiles").mkdir(parents=True)
    (root / "link").symlink_to(lab.outside)
    (root / "a").mkdir()
    own = listed(*lab.loops.devices)
    for place in ("devices.toml", ".driftgate/devices.toml", "etc/driftgate/devices.toml"):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_text(own + '[device.unlisted]\nby_id = "/dev/disk/by-id/test-good"\n')
    (root / "t.py").write_text("def t(benchmark):\n    benchmark(int)\n", encoding="utf-8")
    for name, text in (
        ("p.toml", attempt.profile),
        ("j.fio", attempt.job),
        ("b.fio", f"[b]\n{BODY}filename=@signed@\n"),
    ):
        (root / "profiles" / name).write_text(lab.fill(text), encoding="utf-8")


def run(lab: Lab, root: Path, attempt: Attempt) -> Answer:
    """`gate run p`, on a machine whose owner allowed all devices by mistake."""
    allowed = listed(*lab.loops.devices, "one", "file", "gone")
    by_id = lab.loops.by_id | {
        "test-one": f"{lab.loops.devices['table']}p1",
        "test-file": str(lab.outside / "victim"),
    }
    words = ["run", "p", "--quiet", *map(lab.fill, attempt.options)]
    words += ["--size", attempt.size] if attempt.size else []
    environment = {name: lab.fill(value) for name, value in attempt.environment}
    action = lambda: run_gate(words, cwd=root, env=environment)  # noqa: E731 - it is handed over
    return in_own_mounts(action, by_id=by_id, listed=allowed)


@pytest.mark.parametrize("attempt", ATTEMPTS, ids=lambda one: one.what)
def test_an_attempt_is_refused_and_changes_nothing(lab, tmp_path, attempt):
    """Exit status 2, the reason in words, and every byte outside the work directory as before."""
    project = tmp_path / "project"
    write(lab, project, attempt)
    before, good = lab.state(), digest("good", lab.backing("good"))
    answer = run(lab, project, attempt)
    assert (answer.status, f"error[{attempt.code}]" in answer.err) == (2, True), answer
    assert attempt.why in " ".join(answer.err.split()), answer
    assert lab.state() == before
    assert digest("good", lab.backing("good")) == good


TWINS = {
    "filename": ("[j]\n{}filename=${{GATE_DEVICE}}\n", ""),
    "defaults": ("[global]\nfilename=${{GATE_DEVICE}}\n[j]\n{}", ""),
    "two jobs": (
        "[j]\n{0}filename=${{GATE_DEVICE}}\n[k]\n{0}filename=${{GATE_DEVICE}}\noffset=1m\n",
        "",
    ),
    "a job beside it on a file": ("[j]\n{0}filename=${{GATE_DEVICE}}\n[k]\n{0}filename=f\n", ""),
    "a parameter": ("[j]\n{}", 'parameters = {{ filename = "${GATE_DEVICE}" }}\n'),
    "a matrix": ("[j]\n{}", '[matrix]\nfilename = ["${GATE_DEVICE}"]\n'),
    "direct": ("[j]\n{}filename=${{GATE_DEVICE}}\ndirect=1\nioengine=libaio\n", ""),
    "verify": ("[j]\n{}filename=${{GATE_DEVICE}}\nverify=crc32c\n", ""),
}


@pytest.mark.parametrize("twin", TWINS, ids=str)
def test_the_same_on_an_allowed_empty_device_works(lab, tmp_path, twin):
    """What was refused above is done here: fio writes the device, and nothing else changes."""
    job, more = TWINS[twin]
    more = more.replace("{{", "{").replace("}}", "}")
    attempt = Attempt(
        twin,
        "",
        "",
        job=job.format(BODY),
        profile=f"{HEAD}{more}{TAIL}{STORAGE.format('good')}",
    )
    project = tmp_path / "project"
    write(lab, project, attempt)
    ask("dd", "if=/dev/zero", f"of={lab.loops.devices['good']}", "bs=1M", "count=16", "conv=fsync")
    before, blank = lab.state(), digest("good", lab.backing("good"))
    answer = run(lab, project, attempt)
    assert answer.status == 0, answer
    (path,) = (project / "reports" / "sessions").glob("*.json")
    trials = json.loads(path.read_text(encoding="utf-8"))["trials"]
    assert [one["status"] for one in trials] == ["ok", "ok"]
    assert digest("good", lab.backing("good")) != blank
    assert lab.state() == before


PLANTS = {
    "a link": ("ln -s @outside@/victim $GATE_WORK/j.0.0", "no plain file|leads outside"),
    "a hard link": ("ln @outside@/victim $GATE_WORK/j.0.0", "another name elsewhere"),
    "a node": ("cp -a @signed@ $GATE_WORK/j.0.0", "is no plain file"),
    "a pipe": ("mkfifo $GATE_WORK/j.0.0", "is no plain file"),
    "a mount": (
        "touch $GATE_WORK/j.0.0; mount --bind @outside@/victim $GATE_WORK/j.0.0",
        "was mounted inside",
    ),
    "a mounted directory": (
        "mkdir -p $GATE_WORK/sub; mount --bind @outside@ $GATE_WORK/sub",
        "was mounted inside",
    ),
    "a state file": (
        "ln -s @outside@/victim $GATE_WORK/local-j-0-verify.state",
        "files that fio leaves",
    ),
}


@pytest.mark.parametrize("plant", PLANTS, ids=str)
def test_what_one_profile_plants_leads_another_nowhere(lab, tmp_path, plant):
    """A link, node or mount in the shared work directory fails the trial, and is left alone."""
    command, why = PLANTS[plant]
    lines = "directory=sub\nfilename=victim\n" if plant == "a mounted directory" else ""
    project = tmp_path / "project"
    write(lab, project, Attempt(plant, "", "", job=f"[j]\n{BODY}{lines}"))
    # Planted once: the second trial of the planting profile finds it there.
    once = f"test -e $GATE_WORK/done || {{{{ touch $GATE_WORK/done; {command}; }}}}"
    (project / "profiles" / "a.toml").write_text(
        lab.fill(
            f'harness = "hyperfine"\nshell = "sh"\ntrials = {{ screen = 2 }}\n{QUIET}'
            f"command = {json.dumps(once)}\n{WALL}"
        ),
        encoding="utf-8",
    )
    before = lab.state()
    answer = in_own_mounts(lambda: run_gate(["run", "a", "p", "--quiet"], cwd=project), by_id={})
    assert answer.status == 4, answer
    said = " ".join(answer.err.split())
    assert any(one in said for one in why.split("|")), answer
    assert lab.state() == before
