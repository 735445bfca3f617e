"""The required job: open only where every job succeeded and a verdict says open."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from builders import run_gate

from gate.errors import InputError
from gate.publish.required import LARGEST, judge_jobs

ROOT = Path(__file__).resolve().parents[2]
OPEN = {"result": "success", "outputs": {"gate": "open", "verdict": "passed"}}
PLAN = {"result": "success", "outputs": {"matrix": "[]"}}


def needs(**jobs):
    return json.dumps(jobs)


def required(text, **env):
    return run_gate(["publish", "required", "--needs", text], env=env)


@pytest.mark.parametrize(
    "jobs",
    [
        {"gate": OPEN},
        {"gate": OPEN, "plan": PLAN},
        {"gate": OPEN, "plan": {"result": "success", "outputs": None}},
        {"gate": OPEN, "plan": {"result": "success"}},
        {"one": OPEN, "two": OPEN},
    ],
)
def test_it_opens_when_every_job_succeeded_and_every_verdict_says_open(jobs):
    answer = required(needs(**jobs))
    assert (answer.status, "::" in answer.out) == (0, False)
    assert answer.out.startswith("gate open: ")


REASONS = {
    "success without a verdict": ({"result": "success", "outputs": {}}, "no job gave a verdict"),
    "no outputs": ({"result": "success", "outputs": None}, "no job gave a verdict"),
    "empty verdict": (
        {"result": "success", "outputs": {"gate": ""}},
        "gate: its verdict is empty",
    ),
    "closed": (
        {"result": "success", "outputs": {"gate": "closed", "verdict": "regressed"}},
        "gate: the gate is closed, regressed",
    ),
    "failed and closed": (
        {"result": "failure", "outputs": {"gate": "closed", "verdict": "broken"}},
        "gate: failed; the gate is closed, broken",
    ),
    "failed though open": (
        {"result": "failure", "outputs": {"gate": "open"}},
        "gate: failed; the gate is open",
    ),
    "failure": ({"result": "failure", "outputs": {}}, "gate: failed"),
    "cancelled": ({"result": "cancelled", "outputs": {}}, "gate: cancelled or superseded"),
    "skipped": ({"result": "skipped", "outputs": {}}, "gate: never ran: it was skipped"),
    "empty result": ({"result": "", "outputs": {}}, "gate: no runner answered"),
    "null result": ({"result": None, "outputs": None}, "gate: no runner answered"),
    "unknown": ({"result": "neutral"}, 'gate: ended in an unknown way, "neutral"'),
    "Open": (
        {"result": "success", "outputs": {"gate": "Open"}},
        'gate: says "Open" in place of open or closed',
    ),
    "true": (
        {"result": "success", "outputs": {"gate": True}},
        'gate: says "?" in place of open or closed',
    ),
    "open and more": (
        {"result": "success", "outputs": {"gate": "open\n"}},
        'gate: says "open?" in place of open or closed',
    ),
}


@pytest.mark.parametrize("case", REASONS)
def test_every_other_ending_is_closed_with_its_reason(case):
    job, reason = REASONS[case]
    answer = required(needs(gate=job))
    assert answer.status == 5
    assert f"gate closed: {reason}" in answer.out
    annotations = [line for line in answer.out.splitlines() if line.startswith("::")]
    assert annotations == [f"::error title=driftgate::gate closed: {reason}"]


@pytest.mark.parametrize("case", REASONS)
def test_one_bad_job_beside_a_good_one_closes(case):
    """All but a success without a verdict of its own: another job gives the verdict then."""
    job, _ = REASONS[case]
    status = required(needs(gate=OPEN, other=job)).status
    assert status == (0 if case in {"success without a verdict", "no outputs"} else 5)


def test_it_is_open_for_none_but_the_one_pair_of_ending_and_verdict():
    """Over every ending and verdict that comes to mind, one pair opens."""
    results = ["success", "failure", "cancelled", "skipped", "", None, "neutral", "Success"]
    gates = ["open", "closed", "", None, "OPEN", " open", "open ", 1, True, ["open"], {"a": 1}]
    opened = [
        (result, gate)
        for result, gate in itertools.product(results, gates)
        if judge_jobs(needs(gate={"result": result, "outputs": {"gate": gate}})).open
    ]
    assert opened == [("success", "open")]


BAD = {
    "nothing": "",
    "blank": "  ",
    "no JSON": "{",
    "list": "[]",
    "text": '"success"',
    "no job": "{}",
    "a job that is a word": '{"gate": "success"}',
    "a job without result": '{"gate": {"outputs": {"gate": "open"}}}',
    "a result that is a number": '{"gate": {"result": 1}}',
    "outputs that are a word": '{"gate": {"result": "success", "outputs": "open"}}',
    "a job twice": '{"gate": {"result": "failure"}, "gate": {"result": "success"}}',
    "nested deep": "[" * 100_000,
    "a number of many digits": '{"gate": ' + "1" * 5000 + "}",
    "501 jobs": json.dumps({f"j{i}": OPEN for i in range(501)}),
    "huge": json.dumps({"gate": OPEN | {"x": "a" * LARGEST}}),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_not_githubs_needs_is_closed_with_an_error(case, tmp_path):
    """It says what is wrong, as an annotation and in the summary, and never opens."""
    summary = tmp_path / "summary"
    answer = required(BAD[case], GITHUB_STEP_SUMMARY=str(summary))
    assert answer.status == 2
    assert "--needs" in answer.err
    assert answer.out.startswith("::error title=driftgate::gate closed: ")
    assert summary.read_text(encoding="utf-8").startswith("## ✗ driftgate: gate closed\n")


def test_hostile_names_become_harmless():
    """Neither a command, nor a link, nor markup, nor an escape sequence comes out."""
    evil = "x\n::error::](http://evil)\x1b[31m<img>@all `#1` www.evil.example|\u202e"
    jobs = {evil: {"result": evil, "outputs": {"gate": evil, "verdict": evil}}}
    answer = judge_jobs(json.dumps(jobs))
    said = answer.headline + answer.jobs[0].name + answer.jobs[0].result
    assert not set(said) & set("\n\x1b<>[]()@#`|.\u202e")
    assert not answer.open


def test_from_a_file_and_from_stdin(tmp_path):
    path = tmp_path / "needs.json"
    path.write_text(needs(gate=OPEN), encoding="utf-8")
    assert required(f"@{path}").status == 0
    assert required(f"@{tmp_path}/none.json").status == 2
    words = [sys.executable, "-m", "gate", "publish", "required", "--needs", "-"]
    for text, status in ((needs(gate=OPEN), 0), ("", 2), (needs(gate=PLAN), 5)):
        ran = subprocess.run(
            words, input=text, text=True, capture_output=True, cwd=ROOT, check=False
        )
        assert ran.returncode == status


def test_the_summary_names_every_job(tmp_path):
    summary = tmp_path / "summary"
    required(needs(gate=OPEN, shard={"result": "cancelled"}), GITHUB_STEP_SUMMARY=str(summary))
    assert summary.read_text(encoding="utf-8") == (
        "## ✗ driftgate: gate closed\n\n"
        "- `gate`: the gate is open, passed\n- `shard`: cancelled or superseded\n"
    )


def test_a_summary_that_cannot_be_written_opens_nothing(tmp_path):
    answer = required(needs(gate=OPEN), GITHUB_STEP_SUMMARY=str(tmp_path / "no" / "summary"))
    assert (answer.status, "error[G279]" in answer.err) == (6, True)


def test_json_is_json_and_the_annotation_goes_beside_it():
    words = ["publish", "required", "--json", "--needs"]
    answer = run_gate([*words, needs(gate={"result": "skipped"})])
    assert answer.json == {
        "schema": 1,
        "gate": "closed",
        "headline": "gate closed: gate: never ran: it was skipped",
        "jobs": [
            {
                "name": "gate",
                "result": "skipped",
                "gate": None,
                "reason": "never ran: it was skipped",
                "stops": True,
            }
        ],
    }
    assert answer.err == f"::error title=driftgate::{answer.json['headline']}\n"
    assert run_gate([*words, "{"]).json["gate"] == "closed"


BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names and top not in {"gate", "click"}:
            raise ImportError(f"{name} is not installed")

sys.meta_path.insert(0, Blocked())
import runpy
runpy.run_module("gate", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize(("job", "status"), [(OPEN, 0), ({"result": "skipped"}, 5), ("?", 2)])
def test_it_runs_with_nothing_installed_but_click(job, status, tmp_path):
    """The job that a branch requires must not wait for numpy."""
    env = {**os.environ, "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    words = ["publish", "required", "--needs", needs(gate=job)]
    ran = subprocess.run(
        [sys.executable, "-c", BLOCKED, *words],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=env,
        check=False,
    )
    assert ran.returncode == status, ran.stderr
    assert "internal error" not in ran.stderr
    assert (tmp_path / "summary").exists()


def test_a_job_without_a_name_of_our_kind_is_no_crash():
    with pytest.raises(InputError):
        judge_jobs(json.dumps({"\ud800": 3}))
