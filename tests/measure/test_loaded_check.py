"""A head that is slower only beside a load, with real programs: the ratio closes the gate."""

from __future__ import annotations

import json
import signal
import time
from types import SimpleNamespace

import pytest
from builders import run_gate

PROFILE = """
harness = "hyperfine"
about = "a program that a busy machine shows to be slower"
command = "sh {side}/run.sh"
matrix = { load = ["alone", "loaded"] }
trials = { screen = 2, confirm_pairs = 30 }
[side.base]
dir = "base"
[side.head]
dir = "head"
[background]
command = "echo $PPID > $GATE_WORK/busy; sleep 0.05"
least = "0.5 op/s"
[metric.wall]
tolerance = "100%"
[metric.loaded_ratio]
of = "wall"
over = "load"
take = "scaling"
tolerance = "100%"
[metric.background_rate]
role = "watch"
"""
BASE = "sleep 0.1\n"
HEAD = """sleep 0.1
if kill -0 "$(cat "$GATE_WORK/busy" 2> /dev/null)" 2> /dev/null; then sleep 0.6; fi
"""
"""While the load's loop lives there is seven times as much to do."""


@pytest.mark.night
def test_slower_only_beside_the_load(tmp_path):
    """`alone` is not at fault, `loaded_ratio` regressed and closes the gate (10), with its curve told.

    On a machine too loud for a factor of seven the ratio may stay undecided, and is never let in.
    """
    for name, text in (
        ("profiles/p.toml", PROFILE),
        ("base/run.sh", BASE),
        ("head/run.sh", HEAD),
    ):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")

    def gate(*arguments):
        return run_gate(arguments, cwd=tmp_path)

    answer = gate("run", "p", "--side", "base", "--repeat", "3", "--json", "--quiet")
    assert answer.status == 0, answer.err
    paths = [one["path"] for one in answer.json["sessions"]]
    accepted = gate("baseline", "accept", *paths, "--reason", "first", "--by", "me")
    assert accepted.status == 0, accepted.err
    answer = gate("check", "p", "--out", "out", "--quiet")
    report = json.loads((tmp_path / "out/report.json").read_text("utf-8"))
    found = {(f["benchmark"], f["metric"]): f for f in report["findings"]}
    assert found.keys() == {
        ("p[load=alone]", "wall"),
        ("p[load=loaded]", "wall"),
        ("p[load=loaded]", "background_rate"),
        ("p[load=*]", "loaded_ratio"),
    }
    ratio = found["p[load=*]", "loaded_ratio"]
    assert answer.status in {5, 10}, answer.out
    assert found["p[load=alone]", "wall"]["verdict"] in {"passed", "improved", "inconclusive"}
    assert ratio["verdict"] in {"regressed", "inconclusive"}, ratio
    if ratio["verdict"] == "inconclusive":
        pytest.skip(f"the machine was too loud: {ratio['headline']}")
    assert answer.status == 10
    assert (ratio["code"], ratio["verdict"], ratio["method"]) == ("G060", "regressed", "pairs")
    assert ratio["headline"].startswith("suffers more from load: loaded took ")
    assert max(map(len, answer.out.splitlines())) <= 80
    session = json.loads((tmp_path / "out/p/head.json").read_text("utf-8"))
    rates = {
        trial["benchmark"]: [
            v["value"] for v in trial["values"] if v["metric"] == "background_rate"
        ]
        for trial in session["trials"]
    }
    assert all(rate > 0.5 for rate in rates["p[load=loaded]"])
    assert rates["p[load=alone]"] == rates["p[load=*]"] == []


ENDLESS = """
harness = "hyperfine"
command = "sleep 60"
trials = { screen = 2 }
[side.head]
[background]
command = "sleep 90 & setsid sleep 90 & touch begun; sleep 0.05"
[metric.wall]
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_gate_that_is_stopped_leaves_no_load(number, tmp_path, started):
    """Whatever ends a measuring gate: the load's loop ends, and with it all that it started.

    After a SIGKILL only what has left the loop's session by itself may live on.
    """
    root = tmp_path / "p"
    (root / "profiles").mkdir(parents=True)
    text = ENDLESS if number != signal.SIGKILL else ENDLESS.replace("setsid ", "")
    (root / "profiles/p.toml").write_text(text, "utf-8")
    gate = started(SimpleNamespace(root=root), "run", "p")
    gate.wait_for(lambda: (root / "begun").exists() and b"hyperfine" in b"".join(gate.alive()))
    gate.kill(number)
    status, _, err = gate.end()
    assert status == (-9 if number == signal.SIGKILL else 128 + number), err
    until = time.monotonic() + 10
    while any(b"90" in one for one in gate.alive()) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(b"90" in one for one in gate.alive())
