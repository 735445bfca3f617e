"""Set-up of what boots kernels asks for each thing that it needs, on a machine made of links."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci"
BASICS = ("bash", "cat", "dirname", "env", "grep", "id", "mkdir", "mktemp", "rm", "sed")
"""What every system has, and the script calls before it installs anything."""
NEEDED = ("busybox", "lz4", "zstd", "xz", "setpriv", "cc")
PACKAGES = "busybox-static lz4 zstd xz-utils util-linux kmod gcc libc6-dev"
APT = """#!/bin/sh
case "$*" in
*indextargets*) echo 'http://archive.example/debian|bookworm' ;;
*" install "*) echo "$*" >>"$INSTALLED" ;;
esac
"""


@pytest.fixture
def machine(tmp_path):
    """A checkout without kernels, and a path with every program that they need."""
    (tmp_path / "bin").mkdir()
    for name in BASICS:
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    for name in NEEDED:
        program(tmp_path, name, "#!/bin/sh\n")
    program(tmp_path, "qemu-system-x86_64", "#!/bin/sh\necho QEMU emulator version 9.2.0\n")
    program(tmp_path, "apt-get", APT)
    (tmp_path / ".ci").mkdir()
    for name in ("archive.sh", "kernel.sh"):
        shutil.copy(CI / name, tmp_path / ".ci")
    return tmp_path


def program(place, name, text):
    path = place / "bin" / name
    path.write_text(text, "utf-8")
    path.chmod(0o755)


def installed(place):
    """What the script asks apt-get to install; it ends there, as this apt-get has no kernels."""
    log = place / "installed"
    log.touch()
    environment = {"PATH": str(place / "bin"), "INSTALLED": str(log), "HOME": os.environ["HOME"]}
    words = ("bash", str(place / ".ci" / "kernel.sh"))
    subprocess.run(words, env=environment, capture_output=True, check=False, timeout=60)
    return log.read_text("utf-8")


@pytest.mark.parametrize("missing", NEEDED)
def test_each_program_that_is_missing_is_installed(missing, machine):
    """One of several that is there does not stand for the others."""
    (machine / "bin" / missing).unlink()
    assert PACKAGES in installed(machine)


@pytest.mark.parametrize(
    ("version", "asked"),
    [("7.2.19", True), ("8.1.9", True), ("8.2.0", False), ("8.10.0", False), ("10.0.2", False)],
)
def test_an_older_qemu_is_replaced(version, asked, machine):
    """8.2 is the oldest whose plugins the tests have run."""
    program(machine, "qemu-system-x86_64", f"#!/bin/sh\necho QEMU emulator version {version}\n")
    assert ("qemu-system-x86" in installed(machine)) is asked


def test_where_every_program_is_there_none_is_installed(machine):
    """Nothing is asked of the package manager that is here already."""
    assert installed(machine) == ""
