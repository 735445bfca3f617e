"""The list of allowed devices: only root may have written it, and only whole drives stand in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gate.errors import InputError
from gate.formats.host.devices_file import DEVICES, read_devices
from gate.model import AllowedDevice

GOOD = """schema = 1
[device.scratch]
by_id = "/dev/disk/by-id/nvme-Samsung_SSD_990_PRO_2TB_S7KHNJ0W"
endurance = "600 TB"
"""


@pytest.fixture
def place():
    """A directory below which, and above which, only root may write."""
    closed = Path(f"/var/lib/driftgate-test-{os.getpid()}")
    closed.mkdir(0o755)
    yield closed
    for path in closed.iterdir():
        path.unlink()
    closed.rmdir()


def write(place, text, mode=0o644):
    path = place / "devices.toml"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def refusal(path):
    with pytest.raises(InputError) as caught:
        read_devices(path)
    return caught.value


def test_a_list_of_roots_own_is_read(place):
    """Name, drive and endurance in bytes."""
    (one,) = read_devices(write(place, GOOD))
    by_id = "/dev/disk/by-id/nvme-Samsung_SSD_990_PRO_2TB_S7KHNJ0W"
    assert one == AllowedDevice(name="scratch", by_id=by_id, endurance=600e12)


def test_without_a_list_nothing_is_allowed(place):
    """No file, no device; the place is fixed."""
    assert read_devices(place / "devices.toml") == ()
    assert read_devices(place / "none" / "devices.toml") == ()
    assert str(DEVICES) == "/etc/driftgate/devices.toml"


def test_a_list_that_others_could_have_written_is_refused(place, tmp_path):
    """Group, others, another owner, a link, a directory above: each is named."""
    path = write(place, GOOD, 0o664)
    assert (refusal(path).code, refusal(path).place) == ("G249", str(path))
    assert "others than root may write it (mode 664)" in str(refusal(path))
    path.chmod(0o602)
    assert "mode 602" in str(refusal(path))
    path.chmod(0o644)
    os.chown(path, 1000, 0)
    assert "it belongs to user 1000, not to root" in str(refusal(path))
    os.chown(path, 0, 0)
    place.chmod(0o777)
    assert (refusal(path).code, refusal(path).place) == ("G249", str(place))
    place.chmod(0o755)
    assert len(read_devices(path)) == 1
    link = place / "link.toml"
    link.symlink_to(path)
    assert "it is a link" in str(refusal(link))
    assert "others than root may write it" in str(refusal(write(tmp_path, GOOD)))


def test_a_list_without_a_schema_number_is_refused(place):
    """What may grow says which form it has."""
    assert "schema: is required" in str(refusal(write(place, "[device.a]\nby_id = 'x'\n")))


def test_what_is_no_plain_file_is_refused(place):
    """A pipe is not waited for, and a directory is no list."""
    os.mkfifo(place / "pipe", 0o600)
    assert "it is no plain file" in str(refusal(place / "pipe"))
    assert "it is no plain file" in str(refusal(place))


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (GOOD.replace("1", "2", 1), 1, "schema number 2"),
        (GOOD.replace("by_id", "by-id"), 3, "by_id"),
        (GOOD.replace("by_id", "path"), 3, "path: unknown key"),
        (GOOD.replace("/by-id/", "/by-id/../../"), 3, "no name directly below"),
        (GOOD.replace("/dev/disk/by-id/nvme-", "/dev/sda/"), 3, "no name directly below"),
        (GOOD.replace("/dev/disk/by-id/nvme-", "/dev/disk/by-id/../"), 3, "no name directly"),
        (GOOD.replace("S7KHNJ0W", "S7KHNJ0W-part1"), 3, "only a whole device"),
        (GOOD.replace("600 TB", "600 years"), 4, "endurance"),
        (GOOD.replace("600 TB", "0 TB"), 4, "must be above zero"),
        (GOOD.replace("device.scratch", 'device."a/b"'), 2, "no name for a device"),
        (GOOD + GOOD.partition("\n")[2].replace("scratch", "two"), 3, "stands there twice"),
    ],
)
def test_a_wrong_list_is_refused_at_its_line(place, text, line, said):
    """The message names the line and what is wrong there."""
    path = write(place, text)
    error = refusal(path)
    assert error.place == f"{path}:{line}"
    assert said in error.message
