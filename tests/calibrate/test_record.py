"""The line that every report prints, in text, HTML and JSON."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from builders import HOST_CLASS

from gate.formats.baseline.calibration_file import append_round, calibration_text
from gate.formats.profile.profile_file import read_profile
from gate.judge.calibration_rounds import RoundFilter
from gate.judge.host_fitness import class_record
from gate.model import Calibration, Ending, PlantedShare, short_digest
from gate.report.html.html import render_html
from gate.report.json_text import render_json
from gate.report.text.text import render_text
from gate.report.wording import calibration_record
from tests.report.sample import open_report, sample_report

GOLDEN = Path(__file__).parent / "golden"
FIT = Calibration(
    host_class="bm-epyc-9454p",
    unchanged=200,
    false_alarms=1,
    alarms_low=0.00012658,
    alarms_high=0.0275419,
    undecided=3,
    planted=(
        PlantedShare(
            loss=0.05, rounds=60, found=58, missed=1, achieved=0.0512, low=0.8847, high=0.9959
        ),
    ),
    void=2,
    newest="2026-11-19",
    lacking=("hyperfine-mount",),
)
UNFIT = Calibration(
    host_class="bm-epyc-9454p",
    unchanged=24,
    false_alarms=2,
    alarms_low=0.0103,
    alarms_high=0.27,
    unfit=(
        (
            "2 of 24 unchanged comparisons were called regressed, a rate of at least 1.03 %, where "
            "1 % is promised"
        ),
    ),
)
LINE = "on this host, last 200 unchanged comparisons: 1 false alarm; planted 5 %: 58 of 60 found"
NEVER = "this host class was never calibrated: gate calibrate PROFILE"


def plain(text):
    """Words with one blank between them, markup taken out."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).replace("\u00a0", " ")


def test_the_line_is_as_agreed():
    """The very words of the task, and its limits beside it."""
    assert calibration_record.line(FIT) == LINE
    assert calibration_record.details(FIT) == (
        "95 % limits: false alarms 0.0127 … 2.75 %, found of 5 % (achieved 5.12 %) 88.5 … 99.6 %; "
        "3 unchanged inconclusive; 2 rounds without comparable numbers; "
        "never calibrated: hyperfine-mount; newest round 2026-11-19"
    )


def test_plants_that_may_pass_are_told_apart():
    """Below the tolerance judged by nothing is promised, and the reader must know."""
    share = PlantedShare(
        loss=0.05, rounds=4, found=1, missed=3, below=3, achieved=0.05, low=0.006, high=0.81
    )
    assert calibration_record.details(Calibration(host_class="x", planted=(share,))) == (
        "95 % limits: found of 5 % (achieved 5 %, below the tolerance in 3) 0.6 … 81 %"
    )


@pytest.mark.parametrize(
    ("known", "line"),
    [
        (None, NEVER),
        (Calibration(host_class="x"), NEVER),
        (
            Calibration(host_class="x", unchanged=1),
            "on this host, last 1 unchanged comparison: 0 false alarms",
        ),
        (
            Calibration(
                host_class="x", planted=(PlantedShare(loss=0.125, rounds=1, found=0, missed=1),)
            ),
            "on this host, no unchanged comparison yet; planted 12.5 %: 0 of 1 found",
        ),
        (
            Calibration(host_class="x", outdated=4),
            "calibrated only with other profile texts, rules or promises: gate calibrate PROFILE",
        ),
        (
            Calibration(host_class="x", void=1),
            "1 round without comparable numbers, and no other: gate calibrate PROFILE",
        ),
    ],
)
def test_the_line_where_little_is_known(known, line):
    """One short sentence, whatever is lacking."""
    assert calibration_record.line(known) == line


@pytest.mark.parametrize(("name", "known"), [("fit", FIT), ("unfit", UNFIT), ("never", None)])
def test_a_report_tells_it_as_agreed(name, known):
    """The lines in the terminal and the sentences of the page equal the golden file.

    UPDATE_GOLDEN=1 writes it anew.
    """
    report = sample_report(calibration=known)
    text = render_text(report).partition("\n\n")[0].splitlines()
    start = next(n for n, line in enumerate(text) if line.startswith("  record"))
    warned = [line for line in text[:start] if "unfit" in line or "regressed, a rate" in line]
    header = render_html(report).partition("<header")[2].partition("<nav")[0]
    page = plain(header)
    told = [*warned, *text[start:], page[page.index(" record ") + 1 :]]
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("\n".join(told) + "\n", "utf-8")
    assert told == path.read_text("utf-8").splitlines()


@pytest.mark.parametrize("known", [FIT, UNFIT, None], ids=["fit", "unfit", "never"])
@pytest.mark.parametrize("gate", ["open", "closed"])
def test_every_rendering_tells_it(gate, known):
    """Text, HTML and JSON hold the same facts, and an unfit host is warned of in each."""
    report = replace(open_report() if gate == "open" else sample_report(), calibration=known)
    text, html = plain(render_text(report, width=300)), plain(render_html(report))
    for part in filter(
        None,
        (
            calibration_record.line(known),
            calibration_record.details(known),
            calibration_record.unfit(known),
        ),
    ):
        assert plain(part) in text
        assert plain(part) in html
    told = json.loads(render_json(report))["calibration"]
    assert told == (None if known is None else json.loads(json.dumps(asdict(known))))
    assert ("is unfit" in text) == ("is unfit" in html) == (known is UNFIT)


