"""Groups and sittings of summaries to verdicts, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build_summary import BASE, TIME, decide, row, side, summary

from gate.formats.published.summary_metrics import together
from gate.judge.printed_means import UNKNOWN
from gate.model import Better, Derived, Metric, Role, SummaryRow, Take, Waiver
from gate.model.metric import take_of

RATE = Metric(name="rate", unit="op/s", better=Better.HIGHER)
CPU = Metric(name="cpu_load", unit="1", better=Better.LOWER)


def sat(*means, trials=3):
    """A side of several sittings."""
    return together([side(mean, trials=trials) for mean in means])


QUIET = sat(10.0, 10.02, 9.99)
ASSUMED = "the head side is one figure"


def group(take, base, head, of=RATE, **more):
    """A group of figures at the depths 1, 8, 64 ..."""
    depths = [8.0**i for i in range(len(base))]
    places = tuple(f"{depth:.0f}" for depth in depths)
    points = tuple(
        row(b, h, f"w[depth={place}]", of) for b, h, place in zip(base, head, places, strict=True)
    )
    taken = [
        side(take_of(take, [one.mean for one in figures], depths), trials=figures[0].trials)
        for figures in (base, head)
    ]
    derived = Derived(of=of.name, over="depth", take=take)
    unit = of.unit if take is Take.GEOMEAN else "1"
    metric = Metric(name=f"rate_{take}", unit=unit, better=of.better, derived=derived, **more)
    return SummaryRow(
        benchmark="w[depth=*]", metric=metric, base=taken[0], head=taken[1],
        points=points, places=places,
    )  # fmt: skip


def curve(*means, spread=0.01):
    return [side(mean, None if spread is None else spread * mean) for mean in means]


@pytest.mark.parametrize(
    ("base", "head", "code"),
    [
        (QUIET, side(12.0), "G068"),
        (QUIET, side(10.0), "G008"),
        (QUIET, side(9.0), "G009"),
        (sat(9.0, 10.0, 11.0), side(10.0), "G028"),
        (QUIET, sat(11.0, 12.5), "G028"),
        (QUIET, sat(12.0, 12.03, 12.01), "G068"),
        (side(10.0), sat(12.0, 12.03, 12.01), "G068"),
        (sat(10.0, 10.0, 10.0), side(12.0), "G029"),
        (QUIET, sat(12.0, 12.0), "G029"),
    ],
)
def test_sittings_to_verdicts(base, head, code):
    """Quiet sittings prove, pass and improve; loud ones, too few or equal ones decide nothing."""
    (found,) = decide(row(base, head)).findings
    assert found.code == code


def test_what_is_assumed_of_a_single_figure_is_warned_of():
    """Beside the number: the side that sat once is taken to be as noisy as the other."""
    (found,) = decide(row(QUIET, side(12.0))).findings
    assert found.warnings[0] == UNKNOWN
    assert found.warnings[1].startswith(ASSUMED)
    (found,) = decide(row(side(10.0), QUIET)).findings
    assert found.warnings[1].startswith("the base side is one figure")
    (found,) = decide(row(QUIET, QUIET)).findings
    assert found.warnings == (UNKNOWN,)


def test_sittings_are_counted_and_listed():
    """Trials of all sittings, how many sittings, each one's figure and the spread between them."""
    (found,) = decide(row(QUIET, side(12.0, trials=3))).findings
    assert (found.trials_base, found.trials_head, found.sessions_base) == (9, 3, 3)
    assert found.path[0].startswith(
        "base 3 sittings (10.00 s, 10.02 s, 9.990 s) and head a single figure, 12.00 s; the spread "
        "between sittings is 0.15 %; standard error of the loss 0.18 %, Student's t with 2 degrees"
    )
    assert found.path[1] == "head / base is 1.200 (+20.0 %)"


def test_sittings_that_do_not_decide_say_how_many_would():
    """Sittings, not trials: more runs of one sitting would not show what sittings differ by."""
    (found,) = decide(row(sat(9.7, 10.0, 10.2), side(10.0))).findings
    assert found.code == "G028"
    assert "about 5 sittings a side would decide" in found.headline


