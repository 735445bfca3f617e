"""A profile's matrix: its points, the groups that its curves make, and who uses each key."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING

from gate.model import ALONE, LOADED, RESERVED, Benchmark
from gate.model.profile import names_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gate.formats.profile.profile_form import ProfileForm
    from gate.formats.profile.sizes import Sized

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_BENCHMARKS = 10_000
_LONGEST_NAME = 500
_COUNT = re.compile(r"[1-9][0-9]{0,3}")
_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")
_EVERY = "*"
"""What stands in a group's name for the values of its key."""


def point_text(value: str | float) -> str:
    """A value of a parameter as text: 1, 0.5, 8k."""
    return f"{value:g}" if isinstance(value, float) else str(value)


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
            raise source.wrong(
                f"parameters: {key} is swept by the matrix too.",
                *("parameters", key),
                cure="Leave it in one of the two.",
            )
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
            raise source.wrong(
                f"{table}: load needs a [background] to be loaded with.",
                *(table, "load"),
                cure='Add [background] with command = "..." or job = "...".',
            )
    fixed = [form.parameters["cpus"]] if "cpus" in form.parameters else []
    for table, values in (("matrix", form.matrix.get("cpus", [])), ("parameters", fixed)):
        for value in values:
            if not _names_cpus(point_text(value)):
                raise source.wrong(
                    f"{table}: cpus {point_text(value)[:80]!r} is no count and no list.",
                    *(table, "cpus"),
                    cure='Write a count such as 2, or a list such as "0-3,6".',
                )


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
    texts = [(("environment", name), text) for name, text in form.environment.items()]
    if form.background is not None and form.background.command:
        texts.append((("background", "command"), form.background.command))
    for path, text in texts:
        for name in sorted(names_in(text) - known):
            raise source.wrong(
                f"{'.'.join(path)}: {{{name[:80]}}} stands for nothing.",
                *path,
                code="G233",
                cure=f"There are {', '.join(f'{{{one}}}' for one in sorted(known))}; "
                "a plain brace is written twice.",
            )


def beside_the_harness(form: ProfileForm) -> frozenset[str]:
    """Parameters that the environment or the background load uses."""
    texts = list(form.environment.values())
    if form.background is not None:
        texts.append(form.background.command or "")
    return frozenset(name for text in texts for name in names_in(text))


def guest_texts(form: ProfileForm) -> tuple[str, ...]:
    """The texts of a guest in which parameters are expanded."""
    return (*form.guest.modules, form.guest.prepare) if form.guest else ()


def _check_used(form: ProfileForm, source: Sized, table: str, key: str) -> None:
    """A parameter that nothing uses would measure one thing under several names."""
    if key in RESERVED or key in beside_the_harness(form) or form.harness == "fio":
        return  # what is left over is an option of the fio job
    if form.harness == "replay" and table == "matrix":
        return  # it names what was recorded
    commands = {
        "hyperfine": (form.command, form.prepare),
        "instructions": (form.command, *guest_texts(form)),
        "pytest-benchmark": (form.directory,),
    }.get(form.harness, ())
    if key not in names_in(" ".join(text for text in commands if text)):
        own = {"hyperfine", "instructions"}
        what = "the command does" if form.harness in own else "the environment does"
        raise source.wrong(
            f"{table}: {what} not use {{{key}}}.",
            *(table, key),
            cure=f'Use it, for example environment = {{ {key.upper()} = "{{{key}}}" }}.',
        )


def points(form: ProfileForm, source: Sized) -> tuple[Benchmark, ...]:
    """Every combination of the matrix, of every test or recorded name that is listed."""
    listed = form.tests or form.benchmarks or []
    key = "tests" if form.tests else "benchmarks" if form.benchmarks else "matrix"
    found = [
        Benchmark(
            name=_name(stem, params),
            params=params,
            target=stem if form.tests else "",
            control=form.control is True or _name(stem, params) in _listed_controls(form),
        )
        for stem in listed or [source.stem]
        for params in _combinations(form)
    ]
    _check_point_names(found, form, source, key)
    return tuple(found)


def _listed_controls(form: ProfileForm) -> list[str]:
    """The benchmarks that `control` names; none where it speaks of the whole profile."""
    return [] if isinstance(form.control, bool) else form.control


def _combinations(form: ProfileForm, without: str = "") -> Iterator[dict[str, str]]:
    swept = {key: values for key, values in form.matrix.items() if key != without}
    for combination in itertools.product(*swept.values()):
        yield dict(zip(swept, map(point_text, combination), strict=True))


def _name(stem: str, params: dict[str, str]) -> str:
    inside = ",".join(f"{key}={value}" for key, value in params.items())
    return f"{stem}[{inside}]" if inside else stem


def _check_point_names(found: list[Benchmark], form: ProfileForm, source: Sized, key: str) -> None:
    doubled, times = Counter(one.name for one in found).most_common(1)[0]
    if times > 1:
        raise source.wrong(f"{key}: two benchmarks have the same name, {doubled[:80]}.", key)
    for one in found:
        name = one.name
        if not name.isprintable() or not name.strip() or len(name) > _LONGEST_NAME:
            raise source.wrong(f"{key}: {name[:80]!r} is no printable name.", key)
    known = {one.name for one in found}
    for name in _listed_controls(form):
        if name not in known:
            some = ", ".join(sorted(known)[:5])
            raise source.wrong(f"control: there is no benchmark {name}, only {some}.", "control")


def groups(
    form: ProfileForm, source: Sized, members: tuple[Benchmark, ...], keys: Iterable[str]
) -> tuple[Benchmark, ...]:
    """The curves of the matrix over each key, one per combination of the other keys.

    A group of controls alone is a control: what the change cannot reach in its points it cannot
    reach in their curve.
    """
    stems = form.tests or [source.stem]
    known = {one.name: one for one in members}
    found = []
    for key in dict.fromkeys(keys):
        for stem in stems:
            for rest in _combinations(form, without=key):
                row = [
                    known[_name(stem, {one: (rest | {key: value})[one] for one in form.matrix})]
                    for value in map(point_text, form.matrix[key])
                ]
                starred = {one: rest.get(one, _EVERY) for one in form.matrix}
                name = _name(stem, starred)
                if name in known:
                    raise source.wrong(
                        f"matrix: a point and a group are both called {name[:80]}.", "matrix", key
                    )
                found.append(
                    Benchmark(
                        name=name,
                        params=rest,
                        group=key,
                        members=tuple(one.name for one in row),
                        target=stem if form.tests else "",
                        control=all(one.control for one in row),
                    )
                )
    return tuple(found)
