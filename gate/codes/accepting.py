"""The codes of accepting a baseline from GitHub."""

from __future__ import annotations

from gate.codes.page import Page

ACCEPTING = {
    "G276": Page(
        "accepting a baseline was not asked for by somebody who may",
        "A baseline decides what may be merged, so it is accepted only on the word of somebody "
        "with write permission to the repository, as the API tells it at that moment. A comment "
        "that was edited does not count either: who edits a comment need not be its author. "
        "Nothing was done.",
        "Ask a maintainer to write `/driftgate accept REASON` in a comment of his own, or to start "
        "the workflow by hand.",
    ),
    "G277": Page(
        "what was measured cannot become a baseline by this way",
        "A session is accepted when it is of the very commit that it stands for, whole, of a known "
        "host class, and measured by the profile that the branch has which the baseline goes to. "
        "The message says what is otherwise.",
        "Have the present head measured. A pull request that changes the profile itself, or brings "
        "one, carries its baseline itself: `--mode branch`. The branch of a fork cannot be written "
        "to: merge first, and let the default branch be measured.",
    ),
}
