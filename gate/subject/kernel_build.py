"""Builds both sides of a kernel by the tree's own make, and lays them out for booting.

Everything but the source is the same for both: the place, the configuration, the time and the name
that get into a build. So two builds of one source are the same to the byte.
"""

from __future__ import annotations

import os
import re
import shutil
from typing import TYPE_CHECKING, NamedTuple

from gate.errors import MeasureError
from gate.subject.kernel_source import (
    EMPTY,
    BuildStep,
    KernelBuildOptions,
    difference,
    lay_out,
    remove,
    remove_tree,
)
from gate.vm.changes import NAME, NotCompared, changed_in, recorded_text
from gate.vm.code import differing_functions
from gate.vm.elf import NotRead
from gate.vm.image import read_image
from gate.vm.packed import NotUnpacked, unpack

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gate.subject.kernel_source import KernelSource

    Run = Callable[["BuildStep", Path, dict[str, str]], int]
    """Runs a step with its output at the end of a log, and gives its exit status."""

FAILED = "G282"
SIDES = ("base", "head")
DIFFERENCE = "config-difference.txt"
_FIXED = {
    "KBUILD_BUILD_TIMESTAMP": "2026-01-01T00:00:00Z",
    "KBUILD_BUILD_USER": "gate",
    "KBUILD_BUILD_HOST": "gate",
    "KBUILD_BUILD_VERSION": "1",
    "LOCALVERSION": "",
    "LC_ALL": "C",
}
_OURS = re.compile(r"KBUILD_|K[A-Z]*FLAGS$|MAKE|MFLAGS$|LOCALVERSION$|INSTALL_|O$|M$|ARCH$|CC$")
"""Variables of the caller that would get into a build."""
_ERROR = re.compile(r"(?:fatal |internal compiler )?error[: ]|\*\*\* |^fatal: |undefined reference")
_LONGEST = 300


class BuiltKernel(NamedTuple):
    """What a side became."""

    release: str
    build_id: str
    config: str
    """The final configuration."""
    not_taken: tuple[str, ...]
    """Options that a fragment asks for and the tree did not take."""


class BuiltSides(NamedTuple):
    """Both sides, and how they differ."""

    sides: tuple[BuiltKernel, BuiltKernel]
    options: tuple[str, ...]
    functions: dict[str, str]
    """Those of the kernel itself."""
    unknown: str
    """Why the functions that differ are not known; empty where they are."""
    modules: dict[str, tuple[str, ...]]
    """Modules that differ, each with its functions that do."""


