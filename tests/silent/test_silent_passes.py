"""Silent passes seen in the field, each driven through the command line: none ends with 0.

One test for each entry of the design's list, named after it. Not reached by this version:

- *baseline taken from the pull request itself*: baselines, profiles and waivers are read from the
  working tree, not from the merge base. What is held: an accepted session is never judged against
  itself, and an acceptance shows in the diff with its reason (see below).
- *the workload never touched the changed code*: nothing measures coverage. What is held: when base
  and head have one content, the report says that no change was under test.
- *a regression so gradual that every step was accepted*, with both sides at its end: pairs of
  base and head pass, and the slide since the anchor is only told beside them.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from builders import QUIET, run_gate, unchanged, write_replay_project

TOOLS = Path(__file__).parent.parent / "data" / "tool-output"
SLOW = [1.3 * one for one in QUIET]
OUT = ("--out", "out", "--quiet")


def check(project, *arguments, env=None):
    """`gate check` into a fresh directory."""
    shutil.rmtree(project.root / "out", ignore_errors=True)
    return project.gate("check", *arguments, *OUT, env=env)


def report(project):
    return json.loads((project.root / "out" / "report.json").read_text(encoding="utf-8"))


def codes(project):
    return {finding["code"] for finding in report(project)["findings"]}


def closed(project, answer, status, *expected):
    """The check ended with this status, wrote its report, closed, and gave these codes."""
    assert answer.status == status, answer
    assert report(project)["gate"] == "closed"
    assert report(project)["exit_status"] == status
    assert codes(project) >= set(expected)


@pytest.fixture
def project(tmp_path):
    """Two quiet benchmarks with an accepted baseline."""
    made = write_replay_project(tmp_path, head={"b": QUIET, "c": QUIET})
    made.accept()
    return made


@pytest.fixture
def single(tmp_path):
    """One quiet benchmark with an accepted baseline."""
    made = write_replay_project(tmp_path)
    made.accept()
    return made


def edit(path, before, after):
    text = path.read_text(encoding="utf-8")
    assert before in text, text
    path.write_text(text.replace(before, after), encoding="utf-8")


def test_the_control_case_opens(project):
    """Nothing below is closed for want of a working set-up: as it stands the gate is open."""
    answer = check(project, "p")
    assert answer.status == 0, answer
    assert report(project)["gate"] == "open"


def test_benchmark_removed(project):
    """A benchmark taken out of the profile is missing, not gone."""
    edit(project.profile, '["b", "c"]', '["b"]')
    closed(project, check(project, "p"), 4, "G040")


def test_benchmark_renamed(project):
    """A renamed benchmark is missing under its old name, also with --allow new."""
    edit(project.profile, '["b", "c"]', '["b", "d"]')
    project.record({"b": QUIET, "d": QUIET})
    closed(project, check(project, "p", "--allow", "new"), 4, "G040")


def test_profile_removed(project):
    """A whole profile that only its baseline remembers is not passed over."""
    write_replay_project(project.root, name="q")
    project.profile.unlink()
    answer = check(project)
    assert answer.status == 2
    assert "error[G211]" in answer.err


def test_matrix_shrank(tmp_path, fake):
    """A matrix with a point less than the baseline holds is missing that point."""
    fake.hyperfine()
    profile = tmp_path / "profiles" / "m.toml"
    profile.parent.mkdir()
    profile.write_text(
        'harness = "hyperfine"\ncommand = "true {n}"\nmatrix = { n = [1, 2] }\n[metric.wall]\n',
        encoding="utf-8",
    )
    assert run_gate(["run", "m", "--quiet"], cwd=tmp_path).status == 0
    accept = ["baseline", "accept", "reports/sessions/m-001.json", "--reason", "first"]
    assert run_gate(accept, cwd=tmp_path).status == 0
    edit(profile, "[1, 2]", "[1]")
    answer = run_gate(["check", "m", *OUT], cwd=tmp_path)
    assert answer.status == 4, answer
    found = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert {f["benchmark"] for f in found["findings"] if f["code"] == "G040"} == {"m[n=2]"}


def test_filter_matched_nothing(project):
    """A name that matches no profile, or a directory without any, is an error of its own."""
    assert check(project, "nothing-like-it").status == 2
    (project.root / "empty").mkdir()
    answer = check(project, "--profiles", "empty")
    assert (answer.status, "error[G280]" in answer.err) == (3, True)


class Fake:
    """Programs of our own making on PATH, and nothing else."""

    def __init__(self, root, monkeypatch):
        self.root, self.bin = root, root / "bin"
        self.bin.mkdir()
        for name in ("sh", "cat", "true", "kill"):
            (self.bin / name).symlink_to(shutil.which(name) or f"/bin/{name}")
        monkeypatch.setenv("PATH", str(self.bin))

    def write(self, name, body):
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def hyperfine(self, then='printf \'%s\' "$EXPORT" > "$out"', version="1.20.0", export=None):
        """A hyperfine that answers for its version and then does `then`; $out is its export."""
        result = export or {
            "results": [{"command": "x", "user": 0.1, "system": 0.1, "times": ["T"],
                         "exit_codes": [0]}]
        }  # fmt: skip
        text = json.dumps(result).replace('"T"', "'\"$t\"'")
        self.write(
            "hyperfine",
            f"""if [ "$1" = --version ]; then echo "hyperfine {version}"; exit 0; fi
