"""Mounts inside a directory are found however many there are: what is overlooked might be deleted."""

from gate.linux import mounts
from gate.linux.mounts import mounts_below

LINE = "{n} 1 0:{n} / {point} rw,relatime - tmpfs tmpfs rw\n"


def test_a_mount_at_the_end_of_a_very_long_list_is_found(tmp_path, monkeypatch):
    """New mounts stand last, and a host may have a hundred thousand of them."""
    listed = tmp_path / "mountinfo"
    many = "".join(LINE.format(n=n, point=f"/mnt/{'x' * 60}{n}") for n in range(50_000))
    listed.write_text(many + LINE.format(n=50_000, point="/work/work-abc/mnt"))
    assert listed.stat().st_size > 4 << 20
    monkeypatch.setattr(mounts, "MOUNTINFO", str(listed))
    assert mounts_below("/work/work-abc") == ("/work/work-abc/mnt",)


def test_a_list_that_cannot_be_read_names_none(tmp_path, monkeypatch):
    """As where there is no /proc."""
    monkeypatch.setattr(mounts, "MOUNTINFO", str(tmp_path / "none"))
    assert mounts_below("/work") == ()
