"""The codes of checks that are spread over machines."""

from __future__ import annotations

from gate.codes.page import Page

HANDOVER = {
    "G263": Page(
        "profiles cannot be spread so",
        "There are fewer profiles than parts, so that a part would measure nothing; or the name of "
        "a profile holds something that a job matrix or a shell would not take as one word.",
        "Ask for fewer parts, or rename the profile: letters, digits, dots, dashes and "
        "underscores.",
    ),
}
