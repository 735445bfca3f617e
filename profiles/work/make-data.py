"""Data that is the same on every machine: a file, a tree of small files, two photographs.

    make-data.py file PATH BYTES     bytes that no file system can compress
    make-data.py tree PATH BYTES     some 8 KiB a file, 24 files a directory
    make-data.py images PATH         photo.tiff of 11.6 MB and photo.png of 7.3 MB

What is there already is left alone. A path appears only when it is complete.
"""

import os
import random
import shutil
import struct
import sys
import zlib
from pathlib import Path

SEED = 20010601
BLOCK = 2**20
WIDTH, HEIGHT = 2272, 1704  # a camera of 2001, 4 million pixels: 11.6 MB in three colours


def file(path: Path, size: int) -> None:
    dice = random.Random(SEED)
    with path.open("wb") as out:
        for start in range(0, size, BLOCK):
            out.write(dice.randbytes(min(BLOCK, size - start)))


def tree(path: Path, size: int) -> None:
    """Sizes as of source code: many small files, a few large ones."""
    dice = random.Random(SEED)
    number = 0
    while size > 0:
        length = min(size, max(64, int(dice.lognormvariate(8.4, 1.1))))
        place = path / f"{number // 384:02d}" / f"{number // 24 % 16:02d}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:05d}.c").write_bytes(dice.randbytes(length))
        size, number = size - length, number + 1


def rows(grain: int) -> list[bytes]:
    """A sky that brightens downwards, with `grain` levels of noise in every colour."""
    dice = random.Random(SEED)
    return [
        dice.randbytes(3 * WIDTH).translate(
            bytes((y * (255 - grain) // HEIGHT + level * grain // 256) for level in range(256))
        )
        for y in range(HEIGHT)
    ]


def tiff(path: Path) -> None:
    """Uncompressed RGB in one strip, little-endian."""
    data = b"".join(rows(64))
    after = 8 + len(data)
    tags = (
        (256, 3, 1, WIDTH),
        (257, 3, 1, HEIGHT),
        (258, 3, 3, after),  # bits of each colour, written before the tags
        (259, 3, 1, 1),  # no compression
        (262, 3, 1, 2),  # RGB
        (273, 4, 1, 8),  # where the strip begins
        (277, 3, 1, 3),  # colours
        (278, 3, 1, HEIGHT),  # rows in the strip
        (279, 4, 1, len(data)),
    )
    entries = b"".join(struct.pack("<HHII", *tag) for tag in tags)
    path.write_bytes(
        b"II*\0"
        + struct.pack("<I", after + 6)
        + data
        + struct.pack("<HHH", 8, 8, 8)
        + struct.pack("<H", len(tags))
        + entries
        + bytes(4)
    )


def png(path: Path) -> None:
    """RGB; Huffman codes alone, so that every zlib makes the same number of bytes of it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)
    data = b"".join(packer.compress(b"\0" + row) for row in rows(GRAIN)) + packer.flush()
    head = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    with path.open("wb") as out:
        out.write(b"\x89PNG\r\n\x1a\n")
        for kind, body in ((b"IHDR", head), (b"IDAT", data), (b"IEND", b"")):
            out.write(struct.pack(">I", len(body)) + kind + body)
            out.write(struct.pack(">I", zlib.crc32(kind + body)))


GRAIN = 32  # levels of noise that make the PNG 7.3 MB


def images(path: Path) -> None:
    path.mkdir()
    tiff(path / "photo.tiff")
    png(path / "photo.png")


def main(words: list[str]) -> None:
    makers = {"file": file, "tree": tree, "images": images}
    sized = words[:1] != ["images"]
    if not words or words[0] not in makers or len(words) != 2 + sized:
        sys.exit(f"make-data.py: wrong arguments\n{__doc__}")
    path = Path(words[1])
    if path.exists():
        return
    sizes = [int(words[2])] if sized and words[2].isdecimal() else []
    if sized and (not sizes or sizes[0] < 1):
        sys.exit(f"make-data.py: BYTES must be a whole number above 0, not {words[2]}")
    half = path.with_name(path.name + ".half")
    shutil.rmtree(half, ignore_errors=True)
    makers[words[0]](half, *sizes)
    os.sync()
    half.rename(path)


main(sys.argv[1:])
