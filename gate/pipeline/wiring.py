"""From options to the values that the rooms work on.

Which facts of this machine a sitting is measured on.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError, NothingCompared
from gate.formats import disk
from gate.formats.host.host_file import read_known_host
from gate.formats.profile.profile_file import read_profile
from gate.formats.profile.sizes import FULL
from gate.formats.profile.subject import with_subject
from gate.harness import HARNESSES
from gate.harness.expand import output_kinds
from gate.harness.fio.background_job import background_kinds
from gate.harness.guest.booted import Booted, kernel_of
from gate.harness.needs import versions_of
from gate.harness.planted.planting import with_plant
from gate.harness.replay import replay_kinds
from gate.host.disturbance.watch import Watch
from gate.host.identity.identity import boot_id, guest_clock, guest_notes, read_host, read_kernel
from gate.host.readiness.readiness import quick_notes
from gate.linux.machine import ThisMachine
from gate.linux.mounts import mounts_below
from gate.measure.activation import make_switch
from gate.measure.cpu.account import make_accountant
from gate.measure.cpu.metrics import cpu_kinds
from gate.measure.patch_coverage import toucher
from gate.measure.process.environment import child_environment
from gate.measure.run_context import RunContext, preflight, trial_context
from gate.measure.storage.setup import make_storage
from gate.model import UNTIMED, Limits, Side, SideSpec, counted_host, without_kernel
from gate.subject.command import refuse_equal_sides, refuse_without_effect, resolve
from gate.subject.module import Modules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gate.harness.base import MetricKind
    from gate.host.tuning.tuning import Tuned
    from gate.measure.process.stop import Stop
    from gate.measure.run_context import Progress
    from gate.measure.storage.state import StorageState
    from gate.model import Host, Profile, Work


def host_facts(
    profile: Profile,
    work: Path,
    host_class: str | None,
    tuned: tuple[str, ...],
    storage: StorageState | None,
) -> Callable[..., Host]:
    """Reads them, now and at the end; without the kernel's where that is what is under test."""
    read: Callable[..., Host] = partial(
        read_host,
        work,
        host_class=host_class,
        tuned=tuned,
        device=storage.device if storage else "",
        filesystem=storage.wanted.filesystem if storage else "",
    )
    if profile.subject.metal is None:
        return read
    return lambda **how: without_kernel(read(**how))


@dataclass(frozen=True, slots=True, kw_only=True)
class SideOptions:
    """What the command line says of the two sides."""

    base_dir: Path | None = None
    head_dir: Path | None = None
    base_env: tuple[str, ...] = ()
    head_env: tuple[str, ...] = ()
    subject: Path | None = None
    """A file that says how the sides are activated."""


def kinds_of(harness: str, work: Work) -> Mapping[str, MetricKind]:
    """The metrics that a harness can give of a work, the figures that it prints included."""
    if harness == "replay" and work.replay_file is not None:
        return replay_kinds(Path(work.replay_file))
    return {
        **HARNESSES[harness].kinds,
        **cpu_kinds(harness, work),
        **background_kinds(harness),
        **output_kinds(work.outputs),
    }


def load_profiles(names: Sequence[str], directory: Path, size: str = FULL) -> tuple[Profile, ...]:
    """The named profiles, or all of the directory, in one size; a name may be a path.

    Raises:
        NothingCompared: the directory holds no profile.
        InputError: a name or size is unknown, or a profile is wrong.
    """
    if not names:
        found = [] if disk.is_absent(directory) else sorted(directory.glob("*.toml"))
        if not found:
            raise NothingCompared(
                "G280",
                "there is no profile here, so nothing would be compared.",
                cure="Write one with `gate init`, or name the directory with --profiles.",
                place=str(directory),
            )
    else:
        found = [_path_of(name, directory) for name in dict.fromkeys(names)]
    return tuple(read_profile(path, kinds_of, size) for path in found)


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
    close = difflib.get_close_matches(name, known, n=1)
    hint = f'Did you mean "{close[0]}"?' if close else f"There are: {', '.join(known) or 'none'}."
    raise InputError("G211", f"no profile {name[:200]}.", cure=hint, place=str(directory))


def with_sides(profile: Profile, options: SideOptions) -> Profile:
    """The profile with its sides as the command line wants them.

    Raises:
        InputError: an environment option is not NAME=VALUE.
    """
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


