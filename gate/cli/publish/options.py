"""What the publishing commands take from GitHub's environment; the only place that reads it.

`--repository` and `--api-url` have defaults from the environment of a workflow; the token comes
from the environment alone, because every process of the machine can read a command line.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError
from gate.publish.github.addresses import repository_path
from gate.publish.github.runner_commands import append_text, output_lines
from gate.text import clean, guard_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from gate.publish.github.api import Api
    from gate.publish.propose import ProposalResult

API = "https://api.github.com"
SERVER = "https://github.com"
_SHA = re.compile(r"[0-9a-f]{40}")
_HTTP = re.compile(r"https?://[^\s<>\"'()\x00-\x1f\x7f\\`|\[\]]{1,2000}")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitHub:
    """Where to publish, and with which token."""

    repository: str
    """OWNER/NAME."""
    api_url: str
    server_url: str
    token: str = field(repr=False)
    """Never printed: `repr` leaves it out."""
    run: int | None
    """Number of the running workflow run; None outside of one."""

    def api(self) -> Api:
        """The API; it says on stderr when it waits.

        Raises:
            InputError: no token, or an address that cannot be one.
        """
        from gate.publish.github.api import Api  # noqa: PLC0415 - urllib3, which no help page needs

        if not self.token:
            raise InputError(
                "G200",
                "there is no token.",
                cure="Set GITHUB_TOKEN in the step: `env: GITHUB_TOKEN: ${{ github.token }}`.",
            )
        return Api(
            self.api_url, self.token, self.repository, pause=time.sleep, now=time.time, say=_say
        )

    def run_url(self) -> str:
        """The page of the running workflow run; empty outside of one."""
        return self.page_of_run(self.run) if self.run else ""

    def page_of_run(self, run: int) -> str:
        """The page of a workflow run."""
        return f"{self.server_url}/{self.repository}/actions/runs/{run}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """A report to publish, and the pages that it links to."""

    path: Path
    said: str
    """What the judging job said; see `confirmed_report`."""
    report_url: str
    run_url: str


def _github(repository: str, api_url: str) -> GitHub:
    run = os.environ.get("GITHUB_RUN_ID", "")
    return GitHub(
        repository=repository,
        api_url=api_url,
        server_url=os.environ.get("GITHUB_SERVER_URL") or SERVER,
        token=(os.environ.get("GITHUB_TOKEN") or os.environ.get("GH_TOKEN") or "").strip(),
        run=int(run) if run.isdecimal() and len(run) < 20 else None,
    )


def _repository(ctx: click.Context, option: click.Parameter, given: str) -> str:
    del ctx, option
    repository_path(given)
    return given


def _full_hash(ctx: click.Context, option: click.Parameter, given: str) -> str:
    del ctx
    if not _SHA.fullmatch(given):
        raise InputError("G200", f"--{option.name} must be a full commit hash, 40 digits.")
    return given


def _address(ctx: click.Context, option: click.Parameter, given: str) -> str:
    del ctx
    if given and not _HTTP.fullmatch(given):
        name = (option.name or "").replace("_", "-")
        raise InputError("G200", f"--{name} must be an address that begins with https://.")
    return given


def _url(name: str, page: str) -> options.Decorator:
    return click.option(
        f"--{name}-url",
        default="",
        metavar="URL",
        callback=_address,
        help=f"Address of {page}, for the links.",
    )


github = options.bundle(
    "github",
    _github,
    click.option(
        "--repository",
        metavar="OWNER/NAME",
        envvar="GITHUB_REPOSITORY",
        show_envvar=True,
        required=True,
        callback=_repository,
        help="Repository on GitHub.",
    ),
    click.option(
        "--api-url",
        metavar="URL",
        envvar=["GATE_API_URL", "GITHUB_API_URL"],
        show_envvar=True,
        default=API,
        help="Address of the API.",
    ),
)
report = options.bundle(
    "report",
    ReportOptions,
    click.argument("path", metavar="REPORT", type=options.PathParam),
    click.option(
        "--said",
        default="",
        metavar="GATE",
        help="What the judging job said; unless it is `open`, an open REPORT is not believed.",
    ),
    _url("report", "the report's page"),
    _url("run", "the workflow run"),
)
pull = click.option(
    "--pull",
    "number",
    type=click.IntRange(1, 2**53),
    required=True,
    metavar="N",
    help="Number of the pull request.",
)
head = click.option(
    "--head",
    required=True,
    metavar="SHA",
    callback=_full_hash,
    help="Commit that was judged, all 40 digits.",
)
run = click.option(
    "--run",
    type=click.IntRange(1, 2**63 - 1),
    required=True,
    metavar="ID",
    help="Number of the workflow run.",
)


def write_outputs(values: Mapping[str, str]) -> None:
    """Outputs of the running step (GITHUB_OUTPUT); nothing happens outside of one.

    Raises:
        PublishError: G279, the file cannot be written.
    """
    target = os.environ.get("GITHUB_OUTPUT")
    if target:
        append_text(Path(target), output_lines(values))


def write_proposal_outputs(result: ProposalResult | None) -> None:
    """The outputs pull, branch and commit: where a baseline was proposed; empty where none was."""
    number = "" if result is None or result.number is None else str(result.number)
    branch, commit = (result.branch, result.commit) if result else ("", "")
    write_outputs({"pull": number, "branch": branch, "commit": commit})


def print_proposal(result: ProposalResult, changes: Iterable[str]) -> None:
    """Where a baseline was proposed, and each change that it makes."""
    in_pull = f"pull request {result.number}, {result.url}"
    where = f"a commit on {result.branch}" if result.number is None else in_pull
    for line in (f"{result.action}: {where}", *(f"  {change}" for change in changes)):
        click.echo(guard_line(clean(line)))


def _say(line: str) -> None:
    click.echo(line, err=True)
