"""Projects that mean harm to a disk: what each does, and the reason that must refuse it.

`@signed@` and the like stand for the devices of tests/attack/test_destroy_a_disk.py, `@outside@`
for a directory that nobody may touch.
"""

from __future__ import annotations

from typing import NamedTuple

BODY = "rw=write\nsize=256k\nbs=64k\nioengine=psync\nruntime=1\n"
TAIL = "[metric.throughput]\n"
QUIET = 'expects = ["steal", "foreign_cpu", "foreign_io", "memory_pressure"]\n'
HEAD = f'harness = "fio"\njob = "j.fio"\ntrials = {{ screen = 2 }}\n{QUIET}'
STORAGE = '[storage]\ndevice = "{}"\n'
FULL = ("mounted", "signed", "table", "swap", "nested")


class Attempt(NamedTuple):
    """A project that means harm."""

    what: str
    code: str
    """The error that refuses it."""
    why: str
    """Words of the reason."""
    job: str = f"[j]\n{BODY}"
    profile: str = HEAD + TAIL
    options: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    size: str = ""


def job(what: str, lines: str, why: str, code: str = "G232") -> Attempt:
    """A job with lines of harm."""
    return Attempt(what, code, why, job=f"[j]\n{BODY}{lines}\n")


def raw(what: str, lines: str, why: str, code: str = "G232") -> Attempt:
    """A job that may have the empty device, and wants more."""
    profile = HEAD + STORAGE.format("good") + TAIL
    return Attempt(what, code, why, job=f"[j]\n{BODY}{lines}\n", profile=profile)


def device(name: str, code: str, why: str) -> Attempt:
    """A profile that asks for a device which its owner allowed, and which holds data."""
    job = f"[j]\n{BODY}filename=${{GATE_DEVICE}}\n"
    return Attempt(
        f"allowed {name}", code, why, job=job, profile=HEAD + STORAGE.format(name) + TAIL
    )


def profile(what: str, text: str, why: str, code: str, **more: object) -> Attempt:
    """A profile with harm of its own."""
    return Attempt(what, code, why, profile=text, **more)


OUT = "leads outside the work directory"
PYTEST = 'harness = "pytest-benchmark"\ntests = ["t.py::t"]\ntrials = { screen = 2 }\n'
SIDES = 'harness = "hyperfine"\ncommand = "ls {side}"\ntrials = { screen = 2 }\n'
WALL, MEAN = "[metric.wall]\n", "[metric.mean]\n"

