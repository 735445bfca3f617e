"""The answer to who asked for a baseline: one comment, edited, and a small picture at his own."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import click

from gate.errors import GateError, PublishError
from gate.formats.disk import write_text
from gate.publish.accept_command import react
from gate.publish.comment import publish_comment
from gate.publish.measured_run import head_of
from gate.publish.proposal import MARKER, answer_proposed, answer_refused

if TYPE_CHECKING:
    from pathlib import Path

    from gate.publish.accept_command import AcceptRequest
    from gate.publish.github.api import Api
    from gate.publish.proposal import Proposal
    from gate.publish.propose import ProposalResult


class AcceptReply:
    """The one comment that tells who asked what came of it; its failure is told and no more."""

    def __init__(self, api: Api, request: AcceptRequest, file: Path | None) -> None:
        self._api, self._request, self._file = api, request, file

    def done(self, done: ProposalResult, proposal: Proposal) -> None:
        """Something was proposed."""
        body = answer_proposed(
            proposal, page=done.url, number=done.number, branch=done.branch, commit=done.commit
        )
        # A commit on the branch is its head from now on, as soon as GitHub has noticed.
        heads = (proposal.commit,) if done.number is not None else (done.commit, proposal.commit)
        self._say(body, heads)
        react(self._api, self._request.comment, "+1")

    def refused(self, error: GateError) -> None:
        """Nothing was done."""
        with suppress(GateError):
            head = head_of(self._api, self._request.number)
            self._say(answer_refused(str(error), self._request.by), (head,))
        react(self._api, self._request.comment, "confused")

    def _say(self, body: str, heads: tuple[str, ...]) -> None:
        if self._file is not None:
            write_text(self._file, body)
        failure: PublishError | None = None
        for head in heads:
            try:
                publish_comment(self._api, self._request.number, body, marker=MARKER, head=head)
            except PublishError as error:
                failure = error
            else:
                return
        click.echo(f"not commented: {failure}", err=True)
