"""The codes of a step that tells its runner what was judged."""

from __future__ import annotations

from gate.codes.page import Page

STEP = {
    "G278": Page(
        "the check left no report of its own",
        "Where the check should have left report.json there is none, it cannot be read, it "
        "contradicts itself, or it is of another time (more than seven days old, or of the "
        "future). The check crashed, was killed or never ran. Nothing is known of the change, so "
        "the gate is closed. What was refused is kept as refused-report.json.",
        "Look at the log of the step that measured, and run the job again. Give each check a "
        "fresh directory with `--out`.",
    ),
    "G279": Page(
        "the runner's file cannot be written",
        "A step tells its summary and its outputs in files that the runner names in "
        "GITHUB_STEP_SUMMARY and GITHUB_OUTPUT. One of them cannot be written, or the summary is "
        "full: GitHub shows nothing of a summary above 1 MiB. A verdict that could not be told "
        "opens nothing.",
        "Check free space on the runner; outside GitHub leave the two variables unset.",
    ),
}
