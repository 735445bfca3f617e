"""`[subject]` of a profile, or of a file of its own: how its sides are activated and proven."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Literal

from gate.errors import InputError
from gate.formats.document import Form, read_toml
from gate.formats.profile.machines import MachineForm, MetalForm, machine_from, metal_of, within
from gate.model import DEVICE_DISK, Activation, Storage, SubjectKind, Untouched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from gate.model import Machine, Profile

    Wrong = Callable[..., InputError]

_KEYS = {
    SubjectKind.COMMAND: frozenset({"untouched"}),
    SubjectKind.MODULE: frozenset({"modules", "device", "untouched"}),
    SubjectKind.KERNEL: frozenset({"modules", "machine", "device", "metal", "untouched"}),
    SubjectKind.CUSTOM: frozenset({"activate", "prove", "deactivate", "timeout"}),
}
_NEEDED = {SubjectKind.MODULE: ("modules",), SubjectKind.CUSTOM: ("activate", "prove")}
_IN_MEMORY = re.compile(r"/dev/(nullb\d{1,3}|ram\d{1,3})")
"""Devices that hold nothing but what is in memory: null_blk's and brd's."""
_OF_MACHINE = re.compile(r"/dev/(nullb\d{1,3}|ram\d{1,3}|vd[a-z]|nvme\d{1,2}n1)")
"""Those that a machine of ours has beside them: its throw-away disks."""
_LONGEST = 24 * 3600.0


class SubjectForm(Form):
    """`[subject]`: what is under test, and how a side of it is activated and proven."""

    kind: Literal["command", "module", "kernel", "custom"] = "command"
    """A directory or environment, kernel modules, a kernel to boot, or your own commands."""
    modules: list[str] = []
    """module, kernel: to load, in this order, with parameters: "null_blk nr_devices=1"."""
    device: str = ""
    """For the fio job. module: the one in memory that this makes, "/dev/nullb0"; kernel: also one
    of the machine's own disks, "/dev/vda"."""
    untouched: Literal["note", "close"] = "note"
    """What becomes of a pass whose trials called no changed function, or read no changed file."""
    activate: str = ""
    """custom: a shell command that makes the side active; `{side}` is its directory."""
    prove: str = ""
    """custom: a shell command that ends with 0 only if the side is active, and prints its proof."""
    deactivate: str = ""
    """custom: a shell command that puts everything back, after the last trial."""
    timeout: str = "5 min"
    """custom: the most that one of these commands may take."""
    machine: MachineForm | None = None
    """kernel: the virtual machine that it is booted in."""
    metal: MetalForm | None = None
    """kernel: instead of one, how this machine itself is restarted into it."""


class SubjectFileForm(Form):
    """A file for `--subject`."""

    subject: SubjectForm
    """As `[subject]` of a profile."""


def subject_of(form: SubjectForm, wrong: Wrong) -> Activation:
    """How the sides are activated."""
    kind = SubjectKind(form.kind)
    given = form.model_fields_set - {"kind"}
    for key in sorted(given - _KEYS[kind]):
        allowed = ", ".join(sorted(_KEYS[kind])) or "no other key"
        raise wrong(f"subject.{key} means nothing to {kind}, which has {allowed}.", "subject", key)
    for key in _NEEDED.get(kind, ()):
        if not getattr(form, key):
            raise wrong(f"subject: kind {kind} needs the key {key}.", "subject")
    for key, why in _unfit(form):
        raise wrong(f"subject.{key}: {why}.", "subject", key)
    virtual = kind is SubjectKind.KERNEL and form.metal is None
    machine = form.machine or (MachineForm() if virtual else None)
    own = {
        "kind": kind,
        "untouched": Untouched(form.untouched),
        "timeout": within(form.timeout, "s", (0.001, _LONGEST), wrong, "timeout"),
        "machine": machine_from(machine, wrong) if machine else None,
        "metal": metal_of(form.metal, wrong) if form.metal else None,
    }
    return Activation(**form.as_fields() | own)


