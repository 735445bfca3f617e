"""`baselines/<host-class>/kernel-<digest>.config`: how the kernels of accepted sessions were built.

Each text is kept once, beside the baselines that name its digest. It is read to tell what differs
and decides nothing, so one that is gone or spoilt is simply not kept any more.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.formats import disk
from gate.model.kernel_config import MOST_OPTIONS, config_digest, config_text, is_option, options_in

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from gate.formats.toml import Path as Place
    from gate.model import Kernel

PATTERN = "kernel-*.config"
_NAME = re.compile(r"kernel-([0-9a-f]{16})\.config")
_BUILD_ID = re.compile(r"[0-9a-f]{0,128}")


def is_config_name(name: str) -> bool:
    """Whether a file beside baselines is called as a kernel's configuration is."""
    return _NAME.fullmatch(name) is not None


def config_name(digest: str) -> str:
    """How the file of a configuration is called."""
    return f"kernel-{digest}.config"


def read_kernel_config(folder: Path, digest: str) -> dict[str, str] | None:
    """The options of a configuration; None where its text is not there as it was accepted."""
    name = config_name(digest)
    if not is_config_name(name):
        return None
    try:
        text = disk.read_text(folder / name, "kernel config")
    except InputError:
        return None
    found = options_in(text.splitlines())
    return found if config_digest(found) == digest else None


def write_kernel_config(folder: Path, config: Mapping[str, str]) -> None:
    """Write a configuration that is not there yet, or not as it should be.

    One too large to be read again is not kept.

    Raises:
        InputError: G208, it cannot be written.
    """
    digest, text = config_digest(config), config_text(config)
    fits = len(text.encode()) <= disk.CAP_BYTES["kernel config"]
    if fits and read_kernel_config(folder, digest) is None:
        disk.write_text(folder / config_name(digest), text)


def unnamed_configs(folder: Path, named: Collection[str]) -> tuple[Path, ...]:
    """Files of configurations whose digests nobody names any more."""
    return tuple(
        path
        for path in sorted(folder.glob(PATTERN))
        if (match := _NAME.fullmatch(path.name)) and match[1] not in named
    )


def kernel_complaints(kernel: Kernel) -> Iterator[tuple[Place, str]]:
    """What no kernel tells of itself."""
    if not _BUILD_ID.fullmatch(kernel.build_id):
        yield ("kernel", "build_id"), "is not hexadecimal, or too long"
    if len(kernel.config) > MOST_OPTIONS:
        count = f"{len(kernel.config)} options are more than the {MOST_OPTIONS} allowed"
        yield ("kernel", "config"), count
        return
    for name, value in kernel.config.items():
        if not is_option(name, value):
            yield ("kernel", "config", name[:80]), "is no option of a kernel"
