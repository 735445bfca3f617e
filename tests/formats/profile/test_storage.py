"""`[storage]` of a profile: what it means, and what is refused before anything is written."""

import json

import pytest
from builders import run_gate

from gate.errors import InputError
from gate.formats.profile.profile_file import read_profile
from gate.model import Steady, Storage

HEAD = 'harness = "fio"\njob = "jobs/j.fio"\n[metric.iops]\ntolerance = "5%"\n[storage]\n'


@pytest.fixture
def read(tmp_path):
    def read_text(text, name="p"):
        (tmp_path / "profiles/jobs").mkdir(parents=True, exist_ok=True)
        (tmp_path / "profiles/jobs/j.fio").write_text("[j]\nrw=read\nsize=1m\n")
        path = tmp_path / f"profiles/{name}.toml"
        path.write_text(text)
        return read_profile(path)

    return read_text


def test_every_key_reaches_the_model_in_base_units(read):
    profile = read(
        HEAD + 'device = "scratch"\nfilesystem = "ext4"\nprepare = ["remount", "drop_caches"]\n'
        'precondition = ["fill", "random"]\nwrite_budget = "1.5 TiB"\n'
        'steady = { metric = "iops", window = 4, range = "30%", slope = "7%", limit = 9 }\n'
    )
    assert profile.storage == Storage(
        device="scratch",
        filesystem="ext4",
        precondition=("fill", "random"),
        prepare=("remount", "drop_caches"),
        steady=Steady(metric="iops", window=4, range=0.3, slope=0.07, limit=9),
        write_budget=1.5 * 2**40,
    )


def test_the_criterion_is_that_of_snia_where_nothing_else_is_said(read):
    steady = read(HEAD + 'steady = { metric = "iops" }\n').storage.steady
    assert (steady.window, steady.range, steady.slope, steady.limit) == (5, 0.2, 0.1, 25)


def test_the_state_is_part_of_the_digest_and_the_budget_is_not(read):
    plain = read(HEAD.removesuffix("[storage]\n")).digest
    only = read(HEAD + 'write_budget = "2 GiB"\n').digest
    fresh = read(HEAD + 'prepare = ["fresh"]\n').digest
    budget = read(HEAD + 'prepare = ["fresh"]\nwrite_budget = "1 GiB"\n').digest
    assert fresh == budget
    assert plain == only
    assert plain != fresh


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('filesystem = "ext4"', "storage.filesystem: one is made on a device only"),
        ('device = "../sda"', "is no name of a device in the allow-list"),
        ('device = "/dev/sda"', "is no name of a device in the allow-list"),
        ('filesystem = "vfat"', "ext4"),
        ('prepare = ["blkdiscard"]', "blkdiscard needs a device without a file system"),
        ('device = "d"\nfilesystem = "xfs"\nprepare = ["blkdiscard"]', "blkdiscard needs a device"),
        ('prepare = ["mkfs"]', "mkfs needs a file system on a device"),
        ('prepare = ["remount"]', "remount needs a file system on a device"),
        ('device = "d"\nprepare = ["fresh"]', "fresh needs files"),
        ('device = "d"\nprepare = ["fstrim"]', "fstrim needs a file system"),
        ('prepare = ["fresh", "fresh"]', "a step stands there twice"),
        ('prepare = ["rm"]', "prepare"),
        (
            'precondition = ["fill"]\nprepare = ["fresh"]',
            "fresh before every trial would undo it",
        ),
        ('steady = { metric = "bogus" }', "'bogus' is none of the profile's metrics: iops"),
        ('steady = { metric = "iops", window = 2 }', "window"),
        ('steady = { metric = "iops", limit = 4 }', "limit is 4, less than the window of 5"),
        ('steady = { metric = "iops", range = "0%" }', "must be above zero and at most 100%"),
        ('steady = { metric = "iops", slope = "fast" }', "is not a percentage"),
        ('write_budget = "0 B"', "write_budget must be above zero"),
        ('write_budget = "5 furlongs"', "is not a quantity in B, kB"),
        ('write_budget = "nan"', "is not a quantity"),
        ('sizes = "x"', "sizes"),
    ],
)
def test_what_contradicts_itself_is_refused_with_its_line(read, lines, said):
    with pytest.raises(InputError) as error:
        read(HEAD + lines + "\n")
    assert said in str(error.value)
    assert "p.toml:" in str(error.value)


def test_recorded_values_have_no_storage(tmp_path):
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles/r.json").write_text(json.dumps({"metrics": {}, "benchmarks": {}}))
    (tmp_path / "profiles/r.toml").write_text(
        'harness = "replay"\nreplay = "r.json"\nbenchmarks = ["b"]\n[metric.t]\n[storage]\n'
    )
    status, _, err = run_gate(["run", "r", "--profiles", str(tmp_path / "profiles")])
    assert status == 2
    assert err
