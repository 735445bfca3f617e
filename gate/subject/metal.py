"""A side that is the kernel of this very machine: each trial has a start of its own.

What must be done in another boot cannot be done here: asking for the side raises `RestartNeeded`,
everything is put back, and whoever started the gate restarts the machine. Afterwards the journal
says what this boot was meant to be, and the running kernel proves whether it is.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import CannotJudge, InputError
from gate.subject.boots import Boots, BootStage, read_boots, running_kernel, write_boots
from gate.subject.one_shot import BootTarget, check_disarmed
from gate.subject.switch import NotActive
from gate.vm.guest_output import fault_of
from gate.vm.image import Image, find_image, read_image

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.model import Metal, Profile, Side
    from gate.subject.boots import RunningKernel
    from gate.subject.command import ActiveSide

_PSTORE = Path("/sys/fs/pstore")
_LONGEST_RECORD = 1 << 20


class RestartNeeded(CannotJudge):
    """The side's kernel is to be started anew; `gate check` and `gate run` know how to go on."""

    def __init__(self, metal: Metal, target: BootTarget, image: Image, key: str) -> None:
        super().__init__(
            "G269",
            f"not finished: this machine must restart into the {target.side.value} side's kernel "
            f"{image.release} for the next trial.",
            cure="With --restart `gate check` and `gate run` restart it, and go on afterwards "
            "where the unit of `gate host resume --unit` is set up.",
        )
        self.metal, self.target, self.image, self.key = metal, target, image, key


class Metals:
    """Tells for each trial whether this boot is the one that was asked for."""

    held = False

    def __init__(self, profile: Profile, state: Path) -> None:
        metal = profile.subject.metal
        assert metal is not None, "the subject is this machine"  # noqa: S101 - the caller's duty
        self._metal, self._state, self._path = metal, state, profile.path
        self._key = f"{profile.digest} {metal}"
        self._images: dict[Side, Image] = {}

    def check(self, sides: Mapping[Side, ActiveSide]) -> None:
        """Read the kernel of each side, or G265: a side has none, or both have the same."""
        known = hashlib.sha256(self._key.encode())
        for side, one in sorted(sides.items()):
            if one.directory is None:
                raise InputError(
                    "G265",
                    f"the {side.value} side has no directory, and so no kernel.",
                    place=self._path,
                    cure=f"Pass --{side.value} DIR with its kernel in it.",
                )
            image, _ = read_image(find_image(one.directory))
            self._images[side] = image
            known.update(f" {side.value} {image.digest}".encode())
        self._key = known.hexdigest()
        ids = [image.build_id for image in self._images.values()]
        if len(set(ids)) < len(ids):
            raise InputError(
                "G265",
                f"both sides are one kernel, build-id {ids[0][:12]}: nothing would be compared.",
                place=self._path,
                cure="Build them with different build-ids, as any change of the code does.",
            )

    def activate(self, side: ActiveSide) -> str:
        """Prove that this boot is one of the side, asked for and not used yet.

        Raises:
            RestartNeeded: it is not; nothing is wrong.
            NotActive: the machine came up with another kernel, or restarted in the last trial.
            InputError: G269, another measurement waits for its restart.
        """
        now = running_kernel()
        if not now.boot:
            raise NotActive("the id of this boot cannot be read: nobody knows whether it is new")
        journal = read_boots(self._state)
        if journal is not None and journal.key != self._key:
            raise self._another(journal)
        if (
            journal is None
            or journal.doing is BootStage.DONE
            or journal.last.side != side.side.value
        ):
            raise self._needed(side)
        if journal.doing is BootStage.MEASURING:
            came = journal.last.came
            if came is not None and came.boot == now.boot:
                raise self._needed(side)  # the gate was stopped in its trial, not the machine
            write_boots(self._state, journal.now(BootStage.DONE))
            raise NotActive(
                f"the machine restarted in the middle of this trial, and came back with "
                f"{now.label}{_recorded(journal.last.asked_at)}"
            )
        if now.boot == journal.last.asked_in:
            raise self._needed(side)  # armed, and nobody restarted
        return self._arrived(journal, side, now)

    def prove(self, side: ActiveSide) -> None:
        """The same boot, and the same kernel."""
        self._demand(side.side, running_kernel())

    def deactivate(self) -> None:
        """This boot has had its trial."""
        journal = read_boots(self._state)
        mine = journal is not None and journal.key == self._key
        if journal is not None and mine and journal.doing is BootStage.MEASURING:
            write_boots(self._state, journal.now(BootStage.DONE))

    def _arrived(self, journal: Boots, side: ActiveSide, now: RunningKernel) -> str:
        """The first look after a restart: written down before anything is measured."""
        try:
            self._demand(side.side, now)
        except NotActive as why:
            write_boots(self._state, journal.now(BootStage.DONE, came=now))
            raise NotActive(f"{why}{_recorded(journal.last.asked_at)}") from None
        stays = check_disarmed(self._metal)
        write_boots(self._state, journal.now(BootStage.MEASURING, came=now, proven=True))
        if stays:
            raise NotActive(stays)
        return f"booted {now.label}, boot {now.boot[:8]}"

    def _demand(self, side: Side, now: RunningKernel) -> None:
        image = self._images[side]
        wanted = (image.release, image.version, image.build_id)
        if (now.release, now.version, now.build_id) != wanted:
            raise NotActive(
                f"the {side.value} side's kernel {image.release} build-id {image.build_id[:12]} "
                f"does not run: this machine runs {now.label}"
            )

    def _needed(self, side: ActiveSide) -> RestartNeeded:
        image = self._images[side.side]
        target = BootTarget(side.side, side.directory or image.path.parent, image.path)
        return RestartNeeded(self._metal, target, image, self._key)

    def _another(self, journal: Boots) -> InputError:
        return InputError(
            "G269",
            f"another measurement waits for its restart: gate {' '.join(journal.words)[:200]}.",
            cure="Let it go on with `gate host resume`, or forget it: gate host resume --forget.",
            place=journal.directory,
        )


def _recorded(since: float) -> str:
    """What the kernel that went down left in the firmware's store, if it could."""
    try:
        records = [one for one in sorted(_PSTORE.glob("dmesg-*")) if one.stat().st_mtime >= since]
        found = [one.read_bytes()[:_LONGEST_RECORD].decode("utf-8", "replace") for one in records]
    except OSError:
        return ""
    fault = fault_of("\n".join(_lines_of(text) for text in found))
    return f"; it left: {fault}" if fault else ""


def _lines_of(record: str) -> str:
    """A record without its first line, which counts the parts, and the levels of the others."""
    lines = record.split("\n")[1:]
    return "\n".join(one.partition(">")[2] if one.startswith("<") else one for one in lines)
