"""Putting back what is in the journal, the last knob first; then swaps, the first one first.

A knob that still shows what the gate set is set to what it was. One that shows what it was is
left. One that shows anything else was turned by somebody else meanwhile: it is left, printed, and
stays in the journal, until `gate host restore` is asked to overwrite or to keep it. So does one
that cannot be read, and one that went with its processor or device: it comes back as the gate set
it. Done again after an interruption, it ends the same.

A boot whose id cannot be read is not a new one. The journal is closed where its boot is seen to be
this one, through the mounts through which it was tuned: others may hide what it names.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gate.errors import CannotJudge
from gate.formats.disk import is_missing
from gate.host.journal import JOURNAL, close_journal, read_journal, write_journal
from gate.host.tuning.sysctl_setting import SWAP, turn, value_at
from gate.linux.machine import ThisMachine, read_boot_id
from gate.linux.mounts import kernel_view

if TYPE_CHECKING:
    from pathlib import Path

    from gate.host.journal import Journal
    from gate.host.tuning.settings import SettingChange

_RETURNS = re.compile(r"/sys/devices/system/cpu/cpufreq/policy\d+/.+|/proc/irq/\d+/.+")
"""Knobs that go with a processor or a device, and come back with their last value."""
_OTHER = "somebody else changed it meanwhile"
_SILENT = "it cannot be read now"
_HIDDEN = "it cannot be seen here, and was tuned where other mounts are seen"
_AWAY = "it may come back as the gate set it; a restart of the machine forgets it"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotRestored:
    """A knob that was not put back."""

    change: SettingChange
    now: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """What restoring did."""

    back: tuple[SettingChange, ...] = ()
    """Set to what they were."""
    left: tuple[NotRestored, ...] = ()
    gone: tuple[SettingChange, ...] = ()
    """Knobs that are not there any more, and do not come back by themselves."""
    forgotten: int = 0
    """Knobs that a restart of the machine set anew before we came."""
    stays: bool = False
    """Whether the journal stays as it is, since from here it cannot be closed."""

    def lines(self) -> tuple[str, ...]:
        """What is worth printing, a line each."""
        shown = [f"put back: {one.path} = {one.before}" for one in self.back]
        shown += [f"not there any more: {one.path} (was {one.before})" for one in self.gone]
        if self.forgotten:
            shown.append(
                f"the machine was restarted, which forgot the tuning of {self.forgotten} settings"
            )
        if self.stays:
            shown.append("the journal stays: what tuned saw more than is seen here")
        shown += [
            f"LEFT AS IT IS: {one.change.path} = {one.now}: {one.why}; before the gate it was "
            f"{one.change.before}"
            for one in self.left
        ]
        return tuple(shown)


def refuse_owned(journal: Journal, state: Path) -> None:
    """Refuse to touch the journal of another gate that still runs.

    Raises:
        CannotJudge: G240.
    """
    if journal.owned and journal.pid != os.getpid():
        raise CannotJudge(
            "G240",
            f"process {journal.pid} has tuned this host, and puts it back when it ends.",
            cure="Wait until it has ended.",
            place=str(state / JOURNAL),
        )


def restore(state: Path, *, force: bool = False, keep: bool = False) -> RestoreResult:
    """Put back what the journal names, and close it.

    `force` overwrites what somebody else set meanwhile; `keep` leaves that, and forgets it.

    Raises:
        InputError: G262 the journal cannot be read, G208 it cannot be written.
        CannotJudge: G240, the gate that tuned still runs.
    """
    journal = read_journal(state)
    if journal is None:
        return RestoreResult()
    refuse_owned(journal, state)
    boot = read_boot_id(ThisMachine())
    if boot and journal.boot and boot != journal.boot:
        close_journal(state)
        return RestoreResult(forgotten=len(journal.entries))
    view = kernel_view(ThisMachine(), [one.path for one in journal.entries])
    own = bool(boot) and view == journal.view
    result = RestoreResult(stays=not own and not keep)
    # Last turned, first back; but swaps without a priority get it by who comes first.
    knobs = [one for one in reversed(journal.entries) if one.setting != SWAP]
    swaps = [one for one in journal.entries if one.setting == SWAP]
    for one in (*knobs, *swaps):
        result = _restore_one(one, result, own=own, force=force)
    if result.stays:
        return result
    if result.left and not keep:
        still = {one.change for one in result.left}
        entries = tuple(one for one in journal.entries if one in still)
        write_journal(state, replace(journal, entries=entries))
    else:
        close_journal(state)
    return result


def _restore_one(
    one: SettingChange, result: RestoreResult, *, own: bool, force: bool
) -> RestoreResult:
    """Put one knob back, or say why it is left; the result with that added."""
    now = value_at(ThisMachine(), one.setting, one.path)
    if now == one.before:
        return result
    if not now and is_missing(one.path):
        returns = _RETURNS.fullmatch(one.path)
        if own and not returns:
            return replace(result, gone=(*result.gone, one))
        now, why = "not there", _AWAY if returns else _HIDDEN
    elif now != one.after and not force:
        why = _OTHER if now else _SILENT
    elif not (refusal := _put_back(one)):
        return replace(result, back=(*result.back, one))
    else:
        why = f"it could not be put back: {refusal}"
    left = NotRestored(change=one, now=now or "unreadable", why=why)
    return replace(result, left=(*result.left, left))


def _put_back(one: SettingChange) -> str:
    """Why it did not work; empty where it did."""
    try:
        turn(one.setting, one.path, one.before)
    except OSError as error:
        return error.strerror or str(error)
    now = value_at(ThisMachine(), one.setting, one.path)
    return "" if now == one.before else f"the kernel made it {now}"
