"""The one place that sets up a run: a profile made ready to be measured on this host."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gate.formats.host.host_file import read_known_host
from gate.formats.profile.inputs import refuse_empty_patterns
from gate.harness import load_harness
from gate.harness.guest.booted import Booted, kernel_of
from gate.harness.planted.planting import PLANTERS, plantable_metrics, with_plant
from gate.harness.process import versions_of
from gate.host.disturbance.watch import Watch
from gate.host.identity.identity import boot_id, guest_clock, guest_notes, read_host, read_kernel
from gate.host.readiness.readiness import quick_notes
from gate.linux.machine import ThisMachine
from gate.measure.activation import make_switch, put_back
from gate.measure.cpu.account import make_accountant
from gate.measure.process.background import check_background
from gate.measure.process.environment import (
    child_environment,
    recorded_environment,
    refuse_unnamed,
    switching_environment,
)
from gate.measure.run_context import RunContext, trial_context
from gate.measure.storage.state import make_storage
from gate.model import UNTIMED, Limits, Side, SideSpec, counted_host, without_kernel
from gate.subject.command import refuse_equal_sides, resolve, run_from
from gate.subject.module import Modules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from gate.host.tuning.tuning import TuningResult
    from gate.measure.process.stop import Stop
    from gate.measure.run_context import Progress
    from gate.measure.storage.state import StorageState
    from gate.model import Host, Kernel, Plant, Profile, ReviewedTrees
    from gate.subject.command import ActiveSide

    Trees = Callable[[Profile], ReviewedTrees | None]


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
    trees: Trees = lambda _: None
    """Gives the trees that a profile is run from; None for those where it stands."""
    await_turn: Callable[[], None] = lambda: None
    """Called before each run: others who wait may measure between two."""

    def prepare(self, profile: Profile) -> RunContext:
        """A profile ready to be measured here, as `prepare_run` makes it."""
        return prepare_run(profile, self)


def prepare_run(profile: Profile, use: HostUse) -> RunContext:
    """A profile ready to be measured on this host: tools found, sides resolved, jobs safe."""
    refuse_empty_patterns(profile)
    work = use.work.absolute()
    environment = child_environment(inherits=profile.work.inherits)
    harness = with_plant(load_harness(profile.harness), profile.plant)
    if profile.subject.machine is not None:
        harness = Booted(harness)
    specs = {Side(name): spec for name, spec in profile.sides.items()}
    specs.setdefault(Side.HEAD, SideSpec())
    sides = {side: resolve(side, spec, Path(profile.root)) for side, spec in specs.items()}
    refuse_equal_sides(sides, profile)
    trees = use.trees(profile)
    if trees is not None:
        profile = replace(profile, root=str(trees.in_force(Path(profile.root))))
        sides = {side: run_from(active, trees) for side, active in sides.items()}
    tools = harness.tools(profile, environment)
    storage = make_storage(profile, work, environment, use.stop, use.say)
    replayed, untimed = profile.harness == "replay", profile.harness in UNTIMED
    metal = profile.subject.metal is not None
    read_facts = _host_reader(profile, use, storage)
    host = counted_host(use.host_class) if untimed else read_facts()
    run = RunContext(
        profile=profile,
        harness=harness,
        sides=sides,
        host=host,
        boot="" if metal else boot_id(),
        tools=tools,
        work=work,
        stop=use.stop,
        tell=use.tell,
        trees=trees,
        say=use.say,
        environment={} if replayed else recorded_environment(profile),
        paired={"base", "head"} <= profile.sides.keys(),
        restarts=metal,
        accountant=None if isinstance(harness, Booted) else make_accountant(profile),
        storage=storage,
        switch=make_switch(profile, sides, switching_environment()),
        watch=make_watch(profile, use.store, host),
        tuned=use.tuned,
        await_turn=use.await_turn,
        kernel=None if replayed else read_kernel(),
        reread=None if replayed or untimed else partial(read_facts, live=False),
        notes=_host_notes(profile, work),
    )
    _refuse_unsafe(run)
    return _with_checked_facts(run)


@contextmanager
def open_run(run: RunContext) -> Iterator[None]:
    """Inside, the run's storage may be written; at the end no side is active any more.

    Between two runs others who wait for the host get their turn. An error where it may not be
    written, its file system cannot be made, or the subject cannot be put back.
    """
    run.await_turn()
    with put_back(run.switch), ExitStack() as stack:
        if run.storage is not None:
            run.prepared.clear()
            stack.callback(run.prepared.clear)
            stack.enter_context(run.storage.opened())
        yield


def size_plant(run: RunContext, plant: Plant) -> Plant:
    """The plant with the settings that give it the loss asked for, measured on this host.

    `TrialFailed` where a trial of the measuring failed, or so small a loss cannot be planted.
    """
    profile = run.profile
    benchmark = next(one for one in profile.benchmarks if one.name == plant.benchmark)
    with trial_context(run, Side.HEAD, benchmark) as context:
        settings = PLANTERS[profile.harness].size(
            run.harness, context, plant.loss, plantable_metrics(profile)[0]
        )
    return replace(plant, settings=settings)


def _host_reader(
    profile: Profile, use: HostUse, storage: StorageState | None
) -> Callable[..., Host]:
    """Reads the host's facts, now and at the end; not the kernel's where that is under test."""
    read: Callable[..., Host] = partial(
        read_host,
        use.work,
        host_class=use.host_class,
        tuned=use.tuned.names if use.tuned else (),
        device=storage.device if storage else "",
        filesystem=storage.wanted.filesystem if storage else "",
    )
    if profile.subject.metal is None:
        return read
    return lambda **how: without_kernel(read(**how))


def _host_notes(profile: Profile, work: Path) -> tuple[str, ...]:
    """What a reader must know of everything that this run measures."""
    if profile.harness == "replay":
        return ()
    if profile.harness in UNTIMED:
        return ("instructions of an emulated machine: work, not time; no caches, locks or devices",)
    return quick_notes(ThisMachine(), work)


def make_watch(profile: Profile, store: Path | None, host: Host) -> Watch | None:
    """What notices disturbed trials.

    None for replayed values, which were measured somewhere else, and for counted instructions,
    which other work on the machine does not change.
    """
    if profile.harness == "replay" or profile.harness in UNTIMED:
        return None
    known = read_known_host(store, host.host_class) if store is not None else None
    limits = known.limits if known is not None else Limits()
    return Watch(limits, companions=profile.companions, expects=profile.expects)


def _refuse_unsafe(run: RunContext) -> None:
    """Refuse a benchmark that is unsafe or impossible before anything is measured."""
    for side in run.sides:
        for benchmark in run.profile.benchmarks:
            if benchmark.group:
                continue  # its points are checked, and it runs nothing itself
            with trial_context(run, side, benchmark) as context:
                refuse_unnamed(context)
                run.harness.check(context)
                check_background(context)


def _with_checked_facts(run: RunContext) -> RunContext:
    """The run with what is known only after every benchmark was checked."""
    profile, harness = run.profile, run.harness
    with trial_context(run, Side.HEAD, profile.benchmarks[0]) as context:
        needed = versions_of(profile.needs, context.environment)
    notes, clock, watch = guest_notes(), guest_clock(), run.watch
    if isinstance(harness, Booted):
        notes, clock = harness.notes, harness.clock
        watch = None if clock else watch  # nothing disturbs a clock that counts instructions
    return replace(
        run,
        watch=watch,
        changes=run.switch.changes if isinstance(run.switch, Modules) else None,
        tools=needed | run.tools | clock,
        notes=(*run.notes, *notes),
        kernels=_booted_kernels(profile, run.sides),
    )


def _booted_kernels(profile: Profile, sides: Mapping[Side, ActiveSide]) -> dict[Side, Kernel]:
    """The kernels of sides that are booted for their trials."""
    subject = profile.subject
    if subject.machine is None and subject.metal is None and not profile.work.guest:
        return {}
    return {
        side: kernel_of(active.directory, profile)
        for side, active in sides.items()
        if active.directory is not None
    }
