"""Who paid: out of the bills of the pairs onto the finding, its path and every report."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge import build
from measure.cpu.made import bill_of
from report.sample import sample_report

from gate.judge.context.bills import CONTEXT, OWN_KERNEL, OWN_USER, REST, attribute_cost, payers
from gate.model import Contexts, Evidence, Metric, Owners, Paid, Role, Side, Stage, Verdict
from gate.report.html.html import render_html
from gate.report.text.text import render_text
from gate.report.wording.words import payers as payers_of

CPU = Metric(name="cpu_per_io", unit="s", better=build.WALL.better, tolerance=0.08)
STEADY = (1.0, 1.001, 0.999, 1.0005, 0.9995)


def bill(*, kernel=0.5, loop=0.1, softirq=0.1):
    """A bill of 1000 I/Os; life and window are the same, so shares are easy to read."""
    return bill_of(
        life=2.0,
        busy=0.5 + kernel + loop,
        contexts=Contexts(user=0.2, system=0.6, softirq=softirq),
        owners=Owners(own_user=0.3, own_system=kernel, kthreads={"loop": loop}, rest=0.2),
    )


def told(base, head):
    """Payers by name, in microseconds of an I/O."""
    return {
        one.context: (round(one.base * 1e6, 3), round(one.head * 1e6, 3))
        for one in payers(base, head)
    }


def test_who_moved_and_only_who_moved():
    """A loop layer that triples its share is named; whoever stayed is not."""
    found = told([bill()] * 5, [bill(loop=0.3)] * 5)
    assert found == {"kernel threads (loop)": (100.0, 300.0)}


def test_the_largest_move_comes_first_and_both_views_are_there():
    """Owners and what the tick saw are told apart; the order is that of the moves."""
    found = told([bill()] * 5, [bill(kernel=1.0, loop=0.2, softirq=0.35)] * 5)
    assert list(found) == [OWN_KERNEL, f"{CONTEXT}soft interrupts", "kernel threads (loop)"]
    assert found[f"{CONTEXT}soft interrupts"] == (100.0, 350.0)


def test_medians_not_means():
    """One disturbed trial accuses nobody."""
    odd = bill(kernel=9.0)
    assert told([bill()] * 5, [bill(loop=0.3)] * 4 + [odd]) == {
        "kernel threads (loop)": (100.0, 300.0)
    }


def test_owners_are_told_of_the_window():
    """Of a life of 4 s and a window of 2 s, half of what was used counts."""
    long = replace(bill(), life=4.0)
    found = told([long] * 3, [replace(bill(loop=0.3), life=4.0)] * 3)
    assert found["kernel threads (loop)"] == (50.0, 150.0)


def test_a_thread_that_only_one_side_has():
    """A layer that came with the change has paid nothing before."""
    head = replace(
        bill(), owners=replace(bill().owners, kthreads={"loop": 0.1, "dmcrypt_write": 0.4})
    )
    head = replace(head, busy=head.busy + 0.4)
    assert told([bill()] * 3, [head] * 3) == {"kernel threads (dmcrypt_write)": (0.0, 400.0)}


def case(metric=CPU, *, bills=True, loop=0.3):
    """A case whose pairs prove a loss of 30 %, with or without bills."""
    rows = {"b": {metric.name: [1.3 * one for one in STEADY]}}
    base = build.session(
        {"b": {metric.name: STEADY}}, metrics=(metric,), side=Side.BASE, stage=Stage.CONFIRM
    )
    head = build.session(rows, metrics=(metric,), stage=Stage.CONFIRM)
    if bills:
        base = replace(base, trials=tuple(replace(t, cpu=bill()) for t in base.trials))
        head = replace(head, trials=tuple(replace(t, cpu=bill(loop=loop)) for t in head.trials))
    from gate.judge.verdict.suite import Case

    return Case(
        profile="p",
        head=replace(head, harness="fio"),
        strikes=(),
        pair_base=base,
        pair_head=head,
        baseline=None,
        other_classes=(),
        metrics=(metric,),
        reviewed=None,
    )


def finding(**changes):
    """A proven loss of CPU cost."""
    from gate.model import Finding

    plain = {
        "code": "G060",
        "profile": "p",
        "benchmark": "b",
        "metric": "cpu_per_io",
        "verdict": Verdict.REGRESSED,
        "role": Role.GATE,
        "headline": "more",
        "advice": "",
        "unit": "s",
        "better": CPU.better,
        "method": "pairs",
        "path": ("flagged",),
        "evidence": Evidence(),
    }
    return Finding(**plain | changes)


def test_the_finding_says_who_paid():
    """The sentence stands last in the path, with both values on one scale."""
    found = attribute_cost(finding(), case())
    assert found.paid == (Paid(context="kernel threads (loop)", base=1e-4, head=3e-4),)
    assert found.path == (
        "flagged",
        "who paid: kernel threads (loop) 100.0 -> 300.0 µs of each I/O",
    )


@pytest.mark.parametrize(
    ("changes", "bills"),
    [
        ({"metric": "iops"}, True),
        ({"verdict": Verdict.PASSED}, True),
        ({"method": "strikes"}, True),
        ({}, False),
    ],
    ids=["no-cost", "passed", "no-pairs", "no-bills"],
)
def test_nobody_is_accused_without_evidence(changes, bills):
    """Only a CPU cost that moved over pairs with bills is attributed."""
    before = finding(**changes)
    assert attribute_cost(before, case(bills=bills)) is before


def counted(handle):
    """A case whose trials keep the instructions of three functions."""
    made = case()
    kept = {"submit_bio": 84.0, "null_handle_cmd [null_blk]": handle, "all other functions": 4000.0}

    def with_functions(session, functions):
        return replace(
            session, trials=tuple(replace(t, functions=functions) for t in session.trials)
        )

    return replace(
        made,
        pair_base=with_functions(made.pair_base, kept | {"null_handle_cmd [null_blk]": 52.0}),
        pair_head=with_functions(made.pair_head, kept),
    )


def test_instructions_are_told_by_function():
    """Only those that moved, as plain numbers; bills of CPU time are another matter."""
    before = finding(metric="kernel_instructions_per_io", unit="1")
    found = attribute_cost(before, counted(102.0))
    paid = Paid(context="null_handle_cmd [null_blk]", base=52.0, head=102.0, unit="1")
    assert found.paid == (paid,)
    told = "null_handle_cmd [null_blk] 52.00 -> 102.0"
    assert found.path == ("flagged", f"instructions by function: {told}")
    assert payers_of(found) == f"{told} for each operation"
    assert attribute_cost(before, counted(52.5)) is before, "less than an instruction is noise"
    assert attribute_cost(before, case()) is before, "no trial keeps functions"


def test_reports_show_it():
    """Text and HTML name the payers; a hostile name is made harmless."""
    hostile = Paid(context="kernel threads (\x1b[31m<b>x)", base=1e-4, head=3e-4)
    report = sample_report(findings=(replace(finding(), paid=(hostile,)),))
    text = render_text(report, width=120)
    assert "who paid: kernel threads (<b>x) 100.0 -> 300.0 µs for each operation" in text
    assert "\x1b" not in text
    page = render_html(report)
    assert "Who paid" in page
    assert "<b>x" not in page


def test_the_rest_has_a_name():
    """Other processes and interrupts on idle processors are a payer too."""
    head = replace(bill(), owners=replace(bill().owners, rest=0.6))
    head = replace(head, busy=head.busy + 0.4)
    assert told([bill()] * 3, [head] * 3) == {REST: (200.0, 600.0)}
    assert OWN_USER not in told([bill()] * 3, [head] * 3)


def test_absurd_bills_accuse_nobody():
    """Figures of a hostile session that overflow are no evidence, and no report breaks on them."""
    absurd = replace(bill(), operations=1e-300, busy=1e300)
    absurd = replace(absurd, owners=replace(absurd.owners, own_user=1e300))
    assert all(one.context != OWN_USER for one in payers([bill()] * 3, [absurd] * 3))
