"""A side made bootable: its kernel and a first file system that does the trial's steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.vm.archive import Archive
from gate.vm.image import Image, bootable, find_image, read_image
from gate.vm.modules import Tree
from gate.vm.plugin import built
from gate.vm.script import script

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from gate.vm.modules import Module

_EMPTY = ("proc", "sys", "dev", "tmp", "gate", "usr/bin", "sbin")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """What a boot needs, laid out in files."""

    image: Image
    modules: tuple[Module, ...]
    kernel: Path
    archive: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a profile wants of a guest."""

    modules: tuple[str, ...]
    """`null_blk nr_devices=1`."""
    programs: tuple[str, ...]
    """Programs of this machine, beside busybox."""
    steps: tuple[tuple[str, str, bool], ...]
    """Name, shell text, and whether it runs between two marks."""


def read_side(directory: Path, modules: Iterable[str]) -> tuple[Image, tuple[Module, ...], bytes]:
    """The kernel and the modules of a side.

    Raises:
        InputError: G265, one is missing or cannot be read.
    """
    image, kernel = read_image(find_image(directory))
    return image, Tree(directory, image.release).loaded(modules), kernel


def lay_out(directory: Path, wanted: Wanted, place: Path, environment: Mapping[str, str]) -> Guest:
    """Write the guest of a side into `place`, which is made.

    Raises:
        InputError: G265, the side cannot be booted.
        MeasureError: G266, a part of ours cannot be built.
        Lacking: a program is not here.
        OSError: it cannot be written.
    """
    image, modules, kernel = read_side(directory, wanted.modules)
    archive = Archive()
    archive.add_directories(*_EMPTY)
    archive.add_program("busybox", environment)
    archive.add("bin/gate-mark", built("mark").read_bytes(), runs=True)
    for program in wanted.programs:
        archive.add_program(program, environment)
    for one in modules:
        archive.add(f"gate/{one.name}.ko", one.content)
    for name, text, _ in wanted.steps:
        archive.add(f"gate/{name}", text.encode() + b"\n")
    steps = [(name, marked) for name, _, marked in wanted.steps]
    archive.add("init", script(modules, steps).encode(), runs=True)
    place.mkdir(parents=True, exist_ok=True)
    (place / "kernel").write_bytes(bootable(image, kernel))
    (place / "archive").write_bytes(archive.content())
    return Guest(
        image=image,
        modules=modules,
        kernel=place / "kernel",
        archive=place / "archive",
    )
