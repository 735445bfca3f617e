"""`gate host diff`: how this machine stands to its host.toml and to what was accepted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource

from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_class
from gate.formats.host.host_file import HOST_FILE, about, read_host_file, read_known_host
from gate.host.identity.identity import read_host
from gate.judge.host_stability.standing import newest
from gate.model import EpochPolicy
from gate.model.disturbance import facts_tuned
from gate.model.host import changed_facts
from gate.report.text.page import wrap
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.model import Baseline, Host, KnownHost
    from gate.model.host import Moved

EPILOG = """\b
Examples:
  gate host diff                               this machine's own class
  gate host diff --host-class bm-epyc-9454p
  gate host diff baselines/lab/host.toml --json

\b
Exit status: 0 every fact agrees, 2 usage, 5 something differs.
"""
_WIDTH = 80
_MEANS = {
    EpochPolicy.REFUSE: "a check judges nothing until a session of it is accepted",
    EpochPolicy.NEW_BASELINE: "a check calls every benchmark new",
}


class _Row(NamedTuple):
    """One fact that differs."""

    fact: Moved
    tier: str
    against: str
    """Whose the other value is: `host.toml`, or profiles."""
    means: str


@click.command(epilog=EPILOG)
@click.argument("file", metavar="[HOST.toml]", type=options.PathParam, required=False)
@options.host_class
@options.disk_directory
@options.baseline_dir
@options.as_json
def command(
    file: Path | None, host_class: str | None, work: Path, baseline: Path, *, json_: bool
) -> int:
    """Compare this machine with its host.toml, and with the newest accepted sessions.

    Stable facts are compared with the host file, epoch facts with the newest session accepted of
    each profile beside it; with those of the file itself where nothing was accepted yet.
    """
    source = click.get_current_context().get_parameter_source("host_class")
    if file is not None and source is ParameterSource.COMMANDLINE:
        cure = "The file says of which class it is: leave --host-class out."
        raise InputError("G200", "HOST.toml and --host-class exclude each other.", cure=cure)
    if file is not None:
        known = read_host_file(file)
        host = read_host(work.absolute(), host_class=known.host_class)
    else:
        host = read_host(work.absolute(), host_class=host_class)
        known = read_known_host(baseline, host.host_class) or _not_enrolled(host, baseline)
    # A host file alone, sent by somebody, may stand anywhere: then nothing stands beside it.
    place = Path(known.path).parent
    beside = read_class(place) if place.resolve().name == known.host_class else ()
    rows = list(_rows(known, host, beside))
    print_answer(
        _lines(known, host, rows),
        json_=json_,
        path=known.path,
        host_class=known.host_class,
        agrees=not rows,
        not_compared=sorted(facts_tuned(known.tune)),
        differs=[
            row.fact._asdict()
            | {"tier": row.tier, "against": row.against, "means": row.means}
            | {"about": about(row.fact.key)}
            for row in rows
        ],
    )
    return 5 if rows else 0


def _not_enrolled(host: Host, baseline: Path) -> KnownHost:
    enrolled = sorted(path.parent.name for path in baseline.glob(f"*/{HOST_FILE}"))
    others = f" Or compare with another by --host-class: {', '.join(enrolled)}." if enrolled else ""
    raise InputError(
        "G201",
        f"host class {host.host_class} is not enrolled.",
        cure=f"`gate host enroll` writes it down.{others}",
        place=str(baseline / host.host_class / HOST_FILE),
    )


def _rows(known: KnownHost, host: Host, baselines: Sequence[Baseline]) -> Iterator[_Row]:
    """Stable facts that differ, and what moved since each profile's newest session.

    One row for profiles that agree. What a check tunes is left out: untuned, as now, it shows
    nothing.
    """
    for fact in changed_facts(known.stable, host.stable):
        yield _Row(fact, "stable", HOST_FILE, "another machine: a check on it is refused")
    tuned = facts_tuned(known.tune)
    since: dict[Moved, list[str]] = {}
    accepted = [one for one in baselines if any(s.epoch_facts for s in newest(one))]
    for one in accepted:
        found = {
            fact
            for session in newest(one)
            for fact in changed_facts(session.epoch_facts, host.epoch)
        }
        for fact in found:
            since.setdefault(fact, []).append(one.profile)
    if not accepted and known.epoch:
        since = {fact: [HOST_FILE] for fact in changed_facts(known.epoch, host.epoch)}
    for fact in sorted(fact for fact in since if fact.key not in tuned):
        yield _Row(fact, "epoch", ", ".join(since[fact]), _MEANS[known.policy])


def _lines(known: KnownHost, host: Host, rows: Sequence[_Row]) -> Iterator[str]:
    count = len(host.stable) + len(host.epoch.keys() - facts_tuned(known.tune))
    if not rows:
        text = f"{known.host_class}: all {count} facts agree ({known.path})"
        if known.tune:
            text += f"; a check tunes {', '.join(known.tune)}, which was not compared"
        yield from wrap(clean(text), _WIDTH)
        return
    facts = "fact differs" if len(rows) == 1 else "facts differ"
    yield from wrap(clean(f"{known.host_class}: {len(rows)} {facts} ({known.path})"), _WIDTH)
    for row in rows:
        theirs, ours = row.fact.shown
        yield ""
        yield from wrap(clean(f"{row.tier} {row.fact.key} ({about(row.fact.key)})"), _WIDTH)
        for what, text in (
            ("theirs", f"{theirs} ({row.against})"),
            ("ours", ours),
            ("means", row.means),
        ):
            yield from wrap(clean(text), _WIDTH, f"  {what:<7}", " " * 9)
