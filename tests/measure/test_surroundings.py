"""Real trials in their surroundings: pinned by the profile, loaded, their CPU bills told apart."""

from __future__ import annotations

import json
import os
import sys

from builders import HOST_CLASS, run_gate

from gate.formats.host.host_file import write_known_host
from gate.model import KnownHost, Limits

PINNED = """
harness = "hyperfine"
command = "{python} profiles/tell.py"
matrix = {{ cpus = {cpus} }}
trials = {{ screen = 2 }}
[side.head]
[output.seen]
pattern = '^cpus ([0-9]+)$'
unit = "1"
better = "higher"
[metric.wall]
[metric.seen]
role = "watch"
"""
TELL = "import os; print('cpus', len(os.sched_getaffinity(0)))"
BILLED = """
harness = "hyperfine"
command = "sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done'"
matrix = { load = ["alone", "loaded"] }
trials = { screen = 2 }
[side.head]
[background]
command = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"
[metric.wall]
[metric.own_cpu_per_op]
"""


def trials_of(root, text, *, ends=0, tune=(), cpus=""):
    """The trials of one session of a profile, and what the gate said."""
    bears = Limits(steal=1.0, foreign_cpu=1000.0, foreign_io=1e14, memory_pressure=1.0)
    known = KnownHost(host_class=HOST_CLASS, stable={}, tune=tune, measured_cpus=cpus, limits=bears)
    write_known_host(root / "baselines", known)
    (root / "profiles").mkdir()
    (root / "profiles/p.toml").write_text(text, "utf-8")
    (root / "profiles/tell.py").write_text(TELL, "utf-8")
    answer = run_gate(["run", "p", "--out", "s", "--json", "--quiet"], cwd=root)
    assert answer.status == ends, answer
    return json.loads((root / "s/p-001.json").read_text("utf-8"))["trials"], answer


def test_a_profile_pins_its_trials(tmp_path):
    """`cpus` of the matrix: what a program sees is what the point says."""
    most = len(os.sched_getaffinity(0))
    cpus = [1, most] if most > 1 else [1]
    trials, _ = trials_of(tmp_path, PINNED.format(python=sys.executable, cpus=cpus))
    seen = {
        (trial["benchmark"], value["value"])
        for trial in trials
        for value in trial["values"]
        if value["metric"] == "seen"
    }
    assert seen == {(f"p[cpus={count}]", float(count)) for count in cpus}


def test_a_tuned_host_pins_what_the_profile_does_not(tmp_path):
    """With `pinning` a trial runs on the measured processors, unless its own `cpus` say."""
    most = len(os.sched_getaffinity(0))
    last = str(max(os.sched_getaffinity(0)))
    for name, matrix, expected in (
        ("unsaid", "", 1.0),
        ("said", f"matrix = {{{{ cpus = [{most}] }}}}", float(most)),
    ):
        text = PINNED.replace("matrix = {{ cpus = {cpus} }}", matrix).format(python=sys.executable)
        place = tmp_path / name
        place.mkdir()
        trials, _ = trials_of(place, text, tune=("pinning",), cpus=last)
        seen = [v["value"] for t in trials for v in t["values"] if v["metric"] == "seen"]
        assert seen == [expected, expected]
        assert json.loads((place / "s/p-001.json").read_text("utf-8"))["tuned"] == ["pinning"]


def test_processors_that_are_not_there_fail_the_trial(tmp_path):
    """A point that asks for more than there are is broken and says so; the others are measured."""
    text = PINNED.format(python=sys.executable, cpus="[1, 9000]")
    trials, answer = trials_of(tmp_path, text, ends=4)
    failed = {trial["benchmark"]: trial["note"] for trial in trials if trial["status"] != "ok"}
    assert failed.keys() == {"p[cpus=9000]"}
    assert failed["p[cpus=9000]"].startswith("cpus = 9000 asks for 9000 processors, and ")
    assert "failed: p[cpus=9000]: cpus = 9000 asks for" in answer.err


def test_the_loads_cpu_time_is_billed_apart(tmp_path):
    """A load that spins has its own place in the bill of a loaded trial, and none in an alone one."""
    trials, _ = trials_of(tmp_path, BILLED)
    bills = {
        load: [t["cpu"]["owners"]["background"] for t in trials if f"load={load}" in t["benchmark"]]
        for load in ("alone", "loaded")
    }
    assert bills["alone"] == [0.0, 0.0]
    assert len(bills["loaded"]) == 2
    assert min(bills["loaded"]) > 0