while [ "$1" != --export-json ]; do shift; done
out=$2
n=$(cat {self.root}/count 2>/dev/null || echo 1)
echo $((n + 1)) > {self.root}/count
t=1.00$((n * 37 % 90 + 10))
EXPORT='{text}'
{then}""",
        )


@pytest.fixture
def fake(tmp_path, monkeypatch):
    return Fake(tmp_path, monkeypatch)


@pytest.fixture
def measured(tmp_path, fake):
    """A hyperfine profile whose tool is ours, with an accepted baseline of five sessions."""
    fake.hyperfine()
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "h.toml").write_text(
        'harness = "hyperfine"\ncommand = "true"\n[metric.wall]\n', encoding="utf-8"
    )
    answer = run_gate(["run", "h", "--repeat", "5", "--quiet"], cwd=tmp_path)
    assert answer.status == 0, answer
    sessions = sorted((tmp_path / "reports" / "sessions").glob("*.json"))
    answer = run_gate(["baseline", "accept", *sessions, "--reason", "first"], cwd=tmp_path)
    assert answer.status == 0, answer

    class Measured:
        root = tmp_path

        def gate(self, *arguments, env=None):
            return run_gate(arguments, cwd=tmp_path, env=env)

    one = Measured()
    answer = check(one, "h")
    assert answer.status == 0, answer
    return one


def test_harness_missing(measured, fake):
    """Without the program nothing is measured: status 4, and no report of an open gate."""
    (fake.bin / "hyperfine").unlink()
    answer = check(measured, "h")
    assert answer.status == 4
    assert "error[G230]" in answer.err
    assert not (measured.root / "out" / "report.json").exists()


@pytest.mark.parametrize("end", ["exit 1", "exit 139", "kill -9 $$", "kill -SEGV $$"])
def test_harness_crashed(measured, fake, end):
    """A harness that fails or dies is broken, even when it left numbers behind."""
    fake.hyperfine(f'printf \'%s\' "$EXPORT" > "$out"; {end}')
    closed(measured, check(measured, "h"), 4, "G050")


def test_exit_code_swallowed(measured, fake):
    """A harness that ends with 0 although its command failed is found out by the export."""
    fake.hyperfine(
        export={"results": [{"command": "x", "user": 0.1, "system": 0.1, "times": ["T"],
                             "exit_codes": [1]}]}
    )  # fmt: skip
    closed(measured, check(measured, "h"), 4, "G050")
    failing = TOOLS / "hyperfine-1.20.0-failing.json"
    answer = run_gate(["import", failing], cwd=measured.root)
    assert (answer.status, "error[G236]" in answer.err) == (4, True)


@pytest.mark.parametrize(
    "then",
    [': > "$out"', 'printf \'{"results": [\' > "$out"', 'printf \'{"results": []}\' > "$out"'],
    ids=["empty", "partial", "no result"],
)
def test_export_empty_or_partial(measured, fake, then):
    """An export without a whole result is broken, whatever the harness's exit status."""
    fake.hyperfine(then)
    closed(measured, check(measured, "h"), 4, "G050")


