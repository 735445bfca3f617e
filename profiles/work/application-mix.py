"""What an office does to a disk, as a script: small documents and large files, by turns.

    application-mix.py ROUNDS

A round saves, lists, reads and renames small documents as word processors do (a new file, fsync,
rename), books into a database, packs a folder, and writes, scans and removes a large file.
Prints how many operations that were; a large file counts as one for each block of 1 MiB.
"""

import os
import random
import re
import shutil
import sqlite3
import sys
import zipfile
from pathlib import Path

DOCUMENTS, BOOKINGS, LARGE = 40, 200, 24
BLOCK = 2**20
WORDS = b"the gate opens when nothing is slower and closes when something is proven so ".split()


def documents(folder: Path, dice: random.Random) -> int:
    """Save each document twice, as an editor does; find a word in all of them; rename them."""
    for number in range(DOCUMENTS):
        for _ in range(2):
            text = b" ".join(dice.choices(WORDS, k=dice.randrange(200, 4000)))
            half = folder / "~saving"
            with half.open("wb") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            half.rename(folder / f"{number:03d}.txt")
    found = sum(len(re.findall(rb"\bproven\b", one.read_bytes())) for one in folder.iterdir())
    if not found:
        sys.exit("application-mix.py: the documents do not hold what was written")
    for one in sorted(folder.iterdir()):
        one.rename(one.with_suffix(".old"))
    return 4 * DOCUMENTS


def bookings(path: Path, dice: random.Random) -> int:
    """Transactions of ten bookings each, then a sum over all of them."""
    with sqlite3.connect(path) as database:
        database.execute("create table book (id integer primary key, account int, amount int)")
        for _ in range(BOOKINGS // 10):
            rows = [(dice.randrange(100), dice.randrange(1000)) for _ in range(10)]
            database.executemany("insert into book (account, amount) values (?, ?)", rows)
            database.commit()
        (count,) = database.execute("select count(*) from book").fetchone()
    database.close()
    if count != BOOKINGS:
        sys.exit(f"application-mix.py: {count} bookings are left of {BOOKINGS}")
    return BOOKINGS


def pack(folder: Path, archive: Path) -> int:
    names = sorted(folder.iterdir())
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as out:
        for one in names:
            out.write(one, one.name)
    return len(names)


def large(path: Path, dice: random.Random) -> int:
    """Write a film, wait for the disk, look through it."""
    block = dice.randbytes(BLOCK)
    with path.open("wb") as out:
        for _ in range(LARGE):
            out.write(block)
        out.flush()
        os.fsync(out.fileno())
    with path.open("rb") as film:
        while part := film.read(BLOCK):
            if part != block:
                sys.exit("application-mix.py: the large file does not hold what was written")
    path.unlink()
    return 2 * LARGE


def main(words: list[str]) -> None:
    if len(words) != 1 or not words[0].isdecimal() or int(words[0]) < 1:
        sys.exit(f"application-mix.py: ROUNDS must be a whole number above 0\n{__doc__}")
    work = os.environ.get("GATE_WORK", "")
    if not Path(work).is_absolute() or not Path(work).is_dir():
        sys.exit("application-mix.py: GATE_WORK must be a directory to work in; the gate sets it")
    office, dice, done = Path(work) / "application-mix", random.Random(20010601), 0
    for _ in range(int(words[0])):
        shutil.rmtree(office, ignore_errors=True)
        (office / "letters").mkdir(parents=True)
        done += documents(office / "letters", dice)
        done += bookings(office / "book.sqlite", dice)
        done += pack(office / "letters", office / "letters.zip")
        done += large(office / "film", dice)
    shutil.rmtree(office)
    print(f"operations {done}")


main(sys.argv[1:])
