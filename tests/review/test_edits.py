"""A change does not judge itself: every edit is told, and none is in force."""

from __future__ import annotations

import json
import shutil

import pytest
from review.conftest import SAME, SLOW, only

P, BASE = "profiles/p.toml", "baselines/lab/p.toml"


def test_an_unchanged_tree_has_no_edits(repository):
    """Nothing was edited: judged by the merge base, with no edits and no note of them."""
    for proposed in ("HEAD", None):
        answer, report = repository.judge(sessions=SAME, proposed=proposed)
        assert (answer.status, report["gate"], report["edits"]) == (0, "open", [])
        assert not any("merge base" in note for note in report["notes"])


def test_a_comment_or_another_words_about_it_is_no_edit(repository):
    """What nothing is judged by may change freely."""
    repository.swap(P, "harness", '# a word\nabout = "other"\nharness')
    (repository.root / "profiles/README.md").write_text("read me")
    repository.commit()
    assert repository.judge(sessions=SAME)[1]["edits"] == []


@pytest.mark.parametrize("proposed", ["HEAD", None], ids=["commit", "working tree"])
def test_a_tolerance_widened_by_the_change_is_told_and_not_used(repository, proposed):
    """5 % -> 50 % in the change, a loss of 20 %: still not let in, and the edit stands there."""
    repository.swap(P, '"5%"', '"50%"')
    if proposed:
        repository.commit()
    answer, report = repository.judge(sessions=SLOW, proposed=proposed)
    found = {f["profile"]: f for f in report["findings"]}
    assert answer.status == 5
    assert (found["p"]["verdict"], found["p"]["tolerance"]) == ("inconclusive", 0.05)
    edit = only(report)
    assert edit["headline"] == "tolerance of wall 5 % -> 50 %"
    assert (edit["code"], edit["profile"], edit["metric"]) == ("G070", "p", "wall")
    assert (edit["before"], edit["after"], edit["loosens"]) == ("5 %", "50 %", True)
    assert report["notes"][0] == (
        "judged by the merge base: 1 edit of what the gate judges by, 1 of which would let more "
        "in, are not in force here"
    )


def test_a_proven_loss_of_20_percent_stays_regressed(repository):
    """The same where strikes prove it: regressed, whatever the change says of its tolerance."""
    slow = repository.project.record
    slow({"b": [1.2, 1.2024, 1.1976]})
    repository.swap(P, '"5%"', '"50%"')
    repository.commit()
    paths = [repository.project.session() for _ in range(12)]
    answer, report = repository.judge(sessions=(*paths, "held/q-same.json"))
    found = {f["profile"]: f["verdict"] for f in report["findings"]}
    assert (answer.status, found) == (10, {"p": "regressed", "q": "passed"})
    assert only(report)["headline"] == "tolerance of wall 5 % -> 50 %"


EDITS = [
    ("tolerance", P, '"5%"', '"4%"', "G070", "tolerance of wall 5 % -> 4 %", False),
    ("floor", P, '"1 ms"', '"20 ms"', "G071", "floor of wall 1 ms -> 20 ms", True),
    ("no floor", P, 'floor = "1 ms"\n', "", "G071", "floor of wall 1 ms -> none", False),
    ("negligible", P, '"0.9%"', '"2%"', "G071", "negligible loss of wall 0.9 % -> 2 %", True),
    ("trials", P, "screen = 3", "screen = 2", "G077", "trials of the screen 3 -> 2", True),
    ("pairs", P, "pairs = 30", "pairs = 90", "G077", "most pairs 30 -> 90", False),
    ("loud", P, "trials", 'loud = "refuse"\ntrials', "G077",
     "metrics too noisy for their tolerance: judged at up to 1.5 times it -> at no other", False),
    ("ceiling", P, "trials", 'loud = "raise"\nloud_ceiling = "40%"\ntrials', "G077",
     "metrics too noisy for their tolerance: judged at up to 1.5 times it -> at up to 40 %", True),
    ("expects", P, "trials", 'expects = ["steal"]\ntrials', "G077", "expects none -> steal", True),
    ("timeout", P, "trials", 'timeout = "20 min"\ntrials', "G077",
     "timeout of a trial 600 s -> 1200 s", True),
    ("limit", "baselines/lab/host.toml", '# steal = "5%"', 'steal = "50%"', "G080",
     "host.toml of lab: limit steal 5 % -> 50 %", True),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "before", "after", "code", "headline", "loosens"),
    [row[1:] for row in EDITS],
    ids=[row[0] for row in EDITS],
)
def test_each_edit_is_told(repository, path, before, after, code, headline, loosens):
    """One edit, in plain words, with whether it would let more in; the verdict is what it was."""
    _, untouched = repository.judge(sessions=SLOW)
    repository.swap(path, before, after)
    repository.commit()
    answer, report = repository.judge(sessions=SLOW)
    edit = only(report)
    assert (edit["code"], edit["headline"], edit["loosens"]) == (code, headline, loosens)
    for key in ("gate", "verdict", "exit_status", "findings"):
        assert report[key] == untouched[key]
    assert answer.status == untouched["exit_status"]


