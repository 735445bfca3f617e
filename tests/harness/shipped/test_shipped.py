"""Every shipped profile is one: it reads in both sizes, says its source, and names what it needs."""

import re
from pathlib import Path

import pytest
from builders import run_gate

from gate.formats.profile.profile_file import read_profile
from gate.formats.profile.shipped import files_of, shipped_names
from gate.model import Role

PROFILES = Path(__file__).resolve().parents[3] / "profiles"
NAMES = shipped_names()
WANTED = {
    *("application-mix", "build-kernel", "build-kernel-loaded", "chat", "copy-file", "copy-tree"),
    *("crypto-block", "dbench", "disk-buffered-read", "image-blur", "image-rotate"),
    *("image-rotate-any", "kernel-quick", "smp-build", "smp-render", "storage-quick"),
    *("syscall-micro", "tbench", "unpack-kernel", "iometer-database", "iometer-file-server"),
    *("iometer-random-read", "iometer-random-write", "iometer-streaming-read"),
    *("iometer-streaming-write", "iometer-workstation", "kernel-instructions"),
}
BOOTED = {"kernel-instructions"}
"""Their sides are kernels, and they count work: there is no time, and no bill of it."""
LONGEST_SUITE = 300
"""Seconds that a suite for every pull request may measure."""


def test_every_published_workload_is_shipped():
    """The 26 profiles that stand for the published comparisons, and the three suites, exist."""
    assert set(NAMES) == WANTED


@pytest.mark.parametrize("name", NAMES)
def test_it_reads_in_both_sizes_and_names_its_needs(name):
    """Both sizes are valid and differ; each need says how it is installed, the source is told."""
    path = PROFILES / f"{name}.toml"
    full, small = (read_profile(path, size) for size in ("full", "small"))
    assert full.about
    assert full.digest != small.digest or name.startswith("image-")  # one photograph, one turn
    assert full.needs
    assert all(need.install for need in full.needs)
    assert full.needs == small.needs
    assert set(full.sides) == ({"base", "head"} if name in BOOTED else set())
    assert re.search(r"^# Source: ", path.read_text("utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", sorted({*NAMES} - BOOTED))
def test_it_gates_or_watches_the_cpu_bill(name):
    """CPU time of the whole machine for each operation or byte is among the metrics of each."""
    profile = read_profile(PROFILES / f"{name}.toml")
    names = {metric.name for metric in profile.metrics}
    assert names & {"cpu_per_io", "cpu_per_op", "cpu_per_byte"}
    assert any(metric.role is Role.GATE for metric in profile.metrics)


@pytest.mark.parametrize(
    ("name", "seconds"), [("storage-quick", "ramp_time=1s runtime=4s"), ("kernel-quick", "8")]
)
def test_a_quick_suite_measures_less_than_five_minutes(name, seconds):
    """Points times trials times seconds of one trial stay below 300 s."""
    profile = read_profile(PROFILES / f"{name}.toml")
    points = [one for one in profile.benchmarks if not one.group]
    text = f"{profile.work.job_text} {profile.work.parameters.get('seconds', '')}"
    assert all(word in text for word in seconds.split())
    each = sum(int(number) for number in re.findall(r"\d+", seconds))
    assert len(points) * profile.trials.screen * each <= LONGEST_SUITE


def test_a_profile_is_taken_into_a_project_by_one_command(tmp_path):
    """`gate init --with` writes the profile, its job and scripts, and it reads there as here."""
    answer = run_gate(["init", tmp_path, "--with", "chat", "--with", "iometer-database"])
    assert (answer.status, answer.err) == (0, "")
    assert "gate run chat --repeat 5" in answer.out
    assert not (tmp_path / "profiles/first.toml").exists()
    for name in ("chat", "iometer-database"):
        here = read_profile(PROFILES / f"{name}.toml", "small")
        there = read_profile(tmp_path / f"profiles/{name}.toml", "small")
        assert there.digest == here.digest
    script = "profiles/work/chat.sh"
    assert (tmp_path / script).read_text() == (PROFILES.parent / script).read_text()


def test_another_script_is_another_workload(tmp_path):
    """An edit of any file in the folder of its script changes the digest: nobody says who calls it."""
    assert run_gate(["init", tmp_path, "--with", "chat"]).status == 0
    path, work = tmp_path / "profiles/chat.toml", tmp_path / "profiles/work"
    digests = [read_profile(path).digest]
    for name in ("stranger.sh", "common.sh", "chat.sh"):
        with (work / name).open("a", encoding="utf-8") as script:
            script.write("# edited\n")
        digests.append(read_profile(path).digest)
    assert len(set(digests)) == 4


def test_what_is_there_already_is_kept(tmp_path):
    """A profile that the project has changed is not overwritten."""
    mine = tmp_path / "profiles/chat.toml"
    mine.parent.mkdir()
    mine.write_text("# mine\n", encoding="utf-8")
    answer = run_gate(["init", tmp_path, "--with", "chat"])
    assert answer.status == 0
    assert f"kept   {mine}" in answer.out
    assert mine.read_text(encoding="utf-8") == "# mine\n"


def test_a_profile_that_is_not_shipped_is_refused_before_anything_is_written(tmp_path):
    """An unknown name closes with the nearest one that there is."""
    answer = run_gate(["init", tmp_path / "new", "--with", "iometer-databse"])
    assert answer.status == 2
    assert "error[G211]: no profile iometer-databse is shipped." in answer.err
    assert 'Did you mean "iometer-database"?' in answer.err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("name", NAMES)
def test_what_a_profile_names_is_taken_along(name):
    """Every script and job that a profile names is among the files that it comes with."""
    files = files_of(name)
    named = re.findall(r"profiles/work/[\w.-]+", files[f"profiles/{name}.toml"])
    named += [
        f"profiles/{job}" for job in re.findall(r"jobs/[\w.-]+", files[f"profiles/{name}.toml"])
    ]
    assert named or name in BOOTED
    assert set(named) <= files.keys()
