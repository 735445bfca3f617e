"""What a tree edits of one profile: what it runs, how it is measured, what it may lose."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from gate.model import Role
from gate.review.terms import describe_edit, edit, plain_percent, plain_quantity, some_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.model import Benchmark, Edit, Metric, Profile


def metric_edits(before: Profile, after: Profile) -> Iterator[Edit]:
    """Every difference between the metrics of two texts of a profile."""
    old, new = ({one.name: one for one in p.metrics} for p in (before, after))
    for name in sorted(old.keys() | new.keys()):
        place = {"profile": before.name, "metric": name}
        if name not in new:
            loosens, text = old[name].role is Role.GATE, _role_text(old[name])
            yield edit("G073", f"metric {name} removed", loosens=loosens, before=text, **place)
        elif name not in old:
            text = _role_text(new[name])
            yield edit("G073", f"metric {name} added ({text})", loosens=False, after=text, **place)
        else:
            yield from _edited(before.name, old[name], new[name])


def _edited(profile: str, was: Metric, now: Metric) -> Iterator[Edit]:
    """A metric that only is watched before lets nothing more in, whatever becomes of it."""
    gates = was.role is Role.GATE
    name = was.name

    def one(code: str, what: str, before: str, after: str, *, loosens: bool) -> Edit:
        return edit(
            code,
            describe_edit(what, before, after),
            loosens=gates and loosens,
            profile=profile,
            metric=name,
            before=before,
            after=after,
        )

    if was.role is not now.role:
        yield one("G072", f"role of {name}", was.role.value, now.role.value, loosens=True)
    if was.tolerance != now.tolerance:
        texts = plain_percent(was.tolerance), plain_percent(now.tolerance)
        loosens = now.tolerance > was.tolerance
        yield one("G070", f"tolerance of {name}", *texts, loosens=loosens)
    if was.negligible != now.negligible:
        texts = plain_percent(was.tau), plain_percent(now.tau)
        yield one("G071", f"negligible loss of {name}", *texts, loosens=now.tau > was.tau)
    if was.floor != now.floor:
        texts = plain_quantity(was.floor, was.unit), plain_quantity(now.floor, now.unit)
        loosens = (now.floor or 0.0) > (was.floor or 0.0)
        yield one("G071", f"floor of {name}", *texts, loosens=loosens)
    for what, before, after in (
        ("better direction", was.better.value, now.better.value),
        ("unit", was.unit, now.unit),
        ("making", was.made, now.made),
    ):
        if before != after:
            yield one("G073", f"{what} of {name}", before, after, loosens=True)


def _role_text(metric: Metric) -> str:
    if metric.role is Role.WATCH:
        return "watched"
    return f"tolerance {plain_percent(metric.tolerance)}"


def profile_edits(
    before: Profile,
    after: Profile,
    scripts_before: Mapping[str, str],
    scripts_after: Mapping[str, str],
) -> Iterator[Edit]:
    """Every difference between two texts of a profile; none where they judge alike."""
    was, now = _comparable(before), _comparable(after)
    yield from metric_edits(before, after)
    yield from _benchmark_edits(before, after)
    yield from _running(was, now, scripts_before, scripts_after)
    yield from _measuring(was, now)


def _benchmark_edits(before: Profile, after: Profile) -> Iterator[Edit]:
    was, now = _by_name(before), _by_name(after)
    for name in sorted(was.keys() | now.keys()):
        place = {"profile": before.name, "benchmark": name}
        if name not in now:
            yield edit("G074", f"benchmark {name} removed", loosens=True, before="there", **place)
        elif name not in was:
            yield edit("G074", f"benchmark {name} added", loosens=False, after="there", **place)
        elif was[name] != now[name]:
            old, new = asdict(was[name]), asdict(now[name])
            parts = [key for key, value in old.items() if new[key] != value]
            said = f"benchmark {name} edited: {some_names(parts)}"
            texts = {"before": str(old[parts[0]]), "after": str(new[parts[0]])}
            yield edit("G074", said, loosens=True, **texts, **place)


def _running(
    was: Profile, now: Profile, scripts_before: Mapping[str, str], scripts_after: Mapping[str, str]
) -> Iterator[Edit]:
    """One edit that names everything which is run in another way."""
    parts: dict[str, tuple[str, str]] = {}
    for key, value in _parts(was).items():
        other = _parts(now)[key]
        if value != other:
            parts[key] = (_text(value), _text(other))
    for path in sorted(scripts_before.keys() | scripts_after.keys()):
        hashes = scripts_before.get(path, ""), scripts_after.get(path, "")
        if hashes[0] != hashes[1]:
            parts[path] = hashes
    if was.digest != now.digest and not parts and _by_name(was) == _by_name(now):
        in_order = was.benchmarks == now.benchmarks
        what = "what its digest covers" if in_order else "the order of its benchmarks"
        parts[what] = was.digest, now.digest
    if not parts:
        return
    before, after = next(iter(parts.values())) if len(parts) == 1 else (was.digest, now.digest)
    said = f"what it runs was edited: {some_names(list(parts))}"
    yield edit("G076", said, loosens=True, profile=was.name, before=before, after=after)


def _parts(profile: Profile) -> dict[str, Any]:
    """What decides what is run, by the word of the profile."""
    work = {
        "job" if key == "job_text" else "output" if key == "outputs" else key: value
        for key, value in asdict(profile.work).items()
    }
    return {
        "harness": profile.harness,
        **work,
        "background": profile.background,
        "storage": profile.storage,
        "subject": profile.subject,
    }


def _measuring(was: Profile, now: Profile) -> Iterator[Edit]:
    """How often, how long and how tolerantly it is measured."""

    def one(what: str, before: object, after: object, *, loosens: bool) -> Edit:
        texts = _text(before), _text(after)
        return _of_profile(was, describe_edit(what, *texts), *texts, loosens=loosens)

    old, new = was.trials, now.trials
    if old.screen != new.screen:
        loosens = new.screen < old.screen
        yield one("trials of the screen", old.screen, new.screen, loosens=loosens)
    if old.confirm_pairs != new.confirm_pairs:
        loosens = new.confirm_pairs < old.confirm_pairs
        yield one("most pairs", old.confirm_pairs, new.confirm_pairs, loosens=loosens)
    if was.timeout != now.timeout:
        texts = f"{was.timeout:.6g} s", f"{now.timeout:.6g} s"
        yield one("timeout of a trial", *texts, loosens=now.timeout > was.timeout)
    if was.loud != now.loud:
        what = "metrics too noisy for their tolerance:"
        yield one(what, was.loud, now.loud, loosens=now.loud == "raise")
    for key in ("expects", "companions"):
        before, after = getattr(was, key), getattr(now, key)
        if before != after:
            loosens = bool(set(after) - set(before))
            yield one(key, ", ".join(before), ", ".join(after), loosens=loosens)
    for key in ("control", "sides", "needs", "size", "plant"):
        before, after = getattr(was, key), getattr(now, key)
        if before != after:
            yield _of_profile(was, f"{key} edited", _text(before), _text(after), loosens=True)


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


def _by_name(profile: Profile) -> dict[str, Benchmark]:
    return {one.name: one for one in profile.benchmarks}


def _text(value: object) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
