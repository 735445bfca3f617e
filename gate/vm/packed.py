"""What kernels and modules are packed with: gzip, xz, lzma, lz4, zstd."""

from __future__ import annotations

import lzma
import subprocess
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MOST = 1 << 30
"""Bytes that anything is unpacked to."""
_UNPACKERS: Mapping[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": partial(zlib.decompressobj, 31),
    b"\xfd7zXZ\0": lzma.LZMADecompressor,
    b"\x5d\0\0": lzma.LZMADecompressor,
}
"""By what the packed bytes begin with; zlib's and lzma's offer the same."""
_PROGRAMS = {b"\x28\xb5\x2f\xfd": "zstd", b"\x02\x21\x4c\x18": "lz4"}


class NotUnpacked(Exception):
    """The bytes could not be unpacked; the message says why."""


def unpack(data: bytes) -> bytes:
    """What was packed; bytes behind its end are ignored, what is not packed is given back.

    Raises:
        NotUnpacked: it is broken, too large, or the program for its kind is missing.
    """
    if data[:4] == b"\x7fELF":
        return data
    for magic, unpacker in _UNPACKERS.items():
        if data.startswith(magic):
            return _whole(unpacker(), data)
    for magic, program in _PROGRAMS.items():
        if data.startswith(magic):
            return _by_program(program, data)
    raise NotUnpacked("it is packed in a way that the gate does not know")


def _whole(unpacker: Any, data: bytes) -> bytes:
    try:
        content = _bounded(unpacker.decompress(data, MOST))
    except (zlib.error, lzma.LZMAError, EOFError) as error:
        raise NotUnpacked(f"it cannot be unpacked: {error}") from error
    if not unpacker.eof:
        raise NotUnpacked("it is cut off")
    return content


def _bounded(content: bytes) -> bytes:
    if len(content) >= MOST:
        raise NotUnpacked(f"it unpacks to more than {MOST >> 30} GiB")
    return content


def _by_program(program: str, data: bytes) -> bytes:
    try:
        answer = subprocess.run(
            (program, "-dc"), input=data, capture_output=True, check=False, timeout=120
        )
    except FileNotFoundError:
        raise NotUnpacked(f"{program} is not installed: apt install {program}") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotUnpacked(f"{program}: {error}") from error
    # Both complain of the bytes that a kernel image has behind its end, after giving everything.
    if answer.stdout[:4] != b"\x7fELF":
        said = answer.stderr.decode("utf-8", "replace").strip()[-200:]
        raise NotUnpacked(f"{program} cannot unpack it: {said}")
    return _bounded(answer.stdout)
