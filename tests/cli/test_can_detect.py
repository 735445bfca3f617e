"""One word and one figure for what a metric can detect, wherever it is told."""

from __future__ import annotations

import json
import math
import random
import re

import pytest
from builders import write_replay_project


def accepted(project, spread, seed=4):
    """What accepting ten sessions of the benchmark `b` answers, whose trials scatter like this."""
    dice = random.Random(seed)
    paths = []
    for _ in range(10):
        level = dice.gauss(0, spread / 3)
        values = [math.exp(level + dice.gauss(0, spread)) for _ in range(3)]
        paths.append(project.session({"b": values}))
    reason = ("--reason", "first", "--by", "me", "--json")
    return project.gate("baseline", "accept", *paths, *reason)


def unchanged(spread, seed=9):
    """What a check plays: trials that scatter, and no loss."""
    dice = random.Random(seed)
    return {"b": [math.exp(dice.gauss(0, spread)) for _ in range(80)]}


def told_in(text):
    """Every figure that a text says can be detected, in per cent."""
    return {float(one) for one in re.findall(r"can detect ([0-9.]+) %", text)}


def per_cent(figure):
    """A figure of two digits as it is printed."""
    return float(f"{figure * 100:g}")


@pytest.mark.parametrize("sides", [True, False])
@pytest.mark.parametrize(
    ("spread", "standing"),
    [pytest.param(0.022, "raised", id="coarser"), pytest.param(0.09, "too noisy", id="deaf")],
)
def test_every_command_and_format_has_the_same_figure(tmp_path, spread, standing, sides):
    """accept, power and check; terminal, HTML and JSON; and the line that is to be committed."""
    project = write_replay_project(tmp_path, sides=sides)
    proposed = accepted(project, spread).json["accepted"][0]["proposals"][0]
    power = project.gate("power", "--json").json["rows"][0]
    assert power["standing"] == standing
    figure = power["power"]["can_detect"]
    project.record(unchanged(spread), unchanged(spread, seed=10))
    answer = project.gate("check", "--out", "out")
    report = json.loads((project.root / "out" / "report.json").read_text())
    (found,) = report["findings"]
    assert found["can_detect"] == figure
    shown = f"{figure * 100:.1f} %"
    assert told_in(proposed) == told_in(power["text"]) == {per_cent(figure)}
    line = f'under [metric."wall"]: tolerance = "{figure * 100:g}%"'
    assert line in proposed
    assert line in power["text"]
    assert shown in project.gate("power").out
    page = (project.root / "out" / "report.html").read_text().replace("\u00a0", " ")
    assert f"Can detect<dd>{shown}" in page
    assert f"can detect {shown}" in answer.out.replace("\n", " ")
    if standing == "raised":
        first = f"judged coarser than asked: up to {shown} for 5.0 %"
        assert first in answer.out.split("\n")[0]
        assert first in report["headline"]
        assert first in page
        project.profile.write_text(project.profile.read_text().replace("5%", f"{figure * 100:g}%"))
        again = project.gate("power", "--json").json["rows"][0]
        assert again["power"]["can_detect"] == again["power"]["judged_at"] == figure
    else:
        assert (found["code"], answer.status) == ("G024", 5)
        assert line in found["headline"]


def test_sessions_without_sides_tell_both_figures(tmp_path):
    """Whoever accepts does not know how checks will be made: each figure is that of its `power`."""
    project = write_replay_project(tmp_path)
    alone, both = accepted(project, 0.06).json["accepted"][0]["proposals"]
    assert both.startswith("with both sides, b wall: ")
    for options, line in (((), alone), (("--base-env", "A=1", "--head-env", "A=2"), both)):
        row = project.gate("power", "--json", *options).json["rows"][0]
        assert told_in(line) == {per_cent(row["power"]["can_detect"])}
