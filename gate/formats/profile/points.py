"""A profile's matrix: its points, the groups that its curves make, and who uses each key."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from gate.model import ALONE, LOADED, RESERVED, Benchmark
from gate.model.profile import names_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from gate.formats.profile.profile_form import ProfileForm
    from gate.formats.profile.sizes import Sized

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_BENCHMARKS = 10_000
_LONGEST_NAME = 500
_COUNT = re.compile(r"[1-9][0-9]{0,3}")
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
EVERY = "*"
"""What stands in a group's name for the values of its key."""


def is_settable(name: str) -> bool:
    """Whether a profile may set a variable of this name: the gate's own are not free."""
    return VARIABLE.fullmatch(name) is not None and not name.startswith("GATE_")


def point_text(value: str | float) -> str:
    """A value of a parameter as text: 1, 0.5, 8k."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def number_in(text: str) -> float:
    """The number of a parameter's value; nan, which is above nothing, where it is none."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if math.isfinite(number) else math.nan


def fixed_parameters(form: ProfileForm) -> dict[str, str]:
    """`parameters` as texts."""
    return {key: point_text(value) for key, value in form.parameters.items()}


def check_parameters(form: ProfileForm, source: Sized) -> None:
    """Refuse parameters that are none, that clash, that are unknown or that nothing uses."""
    given = [("matrix", key) for key in form.matrix] + [
        ("parameters", key) for key in form.parameters
    ]
    for table, key in given:
        if not VARIABLE.fullmatch(key) or key == "side":
            raise source.wrong(f"{table}: {key!r} is no parameter name.", table, key)
    for key in form.parameters:
        if key in form.matrix:
            said, cure = f"{key} is swept by the matrix too", "Leave it in one of the two."
            raise source.wrong(f"parameters: {said}.", "parameters", key, cure=cure)
    _check_reserved(form, source)
    _check_size(form, source)
    _check_names(form, source)
    for table, key in given:
        _check_used(form, source, table, key)


def _check_reserved(form: ProfileForm, source: Sized) -> None:
    """`load` and `cpus` mean the same in every profile, because the gate itself obeys them."""
    loads = [point_text(value) for value in form.matrix.get("load", [ALONE, LOADED])]
    if loads != [ALONE, LOADED]:
        raise source.wrong(f'matrix: load must be ["{ALONE}", "{LOADED}"].', "matrix", "load")
    if form.parameters.get("load", ALONE) not in {ALONE, LOADED}:
        raise source.wrong(f'parameters: load is "{ALONE}" or "{LOADED}".', "parameters", "load")
    for table in ("matrix", "parameters"):
        # Recorded values need no load to be played.
        needs = form.background is None and form.harness != "replay"
        if needs and "load" in getattr(form, table):
            said = f"{table}: load needs a [background] to be loaded with."
            cure = 'Add [background] with command = "..." or job = "...".'
            raise source.wrong(said, table, "load", cure=cure)
    fixed = [form.parameters["cpus"]] if "cpus" in form.parameters else []
    for table, values in (("matrix", form.matrix.get("cpus", [])), ("parameters", fixed)):
        for text in map(point_text, values):
            if not _names_cpus(text):
                said = f"{table}: cpus {text[:80]!r} is no count and no list."
                cure = 'Write a count such as 2, or a list such as "0-3,6".'
                raise source.wrong(said, table, "cpus", cure=cure)


def _check_size(form: ProfileForm, source: Sized) -> None:
    size = max(1, len(form.tests or form.benchmarks or []))
    for name, values in form.matrix.items():
        if not values:
            raise source.wrong(f"matrix: {name} is empty, so nothing would run.", "matrix", name)
        size *= len(values)
    if size > _MOST_BENCHMARKS:
        raise source.wrong(f"the matrix has {size} points; {_MOST_BENCHMARKS} at most.", "matrix")


def _names_cpus(text: str) -> bool:
    """Whether it is a count above 0, or a list of two or more different processors or ranges."""
    if _COUNT.fullmatch(text):
        return True
    if "-" not in text and "," not in text:
        return False
    seen: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        if match is None:
            return False
        first, last = int(match[1]), int(match[2] or match[1])
        here = set(range(first, last + 1))
        if not here or here & seen:
            return False
        seen |= here
    return True


def _check_names(form: ProfileForm, source: Sized) -> None:
    """Every name in braces of an environment or background load must stand for something."""
    known = {"side", *form.matrix, *form.parameters}
    for path, text in _beside_the_harness(form):
        for name in sorted(names_in(text) - known):
            said = f"{'.'.join(path)}: {{{name[:80]}}} stands for nothing."
            there = ", ".join(f"{{{one}}}" for one in sorted(known))
            cure = f"There are {there}; a plain brace is written twice."
            raise source.wrong(said, *path, code="G233", cure=cure)


