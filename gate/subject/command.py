"""Subjects that are directories or environments: nothing to activate, content to prove."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate import vcs
from gate.errors import InputError
from gate.model import Side, SideSpec, Subject, SubjectKind
from gate.text import shown_variable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.model import Profile, ReviewedTrees

_SKIPPED = {".git", "__pycache__", ".pytest_cache", ".benchmarks"}
_MOST_FILES = 20_000
_BY_DIRECTORY = {SubjectKind.MODULE, SubjectKind.KERNEL}


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveSide:
    """One side, ready to be measured."""

    side: Side
    directory: Path | None
    """Absolute."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of this side alone."""
    subject: Subject


def resolve(side: Side, spec: SideSpec, root: Path) -> ActiveSide:
    """Resolve one side against the project root, or G234, and prove its content."""
    directory = None if spec.directory is None else (root / spec.directory).resolve()
    if directory is not None and not directory.is_dir():
        raise InputError(
            "G234",
            f"the directory of the {side.value} side does not exist.",
            cure=f"Make it, or name another with --{side.value} DIR.",
            place=str(directory),
        )
    environment = dict(spec.environment) | {"GATE_SIDE": side.value}
    if directory is not None:
        environment["GATE_SIDE_DIR"] = str(directory)
    facts = vcs.checkout(directory or root)
    # What git knows of a project tree that is itself the subject: commit and changes.
    tree = f"{facts.commit} {vcs.changes(root)}" if facts and not directory else ""
    shown = [shown_variable(f"{name}={value}") for name, value in sorted(spec.environment.items())]
    description = " ".join(([_short(directory)] if directory else []) + shown)
    return ActiveSide(
        side=side,
        directory=directory,
        environment=environment,
        subject=Subject(
            # A directory's name may be no UTF-8.
            description=description.encode("utf-8", "backslashreplace").decode("utf-8")[:500],
            commit=facts.commit if facts else "",
            dirty=facts.dirty if facts else False,
            proof=content_hash(directory, spec.environment, tree),
        ),
    )


def run_from(active: ActiveSide, trees: ReviewedTrees) -> ActiveSide:
    """The side as it is run: from the copy of its tree that holds the inputs in force, if any."""
    if active.directory is None:
        return active
    place = trees.in_force(active.directory)
    environment = {**active.environment, "GATE_SIDE_DIR": str(place)}
    return replace(active, directory=place, environment=environment)


def _short(directory: Path) -> str:
    """The directory as somebody here would write it."""
    here = Path.cwd()
    if directory.is_relative_to(here):
        return str(directory.relative_to(here))
    # A neighbour, as the base side mostly is: where both lie is nobody's business in a comment.
    if directory.is_relative_to(here.parent):
        return str(".." / directory.relative_to(here.parent))
    return str(directory)


def refuse_equal_sides(sides: Mapping[Side, ActiveSide], profile: Profile) -> None:
    """Refuse two sides that are one place and one environment: their pairs would clear anything.

    Copies with the same content are allowed: a change may not reach this subject, and a note says
    so. So is a calibration, which compares a thing with itself on purpose. Else G237.
    """
    base, head = sides.get(Side.BASE), sides.get(Side.HEAD)
    if base is None or head is None or profile.harness == "replay" or profile.plant is not None:
        return
    own = {"GATE_SIDE", "GATE_SIDE_DIR"}
    settings = [
        {name: value for name, value in side.environment.items() if name not in own}
        for side in (base, head)
    ]
    kind = profile.subject.kind
    # A booted guest and a module see no variable of a side, only its directory.
    by_directory = profile.harness == "instructions" or kind in _BY_DIRECTORY
    alike = settings[0] == settings[1] or by_directory
    # What commands of the user activate must differ in what they prove.
    if base.directory == head.directory and alike and kind is not SubjectKind.CUSTOM:
        raise InputError(
            "G237",
            "base and head are one and the same.",
            cure="Name two directories with --base and --head, or leave the base side out.",
            place=profile.path,
        )


def content_hash(directory: Path | None, environment: Mapping[str, str], tree: str) -> str:
    """Hash of a side's files and variables; empty for a directory too large to hash.

    `tree` stands for the files where no directory was named.
    """
    total = hashlib.sha256(repr((sorted(environment.items()), tree)).encode())
    if directory is not None:
        files = _files(directory)
        if files is None:
            return ""
        for path in files:
            total.update(f"\0{path.relative_to(directory)}\0".encode("utf-8", "surrogateescape"))
            try:
                with path.open("rb") as stream:
                    total.update(hashlib.file_digest(stream, "sha256").digest())
            except OSError:
                return ""
    return "sha256:" + total.hexdigest()


def _files(directory: Path) -> list[Path] | None:
    """Regular files below a directory, sorted; None above the limit."""
    found: list[Path] = []
    for place, directories, names in os.walk(directory):
        directories[:] = [name for name in directories if name not in _SKIPPED]
        found += [Path(place) / name for name in names]
        if len(found) > _MOST_FILES:
            return None
    return sorted(path for path in found if path.is_file() and not path.is_symlink())
