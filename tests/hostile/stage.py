"""The second stage as judge.yml runs it: judge, say open or closed, render."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from builders import Answer, run_gate
from hostile.reading import REPORT_URL, RUN_URL

RENDERED = ("page.html", "summary.md", "comment.md", "junit.xml")


@dataclass
class Ended:
    """What each step of the job ended with, and where its files are."""

    judge: Answer
    step: Answer
    report: Answer
    out: Path
    runner: Path
    spoken: list[str] = field(default_factory=list)

    @property
    def told(self) -> str:
        """Everything that reached the log as plain text."""
        return "\n".join(one.out + one.err for one in (self.judge, self.step, self.report))


def second_stage(session: Path, root: Path, place: Path) -> Ended:
    """Judge one file of a stranger in the checked-out base branch, inside this process."""
    out, runner, scratch = place / "out", place / "runner", place / "scratch"
    for directory in (out, runner, scratch):
        directory.mkdir(parents=True)
    env = {
        "GITHUB_STEP_SUMMARY": str(runner / "summary"),
        "GITHUB_OUTPUT": str(runner / "output"),
        "TMPDIR": str(scratch),
    }
    judge = ["judge", "--session", session, "--merge-base", "main", "--proposed", "change"]
    rendered = [word for name in RENDERED for word in (_option(name), out / name)]
    links = ["--report-url", REPORT_URL, "--run-url", RUN_URL]
    with mock.patch("tempfile.tempdir", str(scratch)):
        judged = run_gate([*judge, "--out", out], cwd=root, env=env)
        step = ["publish", "step", out, "--artifact-url", REPORT_URL, "--run-url", RUN_URL]
        said = run_gate(step, cwd=root, env=env)
        report = run_gate(["report", out / "report.json", *rendered, *links], cwd=root, env=env)
    assert not list(scratch.iterdir()), "something was left in the directory for scratch files"
    return Ended(judged, said, report, out, runner)


def _option(name: str) -> str:
    return {"page.html": "--html", "summary.md": "--markdown"}.get(name, f"--{Path(name).stem}")
