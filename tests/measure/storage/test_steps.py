"""Steps before a trial, and what a command may have put where they work."""

import os

import pytest

from gate.errors import TrialFailed
from gate.measure.storage.steps import _fio_name, data_files, directory_of, empty


@pytest.fixture
def work(tmp_path):
    place = tmp_path / "work"
    place.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/precious").write_text("precious")
    return place


def test_fresh_removes_files_and_directories_and_follows_no_link_in_them(work, tmp_path):
    home = directory_of(work)
    (work / "sub").mkdir()
    (work / "sub/file").write_text("x")
    (work / "link").symlink_to(tmp_path / "elsewhere")
    empty(work, home)
    assert list(work.iterdir()) == []
    assert (tmp_path / "elsewhere/precious").read_text() == "precious"


@pytest.mark.parametrize("put", ["link", "directory", "nothing"])
def test_fresh_touches_nothing_where_the_work_directory_was_replaced(work, tmp_path, put):
    home = directory_of(work)
    work.rename(tmp_path / "away")
    if put == "link":
        work.symlink_to(tmp_path / "elsewhere")
    elif put == "directory":
        (tmp_path / "elsewhere").rename(work)
    with pytest.raises(TrialFailed, match="fresh: "):
        empty(work, home)
    assert len([*tmp_path.rglob("precious")]) == 1


def test_a_data_file_with_a_second_name_is_not_preconditioned(work, tmp_path):
    os.link(tmp_path / "elsewhere/precious", work / "data")
    with pytest.raises(TrialFailed, match="'data' has a second name"):
        list(data_files(work))


def test_data_files_are_told_in_order_without_links_and_empty_ones(work):
    (work / "b").write_bytes(b"12")
    (work / "empty").touch()
    (work / "a").mkdir()
    (work / "a/c").write_bytes(b"123")
    (work / "link").symlink_to(work / "b")
    assert [(name, size) for name, size, _ in data_files(work)] == [("b", 2), ("a/c", 3)]


def test_fio_takes_a_name_as_it_is():
    assert [_fio_name(one) for one in ("-", " a", "b:c", "/dev/loop0")] == [
        *("./-", "./ a", "./b\\:c", "/dev/loop0")
    ]
