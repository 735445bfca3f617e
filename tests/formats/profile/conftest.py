"""Profiles written below a temporary directory and read as the commands read them."""

from __future__ import annotations

import pytest

from gate.formats.profile.profile_file import read_profile


@pytest.fixture
def read(tmp_path):
    """Read a profile `p` of this text in this size; jobs/p.fio and p.json are beside it."""
    folder = tmp_path / "profiles"
    (folder / "jobs").mkdir(parents=True)
    (folder / "jobs" / "p.fio").write_text("[p]\nrw=read\nsize=1m\n")
    (folder / "p.json").write_text(
        '{"metrics": {"wall": {"unit": "s", "better": "lower"}, '
        '"iops": {"unit": "op/s", "better": "higher"}}, "benchmarks": {}}'
    )

    def call(text, size="full"):
        path = folder / "p.toml"
        path.write_text(text, encoding="utf-8")
        return read_profile(path, size)

    return call
