"""`metal = { ... }` of a subject: how this machine itself is restarted into a side's kernel."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from gate.model import Metal, OneShot

if TYPE_CHECKING:
    from collections.abc import Callable

    from gate.errors import InputError

    Wrong = Callable[..., InputError]

_ENTRIES = frozenset({"base", "head"})
_KEYS = {
    OneShot.GRUB: _ENTRIES,
    OneShot.SYSTEMD_BOOT: _ENTRIES,
    OneShot.EFI: _ENTRIES,
    OneShot.KEXEC: frozenset({"initrd", "command_line"}),
    OneShot.COMMAND: frozenset({"once"}),
}
_NEEDED = {
    OneShot.GRUB: ("base", "head"),
    OneShot.SYSTEMD_BOOT: ("base", "head"),
    OneShot.EFI: ("base", "head"),
    OneShot.KEXEC: (),
    OneShot.COMMAND: ("once",),
}
_NUMBER = re.compile(r"[0-9A-Fa-f]{4}")


class MetalForm(BaseModel):
    """`metal = { by = "grub", base = "...", head = "..." }`."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)
    by: Literal["grub", "systemd-boot", "efi", "kexec", "command"]
    """What makes the next start, and no other, one of the side's kernel."""
    base: str = ""
    """grub: a menu entry; systemd-boot: its ID; efi: the number of a boot option, "0003"."""
    head: str = ""
    """Likewise, for the head side."""
    once: str = ""
    """command: a shell command that arms the next start; `{side}` is the side's directory."""
    restart: str = ""
    """A shell command instead of `systemctl reboot`, and `systemctl kexec` with kexec."""
    initrd: str = ""
    """kexec: the first file system; `{side}` is the side's directory."""
    command_line: str = ""
    """kexec: the kernel's command line, instead of that of the kernel that was there first."""


def metal_of(form: MetalForm, wrong: Wrong) -> Metal:
    """How the machine is restarted.

    Raises:
        InputError: a key means nothing to it, is missing, or is not one line.
    """
    by = OneShot(form.by)
    allowed = _KEYS[by] | {"restart"}
    for key in sorted(form.model_fields_set - allowed - {"by"}):
        shown = ", ".join(sorted(allowed))
        raise wrong(
            f"subject.metal.{key} means nothing to {by.value}, which has {shown}.",
            "subject",
            "metal",
        )
    for key in sorted(allowed):
        text = getattr(form, key)
        if not text and key in _NEEDED[by]:
            raise wrong(f"subject.metal: {by.value} needs the key {key}.", "subject", "metal")
        if not text.isprintable() or text.startswith("-"):
            raise wrong(f"subject.metal.{key}: {text[:80]!r} is no name.", "subject", "metal")
        if by is OneShot.EFI and key in _ENTRIES and not _NUMBER.fullmatch(text):
            raise wrong(
                f"subject.metal.{key}: {text[:80]!r} is no number of a boot option.",
                *("subject", "metal"),
                cure="`efibootmgr` lists them: four hexadecimal digits, as in Boot0003.",
            )
    if allowed >= _ENTRIES and form.base == form.head:
        raise wrong("subject.metal: both sides have one boot entry.", "subject", "metal")
    return Metal(
        by=by,
        base=form.base,
        head=form.head,
        once=form.once,
        restart=form.restart,
        initrd=form.initrd,
        command_line=form.command_line,
    )
