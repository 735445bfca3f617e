"""Sentences on what stands beside the numbers: exact words, also where little is known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.model import Better, Evidence, Verdict
from gate.model.report_rows import (
    Accepted,
    Alike,
    Bill,
    Difference,
    Latency,
    Level,
    Quantile,
    Share,
    Sweep,
    SweepPoint,
    TextChange,
)
from gate.report.wording import around
from gate.report.wording.finding_context import beside
from tests.report.build import finding
from tests.report.sample import sample_report

ANCHOR = Accepted(
    profile="iometer", session="one", started="2026-08-01T03:00:00Z", commit="", by="ada",
    accepted="2026-08-02T09:00:00Z", reason="io_uring by default",
)  # fmt: skip
MOVED = Difference(
    area="kernel", key="release", base="6.1.0", head="6.2.0", against="accepted session X",
    profiles=("a",),
)  # fmt: skip


def test_the_decision_is_one_line():
    """Steps joined, without full stops, and without who paid, which is told by itself."""
    path = ("flagged in the screen at +6.1 %", "14 pairs.", "who paid: loop", "loss above 1 %")
    assert around.decision(finding(path=path)) == (
        "flagged in the screen at +6.1 %; 14 pairs; loss above 1 %"
    )
    assert around.decision(finding(path=())) == ""


@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        (Evidence(), ""),
        (Evidence(baseline=((1.0,),)), "1 accepted session"),
        (
            Evidence(baseline=((1.0,), (1.1,)), baseline_sessions=("one", "two"), epoch=3),
            '2 accepted sessions in epoch 3 since 2026-08-01 ("io_uring by default", by ada)',
        ),
        (
            Evidence(
                baseline=((1.0,),),
                baseline_sessions=("unknown",),
                epoch=2,
                earlier=(Level(session="a", epoch=1, value=1.0),),
            ),
            "1 accepted session in epoch 2; 1 of earlier epochs",
        ),
    ],
)
def test_the_history_says_what_it_knows(evidence, told):
    """Count, epoch, anchor and its reason, as far as each is known."""
    known = {("iometer", "one"): ANCHOR}
    assert around.history(finding(evidence=evidence), known) == told


def sweep(told, *points):
    made = tuple(
        SweepPoint(place=place, benchmark=place, base=base, head=head, verdict=Verdict.PASSED)
        for place, base, head in points
    )
    return Sweep(
        profile="iometer", group="b[iodepth=*]", parameter="iodepth", metric="iops", unit="op/s",
        better=Better.HIGHER, points=made, told=told,
    )  # fmt: skip


def test_a_curve_is_told_on_one_scale():
    """Both sides over the parameter; a point without a side is a question mark."""
    points = (("1", 20e3, 19e3), ("32", 81e3, 40e3), ("128", 88e3, None))
    assert around.sweep(sweep("no longer grows beyond iodepth 32", *points)) == (
        "iops no longer grows beyond iodepth 32; iodepth 1 32 128: "
        "base 20.00 81.00 88.00, head 19.00 40.00 ? k op/s"
    )
    assert around.sweep(sweep("", *points)).startswith("iops over iodepth 1 32 128: base ")
    assert around.shape(sweep("", *points)) == ""


def bill(base, *owners):
    shares = tuple(Share(name=name, base=before, head=after) for name, before, after in owners)
    return Bill(
        profile="iometer", benchmark="b", word="I/O", trials_base=3, trials_head=3, base=base,
        head=9.88e-6, owners=shares, contexts=(Share(name="irq", base=1e-6, head=1.1e-6),),
    )  # fmt: skip


def test_a_bill_names_who_moved_most():
    """The total, then the largest moves; a tenth of the whole change is the least that is told."""
    loop = ("kernel threads (loop)", 3.1e-6, 9.4e-6)
    still = ("own processes", 1.0e-6, 1.3e-6)
    assert around.bill(bill(4.21e-6, still, loop)) == (
        "CPU time of one I/O 4.210 -> 9.880 µs; kernel threads (loop) 3.100 -> 9.400 µs"
    )
    alone = around.bill(bill(None, ("own processes", None, 9.5e-6)))
    assert alone == "CPU time of one I/O ? -> 9.880 µs; own processes 9.500 µs"


def test_latency_leaves_out_what_tells_of_single_hiccups():
    """The middle and the tail, each with ten samples beyond it at least."""
    points = tuple(
        Quantile(percentile=at, base=1e-4, head=2e-4, beyond=1000 * (100 - at) / 100)
        for at in (50.0, 90.0, 99.0, 99.9)
    )
    made = Latency(
        profile="p", benchmark="b", kind="read", trials_base=3, trials_head=3, points=points
    )
    assert around.latency(made) == ("read latency p50 100.0 -> 200.0 µs, p99 100.0 -> 200.0 µs")
    assert around.latency(replace(made, points=points[3:])) == ""
    assert around.latency(replace(made, points=points[1:2])) == (
        "read latency p90 100.0 -> 200.0 µs"
    )


def test_a_difference_names_its_profiles_only_where_they_are_not_all():
    """Area, key, both sides, what the base stands for; nothing on a side is `none`."""
    assert around.difference(MOVED) == ("kernel release: 6.1.0 -> 6.2.0 (accepted session X)")
    assert around.difference(MOVED, ("a", "b")) == (
        "kernel release: 6.1.0 -> 6.2.0 (accepted session X; only a)"
    )
    many = replace(MOVED, key="kernel", head="", profiles=("a", "b", "c", "d", "e"))
    assert around.difference(many, ("a", "b", "c", "d", "e", "f")) == (
        "kernel: 6.1.0 -> none (accepted session X; only a, b, c and 2 more)"
    )


def test_counts_of_what_is_alike_edited_and_set_aside():
    """One is one, more are more, and nothing is nothing."""
    report = sample_report(alike=(Alike(area="host", count=1), Alike(area="tools", count=0)))
    assert around.alike(report) == "1 fact alike: 1 of the host"
    assert around.alike(replace(report, alike=())) == ""
    change = TextChange(name="profiles/a.toml", lines=("@@", "+a", " b"), more=2)
    assert around.change(change) == (
        "profiles/a.toml: 1 line added, 0 removed, and 2 lines not shown"
    )
    assert around.aside_summary(report) == (
        "4 trials set aside: foreign_cpu 3, steal 1; base 1, head 3"
    )
    assert around.aside_summary(replace(report, aside=())) == ""


def test_what_findings_share_is_told_with_the_first():
    """Costs and latencies of a benchmark, the curve's figures and the history stand once."""
    report = sample_report()
    first, second, group = (
        {line.label: line.text for line in lines} for lines in beside(report, report.findings[:3])
    )
    assert first.keys() == {"", "curve", "who paid", "decided", "history"}
    assert second.keys() == {"decided"}
    assert group["curve"] == "iops no longer grows beyond iodepth 32"
    (alone,) = beside(report, report.findings[2:3])
    assert alone[0].text.startswith("iops no longer grows beyond iodepth 32; iodepth 1 8 32 ")


def test_most_of_a_rise_is_said_of_those_who_pay_more_than_half_of_it():
    """One payer, two together, or nobody; a rise that is negligible is not told."""

    def said(*rises, least=0.01, base=5e-6):
        owners = tuple(
            Share(name=f"o{n}", base=1e-6, head=1e-6 + rise * 1e-6) for n, rise in enumerate(rises)
        )
        head = 5e-6 + sum(rises) * 1e-6
        made = Bill(
            profile="p",
            benchmark="b",
            word="I/O",
            trials_base=3,
            trials_head=3,
            base=base,
            head=head,
            owners=owners,
            contexts=(),
        )
        return around.rise(made, least)

    assert said(3, 1) == (
        "CPU time of one I/O 5.000 -> 9.000 µs, most of the rise: o0 1.000 -> 4.000 µs"
    )
    assert said(1, 2, 1.5).endswith("most of the rise: o1 1.000 -> 3.000 µs, o2 1.000 -> 2.500 µs")
    assert said(1, 1, 1, 1, 1) == ""
    assert said(3, 1, least=1.0) == ""
    assert said(-1) == ""
    assert said(3, base=None) == ""
