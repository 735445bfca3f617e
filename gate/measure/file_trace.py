"""What a benchmark opens of the repository that it is in: one run more, which is not measured.

The kernel tells it to root (fanotify), strace to others; where neither is possible, that is said.
What a process outside of the trial opens on its behalf, such as a server's, is not seen.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gate import vcs
from gate.errors import TrialFailed
from gate.linux.fanotify import NoTrace, OpenedFiles
from gate.linux.strace import is_installed, opened_in, traced_words
from gate.measure.activation import activate_side
from gate.measure.process.process import run_process
from gate.measure.run_context import trial_context
from gate.model import MOST_READ, FileReads, Side, SubjectKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gate.harness.base import Command, Outcome, TrialContext
    from gate.measure.run_context import RunContext
    from gate.model import Benchmark, ReviewedTrees

_LOOK = 0.02
"""Seconds between two looks at what was opened."""
_CACHED = re.compile(r"(?P<folder>(?:.*/)?)__pycache__/(?P<name>[^/]+?)\.[\w-]+(?:\.opt-\d)?\.pyc")
_UNTRACED = frozenset({"replay", "instructions"})
_OWN_TRACE = frozenset({SubjectKind.MODULE, SubjectKind.KERNEL})
"""Subjects of which the functions that ran are counted instead."""


def trace_files(run: RunContext, benchmark: Benchmark) -> FileReads | None:
    """Run a benchmark once more on the head side, and sort what it opened.

    Also once on the base side, where the head's directory holds the project itself: there what is
    read of the project is the benchmark's own. None where there is no change to look for.
    """
    trees, profile = run.trees, run.profile
    if trees is None or profile.harness in _UNTRACED or profile.subject.kind in _OWN_TRACE:
        return None
    if run.storage is not None and run.storage.device:
        return FileReads(unknown="one run more would write to the device")
    sides, root = run.sides, Path(profile.root)
    head = sides[Side.HEAD].directory
    also = Side.BASE in sides and head is not None and root.is_relative_to(head)
    run.say(f"{benchmark.name}: one run more, not measured, to see which files it opens")
    found, unknown = _Sorter(run, trees), [trees.unknown]
    for side in (Side.HEAD, *((Side.BASE,) if also else ())):
        try:
            found.add(side, _opened(run, side, benchmark))
        except (NoTrace, TrialFailed, OSError) as failure:
            unknown.append(f"files were not traced: {failure}")
    return found.reads("; ".join(filter(None, unknown)))


def _opened(run: RunContext, side: Side, benchmark: Benchmark) -> set[str]:
    with activate_side(run.switch, run.sides[side]), trial_context(run, side, benchmark) as context:
        has_strace = is_installed(context.environment.get("PATH", os.defpath))
        if os.geteuid() == 0:
            try:
                return _by_kernel(run, context)
            except (NoTrace, TrialFailed):
                if not has_strace:
                    raise
        if not has_strace:
            raise NoTrace("that takes root, or strace, which is not installed")
        found: set[str] = set()
        by_strace = _by_strace(run, context.scratch / "files.strace", found)
        run.harness.trial(replace(context, run=by_strace))
        return found


def _by_kernel(run: RunContext, context: TrialContext) -> set[str]:
    with OpenedFiles(_places(run)) as files:
        run.harness.trial(replace(context, run=partial(_watched, run, files)))
        if files.overflowed:
            raise NoTrace("the kernel lost some of what was opened")
        return files.paths


def _watched(run: RunContext, files: OpenedFiles, command: Command) -> Outcome:
    def look() -> float:
        files.collect()
        return _LOOK

    try:
        return run_process(command, run.stop, sample=look, enter=files.watch_self)
    finally:
        files.collect()


def _by_strace(run: RunContext, output: Path, found: set[str]) -> Callable[[Command], Outcome]:
    def traced(command: Command) -> Outcome:
        output.unlink(missing_ok=True)
        try:
            return run_process(replace(command, argv=traced_words(command.argv, output)), run.stop)
        finally:
            if output.is_file():
                text = output.read_text("utf-8", "surrogateescape")
                found.update(opened_in(text, command.directory))

    return traced


def _places(run: RunContext) -> list[Path]:
    """Where the repository is: its tree, the copies, and the sides."""
    assert run.trees is not None  # noqa: S101 - else nothing is traced
    sides = (one.directory for one in run.sides.values())
    return [run.trees.top, *run.trees.copies.values(), *filter(None, sides)]


class _Sorter:
    """Sorts opened files by what they are to the change."""

    def __init__(self, run: RunContext, trees: ReviewedTrees) -> None:
        self._run, self._trees = run, trees
        self._read: set[str] = set()
        self._edited: set[str] = set()
        self._others: set[str] = set()
        self._loose: dict[Path, set[str]] = {}

    def add(self, side: Side, paths: Iterable[str]) -> None:
        """Sort what was opened on a side."""
        active, trees = self._run.sides[side], self._trees
        product = active.directory or Path(self._run.profile.root)
        for path in (Path(_source(name)) for name in paths):
            if path.is_relative_to(self._run.work) or ".git" in path.parts:
                continue
            home = self._home(path)
            if home is None:
                continue
            tree, stands = home
            name = str(path.relative_to(stands))
            is_copy = stands != tree
            if name in trees.inputs and (is_copy or tree not in trees.copies):
                continue
            how = trees.changed.get(name)
            if path.is_relative_to(product) and name not in trees.inputs:
                if side is Side.HEAD:
                    self._read |= {name} if how else set()
                    self._loose.setdefault(stands, set()).update(() if how else {name})
            elif how:
                self._edited.add(name)
            else:
                self._others.add(name)

    def reads(self, unknown: str) -> FileReads:
        """What is known of all sides."""
        trees = self._trees
        changed = [
            name for name, how in trees.changed.items() if how != "D" and name not in trees.inputs
        ]
        originals = {copy: top for top, copy in trees.copies.items()}
        built = {
            name
            for stands, names in self._loose.items()
            for name in vcs.ignored(originals.get(stands, stands), sorted(names))
        }
        rows = (self._read, self._others, self._edited, built)
        read, others, edited, made = (tuple(sorted(row)[:MOST_READ]) for row in rows)
        return FileReads(
            changed=len(changed),
            read=read,
            others=others,
            edited=edited,
            built=made,
            unknown=unknown[:1000],
        )

    def _home(self, path: Path) -> tuple[Path, Path] | None:
        """The tree that a path belongs to, and where that stands: itself, or its copy."""
        trees = self._trees
        stands = [(top, copy) for top, copy in trees.copies.items()]
        stands += [(top, top) for top in (trees.top, *self._tops())]
        inside = [one for one in stands if path.is_relative_to(one[1])]
        return max(inside, key=lambda one: len(one[1].parts), default=None)

    def _tops(self) -> list[Path]:
        places = [one.directory for one in self._run.sides.values() if one.directory]
        found = ((place, vcs.top_of(place)) for place in places)
        return [Path(top) if top else place for place, top in found]


def _source(name: str) -> str:
    """The file of which a compiled Python module was made, which Python itself does not open."""
    match = _CACHED.fullmatch(name)
    return f"{match['folder']}{match['name']}.py" if match else name
