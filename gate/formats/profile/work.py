"""What a profile runs: the work of its harness, outputs, needed programs, background load."""

from __future__ import annotations

import re
import shlex
import warnings
from typing import TYPE_CHECKING

from gate.formats import disk
from gate.formats.profile.machines import guest_of
from gate.formats.profile.points import VARIABLE, fixed_parameters, is_settable
from gate.model import Background, Better, Expectation, Need, Output, Work
from gate.units import in_base

if TYPE_CHECKING:
    from pathlib import Path

    from gate.formats.profile.profile_form import ExpectForm, OutputForm, ProfileForm
    from gate.formats.profile.sizes import Sized

_COUNTED = {"operations": "1", "transferred": "B"}
"""Base unit that the output must have which each of these keys names."""


def work_of(form: ProfileForm, source: Sized) -> Work:
    """The work of the harness, files read and outputs checked."""
    replay = _beside(source, form.replay, "replay") if form.replay else None
    job_file, job_text = _job(source, form.job, "job")
    outputs = tuple(_output(name, one, source) for name, one in form.output.items())
    _check_counted(form, source, outputs)
    for name in form.environment:
        if not is_settable(name):
            said = f"environment: {name[:80]!r} is no variable name that is free to be set."
            raise source.wrong(said, "environment", name)
    for name in form.inherits:
        if not is_settable(name) or name in form.environment:
            why = "the profile sets it" if name in form.environment else "it is no variable's name"
            raise source.wrong(f"inherits: {name[:80]!r}: {why}.", "inherits")
    python = form.python
    return Work(
        command=form.command,
        shell=form.shell,
        prepare=form.prepare,
        warmup=form.warmup,
        job_file=job_file,
        job_text=job_text,
        python=str(source.root / python) if python and "/" in python else python,
        directory=form.directory,
        arguments=tuple(form.arguments),
        replay_file=str(replay) if replay else None,
        parameters=fixed_parameters(form),
        environment=dict(form.environment),
        inherits=tuple(sorted(set(form.inherits))),
        outputs=outputs,
        expect=_expectation(form.expect, source),
        operations=form.operations or "",
        transferred=form.transferred or "",
        guest=guest_of(form.guest, source) if form.guest else None,
    )


def _job(source: Sized, name: str | None, *key: str) -> tuple[str | None, str | None]:
    """The path and the text of a fio job, where one is named."""
    found = _beside(source, name, *key) if name else None
    return (str(found), disk.read_text(found, "job")) if found else (None, None)


def _beside(source: Sized, name: str, *key: str) -> Path:
    """A file named relative to the profile, inside the project."""
    try:
        found = (source.path.resolve().parent / name).resolve()
        is_file = found.is_file()
    except (OSError, RuntimeError) as error:
        raise source.refused(f"{name[:80]!r} is no file", *key) from error
    if not found.is_relative_to(source.root):
        raise source.wrong(f"{'.'.join(key)} must stay inside the project, not {name}.", *key)
    if not is_file:
        raise source.wrong(f"{'.'.join(key)}: there is no file {found}.", *key, code="G201")
    return found


def _output(name: str, form: OutputForm, source: Sized) -> Output:
    if not VARIABLE.fullmatch(name):
        raise source.wrong(f"output: {name[:80]!r} is no plain name.", "output", name)
    try:
        in_base(form.unit)
    except ValueError as error:
        raise source.refused(str(error), "output", name, "unit") from error
    _check_number_pattern(form.pattern, source, "output", name, "pattern")
    return Output(name=name, pattern=form.pattern, unit=form.unit, better=Better(form.better))


def _groups_of(pattern: str, source: Sized, *key: str) -> int:
    """How many groups a pattern has, which must be a regular expression."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a pattern that Python warns of means something else
            return re.compile(pattern, re.MULTILINE).groups
    except (re.error, Warning, RecursionError, OverflowError) as error:
        said = f"{'.'.join(key)} is no regular expression: {error}."
        raise source.wrong(said, *key) from error


def _check_number_pattern(pattern: str, source: Sized, *key: str) -> None:
    if (groups := _groups_of(pattern, source, *key)) != 1:
        said = f"{'.'.join(key)} has {groups} groups; it needs exactly one, the number."
        cure = "Write (?:...) for brackets that only hold together."
        raise source.wrong(said, *key, cure=cure)


def _expectation(form: ExpectForm | None, source: Sized) -> Expectation | None:
    if form is None:
        return None
    if form.stdout is not None:
        _groups_of(form.stdout, source, "expect", "stdout")
    if form.figure is not None:
        _check_number_pattern(form.figure, source, "expect", "figure")
    elif form.least is not None:
        cure = "Say which number: figure = 'processed ([0-9]+) records'."
        raise source.wrong("expect.least has no figure.", "expect", "least", cure=cure)
    return Expectation(
        status=form.status,
        stdout=form.stdout or "",
        figure=form.figure or "",
        least=form.least or 0.0,
    )


def _check_counted(form: ProfileForm, source: Sized, outputs: tuple[Output, ...]) -> None:
    units = {one.name: in_base(one.unit)[0] for one in outputs}
    for key, unit in _COUNTED.items():
        name = getattr(form, key)
        if name is None:
            continue
        if name not in units:
            known = f"only {', '.join(units)}" if units else "none is declared"
            cure = f"Declare [output.{name[:80]}] with a pattern."
            raise source.refused(f"there is no output {name[:80]!r}, {known}", key, cure=cure)
        if units[name] != unit:
            raise source.wrong(f"{key}: {name} is in {units[name]}, and must be in {unit}.", key)


def needs_of(form: ProfileForm, source: Sized) -> tuple[Need, ...]:
    """The programs that the workload runs."""
    for program, one in form.needs.items():
        relative = "/" in program and not program.startswith("/")
        if not program.strip() or not program.isprintable() or relative:
            said = f"needs: {program[:80]!r} is neither a program's name nor an absolute path."
            raise source.wrong(said, "needs", program)
        if not one.install.strip():
            said = f"needs.{program}: install is empty."
            cure = 'Say how it is installed, for example "apt install dbench".'
            raise source.wrong(said, "needs", program, "install", cure=cure)
        if one.version is not None and not _words(one.version):
            said, name = f"needs.{program}: version is no command.", program.rpartition("/")[2]
            cure = f'Leave it out, or write for example version = "{name} --version".'
            raise source.wrong(said, "needs", program, "version", cure=cure)
    return tuple(
        Need(program=program, install=one.install, version=one.version or "")
        for program, one in form.needs.items()
    )


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def background_of(form: ProfileForm, source: Sized) -> Background | None:
    """The load beside the trials."""
    given = form.background
    if given is None:
        return None
    if bool(given.command and given.command.strip()) == bool(given.job):
        what = "both a command and a job" if given.job else "neither a command nor a job"
        cure = 'It is command = "...", or job = "jobs/NAME.fio".'
        raise source.wrong(f"background has {what}.", "background", cure=cure)
    job_file, job_text = _job(source, given.job, "background", "job")
    least = "0 op/s" if given.least is None else given.least
    return Background(
        command=None if job_file else given.command,
        job_file=job_file,
        job_text=job_text,
        least=source.quantity(least, "op/s", "background", "least"),
    )
