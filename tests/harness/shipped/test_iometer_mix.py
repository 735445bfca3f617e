"""The IOmeter profiles issue what the published table of patterns says, by fio's own record.

Each pattern is run from the job that the gate itself makes of the profile, with libaio and O_DIRECT,
and fio writes down every I/O as it issues it (`write_iolog`): direction, offset, length.
"""

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from gate.formats.profile.profile_file import read_profile
from gate.harness.fio.job import effective_job

PROFILES = Path(__file__).resolve().parents[3] / "profiles"
ISSUED = 60_000
"""I/Os of each pattern: a share of 80 % then has a standard deviation of 0.16 points."""
KIB = 1024
EIGHT = {8 * KIB: 1.0}
FILE_SERVER = {
    512: 0.10,
    1 * KIB: 0.05,
    2 * KIB: 0.05,
    4 * KIB: 0.60,
    8 * KIB: 0.02,
    16 * KIB: 0.04,
    32 * KIB: 0.04,
    64 * KIB: 0.10,
}


class Pattern(NamedTuple):
    """One line of the published table, as shares."""

    stem: str
    blocks: dict[int, float]
    read: float
    random: float


PATTERNS = (
    Pattern("file-server", FILE_SERVER, 0.80, 1.00),
    Pattern("workstation", EIGHT, 0.80, 0.80),
    Pattern("database", EIGHT, 0.67, 1.00),
    Pattern("streaming-read", EIGHT, 1.00, 0.00),
    Pattern("streaming-write", EIGHT, 0.00, 0.00),
    Pattern("random-read", EIGHT, 1.00, 1.00),
    Pattern("random-write", EIGHT, 0.00, 1.00),
)


class Issued(NamedTuple):
    """One I/O as fio issued it."""

    read: bool
    offset: int
    length: int


def issued(stem: str, directory: Path) -> list[Issued]:
    """Every I/O of a pattern at depth 32, in the order of issue."""
    profile = read_profile(PROFILES / f"iometer-{stem}.toml", "small")
    point = next(one for one in profile.benchmarks if one.params.get("iodepth") == "32")
    job = effective_job(profile.work.job_text or "", profile.work.parameters | point.params)
    # So many I/Os, however long they take, and not so many seconds.
    counted = {
        "ramp_time": "0",
        "runtime": "0",
        "time_based": "0",
        "io_size": "8g",
        "number_ios": str(ISSUED),
    }
    recorded = effective_job(job, counted | {"write_iolog": "issued.log"})
    (directory / "job.fio").write_text(recorded, encoding="utf-8")
    answer = subprocess.run(
        ["fio", "--output-format=json", "job.fio"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=True,
    )
    done = sum(
        json.loads(answer.stdout)["jobs"][0][side]["total_ios"] for side in ("read", "write")
    )
    log = (directory / "issued.log").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in log[1:]]
    found = [
        Issued(read=word[-3] == "read", offset=int(word[-2]), length=int(word[-1]))
        for word in words
        if word[-3] in ("read", "write")
    ]
    assert len(found) == done, "fio's record does not hold what fio says that it did"
    return found


def random_share(ios: list[Issued]) -> float:
    """The I/Os that do not begin where the last one of their direction ended."""
    ends: dict[bool, int] = {}
    jumps = 0
    for one in ios:
        jumps += one.offset != ends.get(one.read, 0)
        ends[one.read] = one.offset + one.length
    return jumps / len(ios)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.stem)
def test_what_fio_issues_is_what_the_table_says(pattern, tmp_path):
    """Block sizes, reads and random offsets of 60,000 I/Os each lie within 1 point of the table."""
    ios = issued(pattern.stem, tmp_path)
    assert len(ios) >= 50_000
    counts = Counter(one.length for one in ios)
    assert set(counts) == set(pattern.blocks)
    for length, share in pattern.blocks.items():
        assert counts[length] / len(ios) == pytest.approx(share, abs=0.01), length
    assert sum(one.read for one in ios) / len(ios) == pytest.approx(pattern.read, abs=0.01)
    assert random_share(ios) == pytest.approx(pattern.random, abs=0.01)


def test_every_pattern_of_the_table_is_shipped():
    """There is one profile for each line of the table and no other, all over the same depths."""
    shipped = {path.stem.removeprefix("iometer-") for path in PROFILES.glob("iometer-*.toml")}
    assert shipped == {pattern.stem for pattern in PATTERNS}
    for stem in shipped:
        profile = read_profile(PROFILES / f"iometer-{stem}.toml")
        depths = [one.params["iodepth"] for one in profile.benchmarks if not one.group]
        assert depths == ["1", "32", "64", "128", "256"]
