"""Our own speed, as benchmarks; targets are stated, never asserted: machines are shared and noisy.

Run with `make bench`. Targets on a machine of two cores: `gate --help` 150 ms, screening 1,000
series of 20 sessions 2 s, judging them 2 s, deciding 40 metrics by 30 pairs each 0.5 s, rendering
the HTML of 1,000 findings 2 s, the comment of 10,000 0.5 s, their summary 5 s.
"""

import math
import random
import subprocess
import sys
from dataclasses import replace

from gate.judge.first_stage import first_stage
from gate.judge.judge import judge
from gate.judge.verdict.suite import Policy, arrange
from gate.model import (
    AcceptedSession,
    Baseline,
    BaselinePoint,
    BaselineSeries,
    Better,
    Host,
    Metric,
    Planned,
    Session,
    Side,
    Source,
    Stage,
    State,
    Subject,
    Trial,
    TrialStatus,
    Value,
)
from gate.model.plan import FIRST_BLOCK, NEXT_BLOCK
from gate.report.html.html import render_html
from gate.report.json_text import render_json
from gate.report.markdown.markdown import render_comment, render_summary
from gate.report.wording.links import Links
from gate.stats.martingale import PairRule, decide
from gate.stats.tails import Tails

SERIES, SESSIONS, TRIALS = 1000, 20, 3
METRIC = Metric(name="wall", unit="s", better=Better.LOWER)
HOST = Host(host_class="vm-test", fingerprint="x", stable={"cpu": "test"}, epoch={})


def accepted(number):
    return AcceptedSession(
        id=f"s{number:02d}",
        profile_digest="d",
        started=f"2026-01-{number + 1:02d}T00:00:00Z",
        boot=f"b{number}",
        commit="",
        subject="",
        tools={"replay": "1"},
        epoch_facts={},
        fingerprint="x",
        accepted="2026-02-01T00:00:00Z",
        by="t",
        reason="r",
    )


def suite():
    """A session and a baseline of 1,000 series with 1 % noise, one in ten of them 10 % slower."""
    dice = random.Random(7)
    names = [f"benchmark-{number:04d}" for number in range(SERIES)]
    series = tuple(
        BaselineSeries(
            benchmark=name,
            metric="wall",
            unit="s",
            better=Better.LOWER,
            points=tuple(
                BaselinePoint(
                    session=f"s{number:02d}",
                    epoch=1,
                    values=tuple(dice.lognormvariate(0, 0.01) for _ in range(TRIALS)),
                )
                for number in range(SESSIONS)
            ),
        )
        for name in names
    )
    baseline = Baseline(
        profile="big",
        profile_digest="d",
        harness="replay",
        host_class="vm-test",
        stable=HOST.stable,
        sessions=tuple(accepted(number) for number in range(SESSIONS)),
        series=series,
    )
    trials = tuple(
        Trial(
            benchmark=name,
            sequence=position * TRIALS + number,
            stage=Stage.SCREEN,
            status=TrialStatus.OK,
            started="2026-03-01T00:00:00Z",
            duration=1.0,
            values=(
                Value(
                    metric="wall",
                    value=dice.lognormvariate(0.1 if position % 10 == 0 else 0, 0.01),
                ),
            ),
        )
        for position, name in enumerate(names)
        for number in range(TRIALS)
    )
    session = Session(
        schema=1,
        id="head",
        profile="big",
        profile_digest="d",
        harness="replay",
        side=Side.HEAD,
        stage=Stage.SCREEN,
        subject=Subject(),
        host=HOST,
        boot="b",
        started="2026-03-01T00:00:00Z",
        ended="2026-03-01T00:00:00Z",
        seed=1,
        state=State.COMPLETE,
        source=Source.REPLAYED,
        sides=True,
        planned=tuple(Planned(benchmark=name, trials=TRIALS) for name in names),
        metrics=(METRIC,),
        trials=trials,
        tools={"replay": "1"},
    )
    return arrange([session], [baseline], {})


def judged(cases):
    return judge(cases, Policy(), created="2026-03-01T00:00:00Z", version="0")


def test_help_starts_quickly(benchmark):
    """`gate --help` from a cold process shows its commands; target 150 ms."""

    def cold():
        return subprocess.run(
            [sys.executable, "-m", "gate", "--help"], capture_output=True, text=True, check=True
        )

    done = benchmark.pedantic(cold, rounds=20, warmup_rounds=2)
    assert "baseline" in done.stdout


