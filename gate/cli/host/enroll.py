"""`gate host enroll`: write down what a machine of this class must be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_class
from gate.formats.host.host_file import read_known_host, write_known_host
from gate.formats.only_writer import only_writer
from gate.host.identity.identity import read_host
from gate.model import UNKNOWN, EpochPolicy, KnownHost
from gate.model.disturbance import TUNABLE
from gate.model.host import changed_facts
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gate.model import Host

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
    options.option(
        "--tune",
        "A setting to tune around every check and put back; may be repeated.",
        type=click.Choice(list(TUNABLE)),
        multiple=True,
    ),
    options.option(
        "--epoch",
        "What a check does when an epoch fact moved (default: refuse).",
        type=click.Choice([policy.value for policy in EpochPolicy]),
    ),
)


@click.command(epilog=EPILOG)
@options.host_class
@options.disk_directory
@options.baseline_dir
@_settings
@options.flag("--update", "Rewrite the file; its settings are kept.")
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
    with only_writer(baseline) as demand_as_read:
        path, change = _enrolled(host, baseline, settings, demand_as_read, update=update)
    unknown = [key for key, value in sorted(host.stable.items()) if value == UNKNOWN]
    print_answer(
        _lines(host, path, change, unknown),
        json_=json_,
        path=str(path),
        host_class=host.host_class,
        change=change,
        stable=host.stable,
        epoch=host.epoch,
        unknown=unknown,
    )
    return 0


def _enrolled(
    host: Host,
    baseline: Path,
    settings: _Settings,
    demand_as_read: Callable[[], None],
    *,
    update: bool,
) -> tuple[Path, str]:
    """The host's file, written if need be, and what became of it."""
    known = read_known_host(baseline, host.host_class)
    fresh = KnownHost(host_class=host.host_class, stable=host.stable, epoch=host.epoch)
    if known is None:
        demand_as_read()
        return write_known_host(baseline, settings.applied_to(fresh)), "enrolled"
    _refuse_another(known, host, baseline, update=update)
    if update:
        written = replace(known, stable=fresh.stable, epoch=fresh.epoch)
        demand_as_read()
        return write_known_host(baseline, settings.applied_to(written)), "updated"
    if settings.applied_to(known) != known:
        raise InputError(
            "G200",
            "this class is enrolled already, with other settings.",
            cure="Add --update to change them, or edit the file.",
            place=known.path,
        )
    return Path(known.path), "unchanged"


def _refuse_another(known: KnownHost, host: Host, baseline: Path, *, update: bool) -> None:
    """Another machine is another class; its facts must not slip under what was accepted."""
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
    facts = "; ".join(f"{one.key}: theirs {one.theirs}, ours {one.ours}" for one in differing)
    why = f"this machine is not the one enrolled as {known.host_class}: {facts}."
    raise InputError("G031", why, cure=cure, place=known.path)


def _lines(host: Host, path: Path, change: str, unknown: Sequence[str]) -> Iterator[str]:
    counts = f"{len(host.stable)} stable and {len(host.epoch)} epoch facts"
    texts = {
        "enrolled": f"enrolled as {host.host_class}: {counts} written",
        "updated": f"{host.host_class}: {counts} written anew, settings kept",
        "unchanged": f"{host.host_class} is enrolled already, and every stable fact agrees: "
        "nothing was changed",
    }
    yield f"{path}"
    yield clean(f"  {texts[change]}")
    for key in unknown:
        why = "two machines that differ only there cannot be told apart"
        yield f"  warning: {clean(key)} is unknown: {why}"
    if change == "enrolled":
        yield "Review and commit it: every check of this class is compared with it."
