"""fio job files: the matrix, and everything that must not be run."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.harness.fio.job import effective_job
from gate.harness.fio.safety import unsafe

GOOD = """\
# a comment
[global]
ioengine=libaio   ; inline comment
direct=1
bssplit=512/10:4k/60:64k/30
size=8*$mb_memory
percentile_list=50:99:99.9
[reads]
rw = randrw
filename=data/bench:other
numjobs=2
stonewall
"""

HOSTILE = [
    "[j]\nfilename=/dev/sda",
    "[j]\nfilename=/etc/passwd",
    "[j]\nfilename = /etc/passwd",
    "[j]\n\tfilename=/etc/passwd",
    "[j]\nfilename=ok:/dev/sda",
    "[j]\nfilename=../../etc/passwd",
    "[j]\nfilename=a/../../x",
    "[j]\nfilename=-",
    "[j]\nfilename=${EVIL}",
    "[j]\n${KEY}=/dev/sda",
    "[j]\nfile${HALF}=/dev/sda",
    "[j]\nfilename=${UNSET}x",
    "[j]\nfilename=a$ncpus",
    "[j]\ndirectory=/tmp",
    "[j]\ndirectory=/dev\nfilename=sda",
    "[j]\ndirectory=..",
    "[global]\ndirectory=.:/var\n[j]\nrw=read",
    "[j]\nfilename_format=/dev/sd$jobnum",
    "[j]\nfilename_format=../$jobname",
    "[j]\nfilename_format=$pagesize",
    "[j]\nopendir=/etc",
    "[j]\nread_iolog=trace",
    "[j]\nwrite_iolog=trace",
    "[j]\nreplay_redirect=/dev/sda",
    "[j]\nmerge_blktrace_file=x",
    "[j]\nwrite_bw_log=/tmp/x",
    "[j]\nwrite_lat_log",
    "[j]\nwrite_hist_log=x",
    "[j]\nwrite_iops_log=x",
    "[/dev/sda]\nrw=write",
    "[../x]\nrw=write",
    "[fifo]\nrw=write",
    "[subdirectory]\nrw=write",
    "[..]\nrw=write",
    "[j]\ninclude other.fio",
    "[j]\ninclude=/etc/fio",
    "[j]\nincluded",
    "[j]\nexec_prerun=rm -rf x",
    "[j]\nexec_postrun=rm -rf x",
    "[j]\nioengine=exec\nprogram=/bin/rm",
    "[j]\nioengine=sg",
    "[j]\nioengine=external:/tmp/evil.so",
    "[j]\nioengine=./evil.so",
    "[j]\nioengine=io_uring_cmd",
    "[j]\nioengine=net",
    "[j]\nioengine=nbd\nuri=nbd://x",
    "[j]\nioengine=libblkio",
    "[j]\nioengine=",
    "[j]\nioengine",
    "[j]\nmem=mmaphuge:/tmp/x",
    "[j]\niomem=mmapshared:/tmp/x",
    "[j]\nbuffer_pattern='/etc/shadow'",
    "[j]\nverify_pattern='secret'",
    "[j]\nverify_state_load=1",
    "[j]\nallow_mounted_write=1",
    "[j]\nfill_device=1",
    "[j]\nfill_fs=1",
    "[j]\nioscheduler=none",
    "[j]\ncgroup=x",
    "[j]\nuid=0",
    "[j]\nprofile=tiobench",
    "[j]\nname=/x",
    "[j]\nnew_option_of_fio_4=/dev/sda",
    "[j]\nnew_option_of_fio_4=1",
    "[j]\nFILENAME=/dev/sda",
    "[j]\nverify=/dev/sda",
    "[j]\nfilename=link",
    "[j]\nfilename=dangling",
    "[j]\nfilename=outdir/x",
    "[j]\nfilename=fifo",
    "[j]\nfilename=subdirectory",
    "[j]\ndirectory=subdirectory\nfilename=inner",
    "[linked]\nrw=write",
    "[j]\nfilename_format=linked.$jobnum.$filenum",
    "[j]\nfilename_format=$jobname.$jobnum.$filenum",
    "rw=read\n[j]\nrw=read",
    "",
    "# only a comment",
    "[j\nrw=read",
    "[j]x\nrw=read",
    "[]\nrw=read",
    "[j]\nrw=read\x00\nbs=4k",
    "[j]\nrw=read\x0bfilename=/dev/sda",
    "[j]\nrw=read\rfilename=/dev/sda",
    "[j]\ndescription=" + "x" * 4090 + "[/dev/sda]",
    "[" + "j" * 260 + "]\nrw=read",
    "[j]\n=/dev/sda",
]


@pytest.fixture
def work(tmp_path):
    inside = tmp_path / "work"
    (inside / "subdirectory").mkdir(parents=True)
    os.mkfifo(inside / "fifo")
    (inside / "link").symlink_to("/etc/passwd")
    (inside / "dangling").symlink_to(tmp_path / "nothing-yet")
    (inside / "outdir").symlink_to("/tmp")
    (inside / "linked.0.0").symlink_to("/etc/passwd")
    (inside / "subdirectory" / "inner").symlink_to("/etc/passwd")
    (inside / "plain").write_text("x")
    return inside


ENVIRONMENT = {"EVIL": "/dev/sda", "KEY": "filename", "HALF": "name", "NEWLINE": "a\nb", "OK": "d"}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_jobs_refused(text, work):
    """No job that reaches outside the work directory, or that is not understood, may run."""
    assert unsafe(text, work, ENVIRONMENT)


def test_good_job_allowed(work):
    """An ordinary job is not refused."""
    assert unsafe(GOOD, work, ENVIRONMENT) == []


@pytest.mark.parametrize(
    "line",
    [
        "filename=plain",
        "filename=new/file",
        "filename=${OK}",
        "filename=a\\:b",
        "directory=new",
        "filename_format=new.$jobname.$jobnum.$filenum",
        "buffer_pattern=0xdeadbeef",
        "mem=shmhuge",
        "rate=1m,,",
        "verify=crc32c",
        "hugepage-size=2m",
        "description=see /dev/sda",
        "# /dev/sda",
    ],
)
def test_ordinary_lines_allowed(line, work):
    """Options that stay inside the work directory are not refused."""
    assert unsafe(f"[j]\nrw=read\n{line}\r\n", work, ENVIRONMENT) == []


def test_absolute_path_inside_allowed(work):
    """An absolute path inside the work directory is allowed."""
    assert unsafe(f"[j]\nfilename={work}/plain\n", work, {}) == []
    assert unsafe(f"[j]\nfilename={work}-other/plain\n", work, {})


def test_line_numbers(work):
    """Each finding names its line in the file."""
    found = unsafe("[j]\nrw=read\n\nfilename=/dev/sda\nexec_prerun=x\n", work, {})
    assert [number for number, _ in found] == [4, 5]


def test_unset_variable_named(work):
    """An environment variable that is not set is named, since fio would take it for nothing."""
    assert unsafe("[j]\nfilename=${NOWHERE}\n", work, {}) == [
        (2, "the environment variable NOWHERE is not set"),
    ]
    assert unsafe("[j]\nfilename=${NEWLINE}\n", work, ENVIRONMENT)


def test_device_node_by_section_name(work):
    """A section named like a device node in the work directory is refused."""
    try:
        os.mknod(work / "disk", 0o600 | 0o060000, os.makedev(259, 999))
    except PermissionError:
        os.mkfifo(work / "disk")  # only root makes device nodes; a pipe is no plain file either
    assert unsafe("[disk]\nrw=write\n", work, {})
    assert unsafe("[j]\nfilename=disk\n", work, {})


@given(st.text(), st.dictionaries(st.text(), st.text(), max_size=3))
def test_arbitrary_text(tmp_path_factory, text, overrides):
    """Any text and any matrix give findings or a job, never a traceback."""
    work = tmp_path_factory.getbasetemp()
    unsafe(effective_job(text, overrides), work, {})


def test_override_everywhere():
    """A matrix value replaces the option in every section that sets it."""
    job = "[global]\nbs=4k\n[a]\nbs = 8k ; old\n[b]\nrw=read\n"
    assert effective_job(job, {"bs": "1m"}) == "[global]\nbs=1m\n[a]\nbs=1m\n[b]\nrw=read\n"


def test_override_by_second_name():
    """An option that the job spells in its other name is replaced, not contradicted."""
    assert effective_job("[j]\nblocksize=4k\n", {"bs": "8k"}) == "[j]\nbs=8k\n"


def test_override_added_to_global():
    """A value that stands nowhere becomes a default for all jobs."""
    assert effective_job("# x\n[global]\nrw=read\n[j]\n", {"iodepth": "4"}) == (
        "# x\n[global]\niodepth=4\nrw=read\n[j]\n"
    )


def test_global_made():
    """[global] is made above all jobs where there is none there."""
    assert effective_job("[j]\nrw=read\n", {"iodepth": "4"}) == (
        "[global]\niodepth=4\n[j]\nrw=read\n"
    )
    late = "[j]\nrw=read\n[global]\nbs=4k\n[k]\n"
    assert effective_job(late, {"iodepth": "4"}).startswith("[global]\niodepth=4\n[j]")


def test_no_matrix_no_change():
    """Without matrix values the text stays as it is, byte for byte."""
    assert effective_job(GOOD, {}) == GOOD


def test_comment_is_not_an_option():
    """A commented option is not taken for one that is set."""
    assert "iodepth=4" in effective_job("[j]\n#iodepth=1\n", {"iodepth": "4"}).split("\n")


@pytest.mark.skipif(shutil.which("fio") is None, reason="needs fio")
def test_fio_reads_the_same(work, tmp_path):
    """fio itself sees the values that the effective job is meant to have."""
    job = tmp_path / "job.fio"
    text = "[global]\nioengine=null\nsize=1m\nblocksize=4k\n[a]\nrw=read\nfilename=x#y\n"
    job.write_text(effective_job(text, {"bs": "8k", "iodepth": "3"}))
    shown = subprocess.run(
        ["fio", "--showcmd", job], capture_output=True, text=True, check=True, cwd=work
    ).stdout
    assert "--bs=8k" in shown
    assert "--iodepth=3" in shown
    assert "--filename=x " in f"{shown.strip()} "


DEVICE = "/dev/nvme7n1"


def on_device(lines, work, device=DEVICE, environment=None):
    """What is said of a job that may open one device."""
    given = {"GATE_DEVICE": DEVICE} if environment is None else environment
    return [why for _, why in unsafe(f"[j]\nrw=write\n{lines}\n", work, given, device)]


def test_an_allowed_device_is_opened_in_one_way_only(work):
    """`filename=${GATE_DEVICE}` alone is let pass, with or without blanks around it."""
    for line in ("filename=${GATE_DEVICE}", " filename = ${GATE_DEVICE} ; the device"):
        assert on_device(line, work) == []
        assert on_device(line, work, device="") != []
        assert on_device(line, work, environment={}) != []
        assert on_device(line, work, environment={"GATE_DEVICE": "/dev/sda"}) != []


@pytest.mark.parametrize(
    "lines",
    [
        "filename=${GATE_DEVICE}p1",
        "filename=x${GATE_DEVICE}",
        "filename=${GATE_DEVICE}:${GATE_DEVICE}",
        "filename=${GATE_DEVICE}:/dev/sda",
        "filename=${GATE_DEVICE}/../sda",
        "filename_format=${GATE_DEVICE}",
        "directory=${GATE_DEVICE}",
        "opendir=${GATE_DEVICE}",
        "write_bw_log=${GATE_DEVICE}",
        "mem=mmaphuge:${GATE_DEVICE}",
        "description=${GATE_DEVICE}",
        f"filename={DEVICE}",
        "filename=${GATE_DEVICE}\ndirectory=sub",
        "filename=${GATE_DEVICE}\nioengine=filedelete",
        "filename=${GATE_DEVICE}\nioengine=ftruncate",
        "filename=${GATE_DEVICE}\nunlink=1",
        "filename=${GATE_DEVICE}\nfilename=/dev/sda",
    ],
)
def test_nothing_else_of_a_device_is_let_pass(lines, work):
    """Anything glued to it, any other option, any option that means something else for a device."""
    assert on_device(lines, work) != []


@pytest.mark.parametrize(
    "device", ["/dev/a:b", "/dev/../etc/passwd", "/dev/a b", "/tmp/x", "/dev/"]
)
def test_a_device_whose_path_fio_would_split_is_refused(device, work):
    """The path must mean to fio what it means to the guard."""
    given = {"GATE_DEVICE": device}
    assert on_device("filename=${GATE_DEVICE}", work, device, given) != []


def test_a_file_with_another_name_is_refused(work, tmp_path):
    """A hard link leads out of the work directory without being a link."""
    (tmp_path / "outside").write_text("precious")
    os.link(tmp_path / "outside", work / "twice")
    (why,) = on_device("filename=twice", work)
    assert "is a file that has another name elsewhere" in why


def test_homes_are_refused(work):
    """fio would make a directory that is called ~."""
    for line in ("filename=~/x", "filename=a/~b/x", "directory=~", "filename_format=~root/$jobnum"):
        assert on_device(line, work) != []
