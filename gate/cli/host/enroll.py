"""`gate host enroll`: write down what a machine of this class must be."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_class
from gate.formats.host.host_file import read_known_host, write_known_host
from gate.host.identity.identity import read_host
from gate.model import UNKNOWN, EpochPolicy, KnownHost
from gate.model.disturbance import TUNABLE
from gate.model.host import changed_facts
from gate.text import clean, guard_line

if TYPE_CHECKING:
    from gate.model import Host
    from gate.model.host import Moved

EPILOG = """\b
Examples:
  gate host enroll
  gate host enroll --host-class bm-epyc-9454p --tune governor --tune thp
  gate host enroll --update --epoch new-baseline
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    """Settings that the command line asks for; empty where it names none."""

    tune: tuple[str, ...]
    epoch: str | None

    def applied_to(self, known: KnownHost) -> KnownHost:
        """The host file with these settings."""
        return replace(
            known,
            tune=tuple(dict.fromkeys(self.tune)) or known.tune,
            policy=EpochPolicy(self.epoch) if self.epoch else known.policy,
        )


_settings = options.bundle(
    "settings",
    _Settings,
    click.option(
        "--tune",
        type=click.Choice(list(TUNABLE)),
        multiple=True,
        help="A setting to tune around every check and put back; may be repeated.",
    ),
    click.option(
        "--epoch",
        type=click.Choice([policy.value for policy in EpochPolicy]),
        help="What a check does when an epoch fact moved (default: refuse).",
    ),
)


@click.command(epilog=EPILOG)
@options.host_class
@options.disk_directory
@options.baseline_dir
@_settings
@click.option("--update", is_flag=True, help="Rewrite the file; its settings are kept.")
@options.as_json
def command(
    host_class: str | None,
    work: Path,
    baseline: Path,
    settings: _Settings,
    *,
    update: bool,
    json_: bool,
) -> int:
    """Write this machine's facts to BASELINE/CLASS/host.toml, for review and for every check.

    Stable facts must agree from then on; epoch facts open a new epoch when they change. A class
    that is enrolled already is left alone, unless --update writes it anew. Its stable facts are
    replaced only while no session was accepted of the class.
    """
    host = read_host(work.absolute(), host_class=host_class)
    known = read_known_host(baseline, host.host_class)
    fresh = KnownHost(host_class=host.host_class, stable=host.stable, epoch=host.epoch)
    if known is None:
        path, change = write_known_host(baseline, settings.applied_to(fresh)), "enrolled"
    else:
        path = Path(known.path)
        _refuse_another(known, host, baseline, update=update)
        change = "unchanged"
        if update:
            written = replace(known, stable=fresh.stable, epoch=fresh.epoch)
            write_known_host(baseline, settings.applied_to(written))
            change = "updated"
        elif settings.applied_to(known) != known:
            raise InputError(
                "G200",
                "this class is enrolled already, with other settings.",
                cure="Add --update to change them, or edit the file.",
                place=known.path,
            )
    _print_result(host, path, change, json_=json_)
    return 0


def _refuse_another(known: KnownHost, host: Host, baseline: Path, *, update: bool) -> None:
    """Another machine is another class; its facts must not slip under what was accepted.

    Raises:
        InputError: G031 naming every stable fact that differs.
    """
    differing = changed_facts(known.stable, host.stable)
    if not differing:
        return
    accepted = [one.profile for one in read_class(baseline / known.host_class) if one.sessions]
    if update and not accepted:
        return
    cure = "Give this machine a class of its own: --host-class NAME."
    if accepted:
        cure += (
            f" Sessions of {', '.join(accepted)} were accepted of the class, and would be compared "
            "with another machine's; remove these baselines first if the class itself is meant."
        )
    else:
        cure += " Or add --update: nothing was accepted of the class yet."
    raise InputError(
        "G031",
        f"this machine is not the one enrolled as {known.host_class}: {_named(differing)}.",
        cure=cure,
        place=known.path,
    )


def _named(differing: tuple[Moved, ...]) -> str:
    return "; ".join(f"{one.key}: theirs {one.theirs}, ours {one.ours}" for one in differing)


def _print_result(host: Host, path: Path, change: str, *, json_: bool) -> None:
    unknown = [key for key, value in sorted(host.stable.items()) if value == UNKNOWN]
    if json_:
        answer = {
            "schema": 1,
            "path": str(path),
            "host_class": host.host_class,
            "change": change,
            "stable": host.stable,
            "epoch": host.epoch,
            "unknown": unknown,
        }
        click.echo(json.dumps(answer, indent=1))
        return
    counts = f"{len(host.stable)} stable and {len(host.epoch)} epoch facts"
    texts = {
        "enrolled": f"enrolled as {host.host_class}: {counts} written",
        "updated": f"{host.host_class}: {counts} written anew, settings kept",
        "unchanged": f"{host.host_class} is enrolled already, and every stable fact agrees: "
        "nothing was changed",
    }
    click.echo(f"{path}")
    click.echo(guard_line(clean(f"  {texts[change]}")))
    for key in unknown:
        click.echo(
            f"  warning: {clean(key)} is unknown: two machines that differ only there cannot be "
            "told apart"
        )
    if change == "enrolled":
        click.echo("Review and commit it: every check of this class is compared with it.")
