"""`gate calibrate --recorded`: every rule on the same recorded series."""

from __future__ import annotations

import difflib
import os
import secrets
import sys
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.calibrate.drawing import LEAST_HISTORY, LONGEST_FUTURE, Pool
from gate.calibrate.outcome import RuleTally, figures, markdown, plain
from gate.calibrate.rules import QUESTIONS, RULES, DrawnPart, Rule, play_part
from gate.cli.answer import print_json
from gate.errors import InputError, NothingCompared
from gate.formats.published.recorded_file import read_recording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.pipeline.request import RecordedOptions

_DRAWS = 2000
_SIZES = (20, 40)
_PART = 50
"""Suites of one part of the work: some seconds."""


def calibrate_recorded(chosen: RecordedOptions, seed: int | None, *, json_: bool) -> int:
    """Try the rules and print what came of it; exit status 0.

    Raises:
        InputError: the file, a rule's name or the suite size is wrong.
        NothingCompared: the recording is too short for any draw.
    """
    rules = _rules(chosen.rule)
    place = chosen.recorded or Path()
    pool = Pool(read_recording(place))
    sizes = _sizes(pool, chosen)
    _refuse_too_short(pool, chosen)
    seed = secrets.randbits(32) if seed is None else seed
    draws = chosen.draws or _DRAWS
    parts = list(_parts(rules, sizes, draws, seed))
    results = _collected(rules, sizes, parts, pool)
    if json_:
        answer = {
            "file": pool.recording.name,
            "suite_size": sizes[0],
            "draws": draws,
            "seed": seed,
            "series": len(pool.recording.series),
            "quiet_series": len(pool.quiet),
            "sessions": len(pool.numbers),
        }
        print_json(answer | {"rules": results})
    elif chosen.markdown:
        click.echo(markdown(results, sizes[0]), nl=False)
    else:
        click.echo(plain(results, sizes[0]), nl=False)
        click.echo(f"{draws} draws from {pool.recording.name}, seed {seed}.")
    return 0


def _rules(names: Sequence[str]) -> tuple[Rule, ...]:
    known = {rule.name: rule for rule in (*RULES, *QUESTIONS)}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            cure = f"Known are: {', '.join(known)}.{hint}"
            raise InputError("G200", f"--rule: there is no rule {name[:80]!r}.", cure=cure)
    return tuple(known[name] for name in dict.fromkeys(names)) if names else RULES


def _sizes(pool: Pool, chosen: RecordedOptions) -> tuple[int, ...]:
    """The suite size asked for, then the others that tables show."""
    count = len(pool.recording.series)
    size = chosen.suite_size or min(_SIZES[0], count)
    if size > count:
        why, cure = f"the recording has {count} series.", f"Ask for {count} at most."
        raise InputError(
            "G200", f"--suite-size {size}: {why}", cure=cure, place=str(chosen.recorded)
        )
    return tuple(dict.fromkeys([size, *(one for one in _SIZES if one <= count)]))


def _refuse_too_short(pool: Pool, chosen: RecordedOptions) -> None:
    if not pool.candidates(LEAST_HISTORY):
        raise NothingCompared(
            "G280",
            f"only {len(pool.numbers)} sessions hold every series, too few to draw from.",
            cure=f"At least {LEAST_HISTORY + 1 + LONGEST_FUTURE} are needed.",
            place=str(chosen.recorded),
        )


def _parts(
    rules: Sequence[Rule], sizes: tuple[int, ...], draws: int, seed: int
) -> Iterator[DrawnPart]:
    for place, rule in enumerate(rules):
        for size in sizes:
            for start in range(0, draws, _PART):
                yield DrawnPart(
                    rule=place,
                    size=size,
                    draws=min(_PART, draws - start),
                    planted=size == sizes[0],
                    seed=f"{seed}/{rule.name}/{size}/{start}",
                )


_work: tuple[Sequence[Rule], Pool]
"""What the forked workers share with their parent."""


def _play(part: DrawnPart) -> tuple[DrawnPart, RuleTally]:
    rules, pool = _work
    return part, play_part(part, rules[part.rule], pool)


def _collected(
    rules: Sequence[Rule], sizes: tuple[int, ...], parts: Sequence[DrawnPart], pool: Pool
) -> list[dict[str, Any]]:
    """Figures of all rules, computed on every CPU."""
    global _work  # noqa: PLW0603 - fork hands it to the workers
    _work = (rules, pool)
    pool.quiet  # noqa: B018 - computed once, before the fork
    tallies = [{size: RuleTally() for size in sizes} for _ in rules]
    with (
        get_context("fork").Pool(min(os.cpu_count() or 1, len(parts))) as workers,
        click.progressbar(length=len(parts), label="drawing suites", file=sys.stderr) as bar,
    ):
        for part, tally in workers.imap_unordered(_play, parts):
            tallies[part.rule][part.size] += tally
            bar.update(1)
    return [
        figures(rule.name, own, sides=rule.sides) for rule, own in zip(rules, tallies, strict=True)
    ]
