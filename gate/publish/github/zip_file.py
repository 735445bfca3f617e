"""The one file of a zip archive that came from a stranger, without touching a disk.

The directory of the archive is looked at before `zipfile` builds an object of each entry, nothing
is unpacked to a name, and what comes out is counted while it comes: an archive may lie about sizes.
"""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib

from gate.text import clean

OVERHEAD = 65536
"""Bytes by which an archive of one file may be longer than the file."""
_END = struct.Struct("<4s4H2LH")
"""Signature, this disk, its first, entries here, entries, size and place of the directory, comment:
"end of central directory record", 4.3.16 of PKWARE's APPNOTE."""
_LONGEST_DIRECTORY = 4096
_LOCATOR = 20
_KINDS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 0x1 | 0x40 | 0x2000


class NotPlain(ValueError):
    """The archive is not the plain one that was expected; the text says why."""


def read_only_file(data: bytes, name: str, cap: int) -> bytes:
    """What the one member of an archive holds.

    Raises:
        NotPlain: there is not exactly one member, it is not a plain file of exactly that name, it
            is encrypted, longer than `cap` bytes, or broken.
    """
    _check_directory(data)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            (member,) = archive.infolist()
            _check_member(member, name, cap)
            with archive.open(member) as stream:
                # One byte more than promised makes the check sum be looked at, and is too much.
                content = stream.read(cap + 1)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError) as error:
        raise NotPlain("is broken") from error
    except (ValueError, OSError, RuntimeError, NotImplementedError) as error:
        if isinstance(error, NotPlain):
            raise
        raise NotPlain("cannot be read") from error
    if len(content) != member.file_size:
        raise NotPlain("is broken: its file is shorter or longer than it says")
    return content


def _check_directory(data: bytes) -> None:
    """One entry, by the last bytes of the archive: before anything is made of a million entries."""
    what = "is no plain zip file with one file in it"
    if len(data) < _END.size:
        raise NotPlain(what)
    signature, *disks, here, entries, size, _, comment = _END.unpack(data[-_END.size :])
    locator = data[-_END.size - _LOCATOR : -_END.size]
    if signature != b"PK\x05\x06" or any(disks) or comment or locator[:4] == b"PK\x06\x07":
        raise NotPlain(what)
    if here != 1 or entries != 1 or size > _LONGEST_DIRECTORY:
        raise NotPlain(f"holds {entries} files; one was expected")


def _check_member(member: zipfile.ZipInfo, name: str, cap: int) -> None:
    mode = member.external_attr >> 16
    what = ""
    # `filename` ends at a NUL, `orig_filename` does not.
    if member.orig_filename != name or member.filename != name:
        what = f'holds "{clean(member.orig_filename, 80)}" in place of "{name}"'
    elif stat.S_IFMT(mode) not in {0, stat.S_IFREG}:
        what = f'holds a "{name}" that is no plain file'
    elif member.flag_bits & _ENCRYPTED:
        what = "is encrypted"
    elif member.compress_type not in _KINDS:
        what = "is packed in a way that no upload uses"
    elif member.file_size > cap:
        what = f"holds {member.file_size} bytes; {cap} are the most"
    if what:
        raise NotPlain(what)
