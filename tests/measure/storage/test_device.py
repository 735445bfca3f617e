"""Profiles that measure on a device: real loop devices, real fio, the whole command line."""

import contextlib
import json
import os
import re
import signal
import subprocess
import time
from glob import glob
from itertools import groupby
from pathlib import Path

import pytest
from lab import Lab, loop_device
from turns import MACHINE

pytestmark = MACHINE

MIB = 1 << 20
SIZE = 48 * MIB
ANYTHING = 'expects = ["steal", "foreign_cpu", "foreign_io", "memory_pressure"]\n'
"""These tests are about the storage: whoever else works on this machine may."""
RAW = "[j]\nfilename=${GATE_DEVICE}\nrw=randwrite\nbs=4k\nsize=8m\ndirect=1\nio_size=4m\n"
FILES = "[j]\nrw=write\nbs=64k\nsize=4m\n"


def project(tmp_path, job, storage, *, trials=2):
    root = tmp_path / "project"
    (root / "profiles/jobs").mkdir(parents=True, exist_ok=True)
    (root / "profiles/jobs/p.fio").write_text(job)
    (root / "profiles/p.toml").write_text(
        f'{ANYTHING}harness = "fio"\njob = "jobs/p.fio"\ntrials = {{ screen = {trials} }}\n'
        f'[metric.iops]\ntolerance = "5%"\n[storage]\n{storage}\n'
    )
    return root


def session_of(root):
    return json.loads((root / "reports/sessions/p-001.json").read_text())


@pytest.fixture
def disk(tmp_path):
    with loop_device(tmp_path / "disk", SIZE) as device:
        yield device


@pytest.fixture
def lab(tmp_path, disk):
    return Lab(tmp_path, {"scratch": disk}, allow={"scratch": 'endurance = "1 GB"'})


def content(tmp_path):
    return (tmp_path / "disk").read_bytes()


def test_a_raw_device_is_filled_overwritten_and_measured(tmp_path, lab):
    root = project(tmp_path, RAW, 'device = "scratch"\nprecondition = ["fill", "random"]\n')
    done = lab.gate("run", "p", cwd=root)
    assert done.status == 0, done.err
    # Twice the whole device, and 4 MiB a trial.
    assert session_of(root)["written"] == pytest.approx(2 * SIZE + 2 * 4 * MIB, rel=0.02)
    assert "precondition, fill:" in done.err
    assert "of what the drive is rated for (1.000 GB)" in done.err
    blocks = content(tmp_path)
    assert not any(blocks[at : at + 4096] == bytes(4096) for at in range(0, SIZE, 4096))


def test_a_discarded_device_begins_each_trial_empty(tmp_path, lab):
    root = project(tmp_path, RAW, 'device = "scratch"\nprepare = ["blkdiscard"]\n')
    assert lab.gate("run", "p", cwd=root).status == 0
    blocks = content(tmp_path)
    written = sum(blocks[at : at + 4096] != bytes(4096) for at in range(0, 8 * MIB, 4096))
    # What one trial writes: 1,024 random blocks of 2,048, each once. Two trials would leave more.
    assert written in {1024, 1025}  # and the label of the gate


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_a_file_system_is_made_used_and_wiped_again(tmp_path, kind):
    with loop_device(tmp_path / "big", 400 * MIB) as device:
        lab = Lab(tmp_path, {"scratch": device})
        root = project(
            tmp_path,
            FILES,
            f'device = "scratch"\nfilesystem = "{kind}"\nprepare = ["mkfs", "drop_caches"]\n',
        )
        done = lab.gate("run", "p", cwd=root)
        assert done.status == 0, done.err
        probe = subprocess.run(["blkid", "-p", device], check=False, capture_output=True, text=True)
        assert (probe.returncode, probe.stdout) == (2, "")
        assert json.loads((lab.state / "filesystems.json").read_text())["made"] == []
    assert not [one for one in Path("/proc/self/mountinfo").read_text().split() if device in one]


def test_files_are_fresh_for_every_trial(tmp_path):
    root = tmp_path / "project"
    (root / "profiles").mkdir(parents=True)
    (root / "profiles/p.toml").write_text(
        f'{ANYTHING}harness = "hyperfine"\nshell = "sh"\ntrials = {{ screen = 3 }}\n'
        """command = 'test ! -e "$GATE_WORK/left" && : > "$GATE_WORK/left"'\n"""
        '[metric.wall]\n[storage]\nprepare = ["fresh", "drop_caches"]\n'
    )
    done = Lab(tmp_path, {}).gate("run", "p", cwd=root)
    assert done.status == 0, done.err