def test_a_role_set_to_watch_does_not_open_the_gate(repository):
    """The metric still may close the gate, and another one that was added may not."""
    recording = repository.root / "profiles/p.json"
    text = recording.read_text()
    repository.swap(P, "[metric.wall]", '[metric.other]\n[metric.wall]\nrole = "watch"')
    metrics = json.loads(text)
    metrics["metrics"]["other"] = metrics["metrics"]["wall"]
    recording.write_text(json.dumps(metrics))
    repository.commit()
    answer, report = repository.judge(sessions=SLOW)
    assert answer.status == 5
    edits = [(e["code"], e["headline"], e["loosens"]) for e in report["edits"]]
    assert edits == [
        ("G072", "role of wall gate -> watch", True),
        ("G073", "metric other added (tolerance 5 %)", False),
    ]


def test_a_removed_metric_is_still_judged(repository):
    """A metric that the change renames in its profile is judged as the merge base has it."""
    text = (repository.root / P).read_text()
    assert "[metric.wall]" in text
    (repository.root / P).write_text(text.split("[metric.wall]")[0] + "[metric.other]\n")
    recording = repository.root / "profiles/p.json"
    recording.write_text(recording.read_text().replace('"wall"', '"other"'))
    repository.commit()
    answer, report = repository.judge(sessions=SLOW)
    assert answer.status == 5
    assert {(e["code"], e["headline"], e["loosens"]) for e in report["edits"]} == {
        ("G073", "metric wall removed", True),
        ("G073", "metric other added (tolerance 5 %)", False),
    }


def test_a_removed_benchmark_is_missing(repository):
    """The session of a change that dropped a benchmark lacks it, and the gate closes with 4."""
    repository.git("checkout", "-q", "main")
    both = {"b": [1.0, 1.002, 0.998], "c": [2.0, 2.004, 1.996]}
    repository.swap(P, '["b"]', '["b", "c"]')
    repository.project.record(both)
    shutil.rmtree(repository.root / "reports", ignore_errors=True)
    (repository.root / BASE).unlink()
    repository.project.accept()
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    repository.swap(P, '["b", "c"]', '["b"]')
    repository.project.record({"b": both["b"]})
    repository.commit()
    session = repository.project.session()
    answer, report = repository.judge(sessions=(session, "held/q-same.json"))
    found = {(f["profile"], f["benchmark"]): f["verdict"] for f in report["findings"]}
    assert (answer.status, report["verdict"]) == (4, "missing")
    assert found["p", "c"] == "missing"
    edit = next(e for e in report["edits"] if e["code"] == "G074")
    assert (edit["headline"], edit["benchmark"], edit["loosens"]) == (
        "benchmark c removed", "c", True,
    )  # fmt: skip


def test_a_removed_profile_is_missing(repository):
    """Its benchmarks are told one by one, with the reason, and the profile as an edit."""
    (repository.root / P).unlink()
    repository.commit()
    answer, report = repository.judge(sessions=("held/q-same.json",))
    assert (answer.status, report["gate"], report["verdict"]) == (4, "closed", "missing")
    lost = report["findings"][0]
    assert (lost["code"], lost["profile"], lost["benchmark"], lost["metric"]) == (
        "G044", "p", "b", "wall",
    )  # fmt: skip
    assert lost["headline"] == "not measured: no session of it was sent"
    edit = only(report)
    assert (edit["code"], edit["headline"], edit["profile"]) == ("G075", "profile removed", "p")
    assert report["profiles"] == ["q", "p"]


def test_all_profiles_removed_is_a_closed_report_and_no_error(repository):
    """Neither a session nor a profile in the change: everything is missing."""
    shutil.rmtree(repository.root / "profiles")
    repository.commit()
    answer, report = repository.judge("--out", "out")
    assert (answer.status, report["verdict"], report["gate"]) == (4, "missing", "closed")
    assert [f["profile"] for f in report["findings"]] == ["p", "q"]
    assert report["host"] is None
    assert report["headline"] == "gate closed: 2 missing (nothing was measured)"
    assert (repository.root / "out/report.html").is_file()
    assert repository.project.gate("report", "out/report.json").status == 0


def test_a_new_profile_is_new(repository):
    """It has no baseline, so it is judged by its session's own word, and is closed as new."""
    repository.swap(P, "harness", "harness")
    for end in ("toml", "json"):
        text = (repository.root / f"profiles/p.{end}").read_text()
        (repository.root / f"profiles/n.{end}").write_text(text.replace("p.json", "n.json"))
    repository.commit()
    from builders import Project

    session = Project(repository.root, "n").session()
    answer, report = repository.judge(sessions=(*SAME, session))
    found = {f["profile"]: f["verdict"] for f in report["findings"]}
    assert (answer.status, found["n"], found["p"]) == (5, "new", "passed")
    edit = only(report)
    assert (edit["headline"], edit["loosens"]) == ("profile added", False)