def test_the_warning_stands_before_the_numbers():
    """An unfit host class is told directly below the verdict."""
    lines = render_text(sample_report(calibration=UNFIT), width=400).splitlines()
    assert lines[1] == (
        "  warning: host class bm-epyc-9454p is unfit: 2 of 24 unchanged comparisons were called "
        "regressed, a rate of at least 1.03 %, where 1 % is promised"
    )


def test_a_report_without_a_host_has_no_record():
    """Printed means were measured nowhere that we know of."""
    made = sample_report(host=None)
    assert "never calibrated" not in render_text(made)
    assert "never calibrated" not in render_html(made)


def check(project, *more):
    """One check of the project; the status, and report.json."""
    answer = project.gate("check", "p", "--quiet", "--json", *more)
    return answer.status, answer.json


def rounds_of(project, make_series, **endings):
    """Store rounds of this very profile."""
    digest = short_digest(read_profile(project.profile).digest)
    rounds = [replace(one, digest=digest) for one in make_series(**endings)]
    path = project.baselines / HOST_CLASS / "calibration.toml"
    path.write_text(calibration_text(HOST_CLASS, rounds), "utf-8")


def test_a_check_and_a_judgement_print_the_record(project, make_series):
    """Both read the rounds beside the baselines and report them; the verdict is none the worse."""
    project.record({"b": (1.0, 1.002, 0.998)})
    assert check(project)[1]["calibration"] is None
    rounds_of(project, make_series, clear=199, alarm=1, found=58, missed=2)
    status, report = check(project, "--out", "one")
    assert (status, report["calibration"]["unchanged"], report["calibration"]["false_alarms"]) == (
        0,
        200,
        1,
    )
    answer = project.gate("judge", "--session", "one/p/head.json")
    assert answer.status == 0
    assert f"record    {LINE[:60]}" in answer.out
    assert LINE in plain(answer.out)


def test_an_unfit_host_changes_no_verdict(project, make_series):
    """The report warns; the gate stays as the numbers of this check say."""
    project.record({"b": (1.0, 1.002, 0.998)})
    rounds_of(project, make_series, clear=1, alarm=9)
    answer = project.gate("check", "p", "--quiet", "--out", "out")
    assert answer.status == 0
    assert "warning: host class lab is unfit: 9 of 10 unchanged comparisons" in plain(answer.out)
    assert "host class lab is unfit" in (project.root / "out/report.html").read_text("utf-8")


def test_host_show_tells_it(project, make_round, make_series):
    """`gate host show` pools every profile of the class, and names an unfit one."""
    assert f"record       {NEVER}\n" in project.gate("host", "show").out
    for number in range(1, 4):
        append_round(project.baselines, make_round(number, profile="q"))
    answer = project.gate("host", "show")
    assert "record       on this host, last 3 unchanged comparisons: 0 false alarms\n" in answer.out
    rounds_of(project, make_series, clear=1, alarm=9)
    assert "host class lab is unfit: 9 of 10 unchanged" in project.gate("host", "show").out
    assert project.gate("host", "show", "--json").json["calibration"]["false_alarms"] == 9
    elsewhere = project.gate("host", "show", "--host-class", "other", "--json")
    assert elsewhere.json["calibration"] is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"unchanged": 1, "false_alarms": 2}, "no parts of unchanged"),
        ({"planted": [{"loss": 0.1, "rounds": 1, "found": 2, "missed": 0}]}, "no parts of rounds"),
        ({"alarms_low": float("nan")}, "not JSON"),
        ({"x": 1}, "unknown key"),
    ],
)
def test_a_report_whose_record_contradicts_itself_is_refused(project, change, words):
    """report.json crosses machines: its record is held to the format as all else."""
    project.record({"b": (1.0, 1.002, 0.998)})
    _, report = check(project)
    report["calibration"] = {"host_class": "lab"} | change
    path = project.root / "report.json"
    path.write_text(json.dumps(report), "utf-8")
    answer = project.gate("report", path)
    assert answer.status == 2
    assert words in answer.err


def test_the_judge_holds_rounds_to_the_promise_asked_for(project, make_series):
    """With another alpha the rounds of the usual one do not count, and the report says why."""
    project.record({"b": (1.0, 1.002, 0.998)})
    rounds_of(project, make_series, clear=5)
    _, report = check(project, "--alpha", "0.05")
    assert (report["calibration"]["unchanged"], report["calibration"]["outdated"]) == (0, 5)


def test_rounds_of_this_class_only(make_round):
    """Pooling over hosts of different kinds would say nothing of any."""
    rounds = [make_round(1), make_round(2, host_class="other", ending=Ending.ALARM)]
    wanted = RoundFilter(host_class=HOST_CLASS, texts=None, alpha=0.01, beta=0.025)
    assert (class_record(rounds, wanted).unchanged, class_record(rounds, wanted).false_alarms) == (
        1,
        0,
    )