class Builder:
    """Builds into one place, `out`: sides, logs, and what is removed again in the end."""

    def __init__(
        self,
        out: Path,
        wanted: KernelBuildOptions,
        jobs: int,
        *,
        modules: bool,
        run: Run,
        say: Callable[[str], None],
    ) -> None:
        self.out = out.resolve()
        self._work = self.out / ".build"
        self._wanted, self._jobs, self._modules, self._run = wanted, jobs, modules, run
        self._say = say
        self._log = self.out / "build.log"
        self._compiler = ("CC=ccache gcc",) if shutil.which("ccache") else ()

    def build(self, sources: tuple[KernelSource, KernelSource]) -> BuiltSides:
        """Build both; what `out` held of sides before is replaced only when both are there.

        Raises:
            MeasureError: G282, something did not build; the message quotes its log.
            InputError: G260, what was built is no kernel that proves itself.
        """
        self._clean(sources)
        try:
            self._work.mkdir(parents=True)
            base, head = (self._side(side, one) for side, one in zip(SIDES, sources, strict=True))
            functions, unknown = self._compare(base, head)
            modules = modules_between(*(self._work / side for side in SIDES))
            options = difference(base.config, head.config)
            self._record(base, head, functions, unknown, options)
            return BuiltSides((base, head), options, functions, unknown, modules)
        finally:
            self._clean(sources)

    def _clean(self, sources: tuple[KernelSource, KernelSource]) -> None:
        if self._work.exists():
            self._say("tidying up")
        remove_tree(self._work)
        for source in {one.directory: one for one in sources if one.commit}.values():
            remove(source, self._work / "source")

    def _side(self, side: str, source: KernelSource) -> BuiltKernel:
        self._log = self.out / f"{side}.log"
        self._log.unlink(missing_ok=True)
        lay_out(source, self._work / "source", self._do)
        objects = self._work / "objects"
        objects.mkdir()
        not_taken = self._configure(objects)
        targets = ("bzImage", "modules") if self._modules else ("bzImage",)
        self._make(f"-j{self._jobs}", *targets, purpose="compiling")
        built = self._laid_out(side, objects, not_taken)
        # The other is built at this very place.
        objects.rename(self._work / f"objects-{side}")
        return built

    def _configure(self, objects: Path) -> tuple[str, ...]:
        """One configuration for both: the first side's text, taken as each tree takes it."""
        config, kept = objects / ".config", self._work / "config"
        if not kept.exists():
            if self._wanted.config is not None:
                shutil.copyfile(self._wanted.config, config)
            else:
                self._make(self._wanted.default, purpose="configuring")
            text = config.read_text(encoding="utf-8", errors="replace")
            kept.write_text(f"{text}\n{self._wanted.text()}", encoding="utf-8")
        shutil.copyfile(kept, config)
        if self._wanted.config is None and self._wanted.default in EMPTY:
            self._make("allnoconfig", f"KCONFIG_ALLCONFIG={kept}", purpose="configuring")
        else:
            self._make("olddefconfig", purpose="configuring")
        return self._wanted.not_taken(config.read_text(encoding="utf-8", errors="replace"))

    def _laid_out(self, side: str, objects: Path, not_taken: tuple[str, ...]) -> BuiltKernel:
        release = (objects / "include/config/kernel.release").read_text(encoding="utf-8").strip()
        place = self._work / side
        boot = place / "boot"
        boot.mkdir(parents=True)
        shutil.copyfile(objects / "arch/x86/boot/bzImage", boot / f"vmlinuz-{release}")
        shutil.copyfile(objects / ".config", boot / f"config-{release}")
        shutil.copyfile(objects / "System.map", boot / f"System.map-{release}")
        if self._modules:
            strip = "INSTALL_MOD_STRIP=--strip-debug"
            self._make("modules_install", f"INSTALL_MOD_PATH={place}", strip, purpose="modules")
            for link in ("build", "source"):
                (place / "lib/modules" / release / link).unlink(missing_ok=True)
        image, _ = read_image(boot / f"vmlinuz-{release}")
        config = (objects / ".config").read_text(encoding="utf-8", errors="replace")
        return BuiltKernel(image.release, image.build_id, config, not_taken)

    def _make(self, *words: str, purpose: str) -> None:
        place = (f"-C{self._work / 'source'}", f"O={self._work / 'objects'}")
        self._do(BuildStep(("make", *place, *self._compiler, *words), purpose))

    def _do(self, step: BuildStep) -> None:
        kept = {name: value for name, value in os.environ.items() if not _OURS.match(name)}
        status = self._run(step, self._log, kept | _FIXED)
        if status != 0:
            raise MeasureError(
                FAILED,
                f"{step.argv[0]} ended with {status}: {first_error(self._log)}.",
                cure=f"The whole log is {self._log}.",
            )

    def _compare(self, base: BuiltKernel, head: BuiltKernel) -> tuple[dict[str, str], str]:
        if base.build_id == head.build_id:
            return {}, ""
        try:
            trees = (self._work / f"objects-{side}" for side in SIDES)
            return changed_in(*trees), ""
        except NotCompared as error:
            return {}, str(error)

    def _record(
        self,
        base: BuiltKernel,
        head: BuiltKernel,
        functions: dict[str, str],
        unknown: str,
        options: tuple[str, ...],
    ) -> None:
        purpose = recorded_text((base.build_id, head.build_id), functions)
        for side in SIDES:
            if not unknown:
                (self._work / side / NAME).write_text(purpose, encoding="utf-8")
            shutil.rmtree(self.out / side, ignore_errors=True)
            (self._work / side).rename(self.out / side)
        lines = options or ("# The configurations of base and head are the same.",)
        (self.out / DIFFERENCE).write_text("\n".join(lines) + "\n", encoding="utf-8")


def modules_between(base: Path, head: Path) -> dict[str, tuple[str, ...]]:
    """Modules that differ between two sides, each with the functions that do, as far as is known.

    One that is there on one side alone differs; one whose data alone differ has no functions.
    """
    before, after = _modules_of(base), _modules_of(head)
    found = {}
    for name in sorted(before.keys() | after.keys()):
        old, new = (side[name].read_bytes() if name in side else b"" for side in (before, after))
        if old == new:
            continue
        try:
            plain = (unpack(one) if one else b"" for one in (old, new))
            found[name] = tuple(differing_functions(*plain)) if old and new else ()
        except (NotRead, NotUnpacked):
            found[name] = ()
    return found


def _modules_of(side: Path) -> dict[str, Path]:
    paths = (side / "lib" / "modules").rglob("*.ko*")
    return {path.name.partition(".ko")[0].replace("-", "_"): path for path in paths}


def first_error(log: Path) -> str:
    """The first line of a log that names an error, or else its last."""
    last = "it said nothing"
    try:
        with log.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if _ERROR.search(line):
                    return line.strip()[:_LONGEST].rstrip(".")
                last = line.strip() or last
    except OSError:
        return "it left no log"
    return last[:_LONGEST].rstrip(".")
