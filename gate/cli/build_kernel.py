"""`gate build-kernel`: both sides of a kernel patch, built alike and laid out for booting.

How far a long build is shows on stderr, by the number of lines in its log.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_lines
from gate.errors import InputError, Interrupted
from gate.harness.base import Command
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop, StopRequested
from gate.pipeline.progress import ProgressDisplay
from gate.subject.kernel_build import DIFFERENCE, SIDES, Builder
from gate.subject.kernel_source import CODE, KernelBuildOptions, sources
from gate.text import one_line
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from gate.subject.kernel_build import BuiltSides
    from gate.subject.kernel_source import BuildStep

_LONGEST = 24 * 3600.0
_LIVE, _ELSEWHERE = 1.0, 20.0
"""Seconds between two looks at a log."""
_INTO_LOG = 'log=$1; shift; exec "$@" >>"$log" 2>&1'


class Watcher:
    """Runs the steps of a build and says how far they are."""

    def __init__(self, stop: Stop, ui: ProgressDisplay) -> None:
        self._stop, self._ui = stop, ui
        self._doing, self._log = "", Path()
        self._since = self._last = 0.0
        self._before = 0
        """Lines that the first build's log got while it compiled."""

    def run(self, step: BuildStep, log: Path, environment: dict[str, str]) -> int:
        """One step, with its output at the end of a log; gives its exit status."""
        self._doing, self._log, self._since = step.purpose, log, time.monotonic()
        argv = ("sh", "-c", _INTO_LOG, "sh", str(log), *step.argv)
        words = Command(argv=argv, directory=Path.cwd(), environment=environment, timeout=_LONGEST)
        outcome = run_process(words, self._stop, sample=self._look)
        if step.purpose == "compiling":
            self._before = self._before or self._lines()
        return 124 if outcome.timed_out else outcome.status

    def _look(self) -> float:
        every = _LIVE if self._ui.live else _ELSEWHERE
        now = time.monotonic()
        spent = now - self._since
        if spent > _LIVE and now - self._last >= every:
            self._last, doing = now, self._doing
            of = f" of about {self._before}" if self._before and doing == "compiling" else ""
            lines = f"{self._lines()}{of} lines"
            line = one_line(f"{self._log.stem}: {doing}, {lines}, {show_duration(spent)}")
            if self._ui.live:
                self._ui.rewrite(line, "")
            else:
                self._ui.say(line)
        return _LIVE

    def _lines(self) -> int:
        try:
            with self._log.open("rb") as file:
                return sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 16), b""))
        except OSError:
            return 0


_NAMED = 12
"""Functions, or options, that are printed by name."""

EPILOG = """\b
Examples:
  gate build-kernel v6.1 my-patch --defconfig allnoconfig --guest --modules
        a small kernel that boots in a quarter of the time, and its null_blk
  gate build-kernel main HEAD --source ~/linux --config /boot/config-6.1.0 --modules
        your distribution's configuration
  gate build-kernel ../linux-a ../linux-b --defconfig defconfig --fragment my.config
        two source directories, where there is no repository
  gate check null-blk --base kernels/base --head kernels/head
        boot and judge them, with a profile of harness "instructions"

\b
Written below --out: base/ and head/ as unpacked kernel packages, base.log and
head.log, and config-difference.txt. Your tree is not touched: revisions are
checked out by `git worktree` at a place of their own, which is removed again.
A second build is much quicker where ccache is installed.

\b
Exit status: 0 both sides are built, 2 a word is wrong, 4 a side did not build,
130 and 143 interrupted (sides that were there before are as they were).
"""


def _configured(
    config: Path | None, defconfig: str, fragment: tuple[Path, ...], *, guest: bool
) -> KernelBuildOptions:
    ours = (Path(str(files("gate.vm") / "guest" / "guest.config")),) if guest else ()
    return KernelBuildOptions(config, defconfig, (*ours, *fragment))