def test_equal_sittings_are_told():
    """Agreement in every digit is a coarse clock: what is lacking is said of the side that lacks."""
    (found,) = decide(row(sat(10.0, 10.0, 10.0), side(12.0))).findings
    assert (
        "but the base side is of 3 sittings that agree in every digit (a coarse clock?): nothing"
    ) in found.headline


@pytest.mark.parametrize(
    ("take", "base", "head", "code", "said"),
    [
        (Take.GEOMEAN, (1.0, 2.0), (0.8, 1.6), "G068", "geometric mean of rate over 2 values of depth: "),
        (Take.SCALING, (1.0, 2.0), (1.0, 1.0), "G068", "rate from depth=1 to 8 is 2.000-fold at base, 1.000-fold at head: "),
        (Take.SCALING, (1.0, 2.0), (0.8, 1.6), "G008", "rate from depth=1 to 8 is 2.000-fold at base, 2.000-fold at head: "),
        (Take.KNEE, (1.0, 4.0, 9.0), (1.0, 8.9, 9.0), "G068", "rate reaches 9/10 at depth 44.02 (base), 6.481 (head): +579.2 % loss"),
    ],
)  # fmt: skip
def test_groups_to_verdicts(take, base, head, code, said):
    """A mean that falls, a curve that stops growing, a knee that comes sooner: each is proven."""
    loose = 0.2 if code == "G008" else 0.05
    (found,) = decide(group(take, curve(*base), curve(*head), tolerance=loose)).findings
    assert (found.code, found.benchmark) == (code, "w[depth=*]")
    assert found.headline.startswith(said)


def test_a_curve_that_stops_growing_is_a_finding_where_no_point_is():
    """Each point loses 4 % of a tolerance of 10 %; the curve loses 8 % of its 5 %."""
    of = replace(RATE, tolerance=0.10, negligible=0.045)
    base, head = curve(100.0, 200.0, spread=0.003), curve(104.0, 192.3, spread=0.003)
    whole = group(Take.SCALING, base, head, of, tolerance=0.05)
    report = decide(*whole.points, whole)
    assert {f.benchmark: f.verdict.value for f in report.findings} == {
        "w[depth=1]": "passed", "w[depth=8]": "passed", "w[depth=*]": "regressed"
    }  # fmt: skip


def test_the_path_of_a_group_lists_its_points():
    """Each point with both sides, long curves by their ends."""
    (found,) = decide(group(Take.SCALING, curve(1.0, 2.0), curve(1.0, 1.5))).findings
    assert (
        "scaling of rate over depth, 1: 1.000 -> 1.000 op/s, 8: 2.000 -> 1.500 op/s" in found.path
    )
    assert any("taken together by the delta method" in step for step in found.path)
    long = [float(i) for i in range(1, 13)]
    (found,) = decide(group(Take.GEOMEAN, curve(*long), curve(*long))).findings
    (listed,) = [step for step in found.path if step.startswith("geomean of")]
    assert listed.count("op/s") == 10
    assert "9.000 -> 9.000 op/s, ..., 8589934592: 12.00 -> 12.00 op/s" in listed


@pytest.mark.parametrize(
    ("base", "head", "said"),
    [
        (curve(1.0, 2.0, spread=None), curve(1.0, 1.0), "the base side is printed without a spread"),
        ([*curve(1.0), *curve(2.0, spread=None)], curve(1.0, 1.0),
         "the base side is at some points printed without a spread"),
        (curve(1.0, 2.0), [side(1.0, trials=1), side(1.0, trials=1)], "the head side is of one trial"),
    ],
)  # fmt: skip
def test_what_a_group_lacks(base, head, said):
    """A spread at every point of both sides, or the group claims nothing."""
    (found,) = decide(group(Take.SCALING, base, head)).findings
    assert found.code == "G029"
    assert (
        f"+100.0 % as printed (-50.0 % in the figure itself), but {said}: nothing" in found.headline
    )


