"""The inputs of a benchmark: every file that makes it what it is, and is not under test.

An input decides what is measured as much as the profile does. By themselves count:

- all of a folder below `profiles/` in which a script lives that a command or variable names,
  however it is reached; of `profiles/` itself the files beside such a script, but for profiles,
- files of the project that a command with a `{side}` names: what is under test is below that,
- of pytest the tests' files, each conftest.py above them, and what an ini file says to pytest.

The profile names all others: `inputs = ["data/**"]`. What git ignores, and links, are no inputs.
"""

from __future__ import annotations

import configparser
import hashlib
import json
import posixpath
import re
import tomllib
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from gate import vcs
from gate.errors import InputError
from gate.model.profile import TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Profile

PYTEST_INI = {
    "pytest.ini": "pytest",
    ".pytest.ini": "pytest",
    "pytest.toml": "pytest",
    ".pytest.toml": "pytest",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
    "pyproject.toml": "pytest",
}
"""Files that pytest looks into, and the section that is for it."""
CONFTEST = "conftest.py"
_SCRIPTS = re.compile(
    r"(?P<before>[^\s;|&<>()=]*?)(?<![\w.}-])profiles(?P<rest>/[^\s\"';|&<>()`,]*|(?![\w.-]))"
)
_PLAIN = re.compile(r"[\w./+-]*")
_WORDS = re.compile(r"[\s\"'`;|&<>()=,:]+")
_PROFILE = ".toml"
_MOST = 20_000


def inputs_of(profile: Profile, root: Path) -> dict[str, str]:
    """Path from a project's root -> hash, of each input of a profile that stands there.

    The root may be another than the profile's own, such as that of the merge base.

    Raises:
        InputError: G201, one cannot be read.
    """
    found = {*_scripts(profile, root), *_named(profile, root), *_of_pytest(profile, root)}
    found |= {path for pattern in profile.inputs for path in _matching(root, pattern)}
    names = {path.relative_to(root).as_posix() for path in found}
    kept = names - vcs.ignored(root, sorted(names)) if names else names
    hashes = ((name, _hash(root / name, profile)) for name in sorted(kept))
    return {name: digest for name, digest in hashes if digest}


def refuse_empty_patterns(profile: Profile) -> None:
    """Refuse a pattern of `inputs` that names no file of the project (G201)."""
    for pattern in profile.inputs:
        if not any(True for _ in _matching(Path(profile.root), pattern)):
            said = f"inputs: {pattern[:80]!r} names no file of the project."
            raise InputError("G201", said, place=profile.path, cure="Correct it, or leave it out.")


def command_texts(profile: Profile) -> tuple[str, ...]:
    """Whatever of a profile may name a file that is run or read."""
    work, load = profile.work, profile.background
    own = (work.command, work.prepare, load.command if load else None)
    return tuple(filter(None, (*own, *work.environment.values())))


def uses_side(profile: Profile) -> bool:
    """Whether what is run tells the product from the rest of the project, by `{side}`."""
    return any("{side}" in text or "GATE_SIDE" in text for text in command_texts(profile))


def words_of(text: str) -> set[str]:
    """The words of a command that may be paths from a root: also behind a `cd`, or with `*`."""
    words = [TOKEN.sub("*", one) for one in _WORDS.split(text) if not one.startswith("{side}")]
    moves = [after for before, after in pairwise(words) if before == "cd"]
    every = {*words, *(posixpath.join(move, word) for move in moves for word in words)}
    tidy = {posixpath.normpath(word) for word in every if word and not word.startswith("/")}
    # What begins with a parameter, or is one in a single name, could be any file.
    return {w for w in tidy if w[:1] not in {"*", "."} and ("*" not in w or "/" in w)}


