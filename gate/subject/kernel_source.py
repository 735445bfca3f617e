"""Both sides' kernel source, one after the other at the same place, away from the user's tree.

The place is the same because it gets into what is built: what two sides have alike is then alike to
the byte, and a compiler cache knows it again.

The configuration that both sides of a kernel are built with, and how their ends differ.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gate.errors import InputError
from gate.model.kernel_config import options_in

if TYPE_CHECKING:
    from collections.abc import Callable

    Do = Callable[["BuildStep"], None]

CODE = "G281"
_MAKEFILE = ("Makefile", "Kbuild", "scripts/kconfig")
_USED = (".config", "include/config", "include/generated")
"""What a build inside a tree leaves, which one beside it refuses."""


class BuildStep(NamedTuple):
    """A program to run in the log of a side."""

    argv: tuple[str, ...]
    purpose: str
    """What it does, for whoever waits."""


class KernelSource(NamedTuple):
    """Where a side's source comes from."""

    name: str
    """As the user called it."""
    commit: str
    """Empty where it is a directory."""
    directory: Path
    """The repository, or the source itself."""


def sources(tree: Path, base: str, head: str) -> tuple[KernelSource, KernelSource]:
    """The sources of base and head: revisions of a repository, or else two directories; or G281."""
    top = _git(tree, "rev-parse", "--show-toplevel")
    if top is not None and Path(top).resolve() == tree.resolve():
        found = tuple(_revision(tree, one) for one in (base, head))
    else:
        found = tuple(_directory(tree, one) for one in (base, head))
    return found[0], found[1]


def _revision(tree: Path, name: str) -> KernelSource:
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    commit = _git(tree, *words)
    if commit is None:
        message = f"there is no revision {name[:80]!r}."
        cure = "Name a commit, a tag or a branch of it."
        raise InputError(CODE, message, cure=cure, place=str(tree))
    listed = _git(tree, "ls-tree", "--name-only", commit, *_MAKEFILE) or ""
    if len(listed.split()) != len(_MAKEFILE):
        raise _no_kernel(f"{tree} at {name}")
    return KernelSource(name, commit, tree)


def _directory(tree: Path, name: str) -> KernelSource:
    place = Path(name)
    if not place.is_dir():
        raise InputError(
            CODE,
            f"{name[:80]!r} is no directory, and no repository has it as a revision.",
            cure="Name the kernel's git checkout with --source TREE, or give two directories.",
            place=str(tree),
        )
    if not all((place / one).exists() for one in _MAKEFILE):
        raise _no_kernel(name)
    return KernelSource(name, "", place.resolve())


def _no_kernel(place: str) -> InputError:
    message = "this is no source of a Linux kernel."
    return InputError(CODE, message, cure="Give the top of a kernel tree.", place=place)


def lay_out(source: KernelSource, place: Path, do: Do) -> None:
    """Make `place` hold this source and nothing else, or G282."""
    if source.commit and (place / ".git").exists():
        do(_checkout(place, ("checkout",), source.commit))
        return
    remove(source, place)
    if source.commit:
        do(_checkout(source.directory, ("worktree", "add"), str(place), source.commit))
        return
    do(BuildStep(("cp", "-a", "--reflink=auto", str(source.directory), str(place)), "copy"))
    if any((place / one).exists() for one in _USED):
        do(BuildStep(("make", "-C", str(place), "mrproper"), "make mrproper"))


def _checkout(place: Path, command: tuple[str, ...], *words: str) -> BuildStep:
    flags = ("--quiet", "--force", "--detach")
    return BuildStep(("git", "-C", str(place), *command, *flags, *words), "checkout")


def remove_tree(place: Path) -> None:
    """Remove a directory of very many files, also while a terminal interrupts everybody."""
    if place.exists():
        subprocess.run(("rm", "-rf", "--", str(place)), check=False, start_new_session=True)


def remove(source: KernelSource, place: Path) -> None:
    """Take the source away, and what the user's repository knows of it."""
    remove_tree(place)
    if source.commit:
        _git(source.directory, "worktree", "prune")


def _git(tree: Path, *words: str) -> str | None:
    argv = ("git", "-C", str(tree), *words)
    try:
        answer = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() if answer.returncode == 0 else None


_REPEATABLE = """
# By gate build-kernel: what would make two builds of one source differ.
# CONFIG_LOCALVERSION_AUTO is not set
# CONFIG_MODULE_SIG is not set
CONFIG_SYSTEM_TRUSTED_KEYS=""
CONFIG_SYSTEM_REVOCATION_KEYS=""
"""
EMPTY = ("allnoconfig", "tinyconfig")
"""Those that say no to all that is not asked for, also to what a fragment makes visible."""


class KernelBuildOptions(NamedTuple):
    """What the user asks for."""

    config: Path | None
    """A whole `.config`."""
    default: str
    """Else a target of the tree: `defconfig`, `tinyconfig`."""
    fragments: tuple[Path, ...]

    def check(self) -> None:
        """Refuse what cannot be (G281)."""
        if not self.default.endswith("config") or not self.default.replace("_", "").isalnum():
            message = f"{self.default[:80]!r} is no configuration of a kernel tree."
            raise InputError(CODE, message, cure="For example --defconfig allnoconfig.")
        for path in filter(None, (self.config, *self.fragments)):
            if not path.is_file():
                cure = "Give a kernel's configuration."
                raise InputError(CODE, "there is no such file.", cure=cure, place=str(path))

    def text(self) -> str:
        """The fragments, one after the other, and what makes builds repeat."""
        return "\n".join((*self._texts(), _REPEATABLE))

    def _texts(self) -> list[str]:
        return [path.read_text(encoding="utf-8", errors="replace") for path in self.fragments]

    def not_taken(self, final: str) -> tuple[str, ...]:
        """Lines of the fragments that a tree did not take."""
        have = options_in(final.splitlines())
        wanted: dict[str, str] = {}
        for text in self._texts():
            wanted |= options_in(text.splitlines())
        return tuple(
            f"CONFIG_{name}={value}"
            for name, value in wanted.items()
            if have.get(name) != value and not (value == "m" and have.get(name) == "y")
        )


def difference(base: str, head: str) -> tuple[str, ...]:
    """How two final configurations differ, as scripts/diffconfig of Linux prints it."""
    before, after = options_in(base.splitlines()), options_in(head.splitlines())
    found = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if new is None:
            found.append(f"-{name} {old}")
        elif old is None:
            found.append(f"+{name} {new}")
        elif old != new:
            found.append(f" {name} {old} -> {new}")
    return tuple(found)
