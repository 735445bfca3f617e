"""A distribution's kernel on this machine's root, for real: fio in it, modules in it, its faults."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys

import pytest
from builders import run_gate
from vm.kernels import OLDEST, OLDEST_AND_NEWEST

from gate.linux.kernel_modules import build_id_of
from gate.vm.elf import Object
from gate.vm.packed import unpack

KERNEL = OLDEST.place
JOB = """[k]
filename=${GATE_DEVICE}
rw=randread
bs=4k
direct=1
ioengine=psync
time_based=1
runtime=1
"""
PROFILE = """harness = "fio"
job = "jobs/k.fio"
timeout = "15 min"
[subject]
%s
device = "/dev/nullb0"
[metric.iops]
[metric.cpu_per_io]
tolerance = "5%%"
"""
NULL_BLK = 'modules = ["null_blk nr_devices=1 queue_mode=2 irqmode=0 gb=1"]'

CALLED, NOT_CALLED = ("null_transfer", "null_process_cmd"), "nullb_device_size_store"
"""What every read calls once, the inner one where the compiler left it; and what no read calls."""


@pytest.fixture
def project(tmp_path):
    """A project whose profile has this subject."""

    def make(subject):
        (tmp_path / "profiles" / "jobs").mkdir(parents=True)
        (tmp_path / "profiles" / "jobs" / "k.fio").write_text(JOB)
        (tmp_path / "profiles" / "k.toml").write_text(PROFILE % subject)
        return tmp_path

    return make


def plain(file):
    """The module unpacked, without its signature, which holds for no other byte.

    The signature stands behind it (struct module_signature).
    """
    module = unpack(file.read_bytes())
    marker = b"~Module signature appended~\n"
    if not module.endswith(marker):
        return module
    end = len(module) - len(marker)
    return module[: end - 12 - int.from_bytes(module[end - 4 : end], "big")]


def changed(module):
    """Two functions with an error number in each that no read returns; the first is called."""
    names = {one.name for one in Object(module).symbols}
    called = next(one for one in CALLED if one in names)
    return {called: errno.ENOSPC, NOT_CALLED: errno.EBUSY}


def patched(module):
    """The module, with another error number in each function, and so with a build-id of its own."""
    content = bytearray(module)
    build_id = bytes.fromhex(build_id_of(module))
    assert content.count(build_id) == 1
    content[content.index(build_id)] ^= 0xFF
    file = Object(module)
    for name, error in changed(module).items():
        where = next(one for one in file.symbols if one.name == name)
        section = file.parts[where.section].content
        body = section[where.value : where.value + where.size]
        number = (-error).to_bytes(4, "little", signed=True)
        content[module.index(section) + where.value + body.index(number)] ^= 1
    return bytes(content)


def touched(session, functions):
    """Its first trial tells that each read calls one of the two functions, and no other does."""
    called, _ = functions
    first, second = (one.get("touch") for one in session["trials"])
    assert second is None
    assert (first["count"], first["executed"], first["unknown"]) == (2, 1, "")
    assert first["functions"].keys() == {f"{name} [null_blk]" for name in functions}
    (ran,) = first["ran"].items()
    assert ran[0] == f"{called} [null_blk]"
    assert ran[1]["per_operation"] == pytest.approx(1.0, abs=0.1)


@pytest.mark.night
def test_each_trial_is_a_boot_of_the_side(project):
    """Real fio on the side's kernel: proven, with its CPU cost, and the kernel in the session.

    The first boot also tells which of the functions that differ from the base it called.
    """
    backed = NULL_BLK.replace(" gb", " memory_backed=1 gb")
    place = project(f'kind = "kernel"\n{backed}\nmachine = {{ trials = 1, accelerator = "tcg" }}')
    shutil.copytree(KERNEL, place / "base")
    file = next((place / "base").rglob("null_blk.ko*"))
    module = plain(file)
    file.write_bytes(patched(module))
    words = ["run", "k", "--base", "base", "--head", str(KERNEL), "--side", "head"]
    words += ["--trials", "2", "--quiet", "--out", "out"]
    answer = run_gate(words, cwd=place)
    assert answer.status == 0, answer
    session = json.loads((place / "out" / "k-001.json").read_text())
    assert session["kernel"]["release"] == OLDEST.release
    assert len(session["kernel"]["build_id"]) == 40
    assert any(note.startswith("emulated without KVM") for note in session["notes"])
    rows = [{v["metric"]: v["value"] for v in one["values"]} for one in session["trials"]]
    # Its clock counts instructions: how loaded this machine is does not matter.
    for metric in ("iops", "cpu_per_io"):
        assert rows[0][metric] == pytest.approx(rows[1][metric], rel=0.05)
    assert "null_blk" in session["trials"][0]["note"]
    assert len(list((place / "out" / "work" / "boots").glob("k-*-head/session.json"))) == 2
    touched(session, changed(module))


@pytest.mark.night
@OLDEST_AND_NEWEST
def test_modules_are_loaded_around_each_trial(kernel, project):
    """In a machine that is thrown away the gate loads, proves and unloads a real driver.

    Of two functions that the change changed the trials call one, once for each read: that is
    counted by probes in a run of its own.
    """
    place = project(f'kind = "module"\n{NULL_BLK.replace(" gb", " memory_backed=1 gb")}')
    module = plain(next(kernel.place.rglob("null_blk.ko*")))
    for side, content in (("base", module), ("head", patched(module))):
        (place / side).mkdir()
        (place / side / "null_blk.ko").write_bytes(content)
    gate = (sys.executable, "-m", "gate")
    inner = "PYTHONDONTWRITEBYTECODE=1 {} -m gate run k --base base --head head --trials 2 "
    inner += "--out {} --quiet; "
    inner += "echo status $?; grep -c null_blk /proc/modules; ls /dev/nullb0 2>&1"
    words = ("boot", str(kernel.place), "--out", "out", "--module", "configfs", "--accelerator", "tcg",
             "--limit", "15 min", "--quiet", "--", "sh", "-c",
             inner.format(sys.executable, "out"))  # fmt: skip
    done = subprocess.run(
        (*gate, *words), cwd=place, capture_output=True, text=True, check=False, env=os.environ
    )
    assert "status 0\n0\n" in done.stdout, done
    assert "No such file" in done.stdout
    session = json.loads((place / "out" / "k-001.json").read_text())
    assert [one["status"] for one in session["trials"]] == ["ok", "ok"]
    assert session["trials"][0]["note"].startswith("build-id of null_blk ")
    touched(session, changed(module))


BOOT = ("boot", str(KERNEL), "--accelerator", "tcg", "--quiet")


@pytest.mark.slow
def test_a_command_on_a_side(tmp_path):
    """The command's status and words come back."""
    answer = run_gate([*BOOT, "--", "sh", "-c", "uname -r; echo no >&2; exit 3"], cwd=tmp_path)
    release = OLDEST.release
    assert (answer.status, answer.out) == (3, f"{release}\n")
    assert "no\n" in answer.err


@pytest.mark.night
def test_a_panic_on_a_side(tmp_path):
    """A kernel that dies is quoted, and nothing stays."""
    panic = "echo 1 > /proc/sys/kernel/sysrq; echo c > /proc/sysrq-trigger; sleep 99"
    answer = run_gate([*BOOT, "--console", "console", "--", "sh", "-c", panic], cwd=tmp_path)
    assert answer.status == 4
    assert "error[G264]: the kernel panicked: " in answer.err
    assert "sysrq" in (tmp_path / "console").read_text()
