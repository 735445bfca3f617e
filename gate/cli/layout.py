"""Where profiles and baselines stand in their repository, without trusting a link on the way."""

from __future__ import annotations

import os
import posixpath
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate import vcs
from gate.errors import InputError
from gate.files import checked, disk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


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

    Raises:
        InputError: G239, there is none; G242, they are not two folders of one repository.
    """
    top, inside = _located(profiles)
    other, beside = _located(baseline)
    if top != other or not inside or not beside:
        raise InputError(
            "G242",
            "profiles and baselines must be two folders of one repository.",
            cure="Name them with --profiles and --baseline.",
            place=str(profiles if not inside else baseline),
        )
    return Layout(top, inside, beside)


def _located(path: Path) -> tuple[Path, str]:
    """The top of a path's repository, and the path from there.

    Below the current directory no link is followed: the tree there may be a stranger's, and could
    lead to another repository.
    """
    full, here = Path(os.path.abspath(path)), Path.cwd()  # noqa: PTH100 - it must follow no link
    if full.is_relative_to(here):
        start, rest = here, list(full.relative_to(here).parts)
        while len(rest) > 1 and (start / rest[0]).is_dir() and not (start / rest[0]).is_symlink():
            start /= rest.pop(0)
    else:
        start, rest = full.parent, [full.name]
        while not start.is_dir():
            rest.insert(0, start.name)
            start = start.parent
    prefix, top = vcs.prefix_of(start), vcs.top_of(start)
    if prefix is None or top is None:
        raise InputError(
            "G239",
            "this is in no git repository, or git is missing or refuses to look into it.",
            cure="Run the gate in a checkout; `git status` there tells what git lacks.",
            place=str(path),
        )
    return Path(top), "/".join(part for part in (prefix, *rest) if part)


def files_beside(root: Path, layout: Layout) -> tuple[str, ...]:
    """Files outside the folders that profiles exported below `root` name as their job or replay."""
    found: list[str] = []
    for path in sorted((root / layout.profiles).glob("*.toml")):
        try:
            data = checked.parse_toml(disk.read_text(path, "profile"), str(path))
        except InputError:
            continue  # whoever reads it as a profile tells what is wrong with it
        for name in _named(data):
            inside = posixpath.normpath(posixpath.join(layout.profiles, name))
            leaves = inside.startswith(("../", "/")) or "\0" in inside or inside in {".", ".."}
            held = any(inside.startswith(f"{folder}/") for folder in layout.folders)
            if not leaves and not held:
                found.append(inside)
    return tuple(dict.fromkeys(found))


def _named(data: Mapping[str, Any]) -> Iterator[str]:
    sizes = data.get("size")
    tables = [data, *(sizes.values() if isinstance(sizes, dict) else ())]
    for table in [one for one in tables if isinstance(one, dict)]:
        background = table.get("background")
        load = background.get("job") if isinstance(background, dict) else None
        for name in (table.get("job"), table.get("replay"), load):
            if isinstance(name, str) and name:
                yield name
