"""Tuning: settings of the host for the time of a measurement, and always put back after it.

Every knob is written to the journal before it is turned. It is put back when the context ends,
whatever ends it; by the guardian when the gate is killed; else by the next start, or by
`gate host restore`.
"""

from __future__ import annotations

import os
import struct
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.host.journal import JOURNAL, Journal, read_journal, state_directory, write_journal
from gate.host.tuning.restore import refuse_owned, restore
from gate.host.tuning.settings import (
    ABSENT,
    SettingChange,
    TunableSettings,
    division,
    wake_limit,
    wanted_settings,
)
from gate.host.tuning.sysctl_setting import SWAP, turn, value_at
from gate.linux.cpu_list import cpu_list_text
from gate.linux.machine import ThisMachine, read_boot_id
from gate.linux.mounts import kernel_view
from gate.linux.processes import start_of
from gate.model.disturbance import TUNABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gate.host.tuning.settings import Division

_LATENCY = Path("/dev/cpu_dma_latency")
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningResult:
    """What is tuned now."""

    names: tuple[str, ...] = ()
    """Of those asked for, the ones that hold: turned, or set so already."""
    lacking: tuple[str, ...] = ()
    """Why the others do not: one line each."""
    changes: tuple[SettingChange, ...] = ()
    """The knobs that were turned."""
    already: tuple[SettingChange, ...] = ()
    """The knobs that were set so already, and must stay so."""
    cpus: str = ""
    """Processors that harnesses run on, as `1-3,5`; empty where pinning is not tuned."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of a session should know."""
        held = (f"tuned while measuring: {', '.join(self.names)}",) if self.names else ()
        swapped = any(one.setting == SWAP for one in self.changes)
        bare = ("swap comes back without `discard`, if it had that",) if swapped else ()
        return (*held, *bare, *(f"not tuned: {one}" for one in self.lacking))

    def moved(self) -> tuple[str, ...]:
        """Knobs that somebody else turned since: what was measured then is of two settings."""
        found = []
        for one in (*self.changes, *self.already):
            now = value_at(ThisMachine(), one.setting, one.path)
            if now != one.after:
                was = f"{'' if one in self.already else 'tuned to '}{one.after}"
                found.append(f"{one.path} was {was}, and is {now or 'gone'}")
        more = len(found) - _SHOWN
        return (*found[:_SHOWN], *([f"and {more} more settings"] if more > 0 else ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """What tuning would do: shown by a dry run, and done by `tuned`."""

    names: tuple[str, ...]
    parts: Division
    found: dict[str, TunableSettings]
    """What each name would change."""
    limit: int | None
    """Microseconds for `cstates`; absent where it is not asked for or not there."""


def planned_changes(names: Sequence[str], measured_cpus: str) -> Intent:
    """Look at what these names would change now.

    Raises:
        InputError: G200, a name is unknown, or the processors are not there.
    """
    machine = ThisMachine()
    unknown = [name for name in names if name not in TUNABLE]
    if unknown:
        cure = f"There are {', '.join(TUNABLE)}."
        raise InputError("G200", f"{unknown[0][:80]!r} cannot be tuned.", cure=cure)
    try:
        parts = division(machine, measured_cpus)
    except ValueError as error:
        cure = "Mend measured_cpus in host.toml, or --cpus."
        raise InputError("G200", f"the measured processors: {error}.", cure=cure) from error
    ordered = tuple(name for name in TUNABLE if name in names)
    limit = wake_limit(machine) if "cstates" in ordered and _LATENCY.exists() else None
    # These change nothing that outlives this process.
    fleeting = {
        "cstates": TunableSettings(lacking=ABSENT if limit is None else ""),
        "pinning": TunableSettings(),
    }
    found = {n: fleeting.get(n) or wanted_settings(machine, n, parts) for n in ordered}
    return Intent(names=ordered, parts=parts, found=found, limit=limit)


@contextmanager
def tune_host(
    names: Sequence[str],
    *,
    measured_cpus: str = "",
    state: Path | None = None,
    tell: Callable[[str], None] | None = None,
) -> Iterator[TuningResult]:
    """Tune, and put back at the end; `tell` hears of what could not be put back.

    Raises:
        InputError: G200 a name or processor is unknown, G208 the journal cannot be written,
            G260 root is needed, G262 there is a journal that cannot be read.
        CannotJudge: G240, another gate has tuned this host.
    """
    if not names:
        yield TuningResult()
        return
    place = state or state_directory()
    intent = planned_changes(names, measured_cpus)
    _refuse_without_root(intent)
    kept = _older_changes(place)
    with ExitStack() as stack:
        stack.callback(_undo, place, tell)
        result = _apply(intent, place, kept)
        if "cstates" in result.names:
            result = _awake(stack, intent.limit or 0, result)
        yield result


def _undo(place: Path, tell: Callable[[str], None] | None) -> None:
    result = restore(place)
    if tell is not None and result.left:
        for one in result.lines():
            tell(one)


def _older_changes(place: Path) -> tuple[SettingChange, ...]:
    """What an earlier gate turned and nobody put back, because somebody else turned it too."""
    journal = read_journal(place)
    boot = read_boot_id(ThisMachine())
    if not boot:
        raise InputError(
            "G262",
            "nothing is tuned here: this boot's id cannot be read, so nobody could tell later "
            "whether the machine was restarted since.",
            cure="Tune where /proc/sys/kernel/random/boot_id is to be seen.",
            place=str(place / JOURNAL),
        )
    if journal is None or journal.boot != boot:
        return ()
    refuse_owned(journal, place)
    return journal.entries


def _refuse_without_root(intent: Intent) -> None:
    if os.geteuid() == 0:
        return
    needing = [
        name
        for name, found in intent.found.items()
        if any(name == SWAP or not os.access(one.path, os.W_OK) for one in found.changes)
    ]
    if intent.limit is not None and not os.access(_LATENCY, os.W_OK):
        needing.append("cstates")
    if needing:
        raise InputError(
            "G260",
            f"tuning {', '.join(needing)} needs root.",
            cure="Run the gate as root, or take these names out of `tune`.",
        )


def _apply(intent: Intent, place: Path, kept: tuple[SettingChange, ...]) -> TuningResult:
    """Turn the knobs, each after the journal has it on the disk."""
    held: list[str] = []
    lacking: list[str] = []
    turned: list[SettingChange] = []
    already: list[SettingChange] = []
    for name, found in intent.found.items():
        if found.lacking:
            lacking.append(f"{name}: {found.lacking}")
            continue
        # What somebody set meanwhile is now what is put back: an older entry of a path gives way.
        newer = {one.path for one in (*turned, *found.changes)}
        before = (*(one for one in kept if one.path not in newer), *turned)
        if found.changes:
            write_journal(place, _journal((*before, *found.changes)))
        done, refused = _turn_all(found.changes)
        if done != found.changes:
            # The kernel may have taken another value than the one that was asked for.
            write_journal(place, _journal((*before, *done)))
        turned += done
        if refused:
            lacking.append(_refusal(name, refused, len(found.changes)))
        # Some interrupts belong to their driver (EIO): the others are steered all the same.
        if not refused or (name == "irq" and len(refused) < len(found.changes)):
            held.append(name)
            already += found.already
    cpus = cpu_list_text(intent.parts.measured) if "pinning" in held else ""
    return TuningResult(
        names=tuple(held),
        lacking=tuple(lacking),
        changes=tuple(turned),
        already=tuple(already),
        cpus=cpus,
    )


def _journal(entries: tuple[SettingChange, ...]) -> Journal:
    own, machine = os.getpid(), ThisMachine()
    return Journal(
        boot=read_boot_id(machine),
        pid=own,
        start=start_of(own),
        entries=entries,
        view=kernel_view(machine, [one.path for one in entries]),
    )


def _turn_all(
    changes: tuple[SettingChange, ...],
) -> tuple[tuple[SettingChange, ...], list[tuple[SettingChange, str]]]:
    """What may have to be put back, as the kernel took it; and what it refused, with the reason.

    A knob can be in both: one that cannot be read any more, or was turned in spite of an error.
    """
    done, refused = [], []
    machine = ThisMachine()
    for one in changes:
        why = ""
        try:
            turn(one.setting, one.path, one.after)
        except OSError as error:
            why = error.strerror or str(error)
        now = value_at(machine, one.setting, one.path)
        if now == one.before:
            why = why or f"it stayed {one.before}"
        else:
            done.append(replace(one, after=now or one.after))
            why = why or ("" if now else "it cannot be read any more")
        if why:
            refused.append((one, why))
    return tuple(done), refused


def _refusal(name: str, refused: list[tuple[SettingChange, str]], count: int) -> str:
    first, why = refused[0]
    more = f" ({len(refused)} of {count} knobs)" if count > 1 else ""
    return f"{name}: the kernel refused {first.path} = {first.after}: {why}{more}"


def _awake(stack: ExitStack, limit: int, result: TuningResult) -> TuningResult:
    """Keep the processors out of deep sleep until the stack ends, or this process does.

    Nothing to journal: the kernel drops the limit with the descriptor.
    """
    try:
        handle = os.open(_LATENCY, os.O_WRONLY | os.O_CLOEXEC)
        stack.callback(os.close, handle)
        os.write(handle, struct.pack("=i", limit))
    except OSError as error:
        names = tuple(name for name in result.names if name != "cstates")
        why = f"cstates: the kernel refused {_LATENCY}: {error.strerror}"
        return replace(result, names=names, lacking=(*result.lacking, why))
    return result
