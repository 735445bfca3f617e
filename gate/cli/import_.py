"""`gate import`: exports of other runs as a session."""

from __future__ import annotations

from pathlib import Path

import click

from gate.cli import options
from gate.clock import now
from gate.errors import InputError
from gate.formats import disk, names
from gate.formats.session.session_file import as_json, fresh_path, write_session
from gate.harness.exported import imported_session, read_export
from gate.host.identity.identity import boot_id, read_host
from gate.model import Host

EPILOG = """\b
Examples:
  gate import fio-1.json fio-2.json fio-3.json --profile database
  gate import hyperfine.json --json > session.json
  gate import bench.json --this-host --out session.json
"""


@click.command(epilog=EPILOG)
@click.argument("file", nargs=-1, required=True, type=options.PathParam)
@options.option("--profile", "Name of the session's profile.", default="imported")
@options.option("--tolerance", "Tolerance of the gate metrics.", default="5%")
@options.flag("--this-host", "Confirm that the files were measured on this machine.")
@options.host_class
@options.path("--out", "Where to write the session.")
@options.as_json
def command(
    file: tuple[Path, ...],
    profile: str,
    tolerance: str,
    host_class: str | None,
    out: Path | None,
    *,
    this_host: bool,
    json_: bool,
) -> int:
    """Turn FILEs, JSON exports of one harness, into one session.

    Each file of fio or pytest-benchmark is one trial of its benchmarks; each timing of a
    hyperfine export is one. Only metrics that every trial has are kept. The host of
    imported values is unknown, unless you confirm with --this-host that it is this one.
    """
    ratio = options.ratio_in("--tolerance", tolerance)
    if not names.is_plain(profile):
        cure = f"A name has {names.RULE}."
        raise InputError("G200", f"--profile: {profile[:80]!r} is no plain name.", cure=cure)
    texts = {path: disk.read_text(path, "session") for path in dict.fromkeys(file)}
    exports = [read_export(text, str(path)) for path, text in texts.items()]
    host = Host(host_class=host_class or "imported", fingerprint="", stable={}, epoch={})
    session = imported_session(
        exports,
        tuple(texts.values()),
        profile=profile,
        tolerance=ratio,
        host=read_host(Path().absolute(), host_class=host_class) if this_host else host,
        boot=boot_id() if this_host else "",
        now=now(),
    )
    if out is not None or not json_:
        path = out or fresh_path(Path("reports/sessions"), profile)
        write_session(path, session)
        click.echo(f"session {session.id}: {len(session.trials)} trials in {path}", err=json_)
    if json_:
        click.echo(as_json(session), nl=False)
    return 0