def test_export_of_an_older_run(measured, fake):
    """Where the harness writes nothing, no file of an earlier run is taken for its export."""
    fake.hyperfine("true")
    stale = json.dumps({"results": [{"command": "x", "user": 1, "system": 1, "times": [1.0],
                                     "exit_codes": [0]}]})  # fmt: skip
    work = measured.root / "w"
    for place in (measured.root, work, measured.root / "profiles"):
        place.mkdir(exist_ok=True)
        (place / "hyperfine.json").write_text(stale, encoding="utf-8")
    closed(measured, check(measured, "h", "--work", "w"), 4, "G050")


@pytest.mark.parametrize("act", ["nan", "inf", "zero", 0, -1.0, "fail", "timeout"])
def test_no_positive_number(single, act):
    """NaN, infinite, zero and negative values are broken, also a single one among good ones."""
    single.record({"b": [QUIET[0], act, QUIET[2]]})
    assert check(single, "p").status == 4
    assert codes(single) <= {"G050", "G051"}
    assert report(single)["gate"] == "closed"


def test_nan_in_a_session_file(single):
    """A session file with NaN in it is refused when it is read."""
    path = single.session({"b": QUIET})
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"value": 1.0', '"value": NaN', 1), encoding="utf-8")
    answer = single.gate("judge", "--session", path)
    assert (answer.status, "error[G205]" in answer.err) == (2, True)


def test_constant_values(single):
    """A canned number is broken although it is exactly the accepted level."""
    single.record({"b": [1.0, 1.0, 1.0]})
    closed(single, check(single, "p"), 4, "G052")


def test_zero_variance_is_no_certainty(tmp_path):
    """Where neither the baseline nor the head ever varied, nothing is certain: broken."""
    project = write_replay_project(tmp_path, head={"b": [1.0, 1.0, 1.0]})
    project.accept(levels=[1.0] * 5, trials=[1.0, 1.0, 1.0])
    closed(project, check(project, "p"), 4, "G052")


def test_zero_variance_in_the_baseline_proves_no_regression(tmp_path):
    """A baseline without any spread does not turn a little noise into a proven regression."""
    project = write_replay_project(tmp_path, head={"b": [1.012, 1.013, 1.011]})
    project.accept(levels=[1.0] * 5, trials=[1.0, 1.0, 1.0])
    assert check(project, "p").status != 10


def test_single_trials_that_never_vary(tmp_path):
    """With one trial a session the canned number is seen across the sessions."""
    project = write_replay_project(tmp_path, head={"b": [1.0]}, trials=1)
    project.accept(levels=[1.0] * 5, trials=[1.0])
    closed(project, check(project, "p"), 4, "G052")


def test_pairs_of_a_stale_number(tmp_path):
    """Pairs in which both sides give one number do not clear what the screen flagged."""
    project = write_replay_project(tmp_path, sides=True)
    project.accept(trials=[1.0, 1.0, 1.01])
    project.record({"b": [1.2] * 60})
    closed(project, check(project, "p"), 4, "G052")
    project.record({"b": [1.2, 1.2, 1.201] * 20})
    assert check(project, "p").status == 0


def test_baseline_missing(single):
    """Without a baseline nothing is passed: closed with 5, at any place that holds none."""
    single.baseline.unlink()
    closed(single, check(single, "p"), 5, "G010")
    closed(single, check(single, "p", "--baseline", "no-such-directory"), 5, "G010")


