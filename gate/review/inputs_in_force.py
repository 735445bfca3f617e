"""The merge base's inputs on both sides: where a change edits inputs, copies of the trees are run.

A tree whose inputs are those of the merge base is run where it stands. Of any other a copy is made
in which they are put back: what the change edits or removes is as it was, what it adds is gone.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate import vcs
from gate.errors import InputError
from gate.formats.profile.inputs import inputs_of
from gate.model import ReviewedTrees, SideSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gate.model import Profile
    from gate.review.merge_base import MergeBase

_LEFT_OUT = frozenset({".git", ".hg", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"})
_NAMED = 3


class InputsInForce:
    """Gives the trees of each profile; copies are made once, and last as the merge base does."""

    def __init__(self, known: MergeBase, out: Path, say: Callable[[str], None]) -> None:
        self._known, self._out, self._say = known, out.absolute(), say
        self._copies: dict[tuple[Path, frozenset[str]], Path] = {}

    def of(self, profile: Profile) -> ReviewedTrees | None:
        """The trees of a profile; None without a merge base, or where that has no such profile.

        Raises:
            InputError: G285, a copy cannot be made.
        """
        layout, reviewed = self._known.layout, self._known.profiles.get(profile.name)
        if layout is None or reviewed is None:
            return None
        top, root = layout.top, Path(profile.root)
        before = Path(reviewed.root).relative_to(self._ground)
        was = {str(before / name): digest for name, digest in reviewed.input_files.items()}
        copies, names = {}, {*was}
        for tree, project, inside in self._trees(profile, root, top, before):
            rules, known = reviewed, was
            if inside is not None:  # in no repository: as if it were the side's directory
                rules = replace(reviewed, sides={})
                known = {n.removeprefix(inside): d for n, d in was.items() if n.startswith(inside)}
            now = inputs_of(rules, project) if project.is_dir() else {}
            here = {str((project / name).relative_to(tree)): one for name, one in now.items()}
            wrong = {name for name in {*here, *known} if here.get(name) != known.get(name)}
            if tree == top:
                names |= here.keys()
            if wrong and (here or tree == top):
                source = self._ground / (inside or "")
                copies[tree] = self._copy(tree, source, frozenset(wrong))
        changed = vcs.changed_paths(top, self._known.commit, "", ())
        return ReviewedTrees(
            top=top,
            copies=copies,
            changed={path: kind for kind, path in changed or ()},
            inputs=frozenset(names),
            unknown="" if changed is not None else "git cannot tell what the change changed",
        )

    @property
    def _ground(self) -> Path:
        """Where the merge base is written out."""
        assert self._known.ground is not None  # noqa: S101 - there is a layout
        return self._known.ground

    def _trees(
        self, profile: Profile, root: Path, top: Path, before: Path
    ) -> Iterator[tuple[Path, Path, str | None]]:
        """Each tree that is run from: its top, the project's root in it, and where it belongs.

        The last is None in a repository; else the path from the top, with a slash.
        """
        yield top, root, None
        known = {top}
        head = profile.sides.get("head", SideSpec()).directory or "."
        inside = "" if Path(head).is_absolute() else str(before / head)
        for spec in profile.sides.values():
            place = (root / (spec.directory or ".")).resolve()
            found = vcs.top_of(place)
            tree = Path(found) if found else place
            if tree not in known:
                known.add(tree)
                at = f"{inside}/" if inside not in {"", "."} else ""
                yield tree, (tree / before if found else place), (None if found else at)

    def _copy(self, tree: Path, source: Path, wrong: frozenset[str]) -> Path:
        """A copy of a tree in which these inputs are as they stand in the merge base's."""
        if (tree, wrong) not in self._copies:
            place = self._ground.with_name(f"tree-{len(self._copies)}")
            self._tell(tree, sorted(wrong))
            try:
                _copy_tree(tree, place, self._out)
                for name in sorted(wrong):
                    _put_back(source / name, place / name)
            except (OSError, shutil.Error) as error:
                raise InputError(
                    "G285",
                    f"the change edits inputs, and no copy can be made that holds those of the "
                    f"merge base: {str(error)[:300]}.",
                    cure="Make room in the temporary directory, or name another by TMPDIR.",
                    place=str(tree),
                ) from error
            self._copies[tree, wrong] = place
        return self._copies[tree, wrong]

    def _tell(self, tree: Path, names: list[str]) -> None:
        shown = ", ".join(names[:_NAMED]) + (
            f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        )
        self._say(
            f"the change edits inputs of its benchmark ({shown}): a copy of {tree.name} with those "
            "of the merge base is measured"
        )


def _copy_tree(tree: Path, place: Path, out: Path) -> None:
    """Copy a tree with its links as they are; neither repositories, caches nor our own output."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        return {
            name
            for name in names
            if name in _LEFT_OUT or (path := Path(folder, name)) == out or _is_special(path)
        }

    shutil.copytree(tree, place, symlinks=True, ignore=left_out)


def _is_special(path: Path) -> bool:
    """Whether it is neither a file, a folder nor a link: nothing that could be copied."""
    return not (path.is_symlink() or path.is_file() or path.is_dir())


def _put_back(source: Path, target: Path) -> None:
    """Make a file what it was; one that was not there is not there any more."""
    mode = target.stat().st_mode if target.is_file() else 0o755
    if os.path.lexists(target):
        target.unlink()
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(mode)
