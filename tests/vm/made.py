"""Kernels and modules made up to the byte, as small as what is read of them."""

from __future__ import annotations

import gzip
import struct

RELEASE, VERSION = "6.1.0-made", "#7 SMP Sun Nov 22 2026"


def note(name: bytes, kind: int, content: bytes) -> bytes:
    """One ELF note."""
    pad = b"\0" * (-len(content) % 4)
    return struct.pack("<III", len(name), len(content), kind) + name + content + pad


def elf(build_id: bytes = b"\xab" * 20, more: bytes = b"") -> bytes:
    """An ELF file with a section of notes, and further bytes."""
    notes = note(b"Xen\0", 6, b"linux\0\0\0") + note(b"GNU\0", 3, build_id)
    body = notes + more
    table = 64 + len(body)
    section = struct.pack("<IIQQQQIIQQ", 0, 7, 0, 0, 64, len(notes), 0, 0, 4, 0)
    head = b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack("<HHIQQQ", 2, 62, 1, 0, 0, table)
    head += struct.pack("<IHHHHHH", 0, 64, 0, 0, 64, 1, 0)
    return head + body + section


def kernel(
    release: str = RELEASE, build_id: bytes = b"\xab" * 20, *, draft: str = "# SMP", more: str = ""
) -> bytes:
    """A kernel that says its release, after a draft of it that has no number or no date."""
    draft = f"Linux version {release} (a@b) (cc) {draft}{more}\n\0"
    said = f"Linux version {release} (a@b) (cc) {VERSION}{more}\n\0"
    return elf(build_id, (draft + said).encode())


def bzimage(inside: bytes) -> bytes:
    """The image of a kernel by the boot protocol, packed with gzip."""
    packed = gzip.compress(inside, mtime=0)
    head = bytearray(2 * 512)
    head[0x1F1], head[0x202:0x206] = 1, b"HdrS"
    head[0x248:0x250] = struct.pack("<II", 16, len(packed))
    return bytes(head) + b"\0" * 16 + packed + b"what follows is ignored"


def module(depends: str = "", build_id: bytes = b"\xcd" * 20) -> bytes:
    """A kernel module that needs others."""
    return elf(build_id, b"\0name=made\0depends=" + depends.encode() + b"\0vermagic=x\0")


def write_side(place, modules=(), release: str = RELEASE) -> None:
    """A side's directory like an unpacked kernel package."""
    (place / "boot").mkdir(parents=True)
    (place / "boot" / f"vmlinuz-{release}").write_bytes(bzimage(kernel(release)))
    root = place / "lib" / "modules" / release
    (root / "kernel").mkdir(parents=True)
    (root / "modules.builtin").write_text("kernel/fs/ext4.ko\n")
    for name, needs in modules:
        (root / "kernel" / f"{name}.ko").write_bytes(module(needs))