@pytest.mark.parametrize("text", ["", "schema = 1\n", "not toml", "\0", "[series.b]\n"])
def test_baseline_unreadable(single, text):
    """A baseline that cannot be read fails the command; it never counts as none."""
    single.baseline.write_text(text, encoding="utf-8")
    answer = check(single, "p", "--allow", "new")
    assert answer.status == 2
    assert "error[G20" in answer.err


def test_baseline_is_a_directory(single):
    """Something that is no file where the baseline stands is an error, not an absence."""
    single.baseline.unlink()
    single.baseline.mkdir()
    assert check(single, "p", "--allow", "new").status == 2


def test_baseline_of_another_host_class(single):
    """Another kind of machine is not compared with, also with --allow new."""
    answer = check(single, "p", "--allow", "new", env={"GATE_HOST_CLASS": "other"})
    closed(single, answer, 5, "G030")


def test_baseline_of_another_host_of_the_class(single):
    """A machine that only claims the class is found out by its facts."""
    host = single.baseline.parent / "host.toml"
    edit(host, "[stable]", '[stable]\n"cpu.sockets.imagined" = "7"')
    closed(single, check(single, "p"), 5, "G031")


@pytest.mark.parametrize(
    ("before", "after"), [('unit = "s"', 'unit = "B"'), ('better = "lower"', 'better = "higher"')]
)
def test_baseline_of_another_unit(single, before, after):
    """Values of another unit or direction are not compared."""
    edit(single.baseline, before, after)
    closed(single, check(single, "p"), 5, "G033")


def test_baseline_of_another_tool_version(single):
    """Values of another major version of the tool are not compared."""
    edit(single.baseline, 'replay = "1"', 'replay = "9"')
    closed(single, check(single, "p"), 5, "G034")


def test_baseline_of_another_profile_text(measured):
    """A command that was changed under the same name is not compared with the old one."""
    edit(measured.root / "profiles" / "h.toml", '"true"', '"true --faster"')
    closed(measured, check(measured, "h"), 5, "G032")


def test_check_never_writes_baselines(single):
    """A check that is slow, fast or broken leaves every baseline byte as it was."""
    for trials in (SLOW, QUIET, [0.5 * one for one in QUIET], ["fail"] * 3):
        single.record({"b": list(trials) * 12})
        with unchanged(single.baselines):
            check(single, "p", "--allow", "new")


def test_a_regression_that_became_its_own_baseline(single):
    """Only a reasoned acceptance makes a slower level the baseline, and each verdict tells of it."""
    slower = single.session({"b": SLOW})
    reason = "checksums are now on by default"
    answer = single.gate("baseline", "accept", slower, "--reason", reason)
    assert answer.status == 0, answer
    text = single.baseline.read_text(encoding="utf-8")
    (line,) = (row for row in text.splitlines() if "# epoch 2" in row)
    assert "(+30.1 %)" in line
    assert reason in line
    assert "epoch = 1" in text
    answer = single.gate("judge", "--session", slower, "--out", "out")
    closed(single, answer, 5, "G038")
    single.record({"b": SLOW})
    answer = check(single, "p")
    assert answer.status == 0
    told = " ".join(answer.out.split())  # wrapped anywhere, by the length of who accepts
    assert "+30.0 % was accepted on" in told
    assert reason in told
    single.record({"b": [1.3 * one for one in SLOW]})
    closed(single, check(single, "p"), 5, "G021")


def test_nothing_is_accepted_without_a_reason(single):
    """A slower session does not become the baseline in silence."""
    slower = single.session({"b": SLOW})
    with unchanged(single.baselines):
        assert single.gate("baseline", "accept", slower).status == 2
        assert single.gate("baseline", "accept", slower, "--reason", " ").status == 2


