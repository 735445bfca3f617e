"""Artifacts of a workflow run: fetched with distrust, because a stranger's job may have made them.

GitHub asks to "treat artifacts uploaded by other workflows as untrusted data". So: the exact name,
the size before the download and while it comes, one plain file of one expected name, in memory.
The directory of the archive is looked at before `zipfile` builds an object of each entry, nothing
is unpacked to a name, and what comes out is counted while it comes: an archive may lie about sizes.
"""

from __future__ import annotations

import hashlib
import io
import stat
import struct
import zipfile
import zlib
from typing import TYPE_CHECKING, Any

from gate.errors import PublishError
from gate.publish.github.responses import RequestRefused, field, optional
from gate.text import clean

if TYPE_CHECKING:
    from gate.publish.github.api import Api

_GONE = 410
OVERHEAD = 65536
"""Bytes by which an archive of one file may be longer than the file."""
_END = struct.Struct("<4s4H2LH")
"""Signature, this disk, its first, entries here, entries, size and place of the directory, comment:
"end of central directory record", 4.3.16 of PKWARE's APPNOTE."""
_LONGEST_DIRECTORY = 4096
_LOCATOR = 20
_KINDS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_ENCRYPTED = 0x1 | 0x40 | 0x2000


def fetch_file(api: Api, run: int, name: str, file_name: str, cap: int) -> bytes:
    """What the one file of an artifact holds, at most `cap` bytes.

    A run that was started again keeps one artifact of a name per attempt; the one made last counts.
    Its time decides: the numbers of artifacts do not grow with time.
    """
    chosen = _choose_artifact(api, run, name)
    of = f"artifact {name} of run {run}"
    size = field(chosen, "size_in_bytes", int, of=of)
    if size > cap + OVERHEAD:
        raise _refused(of, f"is {size} bytes long; {cap} are the most")
    number = field(chosen, "id", int, of=of)
    try:
        data = api.download(f"{api.top}/actions/artifacts/{number}/zip", cap + OVERHEAD)
    except RequestRefused as error:
        if error.http == _GONE:
            raise _refused(of, "has expired", _UPLOADED_NOTHING) from error
        raise
    digest = optional(chosen, "digest")
    if digest is not None and digest != f"sha256:{hashlib.sha256(data).hexdigest()}":
        raise _refused(of, "has not the digest that GitHub tells")
    try:
        return read_only_file(data, file_name, cap)
    except NotPlain as error:
        raise _refused(of, str(error)) from error


def artifact_text(content: bytes, name: str, run: int) -> str:
    """The text that an artifact's file holds."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _refused(f"artifact {clean(name, 80)} of run {run}", "is no UTF-8 text") from error


def _choose_artifact(api: Api, run: int, name: str) -> Any:
    path = f"{api.top}/actions/runs/{run}"
    of = f"artifact {clean(name, 80)} of run {run}"
    listed = list(api.every(f"{path}/artifacts", key="artifacts", name=name))
    found = [one for one in listed if optional(one, "name") == name]
    alive = [one for one in found if optional(one, "expired") is False]
    if not alive:
        what = "has expired" if found else "does not exist"
        raise _refused(of, what, _UPLOADED_NOTHING)
    if len(alive) == 1:
        return alive[0]
    attempts = field(api.get(path), "run_attempt", int, of=f"run {run}")
    alive.sort(key=lambda one: field(one, "created_at", str, of=of))
    last, before = alive[-1], alive[-2]
    if len(alive) > attempts or last["created_at"] == before["created_at"]:
        raise _refused(of, f"stands {len(alive)} times in {attempts} attempts of the run")
    return last


_UPLOADED_NOTHING = "Look at the run: it may have failed before it uploaded. Then measure again."
_REFUSED = "Nothing of it was kept. Look at the run and at the change that it measured."


def _refused(of: str, what: str, cure: str = _REFUSED) -> PublishError:
    return PublishError("G275", f"{of} {what}.", cure=cure)


class NotPlain(ValueError):
    """The archive is not the plain one that was expected; the text says why."""


def read_only_file(data: bytes, name: str, cap: int) -> bytes:
    """What the one member of an archive holds, a plain file of exactly that name; else NotPlain."""
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
