"""`gate publish accept`: the measured level of a pull request becomes a proposed baseline.

Nothing is measured again: the sessions are those that the gate measured for the pull request's
present head. They are validated and judged anew, and only somebody who may write to the repository
can ask for it.

Neither mode opens the gate by itself. The judge reads baselines at the merge base, so what is
accepted counts once it is on the base branch: merge the pull request that carries it, update the
branch of the one that was measured, and it is judged against the new level. With `--mode branch`
the baseline travels in the pull request itself and counts for those that come after it; until then
it is shown there as an edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gate.cli import options
from gate.cli.answer import print_answer
from gate.cli.publish import options as github_options
from gate.errors import GateError, InputError, PublishError
from gate.pipeline.accept.pull_request import AcceptOptions, AcceptReply, accept_level
from gate.publish.accept_command import AcceptRequest, check_login, react, read_request
from gate.publish.reviews import may_write

if TYPE_CHECKING:
    from pathlib import Path

    from gate.cli.publish.options import GitHub
    from gate.publish.github.api import Api

EPILOG = """\b
Examples:
  gate publish accept --pull 17 --by alice --reason "checksums are on by default"
  gate publish accept --comment "$COMMENT"      what `/driftgate accept ...` says
  gate publish accept --pull 17 --by alice --reason "..." --mode branch

\b
Run it in a checkout of the base branch. Needs the permissions actions: read,
contents: write, pull-requests: write. Exit status: 0 proposed, 2 the sessions
may not become a baseline, 6 refused or not published.
"""


_how = options.bundle(
    "how",
    AcceptOptions,
    options.option(
        "--mode",
        "Open a pull request, or commit to the branch itself.",
        type=click.Choice(["pull-request", "branch"]),
        default="pull-request",
    ),
    options.option(
        "--workflow",
        "File name of the workflow that measures.",
        default="driftgate.yml",
        metavar="FILE",
    ),
    github_options.identifier(
        "--run", "The run that measured; by default the newest of the present head."
    ),
    github_options.shards("In how many parts it was measured."),
    options.merge_base("Take profiles and baselines where this revision and HEAD parted."),
    options.profiles_dir,
    options.size,
    options.baseline_dir,
)


@click.command(epilog=EPILOG)
@github_options.pull_request()
@options.option("--reason", "Why this level is right; reviewers will read it.")
@options.option("--by", "Who asks; must have write permission.", metavar="LOGIN")
@github_options.identifier(
    "--comment", "Take these from a comment that says `/driftgate accept [COMMIT] REASON`."
)
@_how
@options.path("--comment-body-file", "Also write the answer to this file.", metavar="FILE")
@github_options.github
@options.as_json
def command(
    github: GitHub,
    number: int | None,
    reason: str | None,
    by: str | None,
    comment: int | None,
    how: AcceptOptions,
    comment_body_file: Path | None,
    *,
    json_: bool,
) -> int:
    """Accept the level that was measured for a pull request, by review.

    Takes the newest sessions of its present head, judges them again, and proposes them as the new
    baseline: in a pull request of its own, or as a commit on the branch. The outputs are pull,
    branch and commit. What is accepted counts once it is on the base branch; the measured pull
    request is then updated, and judged against it.
    """
    api = github.api()
    request = _request(api, number, reason, by, comment)
    if request is None:
        click.echo(f"comment {comment} holds no command of driftgate: nothing was done")
        return 0
    reply = AcceptReply(api, request, comment_body_file)
    try:
        _refuse(api, request)
        react(api, request.comment, "eyes")
        result, proposal = accept_level(api, request, how)
    except GateError as error:
        reply.refused(error)
        raise
    reply.done(result, proposal)
    changes = [f"{name}: {what}" for name, what in proposal.rows]
    data = github_options.proposal_data(result)
    github_options.write_proposal_outputs(data)
    lines = github_options.proposal_lines(result, changes)
    print_answer(lines, json_=json_, **data, changes=changes)
    return 0


def _refuse(api: Api, request: AcceptRequest) -> None:
    """Refuse who may not ask, and what cannot be obeyed."""
    if not may_write(api, request.by):
        raise PublishError(
            "G276",
            f"{request.by} has no write permission to {api.repository}; nothing was done.",
            cure="Ask a maintainer to accept it.",
        )
    if request.complaint is not None:
        raise request.complaint


def _request(
    api: Api, number: int | None, reason: str | None, by: str | None, comment: int | None
) -> AcceptRequest | None:
    """What is asked for, from the options or from the comment that is named."""
    given = (number, reason, by)
    if comment is not None:
        if given != (None, None, None):
            raise InputError("G200", "--comment says it all: leave out --pull, --reason, --by.")
        return read_request(api, comment)
    if number is None or reason is None or by is None:
        cure = "Give all of --pull, --reason and --by, or --comment."
        raise InputError("G200", "it is not said what to accept, why, or who asks.", cure=cure)
    return AcceptRequest(number=number, by=check_login(by), reason=reason)
