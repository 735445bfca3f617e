"""Where profiles and baselines stand in their repository, and a copy of them in plain files.

The working tree may be a stranger's: no link is followed on the way, and what is read of it is read
from the copy.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate import vcs, vcs_tree
from gate.errors import InputError
from gate.formats.document import read_toml
from gate.formats.profile.inputs import CONFTEST, PYTEST_INI, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Layout:
    """A repository and two of its folders, by their paths from its top."""

    top: Path
    profiles: str
    baseline: str

    @property
    def folders(self) -> tuple[str, ...]:
        """What is exported: scripts are named below `profiles/`, however that folder is called."""
        scripts = posixpath.join(posixpath.dirname(self.profiles), "profiles")
        return tuple(dict.fromkeys((self.profiles, scripts, self.baseline)))


def layout_of(profiles: Path, baseline: Path) -> Layout:
    """Find the repository that holds both folders; neither needs to be there now.

    Git is asked in the current directory alone, which whoever calls chose. The folders are below
    it by their names: what stands in them may be a stranger's, a repository of his own included.
    Without a repository that is G239, where they are not two folders of it G242.
    """
    top = _top(profiles)
    inside, beside = _inside(top, profiles), _inside(top, baseline)
    for path, one in ((profiles, inside), (baseline, beside)):
        if not one:
            raise _not_two(path, f"{path} is none")
        _refuse_nested(top, one, path)
    return Layout(top, inside, beside)


def _top(path: Path) -> Path:
    """The top of the repository of the current directory; where it is in none, of the path.

    Of the path it is the outermost: no tree can add a repository outside of itself.
    """
    top = vcs.top_of(Path.cwd())
    if top is None:
        above = reversed(_absolute(path).parents)
        outer = next((one for one in above if os.path.lexists(one / ".git")), None)
        top = vcs.top_of(outer) if outer is not None else None
    if top is None:
        raise InputError(
            "G239",
            "this is in no git repository, or git is missing or refuses to look into it.",
            cure="Run the gate in a checkout; `git status` there tells what git lacks.",
            place=str(path),
        )
    return Path(top)


def _absolute(path: Path) -> Path:
    """The path by its names alone: no link is followed, so that a tree cannot lead elsewhere."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - it must follow no link


def _inside(top: Path, path: Path) -> str:
    """A path from the top; empty where it is not below it.

    A link above the top, by which somebody came here, is the caller's own, and is followed.
    """
    full = _absolute(path)
    if full.is_relative_to(top):
        return "" if full == top else full.relative_to(top).as_posix()
    for one in reversed(full.parents):
        if os.path.realpath(one) == str(top):
            return full.relative_to(one).as_posix()
    return ""


def _refuse_nested(top: Path, inside: str, path: Path) -> None:
    """Refuse a folder in a submodule or another repository: it is not of the commit judged."""
    place = top
    for part in inside.split("/"):
        place /= part
        if place.is_symlink():
            return  # reported where the folders are read
        if os.path.lexists(place / ".git"):
            raise _not_two(path, f"{place.relative_to(top)} is another repository")


def _not_two(path: Path, why: str) -> InputError:
    return InputError(
        "G242",
        f"profiles and baselines must be two folders of one repository; {why}.",
        cure="Name them with --profiles and --baseline, and run the gate in their repository.",
        place=str(path),
    )


def named_files(root: Path, layout: Layout) -> tuple[str, ...]:
    """Files that profiles exported below `root` name as their job or replay, from the top."""
    found: dict[str, None] = {}
    for path in sorted((root / layout.profiles).glob("*.toml")):
        with suppress(InputError):  # whoever reads it as a profile reports what is wrong with it
            for name in _named(read_toml(path, "profile").data):
                inside = posixpath.normpath(posixpath.join(layout.profiles, name))
                leaves = inside.startswith(("../", "/")) or inside in {".", ".."}
                if not leaves and "\0" not in inside:
                    found[inside] = None
    return tuple(found)


