"""`profiles/<name>.toml`: from the form that a person wrote to the model."""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

from gate.errors import InputError
from gate.files import checked, disk, lines, names
from gate.files.profile_form import adapter
from gate.model import Benchmark, Better, Metric, Profile, Role, SideSpec, Trials, Work
from gate.units import parse_percent, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from gate.files.profile_form import MetricForm, ProfileForm

_LONGEST_TIMEOUT = 24 * 3600.0
_MOST_BENCHMARKS = 10_000
_NEEDS = {
    "fio": ("job",),
    "hyperfine": ("command",),
    "pytest-benchmark": ("tests",),
    "replay": ("replay", "benchmarks"),
}
_OWN = {
    "fio": {"job"},
    "hyperfine": {"command", "shell", "prepare", "warmup"},
    "pytest-benchmark": {"tests", "python", "directory", "arguments"},
    "replay": {"replay", "benchmarks"},
}


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Kind(Protocol):
    """What a harness says of a metric; `gate.harness` offers values of this shape."""

    @property
    def unit(self) -> str:
        """Base unit."""
        ...

    @property
    def better(self) -> Better:
        """Which way is better."""
        ...


def read_profile(path: Path, kinds_of: Callable[[str, Path | None], Mapping[str, Kind]]) -> Profile:
    """Read and check one profile.

    `kinds_of(harness, replay_file)` tells which metrics the harness can give.

    Raises:
        InputError: anything wrong, with file and line.
    """
    text = disk.read_text(path, "profile")
    data = checked.parse_toml(text, str(path))
    form = checked.validate(adapter(), data, text=text, place=str(path), kind="toml")
    return _Reader(path, text, form, data).profile(kinds_of)


