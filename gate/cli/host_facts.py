"""Which facts of this machine a sitting is measured on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from gate.host.identity import read_host
from gate.model import without_kernel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gate.measure.storage import StorageState
    from gate.model import Host, Profile


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
