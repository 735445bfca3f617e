"""Silent passes of the programs that measure: missing, crashed, mixed up, of an older run."""

from __future__ import annotations

import json

import pytest
from builders import run_gate
from silent.passes import OUT, TOOLS, check, closed, edit


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


def test_harness_missing(measured, fake):
    """Without the program nothing is measured: status 4, and a report that is closed by it."""
    (fake.bin / "hyperfine").unlink()
    answer = check(measured, "h")
    assert answer.status == 4
    assert "error[G230]" in answer.err
    report = json.loads((measured.root / "out" / "report.json").read_text())
    assert (report["gate"], report["verdict"], report["exit_status"]) == ("closed", "error", 4)


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


def test_baseline_of_another_profile_text(measured):
    """A command that was changed under the same name is not compared with the old one."""
    edit(measured.root / "profiles" / "h.toml", '"true"', '"true --faster"')
    closed(measured, check(measured, "h"), 5, "G032")


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


def test_tests_skipped(tmp_path):
    """A test that skips itself, as for want of a server, gives no number and no pass."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "t.toml").write_text(
        'harness = "pytest-benchmark"\ntests = ["test_it.py::test_it"]\n'
        "trials = { screen = 2 }\n[metric.median]\n",
        encoding="utf-8",
    )
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_it(benchmark):\n    pytest.skip('no server')\n", encoding="utf-8"
    )
    answer = run_gate(["check", "t", *OUT], cwd=tmp_path)
    assert answer.status == 4, answer
    found = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert [f["code"] for f in found["findings"]] == ["G050"]


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
