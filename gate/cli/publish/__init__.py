"""`gate publish`: what was judged, on GitHub."""

from __future__ import annotations

from gate.cli.main import LazyGroup

EPILOG = """\b
Examples:
  gate publish step reports/pr-17            in a step of a workflow
  gate publish comment report.json --pull 17 --head SHA
  gate publish accept --pull 17 --reason "checksums are on by default"
"""
command = LazyGroup(
    "publish",
    package=__name__,
    help="Publish verdicts on GitHub, and accept baselines from there.",
    epilog=EPILOG,
    about={
        "step": "Summary, annotations and outputs of the running GitHub step.",
        "required": "Say for all jobs together whether the gate is open; for the required job.",
        "locate": "Find the pull request that a workflow run measured.",
        "approvals": "What people approved and accepted of a pull request.",
        "fetch": "Download and check the sessions or the report of a workflow run.",
        "comment": "Write or edit the one comment of a pull request.",
        "check": "Write the check of a commit, the name that a branch requires.",
        "accept": "Accept the measured level of a pull request as its baseline.",
        "baseline": "Add sessions of the default branch to its baseline, if they passed.",
    },
)