def test_groups_and_sittings_take_their_share_of_alpha():
    """What may be called regressed shares alpha, whether it is a point, a group or sittings."""
    whole = group(Take.SCALING, curve(1.0, 2.0), curve(1.0, 2.0))
    bare = group(Take.SCALING, curve(1.0, 2.0, spread=None), curve(1.0, 2.0))
    report = decide(*whole.points, whole, row(QUIET, side(10.0)), bare, alpha=0.04)
    assert report.promise.metrics_judged == 4
    levels = [f.confidence for f in report.findings if f.confidence is not None]
    assert levels == pytest.approx([1 - 0.01 - 0.025] * 4)


def test_the_counts_of_assumed_spreads_are_of_a_suite_where_every_row_has_one():
    """More rows without a spread, and each would need more trials: alpha is theirs to share."""
    bare = row(side(10.0, trials=1), side(11.0, trials=1))
    (alone,) = decide(bare).findings
    among = decide(bare, *(row(side(1.0), side(1.0), f"c{i}") for i in range(99)))
    (crowded,) = [f for f in among.findings if f.benchmark == "b"]
    assert "of 2 %, 4 trials a side would decide; with 5 %, 7" in alone.headline
    assert "of 2 %, 8 trials a side would decide; with 5 %, 17" in crowded.headline


def test_the_spread_of_comparable_rows_is_offered():
    """Rows of the same metric with a spread give a third count, of their median."""
    bare = row(side(10.0, trials=1), side(11.0, trials=1))
    other = row(side(1.0, 0.03), side(1.0, 0.03), "c")
    found = next(f for f in decide(bare, other).findings if f.benchmark == "b")
    assert "; with 3 %, the median of this metric's other rows, " in found.headline


def test_no_number_is_said_where_none_would_do():
    """Digits too coarse for any number of trials."""
    coarse = side(10.0, trials=1, mean_slack=0.5)
    (found,) = decide(row(coarse, coarse)).findings
    assert found.headline.endswith(
        "with a trial-to-trial spread of 2 %, no number of trials a side would decide; with 5 %, "
        "none"
    )


def test_both_sides_of_a_trade_are_shown():
    """Half the CPU load and a fifth less throughput, both proven: the gate closes on the loss."""
    cpu = row(side(0.008, 0.0001), side(0.004, 0.0001), "random", CPU)
    rate = row(side(100.0, 1.0), side(80.0, 1.0), "random", RATE)
    report = decide(cpu, rate)
    assert [(f.metric, f.verdict.value) for f in report.findings] == [
        ("rate", "regressed"),
        ("cpu_load", "improved"),
    ]
    assert (report.gate, report.exit_status) == ("closed", 10)
    assert report.findings[0].headline.startswith("+25.0 % loss")
    assert report.findings[1].headline.startswith("50.0 % better")


def test_a_watched_group_never_closes_the_gate():
    """A group's role is its own."""
    whole = group(Take.SCALING, curve(1.0, 2.0), curve(1.0, 1.0), role=Role.WATCH)
    report = decide(row(BASE, BASE, metric=TIME), whole)
    assert (report.exit_status, report.findings[-1].code) == (0, "G068")


def test_a_waiver_names_a_group_like_any_benchmark():
    """`w[depth=*]` and its metric."""
    waiver = Waiver(
        profile="article", benchmark="w[depth=*]", metric="rate_scaling", ceiling=1.5,
        expires="2027-01-01", issue="#1", reason="known",
    )  # fmt: skip
    whole = group(Take.SCALING, curve(1.0, 2.0), curve(1.0, 1.0))
    (found,) = decide(whole, waivers=(waiver,), today="2026-01-01").findings
    assert found.code == "G004"


def test_the_tolerance_asked_for_holds_for_groups_too():
    """--tolerance goes before what the file says of a group."""
    whole = group(Take.SCALING, curve(1.0, 2.0), curve(1.0, 1.9))
    (found,) = decide(summaries=[summary(whole)], tolerance=0.5).findings
    assert (found.code, found.tolerance) == ("G008", 0.5)
