"""`gate build-kernel`: both sides of a kernel patch, built alike and laid out for booting.

How far a long build is shows on stderr, by the number of lines in its log.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError, Interrupted
from gate.harness.base import Command
from gate.measure.process.process import run_process
from gate.measure.process.stop import Stop, StopRequested
from gate.subject.kernel_build import DIFFERENCE, SIDES, Builder
from gate.subject.kernel_source import CODE, KernelBuildOptions, sources
from gate.text import one_line
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from gate.harness.base import Outcome
    from gate.subject.kernel_build import BuiltSides
    from gate.subject.kernel_source import BuildStep

    Start = Callable[[Command, Callable[[], float]], Outcome]

_LONGEST = 24 * 3600.0
_LIVE, _ELSEWHERE = 1.0, 20.0
"""Seconds between two looks at a log."""
_WIDTH = 79
_INTO_LOG = 'log=$1; shift; exec "$@" >>"$log" 2>&1'


class Watcher:
    """Runs the steps of a build and says how far they are."""

    def __init__(self, start: Start) -> None:
        self._start = start
        self._live = sys.stderr.isatty()
        self._step: BuildStep | None = None
        self._log = Path()
        self._since = self._last = 0.0
        self._before = 0
        """Lines that the first build's log got while it compiled."""

    def run(self, step: BuildStep, log: Path, environment: dict[str, str]) -> int:
        """One step, with its output at the end of a log; gives its exit status."""
        self._step, self._log, self._since = step, log, time.monotonic()
        argv = ("sh", "-c", _INTO_LOG, "sh", str(log), *step.argv)
        outcome = self._start(
            Command(argv=argv, directory=Path.cwd(), environment=environment, timeout=_LONGEST),
            self._look,
        )
        if step.purpose == "compiling":
            self._before = self._before or self._lines()
        return 124 if outcome.timed_out else outcome.status

    def say(self, text: str) -> None:
        """A line of its own."""
        self.done()
        print(one_line(text), file=sys.stderr, flush=True)

    def done(self) -> None:
        """Leave the terminal on a fresh line."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _look(self) -> float:
        every = _LIVE if self._live else _ELSEWHERE
        now = time.monotonic()
        spent = now - self._since
        if self._step is not None and spent > _LIVE and now - self._last >= every:
            self._last = now
            self._report(self._step.purpose, spent)
        return _LIVE

    def _report(self, doing: str, spent: float) -> None:
        lines = self._lines()
        of = f" of about {self._before}" if self._before and doing == "compiling" else ""
        line = one_line(f"{self._log.stem}: {doing}, {lines}{of} lines, {show_duration(spent)}")
        if self._live:
            print(f"\r\033[K{line[:_WIDTH]}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr, flush=True)

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
    click.option("--config", type=options.PathParam, help="A whole .config for both."),
    click.option(
        "--defconfig",
        default="defconfig",
        show_default=True,
        help="Else this target of the tree: allnoconfig, defconfig, ...",
    ),
    click.option(
        "--fragment",
        type=options.PathParam,
        multiple=True,
        help="Options on top of it; repeatable, the last one wins.",
    ),
    click.option("--guest", is_flag=True, help="Add what a guest of the gate needs to boot."),
)


@click.command(epilog=EPILOG)
@click.argument("base")
@click.argument("head")
@click.option(
    "--source",
    type=options.PathParam,
    default=Path(),
    help="Git checkout of the kernel, whose revisions BASE and HEAD are. [default: here]",
)
@_configuration
@click.option("--modules", is_flag=True, help="Build and install modules too.")
@click.option("-j", "jobs", type=click.IntRange(1, 4096), help="As -j of make.")
@click.option(
    "--out",
    type=options.PathParam,
    default=Path("kernels"),
    show_default=True,
    help="Everything is written below this directory.",
)
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
        watcher = Watcher(lambda words, sample: run_process(words, stop, sample=sample))
        jobs = jobs or os.cpu_count() or 1
        builder = Builder(
            out, configuration, jobs, modules=modules, run=watcher.run, say=watcher.say
        )
        try:
            outcome = builder.build(both)
        except StopRequested as request:
            raise Interrupted(
                request.number, "interrupted; the sides are as they were.", cure="Run it again."
            ) from None
        finally:
            watcher.done()
    _print_built(out, outcome, (base, head))
    return 0


@contextmanager
def _alone(out: Path) -> Iterator[None]:
    """Inside, no other run writes there.

    Raises:
        InputError: G281, another one does, or it cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        with (out / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
    except BlockingIOError as error:
        raise InputError(
            CODE,
            "another run builds there.",
            cure="Wait for it, or name another place with --out.",
            place=str(out),
        ) from error


def _print_built(out: Path, outcome: BuiltSides, names: tuple[str, str]) -> None:
    for side, name, built in zip(SIDES, names, outcome.sides, strict=True):
        for option in built.not_taken:
            click.echo(f"warning: {side}: the tree did not take {option}", err=True)
        click.echo(f"{out / side}: {built.release}, build-id {built.build_id[:16]}, of {name}")
    if outcome.options:
        click.echo(
            f"the configurations differ in {len(outcome.options)} options ({out / DIFFERENCE}): "
            f"{_some([line.strip() for line in outcome.options])}"
        )
    else:
        click.echo("the configurations are the same")
    same = outcome.sides[0].build_id == outcome.sides[1].build_id
    if outcome.unknown:
        click.echo(f"which functions differ is not known: {outcome.unknown}")
    elif same and outcome.modules:
        click.echo("the kernel itself is the same to the byte")
    elif same:
        click.echo("the kernels are the same to the byte")
    elif outcome.functions:
        click.echo(_functions("the kernel itself", list(outcome.functions)))
    else:
        click.echo("no function of the kernel itself differs")
    _print_modules(outcome.modules)


def _print_modules(modules: Mapping[str, Sequence[str]]) -> None:
    for name in sorted(modules)[:_NAMED]:
        functions = list(modules[name])
        where = f"module {name}"
        click.echo(_functions(where, functions) if functions else f"{where} differs otherwise")
    if len(modules) > _NAMED:
        click.echo(f"{len(modules) - _NAMED} more modules differ")


def _functions(where: str, names: list[str]) -> str:
    count = f"1 function of {where} differs"
    if len(names) > 1:
        count = f"{len(names)} functions of {where} differ"
    return f"{count}: {_some(names)}"


def _some(names: list[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
