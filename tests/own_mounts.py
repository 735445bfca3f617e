"""Loop devices, and a process whose mounts nobody else sees: what tests of the guard share.

    with Loops(tmp_path) as loops:
        good = loops.make("good")                         # /dev/loop3, all zero
        answer = in_own_mounts(lambda: run_gate([...]), by_id=loops.by_id, listed=DEVICES_TOML)

Inside, /dev/disk/by-id holds links to the devices and /etc/driftgate the list of allowed ones,
as they stand on a machine with udev whose owner gave these devices to the gate. Needs root.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from turns import machine_to_ourselves

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CLONE_NEWNS, _MS_BIND, _MS_REC, _MS_PRIVATE = 0x00020000, 4096, 16384, 1 << 18
_LIBC = ctypes.CDLL(None, use_errno=True)
BY_ID = Path("/dev/disk/by-id")
LISTED = Path("/etc/driftgate/devices.toml")


def ask(*words: object) -> str:
    """What a program prints; it must end well."""
    argv = [str(word) for word in words]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout.strip()


class Loops:
    """Loop devices over files of one directory, detached at the end."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.devices: dict[str, str] = {}
        self._turn = machine_to_ourselves()

    def __enter__(self) -> Self:
        """Begin with none, when no other test run has any."""
        self._turn.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """Detach them, the last first: it may stand on an earlier one."""
        for device in reversed(self.devices.values()):
            subprocess.run(["losetup", "--detach", device], check=False)
        self._turn.__exit__(None, None, None)

    def file(self, name: str) -> Path:
        """The file that a device shows."""
        return self.root / f"{name}.img"

    def make(
        self,
        name: str,
        size: str = "16M",
        *,
        file: Path | None = None,
        options: tuple[str, ...] = (),
    ) -> str:
        """A new device over a new file, all zero; or over one that is there."""
        if file is None:
            file = self.file(name)
            ask("truncate", "--size", size, file)
        device = ask("losetup", "--find", "--show", *options, file)
        self.devices[name] = device
        number = device.removeprefix("/dev/")
        for left in Path(f"/sys/block/{number}").glob(f"{number}p*"):  # by a run that was killed
            ask("delpart", device, left.name.removeprefix(f"{number}p"))
        return device

    @property
    def by_id(self) -> dict[str, str]:
        """Link name to device, for `in_own_mounts`."""
        return {f"test-{name}": device for name, device in self.devices.items()}


def listed(*names: str) -> str:
    """A list of allowed devices with these of `Loops`."""
    rows = [f'[device.{name}]\nby_id = "{BY_ID}/test-{name}"\n' for name in names]
    return "".join(["schema = 1\n", *rows])


def in_own_mounts(
    action: Callable[[], Any], *, by_id: Mapping[str, str], listed: str | None = None
) -> Any:
    """What `action` returns, called in a child process with mounts of its own."""
    with tempfile.TemporaryDirectory() as place:
        return _in_child(lambda: _settled(action, by_id, listed, Path(place)))


def _settled(
    action: Callable[[], Any], by_id: Mapping[str, str], listed: str | None, place: Path
) -> Any:
    _call(_LIBC.unshare(_CLONE_NEWNS))
    mount("none", "/", _MS_REC | _MS_PRIVATE)
    _own_devices(place)
    BY_ID.mkdir(parents=True)
    for name, device in by_id.items():
        (BY_ID / name).symlink_to(device)
    mount("tmpfs", str(place), 0, kind="tmpfs")
    for name in ("upper", "work"):
        (place / name).mkdir()
        (place / name).chmod(0o755)
    layers = f"lowerdir=/etc,upperdir={place}/upper,workdir={place}/work"
    mount("overlay", "/etc", 0, kind="overlay", data=layers)
    LISTED.parent.mkdir(exist_ok=True)
    LISTED.unlink(missing_ok=True)
    if listed is not None:
        LISTED.write_text(listed, encoding="utf-8")
        LISTED.chmod(0o644)
    return action()


def _own_devices(place: Path) -> None:
    """A /dev with the same nodes, in which links can be made that nobody else sees."""
    nodes = [(one, one.lstat()) for one in Path("/dev").iterdir()]
    links = {one: one.readlink() for one, seen in nodes if stat.S_ISLNK(seen.st_mode)}
    mount("/dev", str(place), _MS_BIND | _MS_REC)
    mount("tmpfs", "/dev", 0, kind="tmpfs")
    Path("/dev").chmod(0o755)
    for one, seen in nodes:
        if stat.S_ISDIR(seen.st_mode):
            if one != BY_ID.parent:
                one.mkdir()
                bind(place / one.name, one)
        elif one in links:
            one.symlink_to(links[one])
        elif not stat.S_ISSOCK(seen.st_mode):
            os.mknod(one, seen.st_mode, seen.st_rdev)


def mount(
    source: str, place: str, flags: int, *, kind: str | None = None, data: str | None = None
) -> None:
    """mount(2)."""
    words = [word.encode() if word else None for word in (source, place, kind, data)]
    _call(_LIBC.mount(*words[:3], ctypes.c_ulong(flags), words[3]))


def bind(source: Path | str, place: Path | str) -> None:
    """Show a directory or file at a second place, in the mounts of this process."""
    mount(str(source), str(place), _MS_BIND)


def _call(status: int) -> None:
    if status:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _in_child(action: Callable[[], Any]) -> Any:
    """What `action` returns or raises, from a forked child."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receive)
        try:
            try:
                told = (True, action())
            except BaseException as error:  # noqa: BLE001 - it is raised again by the parent
                told = (False, error)
            with os.fdopen(send, "wb") as stream:
                pickle.dump(told, stream)
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as stream:
        raw = stream.read()
    os.waitpid(child, 0)
    well, what = pickle.loads(raw)
    if not well:
        raise what
    return what


def swap_on(device: str) -> None:
    """Make a device swap."""
    ask("mkswap", device)
    ask("swapon", device)
