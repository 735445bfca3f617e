"""What a tree edits of one profile: what it runs, how it is measured, what it may lose."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from gate.model import Role
from gate.review.terms import (
    describe_edit,
    differences,
    edit,
    plain_percent,
    plain_quantity,
    some_names,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gate.model import Benchmark, Edit, Leeway, Metric, Profile

_METRIC = (
    ("G072", "role", "role", "role"),
    ("G070", "tolerance", "tolerance", "tolerance"),
    ("G071", "negligible loss", "negligible", "tau"),
    ("G071", "floor", "floor", "floor"),
    ("G073", "better direction", "better", "better"),
    ("G073", "unit", "unit", "unit"),
    ("G073", "making", "made", "made"),
)
"""Of a metric: the code of an edit, how it is called, what is compared, and what is shown of it."""
_LIMITS = {"tolerance", "tau", "floor"}
"""What loosens by being larger; anything else does by being another."""


def profile_edits(before: Profile, after: Profile) -> Iterator[Edit]:
    """Every difference between two texts of a profile; none where they judge alike."""
    was, now = _comparable(before), _comparable(after)
    yield from _metric_edits(before, after)
    yield from _benchmark_edits(before, after)
    yield from _running(was, now)
    yield from _input_edits(was, now)
    yield from _measuring(was, now)


def _metric_edits(before: Profile, after: Profile) -> Iterator[Edit]:
    old, new = ({one.name: one for one in p.metrics} for p in (before, after))
    for name, was, now in differences(old, new):
        place = {"profile": before.name, "metric": name}
        if was is not None and now is not None:
            yield from _edited(before.name, was, now)
        elif was is not None:
            loosens, text = was.role is Role.GATE, _role_text(was)
            yield edit("G073", f"metric {name} removed", loosens=loosens, before=text, **place)
        elif now is not None:
            text = _role_text(now)
            yield edit("G073", f"metric {name} added ({text})", loosens=False, after=text, **place)


def _edited(profile: str, was: Metric, now: Metric) -> Iterator[Edit]:
    """A metric that only is watched before lets nothing more in, whatever becomes of it."""
    for code, what, compared, shown in _METRIC:
        if getattr(was, compared) == getattr(now, compared):
            continue
        before, after = _metric_text(was, shown), _metric_text(now, shown)
        loosens = shown not in _LIMITS
        loosens = loosens or (getattr(now, shown) or 0.0) > (getattr(was, shown) or 0.0)
        yield edit(
            code,
            describe_edit(f"{what} of {was.name}", before, after),
            loosens=loosens and was.role is Role.GATE,
            profile=profile,
            metric=was.name,
            before=before,
            after=after,
        )


def _metric_text(metric: Metric, name: str) -> str:
    value = getattr(metric, name)
    if name == "floor":
        return plain_quantity(value, metric.unit)
    return plain_percent(value) if name in _LIMITS else str(value)


def _role_text(metric: Metric) -> str:
    if metric.role is Role.WATCH:
        return "watched"
    return f"tolerance {plain_percent(metric.tolerance)}"


def _benchmark_edits(before: Profile, after: Profile) -> Iterator[Edit]:
    old, new = ({one.name: one for one in p.benchmarks} for p in (before, after))
    for name, was, now in differences(old, new):
        place = {"profile": before.name, "benchmark": name}
        if now is None:
            yield edit("G074", f"benchmark {name} removed", loosens=True, before="there", **place)
        elif was is None:
            yield edit("G074", f"benchmark {name} added", loosens=False, after="there", **place)
        else:
            mine, other = asdict(was), asdict(now)
            parts = [key for key, value in mine.items() if other[key] != value]
            said = f"benchmark {name} edited: {some_names(parts)}"
            texts = {"before": str(mine[parts[0]]), "after": str(other[parts[0]])}
            yield edit("G074", said, loosens=True, **texts, **place)


def _running(was: Profile, now: Profile) -> Iterator[Edit]:
    """One edit that names everything which is run in another way."""
    mine, other = _parts(was), _parts(now)
    parts = {
        key: (_text(value), _text(other[key])) for key, value in mine.items() if value != other[key]
    }
    in_order = was.benchmarks == now.benchmarks
    texts_differ = was.digest != now.digest and was.input_files == now.input_files
    if texts_differ and not parts and _in_any_order(was) == _in_any_order(now):
        what = "what its digest covers" if in_order else "the order of its benchmarks"
        parts[what] = was.digest, now.digest
    if not parts:
        return
    before, after = next(iter(parts.values())) if len(parts) == 1 else (was.digest, now.digest)
    said = f"what it runs was edited: {some_names(list(parts))}"
    yield edit("G076", said, loosens=True, profile=was.name, before=before, after=after)


def _input_edits(was: Profile, now: Profile) -> Iterator[Edit]:
    """One edit that names every input which is another, is new, or is gone."""
    differing = [path for path, *_ in differences(was.input_files, now.input_files)]
    if differing or was.inputs != now.inputs:
        said = f"inputs edited: {some_names(differing or ['which files they are'])}"
        texts = _text(was.inputs), _text(now.inputs)
        if differing:
            texts = was.input_files.get(differing[0], ""), now.input_files.get(differing[0], "")
        yield edit("G083", said, loosens=True, profile=was.name, before=texts[0], after=texts[1])


def _parts(profile: Profile) -> dict[str, Any]:
    """What decides what is run, by the word of the profile."""
    names = {"job_text": "job", "outputs": "output"}
    work = {names.get(key, key): value for key, value in asdict(profile.work).items()}
    return {
        "harness": profile.harness,
        **work,
        "background": profile.background,
        "storage": profile.storage,
        "subject": profile.subject,
    }


def _measuring(was: Profile, now: Profile) -> Iterator[Edit]:
    """How often, how long and how tolerantly it is measured."""
    old, new = was.trials, now.trials
    for what, before, after, loosens in (
        ("trials of the screen", old.screen, new.screen, new.screen < old.screen),
        ("most pairs", old.confirm_pairs, new.confirm_pairs, new.confirm_pairs < old.confirm_pairs),
        ("timeout of a trial", was.timeout, now.timeout, now.timeout > was.timeout),
        (
            "metrics too noisy for their tolerance: judged",
            _leeway(was.loud),
            _leeway(now.loud),
            _lets_more_in(was, now),
        ),
        ("expects", was.expects, now.expects, bool({*now.expects} - {*was.expects})),
        ("companions", was.companions, now.companions, bool({*now.companions} - {*was.companions})),
    ):
        if before != after:
            texts = _setting(before), _setting(after)
            yield _of_profile(was, describe_edit(what, *texts), *texts, loosens=loosens)
    for key in ("control", "sides", "needs", "size", "plant"):
        mine, other = getattr(was, key), getattr(now, key)
        if mine != other:
            yield _of_profile(was, f"{key} edited", _text(mine), _text(other), loosens=True)


def _leeway(loud: Leeway) -> str:
    if loud.ceiling is not None:
        return f"at up to {plain_percent(loud.ceiling)}"
    return "at no other" if loud.times <= 1 else f"at up to {loud.times:g} times it"


def _lets_more_in(was: Profile, now: Profile) -> bool:
    """Whether any metric of before may be judged coarser by it."""
    asked = [one.tolerance for one in was.metrics if one.role is Role.GATE]
    return any(now.loud.most(one) > was.loud.most(one) for one in asked)


def _setting(value: float | str | tuple[str, ...]) -> str:
    """As a reader would write it; of the numbers only times are no whole ones."""
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:.6g} s" if isinstance(value, float) else str(value)


def _of_profile(was: Profile, headline: str, before: str, after: str, *, loosens: bool) -> Edit:
    return edit("G077", headline, loosens=loosens, profile=was.name, before=before, after=after)


def _comparable(profile: Profile) -> Profile:
    """The profile without where it stands, which differs between two exported trees."""
    root = f"{profile.root}/"
    python = profile.work.python
    work = replace(
        profile.work,
        job_file=None,
        replay_file=None,
        python=python.removeprefix(root) if python else python,
    )
    background = profile.background and replace(profile.background, job_file=None)
    return replace(profile, path="", root="", about="", work=work, background=background)


def _in_any_order(profile: Profile) -> list[Benchmark]:
    return sorted(profile.benchmarks, key=lambda one: one.name)


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