def _unfit(form: SubjectForm) -> Iterator[tuple[str, str]]:
    for key in ("machine", "modules", "device", "untouched") if form.metal else ():
        if key in form.model_fields_set:
            yield key, "does not go with metal: this machine starts with what it is set up with"
    for line in form.modules:
        if not line.strip() or not line.isprintable():
            yield "modules", f"{line[:80]!r} is no module"
    own = _OF_MACHINE if form.kind == "kernel" else _IN_MEMORY
    if form.device and not own.fullmatch(form.device):
        what = "none of the machine's own" if form.kind == "kernel" else "not in memory"
        yield "device", f"{form.device[:80]!r} is {what}, as /dev/nullb0 and /dev/ram0 are"


def subject_text(subject: Activation) -> str:
    """What of it decides what is run, for the profile's digest; empty where nothing does.

    How a boot entry is called, or the next start is armed, decides nothing: the running kernel
    proves itself.
    """
    if replace(subject, untouched=Untouched.NOTE) == Activation():
        return ""
    decides = {key: one for key, one in asdict(subject).items() if one and key != "untouched"}
    if subject.metal is not None:
        decides["metal"] = {"by": subject.metal.by, "command_line": subject.metal.command_line}
    return json.dumps(decides, sort_keys=True)


def with_subject(profile: Profile, path: Path) -> Profile:
    """The profile with the subject of a file of its own, as `--subject FILE` asks for."""
    form = read_toml(path, "profile").validate(SubjectFileForm)

    def wrong(message: str, *_: str | int, cure: str = "") -> InputError:
        return InputError("G210", message, cure=cure, place=str(path))

    if profile.subject != Activation():
        cure = "Leave --subject out, or take the table out of the profile."
        raise wrong(f"profile {profile.name} has a [subject] of its own.", cure=cure)
    subject = subject_of(form.subject, wrong)
    refuse_unfit(subject, profile, wrong)
    decides = subject_text(subject)
    if not decides:
        return profile
    both = hashlib.sha256(f"{profile.digest} {decides}".encode())
    return replace(profile, subject=subject, digest=f"sha256:{both.hexdigest()}")


def refuse_unfit(subject: Activation, profile: Profile, wrong: Wrong) -> None:
    """Refuse a subject that does not go with the rest of a profile."""
    if subject.kind is SubjectKind.COMMAND:
        return
    for why in _clashes(subject, profile):
        said = f"subject: kind {subject.kind} does not go with this profile: {why}."
        raise wrong(said, "subject")


def _clashes(subject: Activation, profile: Profile) -> Iterator[str]:
    storage = profile.storage or Storage()
    if profile.harness in {"replay", "instructions"}:
        yield f"{profile.harness} activates none"
    if subject.machine is not None:
        yield from _outside(subject.machine, profile)
    elif subject.metal is None and storage.device:
        yield "its devices are no [storage] device"
    if subject.metal is not None and any(one.group for one in profile.benchmarks):
        yield "the points of a group cannot be restarts of a machine"
    if subject.metal is not None and storage.steady is not None:
        yield "a steady state does not outlive a restart"


def _outside(machine: Machine, profile: Profile) -> Iterator[str]:
    """What stands outside of a virtual machine, and so does nothing for what runs in it."""
    storage = profile.storage or Storage()
    given = sum(disk.endswith(DEVICE_DISK) for disk in machine.disks)
    if profile.background is not None:
        yield "[background] stands outside of its machine"
    if given > 1:
        yield "one device cannot be two disks"
    if given == 1 and not storage.device:
        yield "no [storage] device is named for the disk of its machine"
    if profile.storage is not None and not (given and storage.device):
        yield '[storage] stands outside of its machine, where no disk is "virtio:device"'
    if storage.filesystem:
        yield "its machine gets the device itself, without a file system"
