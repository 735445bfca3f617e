"""The configuration that both sides of a kernel are built with, and how their ends differ."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gate.errors import InputError
from gate.model.kernel_config import options_in
from gate.subject.kernel_source import CODE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_REPEATABLE = """
# By gate build-kernel: what would make two builds of one source differ.
# CONFIG_LOCALVERSION_AUTO is not set
# CONFIG_MODULE_SIG is not set
CONFIG_SYSTEM_TRUSTED_KEYS=""
CONFIG_SYSTEM_REVOCATION_KEYS=""
"""
EMPTY = ("allnoconfig", "tinyconfig")
"""Those that say no to all that is not asked for, also to what a fragment makes visible."""


class Wanted(NamedTuple):
    """What the user asks for."""

    config: Path | None
    """A whole `.config`."""
    default: str
    """Else a target of the tree: `defconfig`, `tinyconfig`."""
    fragments: tuple[Path, ...]

    def check(self) -> None:
        """Refuse what cannot be.

        Raises:
            InputError: G281.
        """
        if not self.default.endswith("config") or not self.default.replace("_", "").isalnum():
            message = f"{self.default[:80]!r} is no configuration of a kernel tree."
            raise InputError(CODE, message, cure="For example --defconfig allnoconfig.")
        for path in filter(None, (self.config, *self.fragments)):
            if not path.is_file():
                raise InputError(
                    CODE,
                    "there is no such file.",
                    cure="Give a kernel's configuration.",
                    place=str(path),
                )

    def text(self) -> str:
        """The fragments, one after the other, and what makes builds repeat."""
        parts = [path.read_text(encoding="utf-8", errors="replace") for path in self.fragments]
        return "\n".join((*parts, _REPEATABLE))

    def not_taken(self, final: str) -> tuple[str, ...]:
        """Lines of the fragments that a tree did not take."""
        have = options_in(final.splitlines())
        wanted: dict[str, str] = {}
        for path in self.fragments:
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            wanted.update(options_in(lines))
        return tuple(
            f"CONFIG_{name}={value}"
            for name, value in wanted.items()
            if have.get(name) != value and not (value == "m" and have.get(name) == "y")
        )


def difference(base: str, head: str) -> tuple[str, ...]:
    """How two final configurations differ, as scripts/diffconfig of Linux tells it."""
    before, after = options_in(base.splitlines()), options_in(head.splitlines())
    names = sorted(before.keys() | after.keys())
    return tuple(
        _line(name, before, after) for name in names if before.get(name) != after.get(name)
    )


def _line(name: str, before: Mapping[str, str], after: Mapping[str, str]) -> str:
    if name not in after:
        return f"-{name} {before[name]}"
    if name not in before:
        return f"+{name} {after[name]}"
    return f" {name} {before[name]} -> {after[name]}"