def test_confirming_trials_do_not_become_a_baseline(tmp_path):
    """Trials that were taken because something looked slow are no baseline."""
    project = write_replay_project(tmp_path, sides=True)
    project.accept()
    project.record({"b": SLOW * 12}, {"b": list(QUIET) * 12})
    closed(project, check(project, "p"), 10, "G060")
    with unchanged(project.baselines):
        for name in ("pairs-head.json", "pairs-base.json"):
            path = project.root / "out" / "p" / name
            answer = project.gate("baseline", "accept", path, "--reason", "by accident")
            assert (answer.status, "error[G220]" in answer.err) == (2, True)


def test_warm_up_counted_as_data(measured, fake):
    """Warm-up runs leave no trial, and one that fails breaks the trial."""
    profile = measured.root / "profiles" / "h.toml"
    log = measured.root / "calls"
    fake.write("work", f"echo x >> {log}")
    edit(profile, 'command = "true"', 'command = "work"\nwarmup = 2')
    answer = run_gate(["run", "h", "--json", "--quiet"], cwd=measured.root)
    assert answer.status == 0, answer
    session = json.loads(
        (measured.root / answer.json["sessions"][0]["path"]).read_text(encoding="utf-8")
    )
    assert len(session["trials"]) == 3
    assert all(v["samples"] == 1 for trial in session["trials"] for v in trial["values"])
    assert len(log.read_text(encoding="utf-8").split()) == 6
    fake.write("work", "exit 1")
    closed(measured, check(measured, "h"), 4, "G050")


def test_job_never_started(single):
    """Judging what no job wrote is an error, and judging nothing is status 3."""
    assert single.gate("judge").status == 3
    answer = single.gate("judge", "--session", "reports/sessions/never.json")
    assert (answer.status, "error[G201]" in answer.err) == (2, True)


def test_job_skipped_half_way(single):
    """A session that was cut short is not judged on what there is."""
    path = single.session({"b": QUIET})
    data = json.loads(path.read_text(encoding="utf-8"))
    data["trials"] = data["trials"][:1]
    data["state"] = "partial"
    path.write_text(json.dumps(data), encoding="utf-8")
    closed(single, single.gate("judge", "--session", path, "--out", "out"), 4, "G053")


def test_one_of_two_profiles_was_not_measured(project):
    """Trials that were planned and are all lacking are broken, benchmark by benchmark."""
    path = project.session()
    data = json.loads(path.read_text(encoding="utf-8"))
    data["trials"] = [trial for trial in data["trials"] if trial["benchmark"] == "b"]
    path.write_text(json.dumps(data), encoding="utf-8")
    closed(project, project.gate("judge", "--session", path, "--out", "out"), 4, "G053")
    data["planned"] = [plan for plan in data["planned"] if plan["benchmark"] == "b"]
    path.write_text(json.dumps(data), encoding="utf-8")
    closed(project, project.gate("judge", "--session", path, "--out", "out"), 4, "G040")


def test_report_step_skipped_because_the_gate_failed(single):
    """A closed gate leaves report.json and report.html, and the text on stdout."""
    single.record({"b": SLOW * 12})
    answer = check(single, "p")
    closed(single, answer, 10, "G061")
    page = (single.root / "out" / "report.html").read_text(encoding="utf-8")
    assert "closed" in page
    assert "regressed" in answer.out
    single.record({"b": ["fail"] * 3})
    closed(single, check(single, "p"), 4, "G050")
    assert (single.root / "out" / "report.html").stat().st_size > 0


