"""`gate baseline`: accept, show, compare; one module per subcommand, imported when it runs."""

from __future__ import annotations

from gate.cli.main import LazyGroup

command = LazyGroup(
    "baseline",
    package=__name__,
    help="What was accepted: the sessions that changes are compared with.",
    about={
        "accept": "Accept sessions into the baseline.",
        "show": "Show the accepted level of every series.",
        "diff": "Compare the baselines here with those of a git revision.",
    },
)
