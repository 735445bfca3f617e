"""`gate host tune`: settings of this machine for a while, or for one command."""

from __future__ import annotations

import signal
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer, print_json
from gate.errors import InputError
from gate.host.lock import exclusive
from gate.host.tuning.tuning import planned_changes, tune_host
from gate.linux.cpu_list import cpu_list_text, cpus_of
from gate.measure.process.guardian import in_foreground
from gate.measure.process.stop import Stop, StopRequested
from gate.model.disturbance import TUNABLE
from gate.pipeline.host_reservation import HostClaim, alone, known_host, warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.host.tuning.tuning import Intent, TuningResult
    from gate.pipeline.request import HostOptions

_COMMAND = "gate.command"
_NOTHING = 5

EPILOG = """\b
Examples:
  gate host tune --dry-run                   what would be changed here
  gate host tune governor turbo              until Ctrl-C
  gate host tune --cpus 2-7 -- fio job.fio   while one command runs

\b
Exit status: 0, or that of COMMAND; 2 usage, 5 nothing could be tuned, the
host is busy, or somebody else changed a setting meanwhile.
"""


class _BeforeCommand(click.Command):
    """Keeps what follows `--` apart: it is a command of its own, with options of its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands before the first `--`."""
        at = args.index("--") if "--" in args else len(args)
        ctx.meta[_COMMAND] = args[at + 1 :]
        if at == len(args) - 1:
            raise click.UsageError("there is no command after `--`.", ctx)
        return super().parse_args(ctx, args[:at])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Options, and the names that may be tuned."""
        super().format_options(ctx, formatter)
        with formatter.section("Names"):
            formatter.write_dl(list(TUNABLE.items()))


@click.command(cls=_BeforeCommand, epilog=EPILOG)
@click.argument("name", nargs=-1)
@options.option("--cpus", "Processors that measure, e.g. 1-3,5.", metavar="LIST")
@options.flag("--dry-run", "Show what would be changed, and change nothing.")
@options.tuned_host
@options.baseline_dir
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    name: tuple[str, ...],
    cpus: str | None,
    host: HostOptions,
    baseline: Path,
    *,
    dry_run: bool,
    json_: bool,
) -> int:
    """Tune settings NAMEs of this machine, hold them, and put them back.

    Held until Ctrl-C or, with `-- COMMAND...`, while that runs. Without NAMEs those of the class's
    host.toml are tuned, else all. Every change is in a journal on the disk before it is made, so
    that it is put back whatever happens.
    """
    words: Sequence[str] = ctx.meta[_COMMAND]
    if json_ and words:
        raise InputError("G200", "--json and a command would both write to standard output.")
    known = known_host(HostClaim(store=baseline, work=Path(), host_class=host.host_class))
    names = name or (known.tune if known else ()) or tuple(TUNABLE)
    measured = _cpus(cpus) if cpus is not None else known.measured_cpus if known else ""
    if dry_run:
        return _show(planned_changes(names, measured), json_=json_)
    return _tune(names, measured, words, host.wait, json_=json_)


def _tune(
    names: Sequence[str], measured: str, words: Sequence[str], wait: float, *, json_: bool
) -> int:
    """Tune, hold until a signal or while the command runs, and put back."""
    left: list[str] = []
    with Stop().listening() as stop:
        lock = exclusive(wait=wait, tell=_say, pause=stop.sleep)
        try:
            with (
                alone(lock, _say),
                tune_host(names, measured_cpus=measured, tell=left.append) as now,
            ):
                _print_tuned(now, json_=json_)
                if words:
                    status = in_foreground(words, cpus_of(now.cpus), stop)
                else:
                    status = _hold(now, stop)
        finally:
            for one in left:
                warn(one)
    return status if words or not left else _NOTHING


def _cpus(text: str) -> str:
    try:
        return cpu_list_text(cpus_of(text))
    except ValueError as error:
        cure = "Write numbers and ranges, as in 1-3,5."
        raise InputError("G200", f"--cpus: {text[:80]!r} is no list.", cure=cure) from error


def _hold(now: TuningResult, stop: Stop) -> int:
    """Sleep until a signal comes, which is how this ends in order."""
    if not now.names:
        return _NOTHING
    _say(f"tuned: {', '.join(now.names)}; Ctrl-C restores")
    try:
        with stop.interruptible():
            while True:
                signal.pause()
    except StopRequested:
        return 0


def _print_tuned(now: TuningResult, *, json_: bool) -> None:
    for one in now.lacking:
        _say(f"not tuned: {one}")
    if json_:
        answer = {"schema": 1, "tuned": now.names, "lacking": now.lacking, "cpus": now.cpus}
        print_json(answer | {"changes": [asdict(one) for one in now.changes]})


def _show(intent: Intent, *, json_: bool) -> int:
    """What tuning would do."""
    lacking = {name: found.lacking for name, found in intent.found.items() if found.lacking}
    changes = [one for found in intent.found.values() for one in found.changes]
    measured = cpu_list_text(intent.parts.measured)
    lines = [f"measured processors: {measured}"]
    lines += [f"{one.setting:<15} {one.path}: {one.before} -> {one.after}" for one in changes]
    if intent.limit is not None:
        lines.append(f"{'cstates':<15} processors wake within {intent.limit} us")
    if "pinning" in intent.names:
        lines.append(f"{'pinning':<15} harnesses run on {measured}")
    lines += [
        f"{name:<15} set so already"
        for name in sorted(intent.found.keys() - {*lacking, "cstates", "pinning"})
        if not intent.found[name].changes
    ]
    lines += [f"{name:<15} not tuned: {why}" for name, why in lacking.items()]
    print_answer(
        lines,
        json_=json_,
        changes=[asdict(one) for one in changes],
        lacking=lacking,
        cpus=measured,
        wake_limit=intent.limit,
    )
    return 0


def _say(text: str) -> None:
    click.echo(text, err=True)
