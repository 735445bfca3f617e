"""Calibration of profiles with groups: points are slowed, groups are not, no trial counts twice."""

from __future__ import annotations

import json
from dataclasses import replace

from builders import run_gate
from judge.build import WALL, reviewed, session

from gate.harness.planted.planting import plantable, plantable_metrics
from gate.judge.calibration_rounds import _run
from gate.model import Benchmark, Derived, Planned, Stage, Take

SCALING = replace(
    WALL, name="wall_scaling", unit="1", derived=Derived(of="wall", over="n", take=Take.SCALING)
)
PROFILE = """
harness = "replay"
replay = "p.json"
matrix = { n = [1, 2] }
trials = { screen = 3, confirm_pairs = 10 }
[metric.wall]
tolerance = "5%"
[metric.wall_scaling]
of = "wall"
over = "n"
take = "scaling"
tolerance = "5%"
"""


def test_points_are_slowed_and_groups_are_not():
    """A plant goes into a point and is measured by the points' metrics."""
    profile = replace(
        reviewed(metrics=(SCALING, WALL)),
        benchmarks=(
            Benchmark(name="a"),
            Benchmark(name="b"),
            Benchmark(name="g", group="n", members=("a", "b")),
        ),
    )
    assert plantable(profile) == (("a", "b"), "")
    assert plantable_metrics(profile) == ("wall",)


def test_no_trial_is_counted_twice():
    """A screen's group was made of trials that count already; one of pairs was run."""
    planned = (
        Planned(benchmark="a", trials=3),
        Planned(benchmark="g", trials=3, group="n", members=("a", "b")),
    )
    screen = session({"a": (1.0, 1.1, 1.2), "g": (1.0, 1.1, 1.2)}, planned=planned)
    pairs = session({"g": (1.0, 1.1)}, planned=planned[1:], stage=Stage.CONFIRM, pair_numbers=True)
    assert len(_run(screen)) == 3
    assert len(_run(pairs)) == 2


def test_rounds_of_a_profile_with_a_group(tmp_path):
    """Unchanged and planted rounds end as they should where the profile has a curve."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles/p.toml").write_text(PROFILE, "utf-8")

    def gate(*arguments):
        return run_gate(arguments, cwd=tmp_path)

    def record(level):
        rows = {
            name: {"wall": [base * level * (1 + 0.001 * ((i * k) % 5)) for i in range(80)]}
            for name, base, k in (("p[n=1]", 1.0, 2), ("p[n=2]", 0.6, 3))
        }
        document = {
            "metrics": {"wall": {"unit": "s", "better": "lower"}},
            "benchmarks": {name: {"head": row, "base": row} for name, row in rows.items()},
        }
        (tmp_path / "profiles/p.json").write_text(json.dumps(document), "utf-8")

    paths = []
    for level in (1.0, 1.001, 0.999, 1.0005, 0.9995):
        record(level)
        answer = gate("run", "p", "--json", "--quiet")
        paths.append(answer.json["sessions"][0]["path"])
    assert gate("baseline", "accept", *paths, "--reason", "x", "--by", "me").status == 0
    record(1.0)
    answer = gate("calibrate", "p", "--rounds", "4", "--plant", "20%", "--seed", "1", "--json")
    assert answer.status == 0, answer
    endings = {(one["planted"] > 0, one["ending"]) for one in answer.json["rounds"]}
    assert endings == {(False, "clear"), (True, "found")}
    assert {one["benchmark"] for one in answer.json["rounds"]} <= {"", "p[n=1]", "p[n=2]"}
