"""`gate plan`: which machine of a class measures which profiles."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.errors import InputError
from gate.formats.baseline.baseline_file import read_baselines
from gate.judge.sharding import durations, parts_of
from gate.model.session import MOST_SHARDS
from gate.review.effective_profile import profiles_of
from gate.review.merge_base import open_merge_base
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from gate.judge.sharding import Duration
    from gate.pipeline.request import Selection

_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._+-]*")
"""A name that YAML, a matrix and every shell take as one word."""

EPILOG = """\b
Examples:
  gate plan                                  how long each profile takes
  gate plan --shards 3                       which of 3 machines measures what
  gate plan --shards 3 --matrix              one line for GitHub's fromJSON
  gate plan --shards 3 --merge-base origin/main --host-class lab

\b
A job of the matrix then runs: gate check --shard 2/3 PROFILE...
"""


@click.command(epilog=EPILOG)
@options.selection
@options.baseline_dir
@options.host_class
@options.merge_base(
    "Take the durations from the baselines of this commit, and plan its profiles too."
)
@options.option(
    "--shards",
    "Parts to spread the profiles over.",
    type=click.IntRange(1, MOST_SHARDS),
    default=1,
)
@options.flag("--matrix", "Print a job matrix as one line of JSON.")
@options.as_json
def command(
    selection: Selection,
    baseline: Path,
    host_class: str | None,
    merge_base: str | None,
    shards: int,
    *,
    matrix: bool,
    json_: bool,
) -> int:
    """Spread PROFILEs (default: all) over machines of one host class, longest first.

    How long a profile takes is read from its accepted sessions; one without any is assumed to take
    as long as the median of the others. The same tree is always spread in the same way, so every
    machine can find its part by itself: `gate check --shard 2/3`.
    """
    if matrix and json_:
        raise InputError("G200", "--matrix is JSON already; leave out --json.")
    with open_merge_base(
        merge_base, None, profiles=selection.profiles, baseline=baseline, size=selection.size
    ) as known:
        # What the change removes is planned too: that part of the check reports it as missing.
        there, lost = profiles_of(selection.names, selection.profiles, selection.size, known)
        names = tuple(dict.fromkeys((*(one.name for one in there), *lost)))
        works = durations(names, read_baselines(known.baseline), host_class)
    parts = parts_of(works, shards)
    if matrix:
        click.echo(_matrix(parts))
        return 0
    shard = {name: number for number, part in enumerate(parts, start=1) for name in part}
    rows = [
        {"name": one.name, "seconds": one.seconds, "known": one.known, "shard": shard[one.name]}
        for one in works
    ]
    print_answer(_lines(works, parts, shard), json_=json_, shards=len(parts), profiles=rows)
    return 0


def _matrix(parts: Sequence[Sequence[str]]) -> str:
    """`{"include":[{"shard":"1/3","profiles":"a b"}]}`, of names that are one word to a shell."""
    for name in (name for part in parts for name in part):
        if not _WORD.fullmatch(name):
            raise InputError(
                "G263",
                f"the profile name {name[:100]!r} is not one plain word.",
                cure="Rename it: letters, digits, dots, dashes and underscores.",
            )
    rows = [
        {"shard": f"{number}/{len(parts)}", "profiles": " ".join(part)}
        for number, part in enumerate(parts, start=1)
    ]
    return json.dumps({"include": rows}, separators=(",", ":"))


def _lines(
    works: Sequence[Duration], parts: Sequence[Sequence[str]], shard: Mapping[str, int]
) -> Iterator[str]:
    """A line per profile, then one per part with what it has to do."""
    widest = max(len(one.name) for one in works)
    for one in works:
        unknown = "" if one.known else " (unknown)"
        lasts = f"{show_duration(one.seconds)}{unknown}"
        yield f"{one.name:<{widest}}  {shard[one.name]}/{len(parts)}  {lasts}"
    seconds = {one.name: one.seconds for one in works}
    for number, part in enumerate(parts, start=1):
        whole = show_duration(sum(seconds[name] for name in part))
        yield f"part {number}/{len(parts)}: {whole}, {' '.join(part)}"
