"""A kernel image: what it says of itself, and the kernel inside.

A bzImage is read by the boot protocol (Documentation/arch/x86/boot.rst of Linux): the release
stands where `kernel_version` points, the packed kernel where `payload_offset` does.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.linux.kernel_modules import build_id_of, enters_unpacked
from gate.vm.packed import NotUnpacked, unpack

if TYPE_CHECKING:
    from pathlib import Path

CODE = "G265"
_PLACES = ("vmlinuz", "bzImage", "boot/vmlinuz-*", "boot/bzImage", "arch/x86/boot/bzImage")
_LARGEST = 1 << 29
_BANNER = b"Linux version "


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """One kernel image of a side."""

    path: Path
    digest: str
    """SHA-256 of the file, hex."""
    release: str
    """As `uname -r` will say: `6.1.0-56-cloud-amd64`."""
    version: str
    """As `uname -v` will: `#1 SMP PREEMPT_DYNAMIC ...`."""
    build_id: str
    """Of the kernel inside, hex."""

    def demand_unchanged(self) -> None:
        """Refuse an image that was exchanged since it was read (G265)."""
        try:
            now = hashlib.sha256(self.path.read_bytes()).hexdigest()
        except OSError as error:
            raise unbootable(self.path, f"the kernel image is gone: {error.strerror}") from error
        if now != self.digest:
            raise unbootable(self.path, "the kernel image was exchanged since it was read")


def find_image(directory: Path) -> Path:
    """The one kernel image below a side's directory, or G265."""
    found = sorted({path for place in _PLACES for path in directory.glob(place) if path.is_file()})
    if len(found) == 1:
        return found[0]
    what = f"{len(found)} kernel images: {', '.join(p.name for p in found[:3])}" if found else "no"
    raise InputError(
        CODE,
        f"the directory holds {what}{'' if found else ' kernel image'}.",
        cure=f"It needs exactly one of {', '.join(_PLACES)}, as an unpacked kernel package has.",
        place=str(directory),
    )


def read_image(path: Path) -> tuple[Image, bytes]:
    """What an image says of itself, and the kernel inside, an ELF file.

    Raises:
        InputError: G265, it cannot be read, is no kernel for x86-64, or has no build-id.
    """
    try:
        data = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
        kernel = _kernel(data)
    except (OSError, NotUnpacked, struct.error) as error:
        raise unbootable(path, f"the kernel image cannot be read: {error}") from error
    release, version = _banner(kernel)
    if not release:
        raise unbootable(path, "this is no kernel image for x86-64")
    build_id = build_id_of(kernel)
    if not build_id:
        why = "the kernel was built without a build-id, so nothing proves that it runs"
        raise unbootable(path, why)
    digest = hashlib.sha256(data).hexdigest()
    own = Image(path=path, digest=digest, release=release, version=version, build_id=build_id)
    return own, kernel


def bootable(image: Image, kernel: bytes) -> bytes:
    """What QEMU boots of an image: the kernel inside, unpacked where it can be entered so."""
    return kernel if enters_unpacked(kernel) else image.path.read_bytes()


def unbootable(path: Path, message: str) -> InputError:
    """The error of a side that no machine can be booted from."""
    return InputError(CODE, f"{message}.", cure="Give the side's directory anew.", place=str(path))


def _kernel(data: bytes) -> bytes:
    if data[:4] == b"\x7fELF":
        return data
    if data[0x202:0x206] != b"HdrS":
        raise NotUnpacked("it is neither a bzImage nor a vmlinux")
    start = ((data[0x1F1] or 4) + 1) * 512
    offset, length = struct.unpack_from("<II", data, 0x248)
    return unpack(data[start + offset : start + offset + length])


def _banner(kernel: bytes) -> tuple[str, str]:
    """Release and version out of `Linux version 6.1.0 (who@where) (cc) #1 SMP ...`.

    The last one: drafts stand before it, without a number or a date. Ubuntu adds its package's
    version, which is no part of the kernel's own (`uname -v`).
    """
    at = kernel.rfind(_BANNER)
    while at >= 0:
        line = kernel[at + len(_BANNER) : at + 500].split(b"\n", 1)[0].split(b"\0", 1)[0]
        text = line.decode("utf-8", "replace")
        release, _, rest = text.partition(" ")
        version = rest.partition(" #")[2]
        if version[:1].isdigit():
            return release, f"#{version.partition(' (Ubuntu ')[0]}"
        at = kernel.rfind(_BANNER, 0, at)
    return "", ""