def test_tests_skipped(tmp_path):
    """A test that skips itself, as for want of a server, gives no number and no pass."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "t.toml").write_text(
        'harness = "pytest-benchmark"\ntests = ["test_it.py::test_it"]\n'
        "trials = { screen = 1 }\n[metric.median]\n",
        encoding="utf-8",
    )
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_it(benchmark):\n    pytest.skip('no server')\n", encoding="utf-8"
    )
    answer = run_gate(["check", "t", *OUT], cwd=tmp_path)
    assert answer.status == 4, answer
    found = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert [f["code"] for f in found["findings"]] == ["G050"]


@pytest.fixture
def disk(tmp_path, fake):
    """A fio profile whose fio is ours: it copies a recorded output."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "f.toml").write_text(
        'harness = "fio"\njob = "f.fio"\n[metric.iops]\n', encoding="utf-8"
    )
    (tmp_path / "profiles" / "f.fio").write_text(
        "[one]\nfilename=data\nsize=1m\nrw=randread\n", encoding="utf-8"
    )

    def plays(recorded, end=0):
        fake.write(
            "fio",
            f"""if [ "$1" = --version ]; then echo fio-3.33; exit 0; fi
for word in "$@"; do case $word in --output=*) out=${{word#--output=}};; esac; done
cat {recorded} > "$out"
exit {end}""",
        )
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        return run_gate(["check", "f", *OUT], cwd=tmp_path)

    plays.root = tmp_path
    return plays


def test_fio_error_with_numbers_present(disk):
    """fio's error field rules, though its numbers are there and its exit status is 0."""
    answer = disk(TOOLS / "fio-3.33-failed.json")
    assert answer.status == 4, answer
    found = json.loads((disk.root / "out" / "report.json").read_text(encoding="utf-8"))
    assert [f["code"] for f in found["findings"]] == ["G050"]
    assert "error" in found["findings"][0]["headline"]
    answer = run_gate(["import", TOOLS / "fio-3.33-failed.json"], cwd=disk.root)
    assert (answer.status, "error[G236]" in answer.err) == (4, True)


def test_fio_text_before_the_json(disk, tmp_path):
    """Text before the JSON is told beside the number; text in its place is no number."""
    answer = disk(TOOLS / "fio-3.33-text-before.json")
    assert answer.status == 5, answer
    session = json.loads((tmp_path / "out" / "f" / "head.json").read_text(encoding="utf-8"))
    assert all("beside its JSON" in trial["note"] for trial in session["trials"])
    words = tmp_path / "words"
    words.write_text("fio: this build cannot do that\n", encoding="utf-8")
    assert disk(words).status == 4


def test_hyperfine_1_and_2_mixed(tmp_path):
    """Exports of both majors are refused in one import, and incomparable in two."""
    recorded = json.loads((TOOLS / "hyperfine-1.20.0.json").read_text(encoding="utf-8"))
    for result in recorded["results"]:  # one recorded time is 0, which no baseline takes
        result["times"] = [0.01 + time for time in result["times"]]
    one, two = tmp_path / "one.json", TOOLS / "hyperfine-2.0.0.json"
    one.write_text(json.dumps(recorded), encoding="utf-8")
    answer = run_gate(["import", one, two], cwd=tmp_path)
    assert (answer.status, "error[G235]" in answer.err) == (2, True)
    for source, name in ((one, "old.json"), (two, "new.json")):
        assert run_gate(["import", source, "--out", name], cwd=tmp_path).status == 0
    accept = ["baseline", "accept", "old.json", "--reason", "before the upgrade"]
    assert run_gate(accept, cwd=tmp_path).status == 0
    judged = run_gate(["judge", "--session", "new.json", "--json"], cwd=tmp_path)
    assert judged.status in {4, 5}
    assert "G034" in {finding["code"] for finding in judged.json["findings"]}


def test_the_same_content_on_both_sides_is_told(tmp_path):
    """Where base and head are one directory, the report says that no change was under test."""
    project = write_replay_project(tmp_path, sides=True)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_text("content", encoding="utf-8")
    for side in ("base", "head"):
        edit(project.profile, f"[side.{side}]", f'[side.{side}]\ndir = "tree"')
    project.accept()
    project.record({"b": [1.3 * one for one in QUIET] * 20})
    assert check(project, "p").status == 0
    assert any("no change was under test" in note for note in report(project)["notes"])
