"""The codes of talking to GitHub."""

from __future__ import annotations

from gate.codes.page import Page

PUBLISHING = {
    "G270": Page(
        "GitHub refused a request",
        "The API was reached and said no: the token is missing, has ended, or lacks a permission; "
        "or what was asked for does not exist or may not be. What a token may not see looks to it "
        "as if it did not exist (404).",
        "The message names the permission: give it to that job under `permissions:`, to no other "
        "one. A pull request from a fork never has a token that may write: use the two stages.",
    ),
    "G271": Page(
        "GitHub asks to wait for longer than a job should",
        "There is a limit on requests, and it ends more than ten minutes from now. Shorter waits "
        "are waited for, and told.",
        "Run the job again later. If it happens often, other jobs use up the same token's share.",
    ),
    "G272": Page(
        "GitHub cannot be reached, or keeps failing",
        "There was no connection, or four tries with growing pauses all ended in a fault of the "
        "server. Something that makes a comment, a check or a pull request is never repeated "
        "blindly: it is looked whether it was made.",
        "Run the job again. On a machine of your own, check the proxy and the certificates.",
    ),
    "G273": Page(
        "an answer is not what the API of GitHub documents",
        "It is no JSON, too long, lacks a field, or leads to another address. A proxy or a login "
        "page between this machine and GitHub looks like that, and so does a wrong address.",
        "Check GITHUB_API_URL: `https://api.github.com`, or `https://HOST/api/v3` of your server.",
    ),
    "G274": Page(
        "the pull request or the branch does not stand where it was measured",
        "The pull request got a newer commit, was closed, or cannot be told from another one of "
        "the same commit; or the branch moved while this was being done. Nothing was written: "
        "what is known of an older commit must not stand at a newer one.",
        "Nothing, when the newer commit has a run of its own. Otherwise run the command again.",
    ),
    "G275": Page(
        "an artifact is refused",
        "Artifacts of a run may come from anybody's pull request. There must be one of that "
        "name per attempt of the run at most, not expired: a zip file with exactly the one file "
        "expected, not encrypted, whole, and within the size that sessions and reports have.",
        "Look at the run: it may have failed before it uploaded, or uploaded twice. Artifacts "
        "that have expired can only be measured again.",
    ),
}