_configuration = options.bundle(
    "configuration",
    _configured,
    options.path("--config", "A whole .config for both."),
    options.option(
        "--defconfig",
        "Else this target of the tree: allnoconfig, defconfig, ...",
        default="defconfig",
    ),
    options.path(
        "--fragment", "Options on top of it; repeatable, the last one wins.", multiple=True
    ),
    options.flag("--guest", "Add what a guest of the gate needs to boot."),
)


@click.command(epilog=EPILOG)
@click.argument("base")
@click.argument("head")
@options.path(
    "--source",
    "Git checkout of the kernel, whose revisions BASE and HEAD are. [default: here]",
    default=Path(),
    show_default=False,
)
@_configuration
@options.flag("--modules", "Build and install modules too.")
@options.option("-j", "jobs", "As -j of make.", type=click.IntRange(1, 4096))
@options.path("--out", "Everything is written below this directory.", default=Path("kernels"))
def command(
    base: str,
    head: str,
    source: Path,
    configuration: KernelBuildOptions,
    out: Path,
    *,
    modules: bool,
    jobs: int | None,
) -> int:
    """Build the kernels of BASE and HEAD alike, as the sides of a check.

    BASE and HEAD are revisions of --source, or two source directories. Both are built outside of
    the tree by its own make, at the same place, with one configuration and a fixed time, so that
    the same source gives the same bytes. Which functions differ is recorded beside them.
    """
    configuration.check()
    both = sources(source, base, head)
    with _alone(out), Stop().listening() as stop:
        ui = ProgressDisplay()
        run = Watcher(stop, ui).run
        jobs = jobs or os.cpu_count() or 1
        builder = Builder(out, configuration, jobs, modules=modules, run=run, say=ui.say)
        try:
            outcome = builder.build(both)
        except StopRequested as request:
            raise Interrupted(
                request.number, "interrupted; the sides are as they were.", cure="Run it again."
            ) from None
        finally:
            ui.done()
    _print_built(out, outcome, (base, head))
    return 0


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Inside, no other run writes there."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with (out / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError as error:
        cure = "Wait for it, or name another place with --out."
        raise InputError(CODE, "another run builds there.", cure=cure, place=str(out)) from error


def _print_built(out: Path, outcome: BuiltSides, names: tuple[str, str]) -> None:
    for side, name, built in zip(SIDES, names, outcome.sides, strict=True):
        for option in built.not_taken:
            click.echo(f"warning: {side}: the tree did not take {option}", err=True)
        click.echo(f"{out / side}: {built.release}, build-id {built.build_id[:16]}, of {name}")
    print_lines(_differences(out / DIFFERENCE, outcome))


def _differences(place: Path, outcome: BuiltSides) -> Iterator[str]:
    """What differs between the two builds: configuration, kernel, modules."""
    yield (
        f"the configurations differ in {len(outcome.options)} options ({place}): "
        f"{_some([line.strip() for line in outcome.options])}"
        if outcome.options
        else "the configurations are the same"
    )
    modules = outcome.modules
    if outcome.unknown:
        yield f"which functions differ is not known: {outcome.unknown}"
    elif outcome.sides[0].build_id == outcome.sides[1].build_id:
        what = "the kernel itself is" if modules else "the kernels are"
        yield f"{what} the same to the byte"
    else:
        kernel = "the kernel itself"
        yield _functions(kernel, outcome.functions) or f"no function of {kernel} differs"
    for name in sorted(modules)[:_NAMED]:
        where = f"module {name}"
        yield _functions(where, modules[name]) or f"{where} differs otherwise"
    if len(modules) > _NAMED:
        yield f"{len(modules) - _NAMED} more modules differ"


def _functions(where: str, names: Collection[str]) -> str:
    """The functions that differ; empty where there are none."""
    count = f"{len(names)} functions of {where} differ"
    if len(names) == 1:
        count = f"1 function of {where} differs"
    return f"{count}: {_some(list(names))}" if names else ""


def _some(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