def _scripts(profile: Profile, root: Path) -> Iterator[Path]:
    """All that stands in the folders below `profiles/` that commands and variables name."""
    top = root / "profiles"
    for text in command_texts(profile):
        for match in _SCRIPTS.finditer(text):
            if "{side}" in match["before"]:
                continue
            parts = [part for part in match["rest"].split("/") if part not in ("", ".")]
            odd = (n for n, part in enumerate(parts) if not _PLAIN.fullmatch(part))
            place = top.joinpath(*([] if ".." in parts else parts[: next(odd, len(parts))]))
            while place != top and not place.is_dir():
                place = place.parent
            flat = len(parts) == 1 and (top / parts[0]).is_file()
            yield from (one for one in _below(place, deep=not flat) if one.suffix != _PROFILE)


def _named(profile: Profile, root: Path) -> Iterator[Path]:
    if uses_side(profile):
        for word in sorted({w for text in command_texts(profile) for w in words_of(text)}):
            for path in _glob(root, word):
                if _is_plain(path):
                    yield path


def _of_pytest(profile: Profile, root: Path) -> Iterator[Path]:
    """The tests' files, and what stands above them that pytest reads."""
    if profile.harness != "pytest-benchmark":
        return
    head = profile.sides.get("head")
    side = (head.directory if head else None) or "."
    given = profile.work.directory
    start = side if given is None else given.replace("{side}", side)
    if Path(start).is_absolute():
        start = "."
    files = {(one.target or one.name).partition("::")[0] for one in profile.benchmarks}
    for name in sorted(files):
        path = PurePosixPath(posixpath.normpath(posixpath.join(start, name)))
        for place in (path, *(up / one for up in path.parents for one in (CONFTEST, *PYTEST_INI))):
            if ".." not in place.parts and _is_plain(root / place):
                yield root / place


def _matching(root: Path, pattern: str) -> Iterator[Path]:
    """The files that a pattern of the profile names; a folder stands for all below it."""
    for path in _glob(root, pattern):
        if path.is_dir():
            yield from _below(path, deep=True)
        elif _is_plain(path):
            yield path


def _glob(root: Path, pattern: str) -> list[Path]:
    if not set("*?[") & set(pattern):
        return [root / pattern]
    try:
        return sorted(root.glob(pattern))
    except (ValueError, NotImplementedError, OSError):
        return []


def _below(place: Path, *, deep: bool) -> Iterator[Path]:
    if not place.is_dir():
        return
    for number, path in enumerate(sorted(place.rglob("*") if deep else place.iterdir())):
        if number > _MOST:
            return
        if "__pycache__" not in path.parts and ".git" not in path.parts and _is_plain(path):
            yield path


def _is_plain(path: Path) -> bool:
    try:
        return path.is_file() and not path.is_symlink()
    except (OSError, ValueError):
        return False


def _hash(path: Path, profile: Profile) -> str:
    """The hash of a file, of an ini file what it says to pytest; empty where that is nothing."""
    try:
        if path.name in PYTEST_INI and not _is_named(path, profile):
            text = _ini_text(path)
            return hashlib.sha256(text.encode()).hexdigest() if text else ""
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        why = f"this input cannot be read: {error.strerror}."
        raise InputError("G201", why, place=str(path)) from error


def _is_named(path: Path, profile: Profile) -> bool:
    return any(Path(pattern).name == path.name for pattern in profile.inputs)


def _ini_text(path: Path) -> str:
    raw = path.read_bytes().decode("utf-8", "replace")
    try:
        if path.suffix == ".toml":
            data = tomllib.loads(raw)
            table = data.get("tool", {}) if path.name == "pyproject.toml" else data
            found = table.get(PYTEST_INI[path.name])
            return json.dumps(found, sort_keys=True, default=str) if found else ""
        parser = configparser.RawConfigParser(strict=False)
        parser.read_string(raw)
        section = PYTEST_INI[path.name]
        return json.dumps(sorted(parser.items(section))) if parser.has_section(section) else ""
    except (tomllib.TOMLDecodeError, configparser.Error, AttributeError):
        return raw
