"""What the publishing commands take from GitHub's environment; the only place that reads it.

    @click.command()
    @github_options.github
    def command(..., github: GitHub, ...) -> int:
        api = github.api()
        measured = locate(api, github.repository, run)

`--repository`, `--api-url` and `--run` have defaults from the environment of a workflow; the token
comes from the environment alone, because a command line is seen by every process of the machine.
"""

from __future__ import annotations

import functools
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from gate.publish.github.api import Api

API = "https://api.github.com"
SERVER = "https://github.com"
_SHA = re.compile(r"[0-9a-f]{40}")
_HTTP = re.compile(r"https?://[^\s<>\"'()\x00-\x1f\x7f\\`|\[\]]{1,2000}")


@dataclass(frozen=True, slots=True)
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
        """The API, with waits that are told on stderr.

        Raises:
            InputError: no token, or an address that cannot be one.
        """
        from gate.publish.github.api import Api  # noqa: PLC0415 - urllib3 and ssl are slow to load

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


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """A report to publish, and the pages that it links to."""

    path: Path
    said: str
    """What the judging job said; see `told_report`."""
    report_url: str
    run_url: str


def bundle(
    name: str, make: Callable[..., Any], *fields: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a command get the options `fields` as one value `name`, which `make` makes of them."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def with_bundle(*args: Any, **kwargs: Any) -> Any:
            value = make(**{key: kwargs.pop(key) for key in fields})
            return function(*args, **{name: value}, **kwargs)

        return with_bundle

    return decorate


def github(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--repository` and `--api-url`; the command gets `github`, a `GitHub`."""
    function = bundle("github", _github, "repository", "api_url")(function)
    function = click.option(
        "--api-url",
        metavar="URL",
        envvar=["GATE_API_URL", "GITHUB_API_URL"],
        show_envvar=True,
        default=API,
        help="Address of the API.",
    )(function)
    return click.option(
        "--repository",
        metavar="OWNER/NAME",
        envvar="GITHUB_REPOSITORY",
        show_envvar=True,
        required=True,
        callback=_repository,
        help="Repository on GitHub.",
    )(function)


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
    from gate.publish.github.addresses import repository_path  # noqa: PLC0415 - see `GitHub.api`

    del ctx, option
    repository_path(given)
    return given


def pull(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--pull`, a number."""
    return click.option(
        "--pull",
        "number",
        type=click.IntRange(1, 2**53),
        required=True,
        metavar="N",
        help="Number of the pull request.",
    )(function)


def head(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--head`, a full commit hash."""
    return click.option(
        "--head",
        required=True,
        metavar="SHA",
        callback=_full_hash,
        help="Commit that was judged, all 40 digits.",
    )(function)


def run(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--run`, the number of a workflow run."""
    return click.option(
        "--run",
        type=click.IntRange(1, 2**63 - 1),
        required=True,
        metavar="ID",
        help="Number of the workflow run.",
    )(function)


def report(function: Callable[..., Any]) -> Callable[..., Any]:
    """REPORT, `--said`, `--report-url`, `--run-url`; the command gets `report`: `ReportOptions`."""
    fields = ("path", "said", "report_url", "run_url")
    function = bundle("report", ReportOptions, *fields)(function)
    for name, what in (("run", "the workflow run"), ("report", "the report's page")):
        function = click.option(
            f"--{name}-url",
            default="",
            metavar="URL",
            callback=_address,
            help=f"Address of {what}, for the links.",
        )(function)
    function = click.option(
        "--said",
        default="",
        metavar="GATE",
        help="What the judging job said; unless it is `open`, an open REPORT is not believed.",
    )(function)
    argument = click.argument("path", metavar="REPORT", type=options.PathParam)
    return argument(function)


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


def write_outputs(values: Mapping[str, str]) -> None:
    """Outputs of the running step (GITHUB_OUTPUT); nothing happens outside of one.

    Raises:
        PublishError: G279, the file cannot be written.
    """
    from gate.publish.github.runner_commands import append_text, output_lines  # noqa: PLC0415 - see `GitHub.api`

    target = os.environ.get("GITHUB_OUTPUT")
    if target:
        append_text(Path(target), output_lines(values))


def _say(line: str) -> None:
    click.echo(line, err=True)
