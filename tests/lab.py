"""A machine of our own around one call of the gate: loop devices with names, and an allow-list.

Everything stands in a mount namespace that ends with the call: the allow-list under /etc, the
names under /dev/disk/by-id and the gate's state under /var/lib. The real machine keeps its own.

    with loop_device(tmp_path / "disk", 64 << 20) as device:
        lab = Lab(tmp_path, {"scratch": device})
        answer = lab.gate("run", "p", cwd=project)
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

from turns import machine_to_ourselves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_ENTER = """
set -e
for place in /etc /var/lib; do
  mkdir -p "$LAB/work$place"
  mount -t overlay lab -o "lowerdir=$place,upperdir=$LAB$place,workdir=$LAB/work$place" "$place"
done
cp --archive --no-clobber --one-file-system /dev/. "$LAB/dev"
mkdir -p "$LAB/dev/shm"
mount --bind "$LAB/dev" /dev
exec "$@"
"""
"""Layers over what is there, so that nothing must be made on the machine or removed from it."""
_START = """
import sys
from pathlib import Path
import gate.host.lock
lock = Path(sys.argv.pop(1))
gate.host.lock.lock_path = lambda: lock
from gate.__main__ import main
main()
"""


class Done(NamedTuple):
    status: int
    out: str
    err: str


class Lab:
    """Names of devices, the allow-list of them, and the gate's state between calls."""

    def __init__(
        self, place: Path, devices: Mapping[str, str], *, allow: Mapping[str, str] | None = None
    ) -> None:
        self.place = place / "lab"
        self.by_id = self.place / "dev/disk/by-id"
        for one in (self.by_id, self.place / "etc/driftgate", self.state):
            one.mkdir(parents=True, exist_ok=True)
        for name, device in devices.items():
            (self.by_id / f"test-{name}").symlink_to(device)
        names = dict.fromkeys(devices, "") if allow is None else allow
        self.allow_list = self.place / "etc/driftgate/devices.toml"
        self.allow_list.write_text(
            "schema = 1\n"
            + "".join(
                f'[device.{one}]\nby_id = "/dev/disk/by-id/test-{one}"\n{more}\n'
                for one, more in names.items()
            )
        )

    @property
    def state(self) -> Path:
        return self.place / "var/lib/driftgate"

    def gate(self, *arguments: str, cwd: Path, patience: float = 120.0, **environment: str) -> Done:
        with self.starting(*arguments, cwd=cwd, **environment) as process:
            out, err = process.communicate(timeout=patience)
        return Done(process.returncode, out, err)

    @contextlib.contextmanager
    def starting(
        self, *arguments: str, cwd: Path, **environment: str
    ) -> Iterator[subprocess.Popen[str]]:
        argv = ["unshare", "--mount", "--propagation", "private", "sh", "-c", _ENTER, "lab"]
        start = [sys.executable, "-c", _START, str(self.place / "lock"), *arguments]
        process = subprocess.Popen(
            [*argv, *start],
            cwd=cwd,
            env=os.environ | {"LAB": str(self.place)} | environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()
            with process:  # closes its pipes, and waits for it
                pass


@contextlib.contextmanager
def failing_device(image: Path) -> Iterator[str]:
    """A loop device over a new file that has lost its end: reading there is a real I/O error."""
    with loop_device(image, 8 << 20) as device:
        os.truncate(image, 1 << 20)
        yield device


@contextlib.contextmanager
def loop_device(file: Path, size: int) -> Iterator[str]:
    """A loop device over a new, empty file."""
    with file.open("wb") as stream:
        stream.truncate(size)
    with machine_to_ourselves():
        device = subprocess.run(
            ["losetup", "--find", "--show", str(file)], check=True, capture_output=True, text=True
        ).stdout.strip()
        try:
            yield device
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)