class _Reader:
    """One profile on its way from form to model; holds the place for messages."""

    def __init__(self, path: Path, text: str, form: ProfileForm, data: dict[str, Any]) -> None:
        self.path, self.text, self.form, self.data = path, text, form, data

    def profile(self, kinds_of: Callable[[str, Path | None], Mapping[str, Kind]]) -> Profile:
        form = self.form
        if not names.is_plain(self.path.stem):
            raise self.wrong(
                "its baseline could not be called so.",
                cure=f"Rename the file: {names.RULE}, and not {' or '.join(names.RESERVED)}.",
            )
        self.check_keys()
        replay = self.beside(form.replay, "replay") if form.replay else None
        job = self.beside(form.job, "job") if form.job else None
        work = Work(
            command=form.command,
            shell=form.shell,
            prepare=form.prepare,
            warmup=form.warmup,
            job_file=str(job) if job else None,
            job_text=disk.read_text(job, "job") if job else None,
            python=self.interpreter(),
            directory=form.directory,
            arguments=tuple(form.arguments),
            replay_file=str(replay) if replay else None,
        )
        benchmarks = self.benchmarks()
        return Profile(
            name=self.path.stem,
            path=str(self.path),
            root=str(self.path.resolve().parent.parent),
            harness=form.harness,
            about=form.about,
            digest=self.digest(work, benchmarks),
            work=work,
            benchmarks=benchmarks,
            metrics=self.metrics(kinds_of(form.harness, replay)),
            trials=Trials(screen=form.trials.screen, confirm_pairs=form.trials.confirm_pairs),
            timeout=self.timeout(),
            loud=form.loud,
            sides=self.sides(),
        )

    def wrong(self, message: str, *path: str, code: str = "G210", cure: str = "") -> InputError:
        line = lines.toml_line(self.text, path)
        return InputError(code, message, cure=cure, place=f"{self.path}:{line}")

    def check_keys(self) -> None:
        """Refuse keys of another harness: they would be ignored in silence."""
        harness = self.form.harness
        for key in _NEEDS[harness]:
            if not self.data.get(key):
                raise self.wrong(f"harness {harness} needs the key {key}.", "harness")
        foreign = set().union(*_OWN.values()) - _OWN[harness]
        for key in sorted(foreign & self.data.keys()):
            allowed = ", ".join(sorted(_OWN[harness]))
            raise self.wrong(f"{key} means nothing to {harness}, which has {allowed}.", key)
        if self.form.matrix and harness in {"pytest-benchmark", "replay"}:
            raise self.wrong(f"a matrix means nothing to {harness}; list each benchmark.", "matrix")

    def interpreter(self) -> str | None:
        """A name for PATH, or a path from the project's root."""
        python = self.form.python
        if python is None or "/" not in python:
            return python
        return str(self.path.resolve().parent.parent / python)

    def beside(self, name: str, key: str) -> Path:
        """A file named relative to the profile, inside the project."""
        root = self.path.resolve().parent.parent
        try:
            found = (self.path.resolve().parent / name).resolve()
            is_file = found.is_file()
        except (OSError, RuntimeError) as error:
            raise self.wrong(f"{key}: {name[:80]!r} is no file.", key) from error
        if not found.is_relative_to(root):
            raise self.wrong(f"{key} must stay inside the project, not {name}.", key)
        if not is_file:
            raise self.wrong(f"{key}: there is no file {found}.", key, code="G201")
        return found

    def benchmarks(self) -> tuple[Benchmark, ...]:
        form = self.form
        listed = form.tests or form.benchmarks
        key = "tests" if form.tests else "benchmarks" if form.benchmarks else "matrix"
        if listed:
            points = [(name, dict[str, str]()) for name in listed]
        else:
            points = self.matrix_points()
        doubled, times = Counter(name for name, _ in points).most_common(1)[0]
        if times > 1:
            raise self.wrong(f"{key}: two benchmarks have the same name, {doubled[:80]}.", key)
        for name, _ in points:
            if not name.isprintable() or not name.strip() or len(name) > 500:  # noqa: PLR2004
                raise self.wrong(f"{key}: {name[:80]!r} is no printable name.", key)
        known = {name for name, _ in points}
        for name in form.control:
            if name not in known:
                shown = ", ".join(sorted(known)[:5])
                raise self.wrong(f"control: there is no benchmark {name}, only {shown}.", "control")
        return tuple(
            Benchmark(name=name, params=params, control=name in form.control)
            for name, params in points
        )

    def matrix_points(self) -> list[tuple[str, dict[str, str]]]:
        matrix = self.form.matrix
        size = 1
        for key, values in matrix.items():
            if not _VARIABLE.fullmatch(key) or key == "side":
                raise self.wrong(f"matrix: {key!r} is no parameter name.", "matrix", key)
            if not values:
                raise self.wrong(f"matrix: {key} is empty, so nothing would run.", "matrix", key)
            size *= len(values)
        if size > _MOST_BENCHMARKS:
            raise self.wrong(f"the matrix has {size} points; {_MOST_BENCHMARKS} at most.", "matrix")
        for key in matrix:
            self.check_used(key)
        points = []
        for combination in itertools.product(*matrix.values()):
            params = dict(zip(matrix, map(_shown, combination), strict=True))
            inside = ",".join(f"{key}={value}" for key, value in params.items())
            points.append((f"{self.path.stem}[{inside}]" if inside else self.path.stem, params))
        return points

    def check_used(self, key: str) -> None:
        """A parameter that the command ignores would measure one thing under several names."""
        text = f"{self.form.command} {self.form.prepare}"
        if self.form.harness == "hyperfine" and f"{{{key}}}" not in text:
            raise self.wrong(f"matrix: the command does not use {{{key}}}.", "matrix", key)

    def metrics(self, kinds: Mapping[str, Kind]) -> tuple[Metric, ...]:
        if not any(form.role == "gate" for form in self.form.metric.values()):
            raise self.wrong(
                "no metric may close the gate.",
                "metric",
                cure=f'Add for example [metric."{next(iter(kinds), "NAME")}"].',
            )
        return tuple(self.metric(name, form, kinds) for name, form in self.form.metric.items())

    def metric(self, name: str, form: MetricForm, kinds: Mapping[str, Kind]) -> Metric:
        kind = kinds.get(name)
        if kind is None:
            shown = ", ".join(sorted(kinds))
            raise self.wrong(
                f"{self.form.harness} has no metric {name}; it has {shown}.", "metric", name
            )
        tolerance = self.percent(name, "tolerance", form.tolerance)
        negligible = tolerance / 5
        if form.negligible is not None:
            negligible = self.percent(name, "negligible", form.negligible)
        if not 0.001 <= tolerance <= 5:  # noqa: PLR2004
            raise self.wrong(
                "tolerance must lie between 0.1% and 500%.", "metric", name, "tolerance"
            )
        if negligible > tolerance / 2:
            raise self.wrong(
                "negligible must be at most half the tolerance.", "metric", name, "negligible"
            )
        floor = None
        if form.floor is not None:
            try:
                floor = parse_quantity(form.floor, kind.unit)
            except ValueError as error:
                raise self.wrong(f"floor: {error}.", "metric", name, "floor") from error
        return Metric(
            name=name,
            unit=kind.unit,
            better=kind.better,
            role=Role(form.role),
            tolerance=tolerance,
            negligible=negligible,
            floor=floor,
        )

    def percent(self, name: str, key: str, text: str) -> float:
        try:
            return parse_percent(text)
        except ValueError as error:
            raise self.wrong(f"{key}: {error}.", "metric", name, key) from error

    def timeout(self) -> float:
        try:
            seconds = parse_quantity(self.form.timeout, "s")
        except ValueError as error:
            raise self.wrong(f"timeout: {error}.", "timeout") from error
        if not 0 < seconds <= _LONGEST_TIMEOUT:
            raise self.wrong("timeout must be above zero and at most 24 h.", "timeout")
        return seconds

    def sides(self) -> dict[str, SideSpec]:
        forms = {"base": self.form.side.base, "head": self.form.side.head}
        for side, form in forms.items():
            for name in form.env if form else {}:
                if not _VARIABLE.fullmatch(name):
                    said = f"side.{side}.env: {name[:80]!r} is no variable name."
                    raise self.wrong(said, "side", side, "env")
        return {
            name: SideSpec(directory=form.dir, environment=dict(form.env))
            for name, form in forms.items()
            if form is not None
        }

    def digest(self, work: Work, benchmarks: tuple[Benchmark, ...]) -> str:
        """Hash of what decides what is run; sides, tolerances and trial counts are not part."""
        what = {
            "harness": self.form.harness,
            "command": work.command,
            "shell": work.shell,
            "prepare": work.prepare,
            "warmup": work.warmup,
            "job": work.job_text,
            "directory": work.directory,
            "arguments": work.arguments,
            "benchmarks": [[b.name, b.params] for b in benchmarks],
        }
        text = json.dumps(what, sort_keys=True)
        return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _shown(value: str | float) -> str:
    return (
        value
        if isinstance(value, str)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
