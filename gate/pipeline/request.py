"""What a command is asked for: bundles of options, and sides laid over a profile."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats.profile.subject import with_subject
from gate.model import SideSpec, SubjectKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gate.judge.sharding import Shard
    from gate.model import Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which profiles, in which size, and how much of them."""

    names: tuple[str, ...] = ()
    """Profiles; empty for all."""
    profiles: Path
    """Their directory."""
    size: str
    benchmarks: tuple[str, ...] = ()
    """The only ones to measure; empty for all."""
    pairs: int | None = None
    """Most pairs; None for the profile's limit."""
    within: float | None = None
    """Seconds that all of it may take; None for as long as it needs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions:
    """What is judged by."""

    baseline: Path
    merge_base: str | None = None
    alpha: float
    """Of the whole check; a part of it spends its share."""
    beta: float
    allow: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    """Files of baselines, by their content, that are in force as the change has them."""
    unapproved: bool = False
    """Whether edits of workflows close the gate, as nobody has approved them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """What the machine that measures may be used for."""

    host_class: str | None = None
    work: Path | None = None
    """Where data files are written."""
    wait: float = 0.0
    """Seconds to wait at most while another process measures here."""
    restart: bool = False
    """Whether the machine may be restarted for a trial that needs another kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """What is left behind, and what is printed."""

    out: Path | None = None
    resume: bool = False
    why: bool = True
    """Whether what regressed is run some more, to see what moved with it."""
    json: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundOptions:
    """Which rounds a calibration takes."""

    rounds: int | None
    """Of each profile; None where only time ends it."""
    seconds: float | None
    """No round begins that would end later."""
    plants: tuple[float, ...]
    """Losses to plant; empty for unchanged rounds alone."""
    when_idle: bool
    wait: float | None
    """Seconds to wait while another process measures; None for as long as it takes."""
    plan: bool
    """Whether to say what would be measured, and no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedOptions:
    """A calibration on recorded series; None where an option was not given."""

    recorded: Path | None
    rule: tuple[str, ...]
    suite_size: int | None
    draws: int | None
    markdown: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """A check as the command line asks for it."""

    selection: Selection
    sides: SideOptions
    policy: PolicyOptions
    shard: Shard
    host: HostOptions
    output: OutputOptions
    place: Path
    """The output directory, whether somebody named it or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SideOptions:
    """What the command line says of the two sides."""

    base_dir: Path | None = None
    head_dir: Path | None = None
    base_env: tuple[str, ...] = ()
    head_env: tuple[str, ...] = ()
    subject: Path | None = None
    """A file that says how the sides are activated."""


def with_sides(profile: Profile, options: SideOptions) -> Profile:
    """The profile with its sides as the command line wants them (G200, G237)."""
    sides = dict(profile.sides)
    for name, directory, variables in (
        ("base", options.base_dir, options.base_env),
        ("head", options.head_dir, options.head_env),
    ):
        if directory is None and not variables:
            continue
        before = sides.get(name, SideSpec())
        sides[name] = SideSpec(
            directory=str(directory.absolute()) if directory else before.directory,
            environment=before.environment | _variables(name, variables),
        )
    told = replace(profile, sides=sides)
    if options.subject is not None:
        told = with_subject(told, options.subject)
    refuse_without_effect(told)
    return told


def _variables(side: str, pairs: Sequence[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
            raise InputError("G200", f"--{side}-env: {pair[:80]!r} is not NAME=VALUE.")
        if name.startswith("GATE_"):
            raise InputError("G200", f"--{side}-env: {name[:80]} is for the gate itself to set.")
        found[name] = value
    return found


def refuse_without_effect(profile: Profile) -> None:
    """Refuse sides that nothing of the profile uses: both would measure the same thing (G237)."""
    specs, work = profile.sides.values(), profile.work
    texts = (work.command, work.prepare, work.job_text, work.directory, *work.environment.values())
    text = " ".join(filter(None, texts))
    used = (
        profile.harness in {"replay", "instructions"}
        or "{side}" in text
        or "GATE_SIDE" in text
        or profile.subject.kind is not SubjectKind.COMMAND  # it activates the side
        # pytest starts in the side's directory
        or (profile.harness == "pytest-benchmark" and work.directory is None)
        or any(spec.environment for spec in specs)
    )
    if used:
        return
    if any(spec.directory is not None for spec in specs) or len(profile.sides) > 1:
        raise InputError(
            "G237",
            "sides are given, but nothing that is run differs between them: every side would "
            "measure the same thing.",
            cure="Use {side} in the command (fio: ${GATE_SIDE_DIR} in the job), or give each side "
            "an environment.",
            place=profile.path,
        )
