"""The profile of `gate compare`: written as a person would write it, and read like any other."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats import disk
from gate.formats.profile.profile_file import read_profile
from gate.formats.profile.variables import variables_used
from gate.formats.toml import value as quoted
from gate.model import ALWAYS_INHERITED
from gate.scratch import scratch_directory

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.model import Profile

_PLAIN = re.compile(r"[\w@%+=:,./{}-]+")
"""Words that a shell takes as they are, but for the braces that stand for the side."""
_METRICS = {
    "hyperfine": ("wall", "cpu"),
    "fio": ("iops", "clat_mean"),
    "pytest-benchmark": ("median", "minimum"),
}
"""Of each harness what is judged by default, and what is shown beside it."""
_SCREEN = 2
_SIDES, _COMMAND = ("base", "head"), "COMMAND"
_LONGEST = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedWork:
    """What is to be compared, as the command line says it."""

    words: tuple[str, ...] = ()
    """Two commands, one for each side; or the words of one, in which `{side}` stands."""
    job: Path | None = None
    """A fio job file."""
    tests: tuple[str, ...] = ()
    """Ids of pytest tests."""
    metrics: tuple[str, ...] = ()
    """What is judged, instead of the harness's usual metric."""
    tolerance: str = "5%"
    pairs: int = 100
    sides: bool
    """Whether directories or environments of the sides are given: then one command serves both."""


def comparison_text(
    asked: ComparedWork,
    environments: Mapping[str, Mapping[str, str]] | None = None,
    place: Path | None = None,
) -> str:
    """The TOML text of the profile, to be saved in the directory `place`.

    `environments` are those of the sides; without them two commands have theirs. A fio job is named
    as it is seen from `place`, or as if it stood there.

    Raises:
        InputError: G200, there is nothing to compare, or both commands are the same.
    """
    harness, keys = _work(asked, place)
    if environments is None and harness == "hyperfine" and not asked.sides:
        environments = {side: {_COMMAND: asked.words[at]} for at, side in enumerate(_SIDES)}
    usual, beside = _METRICS[harness]
    gates = asked.metrics or (usual,)
    lines = [f"harness = {quoted(harness)}", *keys, *_inherited(asked)]
    lines.append(f"trials = {{ screen = {_SCREEN}, confirm_pairs = {asked.pairs} }}")
    for side, variables in (environments or {}).items():
        if variables:
            lines += ["", f"[side.{side}]", f"env = {quoted(variables)}"]
    for name in gates:
        lines += ["", f"[metric.{quoted(name)}]", f"tolerance = {quoted(asked.tolerance)}"]
    if beside not in gates:
        lines += ["", f"[metric.{quoted(beside)}]", 'role = "watch"']
    return "\n".join(lines) + "\n"


def comparison_profile(asked: ComparedWork, name: str = "compare") -> Profile:
    """The same as a profile whose commands run in the current directory."""
    with scratch_directory("compare") as place:
        path = Path(place) / "profiles" / f"{name}.toml"
        path.parent.mkdir()
        disk.write_text(path, comparison_text(asked))
        if asked.job is not None:
            _copy_job(asked.job, path.parent)
        try:
            profile = read_profile(path)
        except InputError as error:  # of a file that nobody wrote
            raise InputError(error.code, error.message, cure=error.cure) from None
    job = str(asked.job.absolute()) if asked.job is not None else None
    work = replace(profile.work, job_file=job)
    return replace(profile, path="gate compare", root=str(Path.cwd()), work=work)


def _inherited(asked: ComparedWork) -> list[str]:
    """The line that names what the commands and the job use of the caller's environment."""
    text = "\n".join(asked.words)
    if asked.job is not None:
        with suppress(InputError):  # reading it as a profile tells
            text = disk.read_text(asked.job, "job")
    names = {one for one in variables_used(text) if one not in ALWAYS_INHERITED}
    names = {one for one in names if not one.startswith("GATE_")}
    return [f"inherits = {quoted(sorted(names))}"] if names else []


def _copy_job(job: Path, place: Path) -> None:
    try:
        shutil.copyfile(job, place / job.name)
    except OSError as error:
        why = f"the fio job cannot be read: {error.strerror}."
        raise InputError("G201", why, cure="Check --fio.", place=str(job)) from error


def _work(asked: ComparedWork, place: Path | None) -> tuple[str, list[str]]:
    """The harness, and the lines that say what it runs."""
    kinds = [asked.job is not None, bool(asked.tests), bool(asked.words)]
    if sum(kinds) != 1:
        raise InputError(
            "G200",
            "there must be one thing to compare: commands, --fio JOB, or --pytest TESTS.",
            cure="See the examples of gate compare --help.",
        )
    if asked.job is not None:
        name = os.path.relpath(asked.job, place) if place is not None else asked.job.name
        return "fio", [f"job = {quoted(name)}"]
    if asked.tests:
        return "pytest-benchmark", ['directory = "{side}"', f"tests = {quoted(list(asked.tests))}"]
    if asked.sides:
        return "hyperfine", _one_command(asked.words)
    return "hyperfine", _two_commands(asked.words)


def _one_command(words: Sequence[str]) -> list[str]:
    """One word is a command line as it stands; several are its words."""
    line = words[0] if len(words) == 1 else " ".join(map(_word, words))
    shell = [] if _is_plain(line) else [f"shell = {quoted(_shell())}"]
    return [f"command = {quoted(line)}", *shell]


def _two_commands(words: Sequence[str]) -> list[str]:
    if len(words) != 2:
        shown = shlex.join(words)[:_LONGEST]
        raise InputError(
            "G200",
            f"two commands are compared, and {len(words)} are given: {shown}",
            cure="Quote each command, gate compare 'old' 'new'; or name both sides with --base "
            "and --head and one command with {side} in it.",
        )
    if shlex.split(words[0]) == shlex.split(words[1]):
        raise InputError(
            "G237",
            f"both commands are the same: {words[0][:_LONGEST]}",
            cure="Name two that differ. How noisy one command is here, gate host check tells.",
        )
    if "|" in "".join(words) and not shutil.which("bash"):
        why = "a pipe ends as its last part does, and there is no bash that could tell."
        raise InputError("G283", why, cure="Install bash, or put each pipe into a script.")
    return [f"command = 'eval \"${_COMMAND}\"'", f"shell = {quoted(_shell())}"]


def _word(word: str) -> str:
    return word if _PLAIN.fullmatch(word) else shlex.quote(word)


def _is_plain(line: str) -> bool:
    """Whether no shell is needed to take the line apart."""
    return not re.search(r"[|&;<>()$`*?\[\]#~\n!]", line)


def _shell() -> str:
    """A shell that fails where a part of a pipe does, where there is one."""
    return "bash -o pipefail" if shutil.which("bash") else "sh"
