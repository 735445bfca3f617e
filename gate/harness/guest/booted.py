"""A harness inside a booted kernel: each trial is one boot of the side's kernel.

In the guest the gate itself measures a few trials in a row and hands back their session; the trial
out here is their median, as what one boot gave. So the kernel, where it was laid out in memory, and
what it found at its start are part of what is repeated.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from gate.errors import GateError, TrialFailed
from gate.formats.session.session_file import GuestRequest, read_session, write_request
from gate.harness.base import HarnessAround, Reading
from gate.harness.guest.side_boot import (
    demand_success,
    guest_exit_status,
    kernel_directory,
    laying_out,
    proof_of,
    qemu_version,
)
from gate.harness.process import Clock
from gate.model import (
    BY_INSTRUCTIONS,
    CLOCK,
    Activation,
    Kernel,
    Side,
    State,
    SubjectKind,
    Trials,
    TrialStatus,
    Value,
)
from gate.model.kernel_config import options_in, public_options
from gate.vm.changes import changes_between
from gate.vm.image import bootable, find_image, read_image
from gate.vm.machine import MachineBoot, machine_command, make_disks, why_not_kvm
from gate.vm.root import SHARE, lay_out_root, lay_out_share, read_root_side

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.harness.base import Harness, TrialContext
    from gate.model import Machine, Profile, Session
    from gate.vm.root import RootGuest

REQUEST, SESSION = "request", "session.json"
_KEPT = "boots"
EMULATED = (
    "emulated without KVM ({why}): time in the guest is 8 ns for each instruction, so that only "
    "the work is compared; no caches, devices or waiting"
)


class Booted(HarnessAround):
    """Boots a side's kernel, and lets the gate inside run a harness."""

    def __init__(self, inner: Harness) -> None:
        super().__init__(inner)
        self._guests: dict[Path, RootGuest] = {}
        """By the directory that each was laid out in."""
        self._tools: dict[str, str] = {}
        self._why = ""
        """Why KVM is not used."""
        self._boots = 0
        self._sides: dict[Side, tuple[Path, tuple[str, ...]]] = {}
        self._covered: set[tuple[str, Side]] = set()
        """Benchmarks and sides of which a boot said which changed functions it called."""

    def tools(self, profile: Profile, environment: Mapping[str, str]) -> dict[str, str]:
        """Versions of what the harness needs, which the guest finds too, and of QEMU."""
        self._tools = self.inner.tools(profile, environment)
        return {**self._tools, "qemu": qemu_version(environment)}

    def check(self, context: TrialContext) -> None:
        """Refuse what the harness refuses, and a side that cannot be booted."""
        self.inner.check(context)
        machine, modules = _machine(context), context.profile.subject.modules
        image, kernel, *_ = read_root_side(kernel_directory(context), modules, machine.disks)
        self._sides[context.side] = kernel_directory(context), modules
        if not self._why:
            content = bootable(image, kernel)
            self._why = why_not_kvm(machine.accelerator, content, context.environment)

    @property
    def clock(self) -> dict[str, str]:
        """What a machine without KVM has for a clock, among the tools of a session."""
        return {CLOCK: BY_INSTRUCTIONS} if self._why else {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of everything that is measured so, after `check`."""
        return (EMULATED.format(why=self._why),) if self._why else ()

    def prepare(self, context: TrialContext) -> None:
        """Lay out kernel and first file system of this side, once for all its benchmarks."""
        place, disks = _place(context), _machine(context).disks
        if place in self._guests:
            return
        directory, modules = kernel_directory(context), context.profile.subject.modules
        with laying_out():
            self._guests[place] = lay_out_root(
                directory, modules, disks, place, context.environment
            )

    def trial(self, context: TrialContext) -> Reading:
        """Boot once, and read what the gate inside measured."""
        guest, machine = self._guests[_place(context)], _machine(context)
        share = context.scratch / "share"
        boot = MachineBoot(
            kernel=guest.kernel,
            archive=guest.archive,
            directory=context.scratch,
            seed=context.index + 1,
            machine=machine,
            share=share,
            kvm=not self._why,
            device=context.device,
        )
        words = (sys.executable, "-P", "-m", "gate.measure.guest_entry", SHARE)
        try:
            lay_out_share(guest, share, Path(context.profile.root), words)
            write_request(share / REQUEST, self._request(context, machine))
            make_disks(boot)
        except OSError as error:
            raise TrialFailed(f"the guest cannot be laid out: {error}") from error
        guest.image.demand_unchanged()
        outcome = Clock(context).run(machine_command(boot), context.scratch)
        files = self._keep_files(context)
        demand_success(share, guest_exit_status(share, context.scratch / "console", outcome, guest))
        session = _session(share, context, machine.trials)
        reading = _reading(session, (f"booted {proof_of(guest)}, kept as {files.name}",))
        if reading.coverage is not None:
            self._covered.add((context.benchmark.name, context.side))
        return reading

    def _request(self, context: TrialContext, machine: Machine) -> GuestRequest:
        """Once for each side also what the trials call of what differs between the sides."""
        changes = None
        if (context.benchmark.name, context.side) not in self._covered and len(self._sides) == 2:
            changes = changes_between(self._sides[Side.BASE], self._sides[Side.HEAD])
        # There is nothing to activate any more in the guest, and its disks are as they came.
        device = context.profile.subject.device
        profile = replace(
            context.profile,
            subject=Activation(kind=SubjectKind.COMMAND, device=device),
            storage=None,
            benchmarks=(context.benchmark,),
            trials=Trials(screen=machine.trials),
            plant=None,
        )
        spec = context.profile.sides.get(context.side.value)
        environment = dict(spec.environment) if spec else {}
        for name in ("GATE_SIDE", "GATE_SIDE_DIR"):
            if name in context.environment:
                environment[name] = context.environment[name]
        return GuestRequest(
            profile=profile,
            side=context.side,
            trials=machine.trials,
            directory=kernel_directory(context),
            environment=environment,
            tools=self._tools,
            changes=changes,
        )

    def _keep_files(self, context: TrialContext) -> Path:
        """Keep what the boot handed back, whatever becomes of the trial."""
        self._boots += 1
        name = f"{context.profile.name}-{self._boots:04d}-{context.side.value}"
        place = context.work.parent / _KEPT / name
        for source in (context.scratch / "console", context.scratch / "share" / SESSION):
            if source.is_file() and not source.is_symlink():
                place.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, place / source.name)
        return place


def kernel_of(directory: Path, profile: Profile) -> Kernel:
    """The kernel of a side, as it will tell of itself.

    Raises:
        InputError: G265, the side cannot be booted.
    """
    image, _ = read_image(find_image(directory))
    config = next(iter(sorted(directory.glob("boot/config-*"))), directory / ".config")
    try:
        text = config.read_text("utf-8", "replace")
    except OSError:
        text = ""
    machine = profile.subject.machine or profile.work.guest
    return Kernel(
        release=image.release,
        version=image.version,
        build_id=image.build_id,
        command_line=machine.command_line if machine else "",
        config=public_options(options_in(text.splitlines())),
    )


def _session(share: Path, context: TrialContext, trials: int) -> Session:
    """What the guest handed back, whole: that many trials of this benchmark and side."""
    try:
        session = read_session(share / SESSION)
    except GateError as error:
        raise TrialFailed(f"the guest handed back no session: {error}") from None
    bad = next((one for one in session.trials if one.status is not TrialStatus.OK), None)
    if bad is not None:
        raise TrialFailed(f"in the guest: {bad.note}")
    asked = (context.profile.name, context.side, [context.benchmark.name] * trials)
    given = (session.profile, session.side, [one.benchmark for one in session.trials])
    if given != asked or session.state is not State.COMPLETE:
        raise TrialFailed(
            f"the guest handed back {len(session.trials)} trials, not {trials} of this benchmark"
        )
    return session


def _reading(session: Session, notes: tuple[str, ...]) -> Reading:
    """One boot's median of each metric, with the bill and the latencies of its middle trial."""
    rows = [{value.metric: value for value in trial.values} for trial in session.trials]
    names = [name for name in rows[0] if all(name in row for row in rows)]
    ordered = sorted(range(len(rows)), key=lambda n: rows[n][names[0]].value if names else 0.0)
    middle = session.trials[ordered[len(ordered) // 2]]
    values = tuple(
        Value(
            metric=name,
            value=median([row[name].value for row in rows]),
            samples=sum(row[name].samples for row in rows),
            resolution=max(row[name].resolution for row in rows),
        )
        for name in names
    )
    coverage = next((one.touch for one in session.trials if one.touch is not None), None)
    return Reading(
        values=values, notes=notes, bill=middle.cpu, latencies=middle.latencies, coverage=coverage
    )


def _place(context: TrialContext) -> Path:
    """Where a side's guest is laid out; profiles that take turns share none."""
    return context.work / "guests" / context.profile.name / context.side.value


def _machine(context: TrialContext) -> Machine:
    if context.profile.subject.machine is None:
        raise context.error("G233", "the subject has no machine.", "Add kind = kernel.")
    return context.profile.subject.machine
