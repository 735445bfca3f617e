"""What the publishing commands take from GitHub's environment; the only place that reads it.

`--repository` and `--api-url` have defaults from the environment of a workflow; the token comes
from the environment alone, because every process of the machine can read a command line.
"""

from __future__ import annotations

import os
import re
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError
from gate.publish.github.addresses import repository_path
from gate.publish.github.runner_commands import append_text, output_lines
from gate.publish.run_provenance import DemandedOrigin
from gate.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gate.publish.github.api import Api
    from gate.publish.propose import ProposalResult

API = "https://api.github.com"
SERVER = "https://github.com"
_SHA = re.compile(r"[0-9a-f]{40}")
_USES = re.compile(r"([\w.-]+/[\w.-]+/\.github/workflows/[\w.-]+\.ya?ml@[0-9a-f]{40})?")
_FILE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\.ya?ml")
SHA_OR_NONE = re.compile(r"([0-9a-f]{40})?")
_HTTP = re.compile(r"(https?://[^\s<>\"'()\x00-\x1f\x7f\\`|\[\]]{1,2000})?")


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
            cure = "Set GITHUB_TOKEN in the step: `env: GITHUB_TOKEN: ${{ github.token }}`."
            raise InputError("G200", "there is no token.", cure=cure)
        say = partial(click.echo, err=True)
        return Api(
            self.api_url, self.token, self.repository, pause=time.sleep, now=time.time, say=say
        )

    def run_url(self) -> str:
        """The page of the running workflow run; empty outside of one."""
        page = f"{self.server_url}/{self.repository}/actions/runs/{self.run}"
        return page if self.run else ""


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


def _repository(ctx: click.Context, param: click.Parameter, given: str) -> str:
    del ctx, param
    repository_path(given)
    return given


def matches(pattern: re.Pattern[str], rule: str) -> Callable[..., str]:
    """A callback that refuses what is none."""

    def check(ctx: click.Context, param: click.Parameter, given: str) -> str:
        del ctx
        if not pattern.fullmatch(given):
            raise InputError("G200", f"{param.opts[0]} must be {rule}.")
        return given

    return check


_url = partial(
    options.option,
    default="",
    metavar="URL",
    callback=matches(_HTTP, "an address that begins with https://"),
)
github = options.bundle(
    "github",
    _github,
    options.option(
        "--repository",
        "Repository on GitHub.",
        metavar="OWNER/NAME",
        envvar="GITHUB_REPOSITORY",
        show_envvar=True,
        required=True,
        callback=_repository,
    ),
    options.option(
        "--api-url",
        "Address of the API.",
        metavar="URL",
        envvar=["GATE_API_URL", "GITHUB_API_URL"],
        show_envvar=True,
        default=API,
        show_default=False,
    ),
)
report = options.bundle(
    "report",
    ReportOptions,
    click.argument("path", metavar="REPORT", type=options.PathParam),
    options.option(
        "--said",
        "What the judging job said; unless it is `open`, an open REPORT is not believed.",
        default="",
        metavar="GATE",
    ),
    _url("--report-url", "Address of the report's page, for the links."),
    _url("--run-url", "Address of the workflow run, for the links."),
)
demand = options.bundle(
    "demand",
    DemandedOrigin,
    options.option(
        "--workflow",
        "File name of the workflow that measures.",
        default="driftgate.yml",
        metavar="FILE",
        callback=matches(_FILE, "the file name of a workflow"),
    ),
    options.option(
        "--uses",
        "Reusable workflow that it must have called, at its commit.",
        default="",
        metavar="WORKFLOW@SHA",
        callback=matches(_USES, "OWNER/NAME/.github/workflows/FILE@COMMIT"),
    ),
    options.option(
        "--machine", "Label of the runner that must have measured.", default="", metavar="LABEL"
    ),
    options.option("--forks", "Also judge what was measured of forks.", is_flag=True),
    options.option(
        "--branch",
        "The branch that is gated, where a commit has several pull requests.",
        default="",
        metavar="NAME",
    ),
)
pull_request = partial(
    options.option,
    "--pull",
    "number",
    "Number of the pull request.",
    type=click.IntRange(1, 2**53),
    metavar="N",
)
identifier = partial(options.option, type=click.IntRange(1, 2**63 - 1), metavar="ID")
"""A number that GitHub gave."""
shards = partial(options.option, "--shards", type=click.IntRange(1, 256), default=1, metavar="N")
head = options.option(
    "--head",
    "Commit that was judged, all 40 digits.",
    required=True,
    metavar="SHA",
    callback=matches(_SHA, "a full commit hash, 40 digits"),
)
run = identifier("--run", "Number of the workflow run.", required=True)


def write_outputs(values: Mapping[str, str]) -> None:
    """Outputs of the running step (GITHUB_OUTPUT); nothing happens outside of one.

    Raises:
        PublishError: G279, the file cannot be written.
    """
    target = os.environ.get("GITHUB_OUTPUT")
    if target:
        append_text(Path(target), output_lines(values))


def proposal_data(result: ProposalResult | None) -> dict[str, object]:
    """Where a baseline was proposed, for machines; empty where none was."""
    return {
        "action": result.action if result else "nothing",
        "pull": result.number if result else None,
        **{name: getattr(result, name, "") for name in ("url", "branch", "commit")},
        "run": result.run if result else None,
    }


def write_proposal_outputs(data: Mapping[str, object]) -> None:
    """The outputs pull, branch, commit and run of what `proposal_data` tells."""
    write_outputs({name: str(data[name] or "") for name in ("pull", "branch", "commit", "run")})


def proposal_lines(result: ProposalResult, changes: Iterable[str]) -> Iterator[str]:
    """Where a baseline was proposed, and each change that it makes."""
    in_pull = f"pull request {result.number}, {result.url}"
    where = f"a commit on {result.branch}" if result.number is None else in_pull
    yield clean(f"{result.action}: {where}")
    for change in changes:
        yield clean(f"  {change}")