def files_of_inputs(root: Path, layout: Layout, files: Sequence[str]) -> tuple[str, ...]:
    """Which files of a tree, from its top, may be inputs of profiles exported below `root`.

    Rather some too many: reading the profiles tells which of them are.
    """
    above = posixpath.dirname(layout.profiles)
    inputs, words = set[str](), set[str]()
    for path in sorted((root / layout.profiles).glob("*.toml")):
        with suppress(InputError):
            data = read_toml(path, "profile").data
            inputs |= set(_patterns(data))
            texts = _texts(
                {key: one for key, one in data.items() if key not in {"about", "metric"}}
            )
            words |= {word for text in texts for word in words_of(text)}
    inputs, words = (
        {posixpath.normpath(posixpath.join(above, w)) for w in s} for s in (inputs, words)
    )
    globs = [_regex(one, deep=True) for one in sorted(inputs)]
    globs += [_regex(one, deep=False) for one in sorted(words) if set("*?[") & set(one)]
    tests = tuple(f"/{one.rpartition('/')[2]}" for one in words if one.endswith(".py"))
    return tuple(
        name
        for name in files
        if name.rpartition("/")[2] in {CONFTEST, *PYTEST_INI}
        or name in words
        or (tests and f"/{name}".endswith(tests))
        or any(one.fullmatch(name) for one in globs)
    )


def _patterns(data: Mapping[str, Any]) -> Iterator[str]:
    """The patterns of `inputs`, in whatever size."""
    for table in (data, *map(_table, _table(data.get("size")).values())):
        given = table.get("inputs")
        yield from (one for one in given if isinstance(one, str)) if isinstance(given, list) else ()


def _regex(pattern: str, *, deep: bool) -> re.Pattern[str]:
    """What a pattern of paths fits: `**` any folders, `*` what is in one; if deep, all below."""
    text = re.sub(r"\\\[.*?\\\]", "[^/]", re.escape(pattern))
    text = text.replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*")
    text = text.replace(r"\*", "[^/]*").replace(r"\?", "[^/]")
    return re.compile(f"{text}(?:/.*)?" if deep else text)


def _texts(value: object) -> Iterator[str]:
    """Every string of a document, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _named(data: Mapping[str, Any]) -> Iterator[str]:
    sizes = _table(data.get("size"))
    for table in (data, *map(_table, sizes.values())):
        load = _table(table.get("background"))
        for name in (table.get("job"), table.get("replay"), load.get("job")):
            if isinstance(name, str) and name:
                yield name


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def copy_plain(top: Path, paths: Sequence[str], target: Path) -> tuple[str, ...]:
    """Copy files and whole folders, named from `top`, below `target`; returns what is not plain.

    Raises:
        InputError: G241, they are too large; G201, one cannot be read.
    """
    # One folder may lie inside the other: each file counts once. What git ignores is no change.
    found = {inner: state for path in paths for inner, state in _below(top, path)}
    for name in vcs.ignored(top, sorted(found)):
        del found[name]
    plain = [(path, one.st_size) for path, one in found.items() if stat.S_ISREG(one.st_mode)]
    vcs_tree.refuse_too_much(plain)
    for path, _ in plain:
        _copy(top / path, target / path)
    return tuple(path for path, state in found.items() if not stat.S_ISREG(state.st_mode))


def _below(top: Path, path: str) -> Iterator[tuple[str, os.stat_result]]:
    """Each file below a path, or the path itself; where a link is on the way, that one alone."""
    place = top
    parts = path.split("/")
    for number, part in enumerate(parts, 1):
        place /= part
        try:
            state = place.lstat()
        except (OSError, ValueError):
            return
        if not stat.S_ISDIR(state.st_mode):
            # A file where a folder is looked for holds nothing of what is looked for.
            if number == len(parts) or not stat.S_ISREG(state.st_mode):
                yield "/".join(parts[:number]), state
            return
    yield from _walk(place, path)


def _walk(folder: Path, path: str) -> Iterator[tuple[str, os.stat_result]]:
    waiting = [(folder, path)]
    while waiting:
        place, name = waiting.pop()
        with os.scandir(place) as listed:
            entries = sorted(listed, key=lambda one: one.name)
        for one in entries:
            state = one.stat(follow_symlinks=False)
            inner = f"{name}/{one.name}"
            if not stat.S_ISDIR(state.st_mode):
                yield inner, state
            elif one.name not in {".git", "__pycache__"}:
                waiting.append((place / one.name, inner))


def _copy(source: Path, target: Path) -> None:
    try:
        handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as stream:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                shutil.copyfileobj(stream, file)
    except OSError as error:
        why = error.strerror or "unknown"
        raise InputError("G201", f"cannot be read: {why}.", place=str(source)) from error
