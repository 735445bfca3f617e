"""The end of a step: what is told to the runner, and that nothing but an open report opens."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from builders import run_gate

from gate.formats.session.session_file import read_report
from gate.model import Role, Verdict
from gate.publish.github.runner_commands import LARGEST_SUMMARY, output_lines
from gate.publish.step import opens_gate, outputs, status_of, take_report
from gate.report.json_text import render_json
from tests.report.sample import open_report, sample_report

NOW = datetime.now(UTC)
SAID_CLOSED = {"gate": "closed", "verdict": "error", "status": "4"}


def text_of(time):
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def report(kind=open_report, *, created=NOW, **changes):
    return replace(kind(), created=text_of(created), **changes)


class Step:
    """A step with a fresh directory and the runner's files."""

    def __init__(self, root: Path) -> None:
        self.out = root / "out"
        self.summary, self.output = root / "summary", root / "output"
        self.path = self.out / "report.json"

    def holds(self, what):
        """Put a report, or any text, where the check leaves its own."""
        self.out.mkdir(exist_ok=True)
        text = what if isinstance(what, str) else render_json(what)
        self.path.write_text(text, encoding="utf-8")
        return self

    def run(self, *words, **env):
        files = {"GITHUB_STEP_SUMMARY": str(self.summary), "GITHUB_OUTPUT": str(self.output)}
        return run_gate(["publish", "step", self.out, *words], env=files | env)

    @property
    def said(self):
        """The outputs, read as the runner reads them."""
        told, lines = {}, iter(self.output.read_text(encoding="utf-8").split("\n"))
        for line in lines:
            if line:
                name, _, end = line.partition("<<")
                value = []
                while (part := next(lines)) != end:
                    value.append(part)
                told[name] = "\n".join(value)
        return told


@pytest.fixture
def step(tmp_path):
    return Step(tmp_path)


def commands(text):
    return [line for line in text.splitlines() if line.lstrip().startswith("::") or "##[" in line]


def test_an_open_report_opens(step):
    answer = step.holds(report()).run()
    assert answer.status == 0
    assert step.said == {
        "gate": "open",
        "verdict": "waived",
        "status": "0",
        "report": str(step.path),
        "session": "",
        "headline": open_report().headline,
    }
    assert step.summary.read_text(encoding="utf-8").strip()
    assert answer.out.rstrip().endswith("(exit status 0)")


def test_a_closed_report_closes_with_its_own_status(step):
    answer = step.holds(report(sample_report)).run()
    assert answer.status == 10
    assert (step.said["gate"], step.said["verdict"], step.said["status"]) == (
        "closed",
        "regressed",
        "10",
    )
    assert 1 <= len(commands(answer.out)) <= 10


def test_the_session_is_named_where_there_is_one(step):
    step.holds(report())
    (step.out / "session.json").write_text("{}", encoding="utf-8")
    step.run()
    assert step.said["session"] == str(step.out / "session.json")


def test_without_a_report_one_is_made_that_says_so(step):
    """Crashed, killed or never ran: report, page, summary, annotation and outputs are there."""
    answer = step.run("--because", "measuring ended as cancelled")
    assert answer.status == 4
    made = read_report(step.path)
    assert (made.gate, made.verdict, made.exit_status) == ("closed", "error", 4)
    assert "left no report" in made.headline
    assert "(measuring ended as cancelled)" in made.headline
    assert "left no report" in (step.out / "report.html").read_text(encoding="utf-8")
    assert "left no report" in step.summary.read_text(encoding="utf-8")
    assert len(commands(answer.out)) == 1
    assert step.said.items() >= SAID_CLOSED.items()


def test_the_report_that_was_made_is_told_again_as_it_is(step):
    """The action makes sure of a report first and tells it later: the second call changes none."""
    step.run("--because", "killed", GITHUB_OUTPUT="", GITHUB_STEP_SUMMARY="")
    before = step.path.read_bytes()
    assert step.run("--because", "something else").status == 4
    assert step.path.read_bytes() == before
    assert "(killed)" in step.said["headline"]


