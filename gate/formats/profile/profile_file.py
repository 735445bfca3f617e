"""`profiles/<name>.toml`: from the form that a person wrote to the model; and by name."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import astuple, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import NothingCompared
from gate.formats import disk, names
from gate.formats.document import read_toml
from gate.formats.names import why_not_literal, why_outside
from gate.formats.profile.inputs import inputs_of
from gate.formats.profile.machines import run_in_guest
from gate.formats.profile.metric_kinds import kinds_of
from gate.formats.profile.metrics import leeway, metrics
from gate.formats.profile.points import check_parameters, groups, is_settable, points
from gate.formats.profile.profile_form import ProfileForm
from gate.formats.profile.sizes import FULL, in_size
from gate.formats.profile.storage import state_text, storage_of
from gate.formats.profile.subject import refuse_unfit, subject_of, subject_text
from gate.formats.profile.work import background_of, needs_of, work_of
from gate.model import WORK_DONE, Profile, SideSpec, Trials

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.formats.profile.metric_kinds import MetricKind
    from gate.formats.profile.sizes import Sized
    from gate.model import Work

_LONGEST_TIMEOUT = 24 * 3600.0
_NEEDS = {
    "fio": ("job",),
    "hyperfine": ("command",),
    "pytest-benchmark": ("tests",),
    "instructions": ("command", "guest"),
    "replay": ("replay",),
}
_AROUND = frozenset({"environment", "inherits", "background", "storage"})
"""What stands around the processes of every harness, and never reaches into a guest."""
_OWN = {
    "fio": {"job"},
    "hyperfine": {
        *("command", "shell", "prepare", "warmup", "output", "operations", "transferred"),
        "expect",
    },
    "pytest-benchmark": {"tests", "python", "directory", "arguments"},
    "instructions": {"command", "guest"},
    "replay": {"replay", "benchmarks"},
}


def read_profile(path: Path, size: str = FULL) -> Profile:
    """Read and check one profile in one size."""
    document = read_toml(path, "profile")
    source = in_size(document, size, path)
    form = source.validate(ProfileForm)
    for other in {FULL, *form.size} - {size}:
        # A size that is wrong is found out before the day on which it is asked for.
        in_size(document, other, path).validate(ProfileForm)
    if not names.is_plain(path.stem):
        raise source.wrong("its baseline could not be called so.", cure=names.RENAME)
    return _profile(form, source)


def _profile(form: ProfileForm, source: Sized) -> Profile:
    _check_keys(form, source)
    work, background = work_of(form, source), background_of(form, source)
    check_parameters(form, source)
    kinds = kinds_of(form.harness, work)
    _check_clash(source, work, kinds_of(form.harness, replace(work, outputs=())))
    found = points(form, source)
    wanted = metrics(form, source, kinds)
    curves = groups(form, source, found, [one.derived.over for one in wanted if one.derived])
    storage = storage_of(form, source, {one.name for one in wanted if not one.derived})
    subject = subject_of(form.subject, source.wrong)
    profile = Profile(
        name=source.path.stem,
        path=source.place,
        root=str(source.root),
        harness=form.harness,
        about=form.about,
        digest="",
        work=work,
        benchmarks=(*found, *curves),
        metrics=wanted,
        trials=Trials(**form.trials.as_fields()),
        timeout=_timeout(form, source),
        loud=leeway(form, source),
        sides=_sides(form, source),
        size=source.size,
        needs=needs_of(form, source),
        background=background,
        control=all(one.control for one in found),
        companions=_companions(form, source),
        expects=tuple(dict.fromkeys(form.expects)),
        subject=subject,
        storage=storage,
        inputs=_inputs(form, source),
    )
    refuse_unfit(subject, profile, source.wrong)
    return with_inputs(profile, inputs_of(profile, source.root))


def with_inputs(profile: Profile, files: Mapping[str, str]) -> Profile:
    """The profile with these inputs, path -> hash, and the digest that it has with them."""
    known = replace(profile, input_files=dict(files))
    return replace(known, digest=_digest(known))


def _inputs(form: ProfileForm, source: Sized) -> tuple[str, ...]:
    """The patterns of `inputs`, which stay in the project."""
    for pattern in form.inputs:
        if why := why_not_literal(pattern) or why_outside(source.root / pattern, (source.root,)):
            said = f"inputs: {pattern[:80]!r}: {why}."
            cure = 'Name files of the project, from its root: inputs = ["data/**"].'
            raise source.wrong(said, "inputs", cure=cure)
    return tuple(dict.fromkeys(form.inputs))


def _companions(form: ProfileForm, source: Sized) -> tuple[str, ...]:
    """Process names; a path or an empty one would match nothing, in silence."""
    for name in form.companions:
        if not name.strip() or "/" in name or not name.isprintable():
            cure = "Write it as `ps -o comm` does: without directory and arguments."
            raise source.refused(f"{name[:80]!r} is no name of a process", "companions", cure=cure)
    return tuple(dict.fromkeys(form.companions))


def _check_keys(form: ProfileForm, source: Sized) -> None:
    """Refuse keys of another harness: they would be ignored in silence."""
    harness, data = form.harness, source.data
    for key in _NEEDS[harness]:
        if not data.get(key):
            raise source.wrong(f"harness {harness} needs the key {key}.", "harness")
    if harness == "replay" and bool(form.benchmarks) == bool(form.matrix):
        both, key = ("both", "matrix") if form.matrix else ("neither", "harness")
        said = f"harness replay needs either benchmarks or a matrix; there are {both}."
        raise source.wrong(said, key)
    foreign = set().union(*_OWN.values(), _AROUND) - _OWN[harness]
    if harness != "instructions":
        foreign -= _AROUND
    for key in sorted(foreign & data.keys()):
        allowed = ", ".join(sorted(_OWN[harness]))
        raise source.wrong(f"{key} means nothing to {harness}, which has {allowed}.", key)


def _check_clash(source: Sized, work: Work, kinds: Mapping[str, MetricKind]) -> None:
    """An output must not hide what the harness measures."""
    for output in work.outputs:
        if output.name in {*kinds, WORK_DONE}:
            said = f"output: {output.name} is a metric that is measured anyway."
            cure = "Give the output another name."
            raise source.wrong(said, "output", output.name, cure=cure)


def _timeout(form: ProfileForm, source: Sized) -> float:
    seconds = source.quantity(form.timeout, "s", "timeout")
    if not 0 < seconds <= _LONGEST_TIMEOUT:
        raise source.wrong("timeout must be above zero and at most 24 h.", "timeout")
    return seconds


def _sides(form: ProfileForm, source: Sized) -> dict[str, SideSpec]:
    forms = {side: one for side, one in form.side if one is not None}
    for side, one in forms.items():
        for name in one.env:
            if not is_settable(name):
                why = f"{name[:80]!r} is no variable name that is free to be set"
                raise source.refused(why, "side", side, "env")
        if one.dir is not None:
            place = source.root / one.dir
            why = why_not_literal(one.dir) or why_outside(place, (source.root,))
            if why:
                said = f"side.{side}.dir: {one.dir[:200]!r}: {why}."
                cure = f"Name a directory of the project, or use --{side} DIR when you measure."
                raise source.wrong(said, "side", side, "dir", code="G254", cure=cure)
    return {
        name: SideSpec(directory=one.dir, environment=dict(one.env)) for name, one in forms.items()
    }


_DECIDING = ("command", "shell", "prepare", "warmup", "directory", "arguments")
_DECIDING_LATER = ("parameters", "environment", "inherits", "operations", "transferred")


def _digest(profile: Profile) -> str:
    """Hash of what decides what is run: not sides, tolerances, numbers of trials, nor groups.

    A key that came with a later version counts only where it is used, so that a profile without
    it keeps its digest and its baseline.
    """
    work, background = profile.work, profile.background
    what: dict[str, object] = {
        **{key: getattr(work, key) for key in _DECIDING},
        "harness": profile.harness,
        "job": work.job_text,
        "benchmarks": [[one.name, one.params] for one in profile.benchmarks if not one.group],
    }
    later: dict[str, object] = {
        **{key: getattr(work, key) for key in _DECIDING_LATER},
        "outputs": sorted([one.name, one.pattern, one.unit] for one in work.outputs),
        "expect": work.expect and astuple(work.expect),
        "background": background and [background.command, background.job_text],
        "scripts": profile.input_files,
        "storage": profile.storage and state_text(profile.storage),
        "guest": work.guest and run_in_guest(work.guest),
        "subject": subject_text(profile.subject),
    }
    what |= {key: value for key, value in later.items() if value}
    text = json.dumps(what, sort_keys=True)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def load_profiles(wanted: Sequence[str], directory: Path, size: str = FULL) -> tuple[Profile, ...]:
    """The named profiles, or all of the directory, in one size; a name may be a path.

    Raises:
        NothingCompared: the directory holds no profile.
        InputError: a name or size is unknown, or a profile is wrong.
    """
    if not wanted:
        found = [] if disk.is_absent(directory) else sorted(directory.glob("*.toml"))
        if not found:
            raise NothingCompared(
                "G280",
                "there is no profile here, so nothing would be compared.",
                cure="Write one with `gate init`, or name the directory with --profiles.",
                place=str(directory),
            )
    else:
        found = [_path_of(name, directory) for name in dict.fromkeys(wanted)]
    return tuple(read_profile(path, size) for path in found)


def is_there(name: str, directory: Path) -> bool:
    """Whether anything stands where a profile of this name, or path, would."""
    return os.path.lexists(_place(name, directory))


def _place(name: str, directory: Path) -> Path:
    return Path(name) if name.endswith(".toml") else directory / f"{name}.toml"


def _path_of(name: str, directory: Path) -> Path:
    path = _place(name, directory)
    if os.path.lexists(path):
        return path  # reading it tells what is wrong with what is no plain file
    known = sorted(entry.stem for entry in directory.glob("*.toml"))
    raise names.unknown_profile(name, known, place=str(directory))