def _beside_the_harness(form: ProfileForm) -> Iterator[tuple[tuple[str, str], str]]:
    """The texts of the environment and the background load in which parameters are expanded."""
    for name, text in form.environment.items():
        yield ("environment", name), text
    if form.background is not None and form.background.command:
        yield ("background", "command"), form.background.command


def _check_used(form: ProfileForm, source: Sized, table: str, key: str) -> None:
    """A parameter that nothing uses would measure one thing under several names."""
    if key in RESERVED or form.harness == "fio":
        return  # what is left over is an option of the fio job
    if form.harness == "replay" and table == "matrix":
        return  # it names what was recorded
    inside = (*form.guest.modules, form.guest.prepare) if form.guest else ()
    commands = {
        "hyperfine": (form.command, form.prepare),
        "instructions": (form.command, *inside),
        "pytest-benchmark": (form.directory,),
    }.get(form.harness, ())
    texts = [*(text for _, text in _beside_the_harness(form)), *filter(None, commands)]
    if not any(key in names_in(text) for text in texts):
        own = {"hyperfine", "instructions"}
        what = "the command does" if form.harness in own else "the environment does"
        cure = f'Use it, for example environment = {{ {key.upper()} = "{{{key}}}" }}.'
        raise source.wrong(f"{table}: {what} not use {{{key}}}.", table, key, cure=cure)


def points(form: ProfileForm, source: Sized) -> tuple[Benchmark, ...]:
    """Every combination of the matrix, of every test or recorded name that is listed."""
    listed = form.tests or form.benchmarks or []
    key = "tests" if form.tests else "benchmarks" if form.benchmarks else "matrix"
    controls = dict.fromkeys(() if isinstance(form.control, bool) else form.control)
    named = [
        (point_name(stem, params), stem, params)
        for stem in listed or [source.path.stem]
        for params in _combinations(form)
    ]
    _check_point_names([name for name, _, _ in named], controls, source, key)
    return tuple(
        Benchmark(
            name=name,
            params=params,
            target=stem if form.tests else "",
            control=form.control is True or name in controls,
        )
        for name, stem, params in named
    )


def _combinations(form: ProfileForm, without: str = "") -> Iterator[dict[str, str]]:
    swept = {key: values for key, values in form.matrix.items() if key != without}
    for combination in itertools.product(*swept.values()):
        yield dict(zip(swept, map(point_text, combination), strict=True))


def point_name(stem: str, params: Mapping[str, str]) -> str:
    """`chat[rooms=20]`: a benchmark at a point of its parameters."""
    inside = ",".join(f"{key}={value}" for key, value in params.items())
    return f"{stem}[{inside}]" if inside else stem


def _check_point_names(found: list[str], controls: Iterable[str], source: Sized, key: str) -> None:
    known = Counter(found)
    doubled, times = known.most_common(1)[0]
    if times > 1:
        raise source.refused(f"two benchmarks have the same name, {doubled[:80]}", key)
    for name in found:
        if not name.isprintable() or not name.strip() or len(name) > _LONGEST_NAME:
            raise source.refused(f"{name[:80]!r} is no printable name", key)
    for name in controls:
        if name not in known:
            some = ", ".join(sorted(known)[:5])
            raise source.refused(f"there is no benchmark {name}, only {some}", "control")


def groups(
    form: ProfileForm, source: Sized, members: tuple[Benchmark, ...], keys: Iterable[str]
) -> tuple[Benchmark, ...]:
    """The curves of the matrix over each key, one per combination of the other keys.

    A group of controls alone is a control: what the change cannot reach in its points it cannot
    reach in their curve.
    """
    known = {one.name: one for one in members}
    found = []
    for key in dict.fromkeys(keys):
        for stem in form.tests or [source.path.stem]:
            for rest in _combinations(form, without=key):
                name, *names = (
                    point_name(stem, {one: rest.get(one, value) for one in form.matrix})
                    for value in (EVERY, *map(point_text, form.matrix[key]))
                )
                if name in known:
                    said = f"matrix: a point and a group are both called {name[:80]}."
                    raise source.wrong(said, "matrix", key)
                found.append(
                    Benchmark(
                        name=name,
                        params=rest,
                        group=key,
                        members=tuple(names),
                        target=stem if form.tests else "",
                        control=all(known[one].control for one in names),
                    )
                )
    return tuple(found)
