"""Latency curves of a session from elsewhere: one that is no curve refuses the whole session."""

from __future__ import annotations

import json

import pytest

JUDGE = ["judge", "--session", "s.json"]
GOOD = {"kind": "read", "samples": 100, "points": [[50.0, 1e-4], [99.0, 2e-4]]}


def with_latencies(accepted, latencies):
    """Write the accepted session with these latencies in its first trial."""
    data = json.loads((accepted.root / "reports/sessions/p-006.json").read_text("utf-8"))
    data["trials"][0]["latencies"] = latencies
    (accepted.root / "s.json").write_text(json.dumps(data, indent=1), "utf-8")


def changed(**fields):
    return [GOOD | fields]


def case(name, latencies, *words):
    return pytest.param(latencies, words, id=name)


@pytest.mark.parametrize(
    ("latencies", "words"),
    [
        case("the 0th percentile", changed(points=[[0.0, 1e-4]]), "must be above 0, not 0.0"),
        case("the 100th percentile", changed(points=[[100.0, 1e-4]]), "must be below 100, not"),
        case("a negative percentile", changed(points=[[-1.0, 1e-4]]), "must be above 0, not -1.0"),
        case("not ascending", changed(points=[[99.0, 1e-4], [50.0, 1e-4]]), "percentiles ascend"),
        case("a percentile twice", changed(points=[[50, 1e-4], [50, 1e-4]]), "percentiles ascend"),
        case(
            "a negative latency", changed(points=[[50.0, -1e-4]]), "must be at least 0, not -0.0001"
        ),
        case("falling", changed(points=[[50.0, 2e-4], [99.0, 1e-4]]), "do not fall"),
        case("no point", changed(points=[]), "0 are less than the 1 needed"),
        case(
            "65 points",
            changed(points=[[one, 1e-4] for one in range(1, 66)]),
            "65 are more than the 64 allowed",
        ),
        case("of no I/O", changed(samples=0), "samples: must be at least 1, not 0"),
        case("an unknown kind", changed(kind="<b>x"), "is no kind of I/O"),
        case("a kind twice", [GOOD, GOOD], "read stands twice"),
        case("five kinds", [GOOD] * 5, "5 are more than the 4 allowed"),
        case("an absurd latency", changed(points=[[50.0, 1e200]]), "at most 1e+100"),
        case("a latency of nothing", changed(points=[[50.0, 1e-200]]), "no number that anything"),
        case("three numbers in a point", changed(points=[[50.0, 1e-4, 1.0]]), "latencies.0.points"),
        case("a point that is text", changed(points=[[50.0, "1"]]), "latencies.0.points"),
    ],
)
def test_no_curve(accepted, refuse, latencies, words):
    """The session is refused, with the file, the line of the latencies and what is wrong."""
    with_latencies(accepted, latencies)
    refuse(JUDGE, "G206", "s.json:", "trials.0.latencies", *words)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_not_finite(accepted, refuse, number):
    """A latency is a finite number."""
    with_latencies(accepted, changed(points=[[50.0, 1.5e-4]]))
    text = (accepted.root / "s.json").read_text("utf-8")
    assert text.count("0.00015") == 1
    (accepted.root / "s.json").write_text(text.replace("0.00015", number), "utf-8")
    refuse(JUDGE, "G206" if number == "1e999" else "G205", "s.json")


def test_a_curve_is_read(accepted):
    """What is one passes, up to 64 points of 4 kinds, and stands in the report."""
    points = [[one, one * 1e-6] for one in range(1, 65)]
    kinds = ("mixed", "read", "trim", "write")
    with_latencies(accepted, [{"kind": kind, "samples": 9, "points": points} for kind in kinds])
    answer = accepted.gate(*JUDGE, "--json")
    assert answer.status == 0, answer
    report = answer.json
    assert [one["kind"] for one in report["latencies"]] == list(kinds)
    assert [len(one["points"]) for one in report["latencies"]] == [64] * 4
    assert {one["trials_head"] for one in report["latencies"]} == {1}
