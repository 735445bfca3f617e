"""The owner's device inside a booted kernel: held out here, written in there, real all the way."""

import json
from pathlib import Path

import pytest
from lab import Lab, loop_device
from turns import MACHINE

pytestmark = MACHINE

KERNEL = Path(__file__).parents[3] / ".tools" / "kernel" / "shared"
MIB = 1 << 20
SIZE = 48 * MIB
JOB = """[j]
filename=${GATE_DEVICE}
rw=randwrite
bs=4k
size=8m
direct=1
io_size=4m
"""
PROFILE = """harness = "fio"
job = "jobs/p.fio"
timeout = "15 min"
[subject]
kind = "kernel"
device = "/dev/vda"
machine = { trials = 1, disks = ["virtio:device"], accelerator = "tcg" }
[storage]
device = "scratch"
prepare = ["blkdiscard"]
[metric.iops]
"""


@pytest.fixture
def lab(tmp_path):
    """A machine with one loop device that its owner gave to the gate, and a project beside."""
    (tmp_path / "profiles/jobs").mkdir(parents=True)
    (tmp_path / "profiles/jobs/p.fio").write_text(JOB)
    (tmp_path / "profiles/p.toml").write_text(PROFILE)
    with loop_device(tmp_path / "disk", SIZE) as device:
        yield Lab(tmp_path, {"scratch": device})


@pytest.mark.night
def test_a_booted_kernel_writes_to_the_device_that_the_owner_gave(tmp_path, lab):
    """Each trial begins with an empty device; what the guest wrote is on it, and in the budget."""
    words = ("run", "p", "--head", str(KERNEL), "--trials", "2", "--quiet", "--out", "out")
    done = lab.gate(*words, cwd=tmp_path, patience=1200.0)
    assert done.status == 0, done
    session = json.loads((tmp_path / "out/p-001.json").read_text())
    assert [one["status"] for one in session["trials"]] == ["ok", "ok"]
    # With some hundred kilobytes that the gate itself keeps.
    assert 2 * 4 * MIB <= session["written"] < 9 * MIB
    blocks = (tmp_path / "disk").read_bytes()
    # 1,024 random blocks of 2,048 in the last boot, each once; nothing outside of the job's size.
    # The gate's own label stands at both ends, so that it may be over one of them.
    ends = (0, SIZE - 4096)
    assert all(blocks[at:].startswith(b"driftgate: the gate measures") for at in ends)
    places = (at for at in range(0, SIZE, 4096) if at not in ends)
    written = [at for at in places if blocks[at : at + 4096] != bytes(4096)]
    assert len(written) in {1023, 1024}
    assert max(written) < 8 * MIB


def test_a_device_that_nobody_gave_is_never_handed_in(tmp_path, lab):
    """The guard looks at it before anything is booted, as it does for a job out here."""
    lab.allow_list.write_text("schema = 1\n")
    done = lab.gate("run", "p", "--head", str(KERNEL), "--quiet", cwd=tmp_path)
    assert done.status == 2
    assert "error[G255]" in done.err
    assert (tmp_path / "disk").read_bytes() == bytes(SIZE)
