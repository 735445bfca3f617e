"""Extra runs through the command line: only after a regression, and nothing else changes by them."""

from __future__ import annotations

import json
import signal
from unittest import mock

import pytest
from builders import HOST_CLASS, QUIET, run_gate, start_gate, write_replay_project

from gate.measure import perf
from gate.measure.process.stop import StopRequested

PROFILE = """harness = "hyperfine"
command = "sh {side}/work.sh"
operations = "done"
trials = { screen = 3, confirm_pairs = 30 }
[output.took]
pattern = '^took ([0-9]+)$'
unit = "1"
better = "lower"
[output.done]
pattern = '^done ([0-9]+)$'
unit = "1"
better = "higher"
[metric.took]
tolerance = "5%"
"""
WORK = "echo took {took}; echo done 10; {more}\n"
"""Prints what it took, so that no verdict here depends on how busy the machine is."""
PERF = """#!/bin/sh
# A perf that samples what was recorded; it runs what stands after --.
case $1 in
evlist) echo cpu-clock; exit ;;
script) printf 'sh  999999999 \\n\\t  fff  do_work\\n\\t  ffe  main\\n\\n%s' ''; exit ;;
esac
mode=$1
while [ "$1" != -- ]; do [ "$1" = -o ] && file=$2; shift; done
shift
"$@"; status=$?
[ "$mode" = stat ] && echo '4200;;instructions;1;100.00;;' > "$file" || echo data > "$file"
exit $status
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Both sides, of which the head takes half as long again; a baseline; a recorded perf."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "perf").write_text(PERF)
    (tools / "perf").chmod(0o755)
    monkeypatch.setattr(perf, "_PATH", str(tools))
    root = tmp_path / "p"
    (root / "profiles").mkdir(parents=True)
    (root / "profiles" / "p.toml").write_text(PROFILE)
    for side, took in (("base", 1000), ("head", 1500)):
        write(root, side, took)
    paths = []
    for n in range(5):
        write(root, "old", 1000 + n)
        answer = run_gate(["run", "p", "--head", "old", "--json", "--quiet"], cwd=root)
        assert answer.status == 0, answer
        paths.append(answer.json["sessions"][0]["path"])
    assert run_gate(["baseline", "accept", *paths, "--reason", "r"], cwd=root).status == 0
    return root


def write(root, side, took, more=":"):
    """What a side runs."""
    (root / side).mkdir(exist_ok=True)
    (root / side / "work.sh").write_text(WORK.format(took=took, more=more))


def check(root, *words, **more):
    """A check of both sides."""
    words = ("check", "p", "--base", "base", "--head", "head", "--out", "out", *words)
    return run_gate(words, cwd=root, **more)


def report_of(root):
    """What it left."""
    return json.loads((root / "out" / "report.json").read_text())


def test_a_regression_is_run_some_more(project):
    """Three runs of each side and some under perf, alternating, kept beside the sessions."""
    answer = check(project)
    assert answer.status == 10, answer
    (why,) = report_of(project)["why"]
    assert (why["profile"], why["benchmark"], why["per"]) == ("p", "p", "operation")
    assert (why["runs_base"], why["runs_head"]) == (3, 3)
    assert why["notes"] == []
    assert [one["name"] for one in why["flame"]["frames"]] == ["all", "sh", "main", "do_work"]
    kept = json.loads((project / "out" / "why" / "p-1.json").read_text())
    assert [run["side"] for run in kept["runs"]] == [
        *("base", "head", "head", "base", "base", "head")
    ]
    assert {run["counts"]["perf: instructions"] for run in kept["runs"]} == {4200}
    assert all(run["operations"] == 10 and run["seconds"] > 0 for run in kept["runs"])
    folded = (project / "out" / "why" / "p-1.head.folded").read_text()
    assert folded.startswith("sh;main;do_work ")
    assert "What moved with it" in (project / "out" / "report.html").read_text()
    assert "why: 3 more runs of each side of p" in answer.err


def test_the_verdict_and_its_sessions_are_those_of_a_check_without(project):
    """Nothing of the extra runs is in a session; --no-why takes none at all."""
    assert check(project, "--no-why").status == 10
    assert not (project / "out" / "why").exists()
    without = report_of(project)
    assert without["why"] == []
    (project / "out").rename(project / "other")
    assert check(project).status == 10
    for name in ("head", "pairs-base", "pairs-head"):
        of_both = [
            json.loads((project / out / "p" / f"{name}.json").read_text())["trials"]
            for out in ("other", "out")
        ]
        assert len(of_both[0]) == len(of_both[1])
    told = report_of(project)
    for key in ("verdict", "exit_status", "headline", "gate"):
        assert told[key] == without[key]
    path = project / "out" / "why" / "p-1.json"
    assert run_gate(["baseline", "accept", path, "--reason", "r"], cwd=project).status == 2


def test_a_check_that_passes_makes_no_extra_run(project):
    """Nothing to explain."""
    write(project, "head", 1001)
    answer = check(project)
    assert answer.status == 0, answer
    assert not (project / "out" / "why").exists()
    assert report_of(project)["why"] == []
    assert "why" not in answer.err


def test_an_extra_run_that_fails_changes_nothing(project):
    """It is said, and the verdict stands. The head fails as soon as it was judged."""
    write(project, "head", 1500, "[ ! -e out/report.html ]")
    answer = check(project)
    assert answer.status == 10, answer
    (why,) = report_of(project)["why"]
    assert "an extra run of the head side failed" in why["notes"][0]
    assert (why["runs_base"], why["runs_head"], why["movers"]) == (1, 0, [])
    assert why["notes"][0] in answer.err


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (StopRequested(signal.SIGINT), "the extra runs were interrupted"),
        (RuntimeError("odd"), "extra runs failed: RuntimeError: odd"),
        (OSError(28, "No space left on device"), "extra runs were not possible"),
    ],
)
def test_whatever_goes_wrong_the_verdict_stands(project, error, told):
    """Even an interruption: the report was there before."""
    with mock.patch("gate.pipeline.diagnose.ExtraRunner", side_effect=error):
        answer = check(project)
    assert answer.status == 10, answer
    (why,) = report_of(project)["why"]
    assert told in why["notes"][0]


def test_without_perf_it_says_how_to_get_it(project, monkeypatch, tmp_path):
    """Counters all the same."""
    monkeypatch.setattr(perf, "_PATH", str(tmp_path / "nothing"))
    assert check(project).status == 10
    (why,) = report_of(project)["why"]
    assert (why["runs_base"], why["runs_head"], why["flame"]) == (3, 3, None)
    assert why["notes"] == [f"perf is not installed. {perf.NEEDED}"]


def test_a_perf_that_is_refused_is_told(project, tmp_path):
    """As an ordinary user of most systems sees it."""
    (tmp_path / "tools" / "perf").write_text("#!/bin/sh\necho 'Access is limited.' >&2\nexit 255\n")
    assert check(project).status == 10
    (why,) = report_of(project)["why"]
    assert why["flame"] is None
    assert why["notes"] == [f"perf does not work here: Access is limited. {perf.DENIED}"]


def test_the_time_is_limited(project):
    """What would not fit is not begun."""
    with mock.patch("gate.pipeline.diagnose.MOST_SECONDS", 0.0):
        assert check(project).status == 10
    (why,) = report_of(project)["why"]
    assert why["notes"][0] == "the time for extra runs was up before the first"


def test_what_was_found_crosses_to_the_job_that_judges(project, tmp_path):
    """In the handover; a job that calls nothing regressed shows none of it."""
    assert check(project).status == 10
    words = ("judge", "--session", project / "out" / "session.json", "--out", tmp_path / "judged")
    answer = run_gate(words, cwd=project)
    assert answer.status == 10, answer
    judged = json.loads((tmp_path / "judged" / "report.json").read_text())
    assert judged["why"] == report_of(project)["why"]
    assert judged["why"]


def test_replayed_values_are_never_run_again(tmp_path):
    """They measure no machine."""
    slow = {"b": [one * 1.5 for one in QUIET] * 30}
    project = write_replay_project(tmp_path, sides=True, head={"b": QUIET})
    project.accept()
    project.record(slow, {"b": QUIET * 30})
    answer = project.gate("check", "p", "--out", "out")
    assert answer.status == 10, answer
    assert not (tmp_path / "out" / "why").exists()


def test_an_interruption_ends_the_extra_runs_and_keeps_the_verdict(project):
    """A real signal to a real process, in the middle of a run that would last a minute."""
    write(project, "head", 1500, "[ ! -e out/report.html ] || sleep 60")
    words = ("check", "p", "--base", "base", "--head", "head", "--out", "out")
    with start_gate(words, cwd=project) as process:
        for line in process.stderr:
            if line.startswith("why: p trial 1/"):
                process.send_signal(signal.SIGINT)
                break
        process.communicate(timeout=60)
    assert process.returncode == 10
    (why,) = report_of(project)["why"]
    assert why["notes"] == ["the extra runs were interrupted"]
    assert report_of(project)["host"]["host_class"] == HOST_CLASS
