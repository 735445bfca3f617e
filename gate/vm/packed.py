"""What kernels and modules are packed with: gzip, xz, lzma, lz4, zstd."""

from __future__ import annotations

import lzma
import subprocess
import zlib
from typing import Protocol

MOST = 1 << 30
"""Bytes that anything is unpacked to."""


class _Unpacker(Protocol):
    """What zlib and lzma both offer."""

    @property
    def eof(self) -> bool:
        """Whether the end of what was packed is reached."""
        ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes:
        """Unpack."""
        ...


class NotUnpacked(Exception):
    """The bytes could not be unpacked; the message says why."""


def unpack(data: bytes) -> bytes:
    """What was packed; bytes behind its end are ignored, what is not packed is given back.

    Raises:
        NotUnpacked: it is broken, too large, or the program for its kind is missing.
    """
    if data[:4] == b"\x7fELF":
        return data
    try:
        if data[:2] == b"\x1f\x8b":
            return _whole(zlib.decompressobj(31), data)
        if data[:6] == b"\xfd7zXZ\0" or data[:3] == b"\x5d\0\0":
            return _whole(lzma.LZMADecompressor(), data)
    except (zlib.error, lzma.LZMAError, EOFError) as error:
        raise NotUnpacked(f"it cannot be unpacked: {error}") from error
    for magic, program in ((b"\x28\xb5\x2f\xfd", "zstd"), (b"\x02\x21\x4c\x18", "lz4")):
        if data[:4] == magic:
            return _by_program(program, data)
    raise NotUnpacked("it is packed in a way that the gate does not know")


def _whole(unpacker: _Unpacker, data: bytes) -> bytes:
    content = _bounded(unpacker.decompress(data, MOST))
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
        message = f"{program} is not installed: apt install {program}"
        raise NotUnpacked(message) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotUnpacked(f"{program}: {error}") from error
    # Both complain of the bytes that a kernel image has behind its end, after giving everything.
    if answer.stdout[:4] != b"\x7fELF":
        said = answer.stderr.decode("utf-8", "replace").strip()[-200:]
        raise NotUnpacked(f"{program} cannot unpack it: {said}")
    return _bounded(answer.stdout)
