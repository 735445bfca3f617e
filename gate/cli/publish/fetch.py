"""`gate publish fetch`: sessions or a report that another workflow run uploaded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.cli.publish import options as github_options
from gate.errors import PublishError
from gate.formats import disk
from gate.publish.github.artifacts import artifact_text, fetch_file

if TYPE_CHECKING:
    from gate.cli.publish.options import GitHub

_FILES = ("session.json", "report.json")
_REFUSED = "G275"

EPILOG = """\b
Examples:
  gate publish fetch --run "$RUN" --artifact driftgate-session --out sessions
  gate publish fetch --run "$RUN" --artifact driftgate-session --shards 3 --out sessions

\b
Needs the permission actions: read. Exit status: 0 when everything is there,
6 when an artifact is missing or refused; what is there is written all the same.
"""


@click.command(epilog=EPILOG)
@github_options.run
@options.option("--artifact", "Name of the artifact.", required=True, metavar="NAME")
@github_options.shards("Fetch N artifacts, NAME-1-of-N to NAME-N-of-N; one is called NAME alone.")
@options.option(
    "--file",
    "file_name",
    "The one file that each holds.",
    type=click.Choice(_FILES),
    default=_FILES[0],
)
@options.path("--out", "Directory to write to.", required=True)
@github_options.github
@options.as_json
def command(
    github: GitHub, run: int, artifact: str, shards: int, file_name: str, out: Path, *, json_: bool
) -> int:
    """Download what a workflow run uploaded; nothing in it is trusted.

    Each artifact must hold exactly one plain file of the expected name and size. It is written to
    OUT/FILE, or with --shards to OUT/K-of-N/FILE; no name from inside an artifact is ever used.
    """
    api = github.api()
    places = {artifact: Path()}
    if shards > 1:
        names = [f"{number}-of-{shards}" for number in range(1, shards + 1)]
        places = {f"{artifact}-{name}": Path(name) for name in names}
    cap = disk.CAP_BYTES["handover" if file_name == _FILES[0] else "session"]
    written, lacking = [], []
    for name, place in places.items():
        target = out / place / file_name
        target.unlink(missing_ok=True)  # of an earlier call: it must not stand in for a missing one
        try:
            content = fetch_file(api, run, name, file_name, cap)
            disk.write_text(target, artifact_text(content, name, run))
        except PublishError as error:
            if error.code != _REFUSED:
                raise
            lacking.append(error)
            continue
        written.append(str(target))
        click.echo(f"fetched {target}", err=True)
    if lacking:
        raise _lacking(lacking, len(places))
    print_answer((), json_=json_, files=written)
    return 0


def _lacking(lacking: list[PublishError], of: int) -> PublishError:
    """One error of all; the first ones in full."""
    messages = " ".join(error.message for error in lacking[:5])
    more = f" And {len(lacking) - 5} more." if len(lacking) > 5 else ""
    count = f"{len(lacking)} of {of} artifacts: " if of > 1 else ""
    return PublishError(_REFUSED, f"{count}{messages}{more}", cure=lacking[0].cure)
