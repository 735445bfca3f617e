"""What a profile runs: the work of its harness, outputs, needed programs, background load."""

from __future__ import annotations

import re
import shlex
import warnings
from typing import TYPE_CHECKING

from gate.formats import disk
from gate.formats.profile.machines import guest_of
from gate.formats.profile.points import VARIABLE, fixed_parameters
from gate.model import Background, Better, Need, Output, Work
from gate.units import in_base

if TYPE_CHECKING:
    from pathlib import Path

    from gate.formats.profile.profile_form import OutputForm, ProfileForm
    from gate.formats.profile.sizes import Sized

_COUNTED = {"operations": "1", "transferred": "B"}
"""Base unit that the output must have which each of these keys names."""


def work_of(form: ProfileForm, source: Sized) -> Work:
    """The work of the harness, files read and outputs checked."""
    replay = beside(source, form.replay, "replay") if form.replay else None
    job = beside(source, form.job, "job") if form.job else None
    outputs = tuple(_output(name, one, source) for name, one in form.output.items())
    _check_counted(form, source, outputs)
    for name in form.environment:
        if not VARIABLE.fullmatch(name) or name.startswith("GATE_"):
            raise source.wrong(
                f"environment: {name[:80]!r} is no variable name that is free to be set.",
                *("environment", name),
            )
    return Work(
        command=form.command,
        shell=form.shell,
        prepare=form.prepare,
        warmup=form.warmup,
        job_file=str(job) if job else None,
        job_text=disk.read_text(job, "job") if job else None,
        python=_interpreter(form, source),
        directory=form.directory,
        arguments=tuple(form.arguments),
        replay_file=str(replay) if replay else None,
        parameters=fixed_parameters(form),
        environment=dict(form.environment),
        outputs=outputs,
        operations=form.operations or "",
        transferred=form.transferred or "",
        guest=guest_of(form.guest, source) if form.guest else None,
    )


def beside(source: Sized, name: str, *key: str) -> Path:
    """A file named relative to the profile, inside the project."""
    said = ".".join(key)
    try:
        found = (source.path.resolve().parent / name).resolve()
        is_file = found.is_file()
    except (OSError, RuntimeError) as error:
        raise source.wrong(f"{said}: {name[:80]!r} is no file.", *key) from error
    if not found.is_relative_to(source.root):
        raise source.wrong(f"{said} must stay inside the project, not {name}.", *key)
    if not is_file:
        raise source.wrong(f"{said}: there is no file {found}.", *key, code="G201")
    return found


def _interpreter(form: ProfileForm, source: Sized) -> str | None:
    """A name for PATH, or a path from the project's root."""
    python = form.python
    return python if python is None or "/" not in python else str(source.root / python)


def _output(name: str, form: OutputForm, source: Sized) -> Output:
    key = ("output", name)
    if not VARIABLE.fullmatch(name):
        raise source.wrong(f"output: {name[:80]!r} is no plain name.", *key)
    try:
        in_base(form.unit)
    except ValueError as error:
        raise source.wrong(f"output.{name}.unit: {error}.", *key, "unit") from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a pattern that Python warns of means something else
            groups = re.compile(form.pattern, re.MULTILINE).groups
    except (re.error, Warning, RecursionError, OverflowError) as error:
        raise source.wrong(
            f"output.{name}.pattern is no regular expression: {error}.", *key, "pattern"
        ) from error
    if groups != 1:
        raise source.wrong(
            f"output.{name}.pattern has {groups} groups; it needs exactly one, the number.",
            *(*key, "pattern"),
            cure="Write (?:...) for brackets that only hold together.",
        )
    return Output(name=name, pattern=form.pattern, unit=form.unit, better=Better(form.better))


def _check_counted(form: ProfileForm, source: Sized, outputs: tuple[Output, ...]) -> None:
    units = {one.name: in_base(one.unit)[0] for one in outputs}
    for key, unit in _COUNTED.items():
        name = getattr(form, key)
        if name is None:
            continue
        if name not in units:
            known = f"only {', '.join(units)}" if units else "none is declared"
            raise source.wrong(
                f"{key}: there is no output {name[:80]!r}, {known}.",
                key,
                cure=f"Declare [output.{name[:80]}] with a pattern.",
            )
        if units[name] != unit:
            raise source.wrong(f"{key}: {name} is in {units[name]}, and must be in {unit}.", key)


def needs_of(form: ProfileForm, source: Sized) -> tuple[Need, ...]:
    """The programs that the workload runs."""
    found = []
    for program, one in form.needs.items():
        key = ("needs", program)
        relative = "/" in program and not program.startswith("/")
        if not program.strip() or not program.isprintable() or relative:
            raise source.wrong(
                f"needs: {program[:80]!r} is neither a program's name nor an absolute path.", *key
            )
        if not one.install.strip():
            raise source.wrong(
                f"needs.{program}: install is empty.",
                *(*key, "install"),
                cure='Say how it is installed, for example "apt install dbench".',
            )
        if one.version is not None and not _words(one.version):
            raise source.wrong(
                f"needs.{program}: version is no command.",
                *(*key, "version"),
                cure="Leave it out, or write for example version = "
                f'"{program.rpartition("/")[2]} --version".',
            )
        found.append(Need(program=program, install=one.install, version=one.version or ""))
    return tuple(found)


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
        raise source.wrong(
            f"background has {what}.",
            "background",
            cure='It is command = "...", or job = "jobs/NAME.fio".',
        )
    job = beside(source, given.job, "background", "job") if given.job else None
    least = 0.0
    if given.least is not None:
        least = source.quantity(given.least, "op/s", "background", "least")
    return Background(
        command=None if job else given.command,
        job_file=str(job) if job else None,
        job_text=disk.read_text(job, "job") if job else None,
        least=least,
    )