def make_sitting(
    profile: Profile,
    *,
    work: Path,
    host_class: str | None,
    stop: Stop,
    tell: Callable[[Progress], None],
    say: Callable[[str], None] = lambda _: None,
    store: Path | None = None,
    tuned: Tuned | None = None,
) -> RunContext:
    """A profile ready to be measured on this host: tools found, sides resolved, jobs safe.

    `store` is the baseline directory: the class's host.toml in it says what a trial may bear.

    Raises:
        InputError: a side does not exist, or a job is unsafe.
        MeasureError: a harness is missing or of the wrong version.
    """
    root = Path(profile.root)
    specs = {Side(name): spec for name, spec in profile.sides.items()}
    specs.setdefault(Side.HEAD, SideSpec())
    harness = with_plant(HARNESSES[profile.harness], profile.plant)
    booted, metal = profile.subject.machine is not None, profile.subject.metal is not None
    harness = Booted(harness) if booted else harness
    sides = {side: resolve(side, spec, root) for side, spec in specs.items()}
    tools = harness.tools(profile, child_environment())
    storage = make_storage(
        profile, work=work.absolute(), environment=child_environment(), stop=stop, say=say
    )
    facts = host_facts(profile, work, host_class, tuned.names if tuned else (), storage)
    untimed = profile.harness in UNTIMED
    host = counted_host(host_class) if untimed else facts()
    sitting = RunContext(
        profile=profile,
        harness=harness,
        sides=sides,
        host=host,
        boot="" if metal else boot_id(),
        tools=tools,
        work=work.absolute(),
        stop=stop,
        tell=tell,
        paired={"base", "head"} <= profile.sides.keys(),
        restarts=metal,
        accountant=None if booted else make_accountant(profile),
        storage=storage,
        switch=make_switch(profile, sides, child_environment()),
        watch=make_watch(profile, store, host),
        tuned=tuned,
        kernel=None if profile.harness == "replay" else read_kernel(),
        reread=None if profile.harness == "replay" or untimed else partial(facts, live=False),
        notes=sitting_notes(profile, work.absolute()),
    )
    refuse_equal_sides(sitting.sides, profile)
    preflight(sitting)
    with trial_context(sitting, Side.HEAD, profile.benchmarks[0]) as context:
        needed = versions_of(profile.needs, context.environment)
    told, clock, watch = guest_notes(), guest_clock(), sitting.watch
    if isinstance(harness, Booted):
        told, clock = harness.notes, harness.clock
        watch = None if clock else watch  # nothing disturbs a clock that counts instructions
    return replace(
        sitting,
        watch=watch,
        touch=toucher(sitting.switch.changes if isinstance(sitting.switch, Modules) else None),
        tools=needed | sitting.tools | clock,
        notes=(*sitting.notes, *told),
        kernels={
            side: kernel_of(one.directory, profile)
            for side, one in sides.items()
            if (booted or metal or profile.work.guest) and one.directory is not None
        },
    )


def sitting_notes(profile: Profile, work: Path) -> tuple[str, ...]:
    """What a reader must know of everything that this sitting measures."""
    if profile.harness == "replay":
        return ()
    if profile.harness in UNTIMED:
        return ("instructions of an emulated machine: work, not time; no caches, locks or devices",)
    return quick_notes(ThisMachine(), work)


def make_watch(profile: Profile, store: Path | None, host: Host) -> Watch | None:
    """What tells of disturbed trials.

    None for replayed values, which were measured somewhere else, and for counted instructions,
    which other work on the machine does not change.
    """
    if profile.harness == "replay" or profile.harness in UNTIMED:
        return None
    known = read_known_host(store, host.host_class) if store is not None else None
    return Watch(
        known.limits if known is not None else Limits(),
        companions=profile.companions,
        expects=profile.expects,
    )


@contextmanager
def work_directory(path: Path) -> Iterator[Path]:
    """A fresh directory for data files below `path`, removed afterwards.

    Fresh, because what stands in `path` already may have come with a pull request: a link there
    would lead a harness out of it.

    Raises:
        InputError: it cannot be made.
    """
    existed = os.path.lexists(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(prefix="work-", dir=path.resolve(strict=True)))
    except (OSError, RuntimeError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or "a loop of links"
        raise InputError(
            "G208",
            f"the work directory cannot be used: {why}.",
            cure="Name another with --work DIR.",
            place=str(path),
        ) from error
    try:
        yield fresh
    finally:
        # A command may have mounted something in it: what is there is not ours to remove.
        if not mounts_below(str(fresh)):
            shutil.rmtree(fresh, ignore_errors=True)
        if not existed:
            with suppress(OSError):
                path.rmdir()
