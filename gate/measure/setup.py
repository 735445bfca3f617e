"""A profile made ready to be measured on this host: the one place that sets up a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gate.formats.host.host_file import read_known_host
from gate.harness import HARNESSES
from gate.harness.guest.booted import Booted, kernel_of
from gate.harness.needs import versions_of
from gate.harness.planted.planting import with_plant
from gate.host.disturbance.watch import Watch
from gate.host.identity.identity import (
    boot_id,
    guest_clock,
    guest_notes,
    read_host,
    read_kernel,
)
from gate.host.readiness.readiness import quick_notes
from gate.linux.machine import ThisMachine
from gate.measure.activation import make_switch
from gate.measure.cpu.account import make_accountant
from gate.measure.patch_coverage import toucher
from gate.measure.process.environment import child_environment
from gate.measure.run_context import RunContext, preflight, trial_context
from gate.measure.storage.setup import make_storage
from gate.model import UNTIMED, Limits, Side, SideSpec, counted_host, without_kernel
from gate.subject.command import refuse_equal_sides, resolve
from gate.subject.module import Modules

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.host.tuning.tuning import TuningResult
    from gate.measure.process.stop import Stop
    from gate.measure.run_context import Progress
    from gate.measure.storage.state import StorageState
    from gate.model import Host, Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class HostUse:
    """How one command uses the host that it has to itself; the same for all its profiles."""

    work: Path
    """Nothing outside this directory is written by a harness."""
    host_class: str | None = None
    """Absent where the host's own facts give the class."""
    stop: Stop
    """Ends the measurement on a signal."""
    tell: Callable[[Progress], None]
    """Receives every trial that has ended."""
    say: Callable[[str], None] = lambda _: None
    """Receives lines for the person who waits."""
    store: Path | None = None
    """The baseline directory: host.toml in it says how much disturbance a trial may show."""
    tuned: TuningResult | None = None
    """What is tuned on the host meanwhile."""


def prepare_run(profile: Profile, use: HostUse) -> RunContext:
    """A profile ready to be measured on this host: tools found, sides resolved, jobs safe.

    Raises:
        InputError: a side does not exist, or a job is unsafe.
        MeasureError: a harness is missing or of the wrong version.
    """
    work, host_class, tuned = use.work, use.host_class, use.tuned
    root = Path(profile.root)
    specs = {Side(name): spec for name, spec in profile.sides.items()}
    specs.setdefault(Side.HEAD, SideSpec())
    harness = with_plant(HARNESSES[profile.harness], profile.plant)
    booted, metal = profile.subject.machine is not None, profile.subject.metal is not None
    harness = Booted(harness) if booted else harness
    sides = {side: resolve(side, spec, root) for side, spec in specs.items()}
    tools = harness.tools(profile, child_environment())
    storage = make_storage(
        profile, work=work.absolute(), environment=child_environment(), stop=use.stop, say=use.say
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
        stop=use.stop,
        tell=use.tell,
        paired={"base", "head"} <= profile.sides.keys(),
        restarts=metal,
        accountant=None if booted else make_accountant(profile),
        storage=storage,
        switch=make_switch(profile, sides, child_environment()),
        watch=make_watch(profile, use.store, host),
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