REFUSED = {
    "empty": "",
    "no JSON": "{",
    "not a report": '{"schema": 1}',
    "NaN": '{"schema": 1, "gate": NaN}',
    "nested": "[" * 100_000,
    "another schema": '{"schema": 2}',
    "eight days old": report(created=NOW - timedelta(days=8)),
    "of tomorrow": report(created=NOW + timedelta(days=1)),
    "of no time": replace(open_report(), created="yesterday"),
    "of no zone": replace(open_report(), created="2026-11-20T03:12:44"),
    "open without findings": report(findings=()),
    "open though regressed": report(sample_report, gate="open", exit_status=0),
    "open with a closing status": report(exit_status=10),
    "open by another verdict": report(verdict="passed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_report_of_this_check_is_never_taken(case, step):
    """It is kept under another name, and the report that counts says closed."""
    was = step.holds(REFUSED[case]).path.read_bytes()
    answer = step.run()
    assert answer.status == 4
    assert step.said.items() >= SAID_CLOSED.items()
    assert read_report(step.path).headline.startswith("gate closed: error: G278: ")
    assert (step.out / "refused-report.json").read_bytes() == was


def test_a_report_up_to_seven_days_old_is_taken(step):
    assert step.holds(report(created=NOW - timedelta(days=6, hours=23))).run().status == 0
    assert step.holds(report(created=NOW + timedelta(minutes=4))).run().status == 0


@pytest.mark.parametrize("kind", ["directory", "link to nothing", "link", "pipe"])
def test_something_else_in_the_reports_place_closes(kind, step, tmp_path):
    """Nothing is followed or waited for; a link to a good report of elsewhere is read."""
    step.out.mkdir()
    other = tmp_path / "other.json"
    other.write_text(render_json(report(sample_report)), encoding="utf-8")
    if kind == "directory":
        step.path.mkdir()
    elif kind == "pipe":
        os.mkfifo(step.path)
    else:
        step.path.symlink_to(other if kind == "link" else "nothing")
    assert step.run().status == (10 if kind == "link" else 4)
    assert other.read_text(encoding="utf-8") == render_json(report(sample_report))


def test_a_directory_that_cannot_be_written_is_told_all_the_same(step):
    step.out.write_text("a file is in the way", encoding="utf-8")
    answer = step.run()
    assert answer.status == 4
    assert step.said == SAID_CLOSED | {
        "report": "",
        "session": "",
        "headline": step.said["headline"],
    }
    assert "could not be written" in answer.err


def test_only_what_opens_by_its_own_findings_opens():
    """Whatever the file says, one finding that does not open keeps it closed."""
    good = report()
    assert opens_gate(good)
    gated = next(one for one in good.findings if one.role is Role.GATE)
    for verdict in Verdict:
        bad = replace(gated, verdict=verdict)
        told = replace(good, findings=(bad,), verdict=verdict.value)
        assert opens_gate(told) == (verdict.opens or verdict is Verdict.NEW)
    assert not opens_gate(replace(good, findings=()))
    watched = tuple(replace(one, role=Role.WATCH) for one in good.findings)
    assert not opens_gate(replace(good, findings=watched))


@pytest.mark.parametrize("status", [0, 256, 512, -1, -256, 1 << 40])
def test_no_exit_status_of_a_closed_report_wraps_round_to_zero(status):
    """A shell takes 256 for 0."""
    assert status_of(report(sample_report, exit_status=status)) == 5


def test_outside_of_github_it_only_prints(step):
    answer = step.holds(report()).run(GITHUB_STEP_SUMMARY="", GITHUB_OUTPUT="")
    assert answer.status == 0
    assert (step.summary.exists(), step.output.exists()) == (False, False)


@pytest.mark.parametrize("name", ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"])
def test_what_could_not_be_told_opens_nothing(name, step, tmp_path):
    """Exit status 6, and where only the summary failed the outputs say closed."""
    answer = step.holds(report()).run(**{name: str(tmp_path / "none" / "file")})
    assert (answer.status, "error[G279]" in answer.err) == (6, True)
    if name == "GITHUB_STEP_SUMMARY":
        assert (step.said["gate"], step.said["status"]) == ("closed", "6")


def test_a_closed_report_keeps_its_status_when_it_cannot_be_told(step, tmp_path):
    answer = step.holds(report(sample_report)).run(GITHUB_STEP_SUMMARY=str(tmp_path))
    assert (answer.status, step.said["status"]) == (10, "10")


@pytest.mark.parametrize("room", [0, 100, 500, 1 << 20])
def test_the_summary_of_a_step_stays_below_one_mebibyte(room, step):
    """With what stands there already: whole, then short, then refused; never too much."""
    step.summary.write_bytes(b"x" * (LARGEST_SUMMARY - room))
    status = step.holds(report()).run().status
    size = step.summary.stat().st_size
    assert size <= LARGEST_SUMMARY < 1 << 20
    assert status == (6 if room == 0 else 0)
    assert (size > LARGEST_SUMMARY - room) == (room > 0)


def test_it_appends_on_a_line_of_its_own(step):
    step.output.write_text("mine=1", encoding="utf-8")
    step.holds(report()).run()
    assert step.output.read_text(encoding="utf-8").startswith("mine=1\ngate<<end_")


def test_the_links_are_of_the_page_and_of_the_running_run(step):
    step.holds(report(sample_report)).run(
        "--artifact-url",
        "https://github.com/o/r/actions/runs/7/artifacts/9",
        GITHUB_SERVER_URL="https://github.com",
        GITHUB_REPOSITORY="o/r",
        GITHUB_RUN_ID="7",
    )
    text = step.summary.read_text(encoding="utf-8")
    assert "(https://github.com/o/r/actions/runs/7/artifacts/9)" in text
    assert "(https://github.com/o/r/actions/runs/7)" in text


def test_an_address_that_is_none_stops_no_verdict(step):
    answer = step.holds(report()).run("--artifact-url", "javascript:alert(1)")
    assert (answer.status, "javascript" in step.summary.read_text(encoding="utf-8")) == (0, False)


EVIL = "x\n::error::a\r::set-output name=gate::open\n##[stop-commands]t\x1b[31m\u202e end_0 <<EOF"


@pytest.mark.parametrize("flag", [(), ("--json",)])
def test_no_name_of_a_report_reaches_the_command_channel(flag, step):
    """On neither stream, and no output but ours is set."""
    base = report(sample_report, headline=EVIL, notes=(EVIL,), profiles=(EVIL,))
    found = tuple(
        replace(one, benchmark=EVIL, metric=EVIL, headline=EVIL, advice=EVIL, warnings=(EVIL,))
        for one in base.findings
    )
    answer = step.holds(replace(base, findings=found)).run(*flag)
    assert answer.status == 10
    lines = commands(answer.out) + commands(answer.err)
    assert 1 <= len(lines) <= 10
    assert all(line.startswith(("::error ", "::warning ")) for line in lines)
    assert set(step.said) == {"gate", "verdict", "status", "report", "session", "headline"}
    assert step.said["gate"] == "closed"
    if flag:
        assert json.loads(answer.out)["headline"] == EVIL


def test_paths_are_told_as_one_line(tmp_path):
    odd = tmp_path / "a\nb"
    odd.mkdir()
    (odd / "report.json").touch()
    told = output_lines(outputs(report(), odd, 0), mark=lambda: "0")
    assert told.count("\n") == 3 * 6


def test_taking_reads_nothing_but_the_report(tmp_path):
    """Nothing is written before it is known what counts."""
    taken = take_report(tmp_path, now=NOW, version="1")
    assert (taken.made, list(tmp_path.iterdir())) == (True, [])
