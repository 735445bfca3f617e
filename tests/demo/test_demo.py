"""The demo as a newcomer runs it: real fio, hyperfine and pytest-benchmark, a real browser."""

import json
import os
import subprocess
import sys

import pytest
from builders import tree

GATE = [sys.executable, "-m", "gate"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """One run of the demo in a directory that holds something else already."""
    place = tmp_path_factory.mktemp("newcomer")
    (place / "mine.txt").write_text("not yours", encoding="utf-8")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("GATE_", "PYTEST_"))}
    done = subprocess.run(
        [*GATE, "demo"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    return place, done


def report(place, name):
    path = place / "reports/demo/reports" / name / "report.json"
    return json.loads(path.read_text(encoding="utf-8"))


def test_an_unchanged_system_is_never_called_regressed(demo):
    """The same code again leaves the gate open, or undecided on a loud host, never regressed."""
    place, done = demo
    unchanged = report(place, "unchanged")
    assert unchanged["exit_status"] in {0, 5}, done.stderr
    assert not [f for f in unchanged["findings"] if f["verdict"] in {"broken", "missing", "new"}]


def test_a_planted_slowdown_closes_the_gate(demo):
    """About 20 % more real work is proven, and the demo says which reports show it."""
    place, done = demo
    slower = report(place, "slower")
    assert (slower["gate"], slower["verdict"], slower["exit_status"]) == ("closed", "regressed", 10)
    proven = [f for f in slower["findings"] if f["verdict"] == "regressed"]
    assert all(f["loss_low"] > f["negligible"] and f["trials_head"] >= 5 for f in proven)
    for name in ("unchanged", "slower"):
        assert f"reports/demo/reports/{name}/report.html" in done.stdout


def test_the_demo_reports_its_two_checks_by_its_exit_status(demo):
    """Status 0 stands for open and closed as expected, 5 for a host too loud to show it."""
    place, done = demo
    seen = (report(place, "unchanged")["exit_status"], report(place, "slower")["exit_status"])
    assert done.returncode == (0 if seen == (0, 10) else 5)
    assert "Traceback" not in done.stderr


def test_the_demo_writes_only_below_its_own_directory(demo):
    """Nothing beside reports/demo/ appears or changes, and no data file of fio is left."""
    place, _ = demo
    assert sorted(path.name for path in place.iterdir()) == ["mine.txt", "reports"]
    assert (place / "mine.txt").read_text(encoding="utf-8") == "not yours"
    assert [path.name for path in (place / "reports").iterdir()] == ["demo"]
    assert not list(place.rglob("*.dat"))


def test_the_demo_refuses_a_directory_it_did_not_make(tmp_path):
    """A directory with somebody's files is named and left as it is."""
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "precious.json").write_text("{}", encoding="utf-8")
    before = tree(tmp_path)
    done = subprocess.run(
        [*GATE, "demo", "--out", "results"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "error[G222]: results:" in done.stderr
    assert tree(tmp_path) == before