def test_files_in_the_work_directory_are_written_once_before_they_are_measured(tmp_path):
    job = "[j]\nrw=randread\nbs=4k\nsize=8m\nruntime=1\n"
    root = project(tmp_path, job, 'precondition = ["fill", "random"]\n')
    done = Lab(tmp_path, {}).gate("run", "p", cwd=root)
    assert done.status == 0, done.err
    assert 16 * MIB <= session_of(root)["written"] < 25 * MIB
    steps = re.findall(r"precondition, (\w+):", done.err)  # told again as it goes on
    assert [name for name, _ in groupby(steps)] == ["fill", "random"]


def test_the_budget_refuses_preconditioning_that_does_not_fit_and_writes_nothing(tmp_path, lab):
    root = project(
        tmp_path,
        RAW,
        'device = "scratch"\nprecondition = ["fill", "random"]\nwrite_budget = "60 MiB"\n',
    )
    before = content(tmp_path)
    done = lab.gate("run", "p", cwd=root)
    assert done.status == 4
    assert "error[G257]" in done.err
    assert "preconditioning writes about 100.7 MB" in done.err
    assert content(tmp_path) == before


def test_the_budget_stops_before_the_trial_that_would_exceed_it(tmp_path, lab):
    root = project(tmp_path, RAW, 'device = "scratch"\nwrite_budget = "10 MiB"\n', trials=5)
    done = lab.gate("run", "p", cwd=root)
    assert done.status == 4
    assert "another trial of p writes about 4.2" in done.err
    session = session_of(root)
    assert session["state"] == "partial"
    assert len(session["trials"]) == 2
    assert session["written"] <= 10 * MIB


def test_a_trial_that_writes_more_than_is_left_is_stopped(tmp_path, lab):
    job = RAW.replace("io_size=4m", "io_size=400g\ntime_based=1\nruntime=20\nrate=20m")
    root = project(tmp_path, job, 'device = "scratch"\nwrite_budget = "30 MiB"\n')
    done = lab.gate("run", "p", cwd=root)
    assert done.status == 4
    (trial,) = session_of(root)["trials"]
    assert trial["status"] == "failed"
    assert "the profile's budget is 31.46 MB" in trial["note"]
    assert session_of(root)["written"] < 100 * MIB


def test_storage_that_never_settles_fails_and_what_settles_counts_from_there(tmp_path):
    recorded = (
        f'{ANYTHING}harness = "hyperfine"\nshell = "bash"\ntrials = {{{{ screen = 2 }}}}\n'
        'command = \'n=$(ls "$GATE_WORK" | wc -l); : > "$GATE_WORK/$n"; echo rate {rate}\'\n'
        '[output.rate]\npattern = "^rate ([0-9]+)"\nunit = "op/s"\nbetter = "higher"\n'
        '[metric.rate]\n[storage]\nsteady = {{ metric = "rate", window = 3, limit = 8 }}\n'
    )
    root = tmp_path / "project"
    (root / "profiles").mkdir(parents=True)
    for name, rate in (
        ("settles", "$((100 + (n<3)*(300-100*n) + n))"),
        ("slides", "$((900-90*n))"),
    ):
        (root / f"profiles/{name}.toml").write_text(recorded.format(rate=rate))
    lab = Lab(tmp_path, {})
    assert lab.gate("run", "settles", cwd=root).status == 0
    trials = json.loads((root / "reports/sessions/settles-001.json").read_text())["trials"]
    assert [one["status"] for one in trials] == ["aside"] * 6 + ["ok"] * 2
    assert trials[0]["aside"][0]["kind"] == "unsteady"
    done = lab.gate("run", "slides", cwd=root)
    assert done.status == 4
    trials = json.loads((root / "reports/sessions/slides-001.json").read_text())["trials"]
    assert [one["status"] for one in trials] == ["aside"] * 7 + ["failed"]
    assert "the storage was not steady after 8 trials" in trials[-1]["note"]


