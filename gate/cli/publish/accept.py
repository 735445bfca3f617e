"""`gate publish accept`: the measured level of a pull request becomes its baseline.

Nothing is measured again: the sessions are those that the gate measured for the pull request's
present head. They are validated and judged anew, and only somebody who may write to the repository
can ask for it. The baseline becomes part of the change: a commit on its branch, and a check of that
commit that tells the judge which files were accepted. In any other branch it is as if it was not.
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
    from gate.publish.run_provenance import DemandedOrigin

EPILOG = """\b
Examples:
  gate publish accept --pull 17 --by alice --reason "checksums are on by default"
  gate publish accept --comment "$COMMENT"      what `/driftgate accept ...` says
  gate publish accept --comment "$COMMENT" --machine bench-1

\b
Run it in a checkout of the base branch. Needs the permissions actions: read,
checks, contents and pull-requests: write. Exit status: 0 accepted, 2 the
sessions may not become a baseline, 6 refused or not published.
"""


_how = options.bundle(
    "how",
    AcceptOptions,
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
@github_options.demand
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
    demand: DemandedOrigin,
    how: AcceptOptions,
    comment_body_file: Path | None,
    *,
    json_: bool,
) -> int:
    """Accept the level that was measured for a pull request, by review.

    Takes the newest sessions of its present head, if it is proven where they were made, judges
    them again, and commits them as the new baseline to the pull request's own branch: whoever
    approves that approves the level. Of a fork, or once it is merged, a pull request carries them,
    and they count when that is merged. The outputs are pull, branch, commit and run (what is to be
    judged again; empty for a pull request that carries them).
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
        result, proposal = accept_level(api, request, demand, how)
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
