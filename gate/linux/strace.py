"""Which files a program and all that it starts open, as strace tells those who are not root."""

from __future__ import annotations

import codecs
import posixpath
import re
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_OPENED = re.compile(r"^\d+ +(?:\S+ resumed>.*|open\w*\(.*)= \d+<((?:/[^>]*))>$", re.MULTILINE)
_STARTED = re.compile(r'^\d+ +execve\("((?:[^"\\]|\\.)*)".*= 0$', re.MULTILINE)


def is_installed(path: str) -> bool:
    """Whether there is an strace among these directories."""
    return shutil.which("strace", path=path) is not None


def traced_words(words: Sequence[str], output: Path) -> tuple[str, ...]:
    """The words that run a program and write down what it opens."""
    calls = "trace=open,openat,openat2,execve"
    return ("strace", "-f", "-qq", "-y", "-e", calls, "-o", str(output), "--", *words)


def opened_in(text: str, directory: Path) -> Iterator[str]:
    """The paths that a trace of a program which was started in a directory tells; absolute."""
    for match in _OPENED.finditer(text):
        yield _unescaped(match[1])
    for match in _STARTED.finditer(text):
        yield posixpath.normpath(posixpath.join(str(directory), _unescaped(match[1])))


def _unescaped(name: str) -> str:
    """A name as it is, which strace shows with escapes."""
    try:
        raw, _ = codecs.escape_decode(name.encode("utf-8", "surrogateescape"))
        return raw.decode("utf-8", "surrogateescape")
    except ValueError:
        return name