def test_a_device_that_its_owner_did_not_give_is_refused_by_name(tmp_path, lab):
    root = project(tmp_path, RAW, 'device = "other"\n')
    before = content(tmp_path)
    done = lab.gate("run", "p", cwd=root)
    assert done.status == 2
    assert "gave the gate no device 'other': it names scratch" in done.err
    assert content(tmp_path) == before


def is_open(disk):
    """Whether a process has the device open, of those that we may look at."""
    for file in glob("/proc/[0-9]*/fd/*"):  # noqa: PTH207 - it passes over what is gone meanwhile
        with contextlib.suppress(OSError):
            if os.readlink(file) == disk:  # noqa: PTH115 - a file of /proc
                return True
    return False


def test_after_kill_9_no_mount_is_left_and_the_next_run_knows_its_own_file_system(tmp_path, disk):
    lab = Lab(tmp_path, {"scratch": disk})
    job = "[j]\nrw=write\nbs=4k\nsize=4m\ntime_based=1\nruntime=30\nrate=1m\n"
    root = project(tmp_path, job, 'device = "scratch"\nfilesystem = "ext4"\n')
    with lab.starting("run", "p", cwd=root) as process:
        mounts = Path(f"/proc/{process.pid}/mountinfo")
        until = time.monotonic() + 60
        while f" {disk} " not in mounts.read_text():
            assert time.monotonic() < until, "it was never mounted"
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    until = time.monotonic() + 60
    while is_open(disk):
        assert time.monotonic() < until, "something still has the device open"
        time.sleep(0.1)
    assert subprocess.run(["blkid", "-p", disk], check=False, capture_output=True).returncode == 0
    (root / "profiles/jobs/p.fio").write_text(FILES)
    done = lab.gate("run", "p", cwd=root)
    assert done.status == 0, done.err
    assert subprocess.run(["blkid", "-p", disk], check=False, capture_output=True).returncode == 2


def test_a_name_that_leads_to_another_drive_by_now_is_refused_and_neither_is_written(tmp_path):
    """The drive is looked at when the sitting is made, and must be the same when it is written."""
    with (
        loop_device(tmp_path / "one", SIZE) as one,
        loop_device(tmp_path / "two", SIZE) as two,
    ):
        lab = Lab(tmp_path, {"scratch": one})
        wait = "import time, pathlib; p = pathlib.Path('../go'); [time.sleep(0.05) for _ in iter(p.exists, True)]"
        root = project(tmp_path, RAW, 'device = "scratch"\n')
        (root / "profiles/a.toml").write_text(
            f'{ANYTHING}harness = "hyperfine"\ncommand = "python3 -c \\"{wait}\\""\n'
            "trials = { screen = 2 }\n[metric.wall]\n"
        )
        with lab.starting("run", "a", "p", cwd=root) as process:
            until = time.monotonic() + 30
            while not list(root.rglob("a-001.json")):
                assert process.poll() is None, process.communicate()[1]
                assert time.monotonic() < until
                time.sleep(0.05)
            (lab.by_id / "test-scratch").unlink()
            (lab.by_id / "test-scratch").symlink_to(two)
            (tmp_path / "go").touch()
            _, err = process.communicate(timeout=60)
        assert process.returncode == 2
        assert "error[G250]" in err
        assert (tmp_path / "one").read_bytes() == bytes(SIZE)
        assert (tmp_path / "two").read_bytes() == bytes(SIZE)


def test_what_a_worker_wrote_that_outlived_its_trial_is_in_the_session(tmp_path):
    """Nobody waits for such a worker: it was seen at work, also in the last trial.

    One that ends just while it is looked at may be seen in two places: never less is told.
    """
    root = tmp_path / "project"
    (root / "profiles").mkdir(parents=True)
    worker = "(dd if=/dev/zero of=$GATE_WORK/x bs=1M count=8 conv=fsync; sleep 60) & sleep 2.5"
    (root / "profiles/p.toml").write_text(
        f'{ANYTHING}harness = "hyperfine"\nshell = "sh"\ntrials = {{ screen = 2 }}\n'
        f"command = '{worker}'\n"
        '[metric.wall]\n[storage]\nprepare = ["fresh"]\nwrite_budget = "1 GiB"\n'
    )
    done = Lab(tmp_path, {}).gate("run", "p", cwd=root)
    assert done.status == 4, done.err  # work that goes on breaks its trial, and is counted
    assert "left a process behind" in done.err
    assert 16 * MIB <= session_of(root)["written"] < 2 * 16 * MIB