ATTEMPTS = [
    *(job(f"filename on {one}", f"filename=@{one}@", OUT) for one in ("good", *FULL)),
    job("a list of files", "filename=ok:@signed@", OUT),
    job("upwards", "filename=../../../outside/victim", "leads upwards"),
    job("an absolute file", "filename=@outside@/victim", OUT),
    job("home", "filename=~/victim", "holds a ~"),
    job("a directory", "directory=@outside@\nfilename=victim", OUT),
    job("a directory of devices", "directory=/dev\nfilename=@signed-name@", OUT),
    job("a file name format", "filename_format=/dev/loop$jobnum", "is an absolute path"),
    job("opendir", "opendir=@outside@", "adds every file below a directory"),
    job("write_bw_log", "write_bw_log=@outside@/victim", "writes a log file"),
    job("write_lat_log", "write_lat_log=@outside@/x", "writes a log file"),
    job("write_iolog", "write_iolog=@outside@/victim", "writes a log file"),
    job("read_iolog", "read_iolog=@outside@/trace", "replays a recorded trace"),
    job("replay_redirect", "replay_redirect=@signed@", "replays a recorded trace"),
    job("exec_prerun", "exec_prerun=dd if=/dev/zero of=@signed@", "runs a program"),
    job("exec_postrun", "exec_postrun=rm @outside@/victim", "runs a program"),
    job("a foreign engine", "ioengine=external:@outside@/evil.so", "stay inside their files"),
    job("a program as engine", "ioengine=exec\nprogram=/bin/rm", "stay inside their files"),
    job("SCSI commands", "ioengine=sg\nfilename=@signed@", "stay inside their files"),
    job("memory of a device", "mem=mmaphuge:@signed@", "may name a file or a device"),
    job("an older state", "verify=crc32c\nverify_state_load=1", "reads a state file"),
    job("a pattern of a file", "buffer_pattern='@outside@/victim'", "reads a file"),
    job("include", "include @outside@/evil.fio", "pulls in another file"),
    job("a client", "client=host\nserver=host", "is not an option that the gate knows"),
    job("a mounted device", "filename=@mounted@\nallow_mounted_write=1", OUT),
    job("an abbreviation", "filenam=@signed@", "is not an option that the gate knows"),
    job("a variable of nobody", "filename=${NOBODY}", "is not set"),
    job("the device without leave", "filename=${GATE_DEVICE}", "[storage] device"),
    Attempt("a section", "G232", "as a path", job=f"[@signed@]\n{BODY}"),
    Attempt("defaults", "G232", OUT, job=f"[global]\nfilename=@signed@\n[j]\n{BODY}"),
    Attempt(
        "the user's own GATE_DEVICE",
        "G286",
        "which nobody named",
        job=f"[j]\n{BODY}filename=${{GATE_DEVICE}}\n",
        environment=(("GATE_DEVICE", "@signed@"),),
    ),
    Attempt(
        "GATE_DEVICE by the command line",
        "G200",
        "is for the gate itself to set",
        options=("--head-env", "GATE_DEVICE=@signed@"),
    ),
    Attempt(
        "a variable of the user",
        "G232",
        OUT,
        profile=f'{HEAD}inherits = ["VICTIM"]\n{TAIL}',
        job=f"[j]\n{BODY}filename=${{VICTIM}}\n",
        environment=(("VICTIM", "@signed@"),),
    ),
    profile(
        "a variable of the profile",
        f'{HEAD}environment = {{ VICTIM = "@signed@" }}\n{TAIL}',
        OUT,
        "G232",
        job=f"[j]\n{BODY}filename=${{VICTIM}}\n",
    ),
    profile(
        "GATE_DEVICE of the profile",
        f'{HEAD}environment = {{ GATE_DEVICE = "@signed@" }}\n{TAIL}',
        "no variable name that is free",
        "G210",
    ),
    profile(
        "GATE_DEVICE of a side",
        f'{HEAD}[side.head]\nenv = {{ GATE_DEVICE = "@signed@" }}\n{TAIL}',
        "no variable name that is free",
        "G210",
    ),
    profile("a matrix", f'{HEAD}[matrix]\nfilename = ["@signed@"]\n{TAIL}', OUT, "G232"),
    profile("a parameter", f'{HEAD}parameters = {{ filename = "@signed@" }}\n{TAIL}', OUT, "G232"),
    profile(
        "a parameter of two lines",
        f'{HEAD}parameters = {{ bs = "4k\\nfilename=@signed@" }}\n{TAIL}',
        "is no fio option",
        "G232",
    ),
    profile(
        "a size",
        f'{HEAD}{TAIL}[size.small]\nparameters = {{ filename = "@signed@" }}\n',
        OUT,
        "G232",
        size="small",
    ),
    profile(
        "a background job",
        f'{HEAD}{TAIL}[background]\njob = "b.fio"\n',
        OUT,
        "G232",
    ),
    profile(
        "a job outside the project",
        f"{HEAD.replace('j.fio', '@outside@/evil.fio')}{TAIL}",
        "must stay inside the project",
        "G210",
    ),
    device("mounted", "G251", "it is mounted on"),
    device("signed", "G252", "it holds a signature of ext4"),
    device("table", "G252", "it has partitions"),
    device("swap", "G251", "swap"),
    device("nested", "G252", "it holds a signature of ext4"),
    device("one", "G253", "it is a partition"),
    device("file", "G250", "no block device"),
    device("gone", "G250", "no such device is here"),
    device("unlisted", "G255", "no device 'unlisted'"),
    *(
        profile(
            f"mkfs on {one}",
            f'{HEAD}{TAIL}[storage]\ndevice = "{one}"\nfilesystem = "ext4"\nprepare = ["mkfs"]\n',
            why,
            code,
        )
        for one, code, why in (
            ("mounted", "G251", "it is mounted on"),
            ("signed", "G252", "it holds a signature of ext4"),
            ("swap", "G251", "swap"),
        )
    ),
    profile(
        "discard of a device with data",
        f'{HEAD}{TAIL}[storage]\ndevice = "signed"\nprepare = ["blkdiscard"]\n',
        "it holds a signature of ext4",
        "G252",
    ),
    raw("something behind the device", "filename=${GATE_DEVICE}1", "nothing before or behind"),
    raw("something before it", "filename=/proc/self/root${GATE_DEVICE}", "nothing before"),
    raw("another beside it", "filename=${GATE_DEVICE}:@signed@", "nothing before or behind"),
    raw("below a directory", "filename=${GATE_DEVICE}\ndirectory=sub", "puts a directory before"),
    raw("as a format", "filename_format=${GATE_DEVICE}", "nothing before or behind"),
    raw("as memory", "filename=${GATE_DEVICE}\nmem=mmaphuge:${GATE_DEVICE}", "nothing before"),
    raw("an engine that removes it", "filename=${GATE_DEVICE}\nioengine=filedelete", "for files"),
    raw("unlink", "filename=${GATE_DEVICE}\nunlink=1", "removes the files"),
    raw("the mounted one too", "filename=${GATE_DEVICE}\n[k]\nfilename=@mounted@", OUT),
    profile(
        "a side above the project",
        f'{SIDES}{WALL}[side.head]\ndir = "../../outside"\n',
        "outside the project",
        "G254",
    ),
    profile(
        "an absolute side",
        f'{SIDES}{WALL}[side.head]\ndir = "@outside@"\n',
        "outside the project",
        "G254",
    ),
    profile("a side at home", f'{SIDES}{WALL}[side.head]\ndir = "~"\n', "holds a ~", "G254"),
    profile("a side by link", f'{SIDES}{WALL}[side.head]\ndir = "link"\n', "outside", "G254"),
    profile("a side of $HOME", f'{SIDES}{WALL}[side.head]\ndir = "$HOME"\n', "variable", "G254"),
    profile("pytest elsewhere", f'{PYTEST}directory = "@outside@"\n{MEAN}', "outside", "G254"),
    profile("pytest by link", f'{PYTEST}directory = "link"\n{MEAN}', "outside", "G254"),
    profile("pytest upwards", f'{PYTEST}directory = "a/../.."\n{MEAN}', "outside", "G254"),
    profile(
        "pytest that empties a directory",
        f'{PYTEST}arguments = ["--basetemp=@outside@"]\n{MEAN}',
        "would empty a directory",
        "G254",
    ),
    profile(
        "pytest's report elsewhere",
        f'{PYTEST}arguments = ["--junitxml=@outside@/victim"]\n{MEAN}',
        "outside the project",
        "G254",
    ),
    profile(
        "pytest's report at home",
        f'{PYTEST}arguments = ["--junitxml=~/victim"]\n{MEAN}',
        "holds a ~",
        "G254",
    ),
    profile(
        "pytest's options by variable",
        f'{PYTEST}environment = {{ PYTEST_ADDOPTS = "--basetemp=@outside@" }}\n{MEAN}',
        "would empty a directory",
        "G254",
    ),
]
assert len({one.what for one in ATTEMPTS}) == len(ATTEMPTS) > 40