def test_screening_a_thousand_series(benchmark):
    """1,000 series of 20 sessions are screened, the noise of each with the help of all; 2 s."""
    first = benchmark.pedantic(first_stage, args=(suite(), Policy()), rounds=3, warmup_rounds=1)
    slower = {f"benchmark-{number:04d}" for number in range(0, SERIES, 10)}
    assert {flag.series.benchmark for flag in first.flagged} == slower
    assert len(first.settled) == SERIES - len(slower)


FLAGGED, PAIRS = 40, 30


def decisions():
    """40 metrics, each with as many blocks as fit into 30 pairs, between two answers."""
    dice = random.Random(7)
    rule = PairRule(
        negligible=math.log(1.01),
        tolerance=math.log(1.05),
        sigma=0.1,
        alpha=0.01 / FLAGGED,
        beta=0.013,
        limit=PAIRS,
        tails=Tails(stake=1e-12, clear=0.45),
    )
    sizes = [FIRST_BLOCK, *[NEXT_BLOCK] * ((PAIRS - FIRST_BLOCK) // NEXT_BLOCK)]

    def side(size, loss):
        return tuple(dice.gauss(loss, 0.07) for _ in range(size))

    return [[(side(size, 0.0), side(size, 0.025)) for size in sizes] for _ in range(FLAGGED)], rule


def test_deciding_forty_metrics_by_thirty_pairs(benchmark):
    """40 flagged metrics are decided on all their pairs, confidence limits included; 0.5 s."""
    every, rule = decisions()

    def decided():
        return [decide(blocks, rule) for blocks in every]

    found = benchmark.pedantic(decided, rounds=3, warmup_rounds=1)
    assert [one.verdict for one in found].count("spent") >= FLAGGED - 4
    assert {one.pairs for one in found if one.verdict == "spent"} == {29}


def test_a_look_at_forty_metrics(benchmark):
    """The look between two blocks, without limits: it must cost next to nothing; 0.05 s."""
    every, rule = decisions()

    def looked():
        return [decide(blocks, rule, limits=False) for blocks in every]

    found = benchmark.pedantic(looked, rounds=3, warmup_rounds=1)
    assert [one.verdict for one in found].count("spent") >= FLAGGED - 4


def test_judging_a_thousand_series(benchmark):
    """1,000 series of 20 sessions are judged, the 100 slower ones flagged among few others; 2 s."""
    report = benchmark.pedantic(judged, args=(suite(),), rounds=3, warmup_rounds=1)
    assert report.promise.metrics_judged == SERIES
    flagged = {
        finding.benchmark for finding in report.findings if finding.verdict == "inconclusive"
    }
    assert {f"benchmark-{number:04d}" for number in range(0, SERIES, 10)} <= flagged
    assert len(flagged) < SERIES // 5


def test_rendering_a_thousand_findings(benchmark):
    """The HTML of 1,000 findings names every benchmark; target 2 s."""
    report = judged(suite())
    html = benchmark.pedantic(render_html, args=(report,), rounds=3, warmup_rounds=1)
    assert html.count("benchmark-0") >= SERIES


def ten_thousand():
    """10,000 findings with names of 300 characters."""
    report = judged(suite())
    findings = tuple(
        replace(found, benchmark=f"{found.benchmark}-{turn}-{'x' * 280}")
        for turn in range(10)
        for found in report.findings
    )
    return replace(report, findings=findings)


def test_commenting_ten_thousand_findings(benchmark):
    """The comment of 10,000 findings counts those that it leaves out; target 0.5 s."""
    report = ten_thousand()
    text = benchmark.pedantic(render_comment, args=(report, Links()), rounds=3, warmup_rounds=1)
    assert len(text) < 60_000
    assert " more in the report" in text


def test_summarising_ten_thousand_findings(benchmark):
    """The summary of 10,000 findings fills its budget and no more; target 5 s."""
    report = ten_thousand()
    text = benchmark.pedantic(render_summary, args=(report, Links()), rounds=3, warmup_rounds=1)
    assert 800_000 < len(text.encode()) <= 900_000
    assert " more in the report" in text


def test_writing_a_thousand_findings(benchmark):
    """report.json of 1,000 findings; no target of its own."""
    report = judged(suite())
    text = benchmark.pedantic(render_json, args=(report,), rounds=3, warmup_rounds=1)
    assert text.count('"headline"') == SERIES + 1
