"""`--benchmark` and `--pairs`: what is left out is told, and passes nothing."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta

import pytest
from builders import LEVELS, QUIET, Project, write_replay_project
from shell import begin, commit_all

FIVE = {
    f"db[iodepth={depth}]": tuple(one * (1 + 0.0007 * place * i) for i, one in enumerate(QUIET))
    for place, depth in enumerate((1, 32, 64, 128, 256))
}
POINT = "db[iodepth=32]"
GROUP = """[metric.wall_scaling]
of = "wall"
over = "iodepth"
take = "scaling"
tolerance = "15%"
"""
SLOW = tuple(1.1 * one for one in QUIET)


def swept(root, **options):
    """A replay profile `db` swept over five depths, with a group."""
    project = write_replay_project(root, name="db", head=FIVE, tail=GROUP, **options)
    text = project.profile.read_text()
    names = text[text.index("benchmarks = ") : text.index("\n", text.index("benchmarks = "))]
    project.profile.write_text(text.replace(names, "matrix = { iodepth = [1, 32, 64, 128, 256] }"))
    return project


@pytest.fixture(scope="module")
def accepted(tmp_path_factory):
    """Five accepted sessions of all points, made once."""
    made = swept(tmp_path_factory.mktemp("accepted") / "p")
    paths = [
        made.session({name: [one * level for one in row] for name, row in FIVE.items()})
        for level in LEVELS
    ]
    made.gate("baseline", "accept", *paths, "--reason", "first", "--by", "me")
    made.record(FIVE)
    return made


@pytest.fixture
def project(accepted, tmp_path):
    return Project(shutil.copytree(accepted.root, tmp_path / "p"), "db")


def report(project, out):
    return json.loads((project.root / out / "report.json").read_text())


def session(project, out):
    return json.loads((project.root / out / "db" / "head.json").read_text())


def test_one_benchmark_is_measured_and_judged_and_the_report_says_so(project):
    """One of five points, three trials, one finding; nothing of the others is missing."""
    answer = project.gate("check", "db", "--benchmark", POINT, "--out", "out", "--quiet")
    told = report(project, "out")
    assert answer.status == 0, answer
    assert [(f["benchmark"], f["verdict"]) for f in told["findings"]] == [(POINT, "passed")]
    assert len(session(project, "out")["trials"]) == 3
    assert told["notes"][0] == (
        "only 1 of 5 benchmarks of db was measured and judged (--benchmark): no verdict on the "
        "change as a whole"
    )
    assert "only 1 of 5 benchmarks of db" in answer.out


def test_a_loss_of_what_is_left_out_is_neither_seen_nor_told_as_passed(project):
    """Another point lost 10 %: the narrowed check has no finding on it, the whole one closes."""
    project.record({**FIVE, "db[iodepth=64]": SLOW * 20})
    narrow = project.gate("check", "db", "--benchmark", POINT, "--out", "a", "--quiet")
    whole = project.gate("check", "db", "--out", "b", "--quiet")
    assert (narrow.status, whole.status) == (0, 10)
    assert {f["benchmark"] for f in report(project, "a")["findings"]} == {POINT}


def test_a_group_stands_for_its_points_and_itself(project):
    """`db[iodepth=*]` takes all five and the curve, so that nothing is left out and no note told."""
    answer = project.gate("check", "db", "--benchmark", "db[iodepth=*]", "--out", "out", "--quiet")
    told = report(project, "out")
    assert answer.status == 0, answer
    assert {f["benchmark"] for f in told["findings"]} == {*FIVE, "db[iodepth=*]"}
    assert not any("--benchmark" in note for note in told["notes"])


def test_a_group_of_which_a_point_is_left_out_is_left_out(project):
    """Two points: two findings, no curve, and nothing missing."""
    words = [w for name in list(FIVE)[:2] for w in ("--benchmark", name)]
    answer = project.gate("check", "db", *words, "--out", "out", "--quiet")
    told = report(project, "out")
    assert answer.status == 0, answer
    assert [f["benchmark"] for f in told["findings"]] == list(FIVE)[:2]
    assert told["notes"][0].startswith("only 2 of 5 benchmarks of db were measured")


@pytest.mark.parametrize("command", ["check", "run"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("db[iodepth=33]", "Did you mean db[iodepth=32]"),
        ("nothing of the kind", "There are: db[iodepth=1], db[iodepth=32], db[iodepth=64] and 3"),
        ("", "matches nothing"),
    ],
)
def test_a_name_that_matches_nothing_is_an_error(project, command, name, said):
    """Status 2 with the nearest names, before anything is measured, beside names that match too."""
    answer = project.gate(command, "db", "--benchmark", POINT, "--benchmark", name)
    assert answer.status == 2, answer
    assert said in answer.err
    assert [one.name for one in (project.root / "reports").iterdir()] == ["sessions"]


def test_a_named_profile_of_which_nothing_is_left_is_an_error(project):
    """`q` was asked for and has no such benchmark; unnamed it is left out, and that is told."""
    write_replay_project(project.root, name="q").accept()
    named = project.gate("check", "db", "q", "--benchmark", POINT)
    assert named.status == 2
    assert "--benchmark leaves nothing of profile q" in named.err
    unnamed = project.gate("check", "--benchmark", POINT, "--out", "out", "--quiet")
    assert unnamed.status == 0, unnamed
    assert ", and nothing of 1 other profile: no" in report(project, "out")["notes"][0]


@pytest.mark.parametrize(
    "words",
    [
        ("--benchmark", POINT, "--merge-base", "main"),
        ("--benchmark", POINT, "--shard", "1/2"),
        ("--pairs", "60", "--merge-base", "main"),
    ],
)
def test_a_change_is_judged_by_all_of_it(project, words):
    """With --merge-base or --shard there is a change to be judged: usage, with the reason."""
    begin(project.root)
    commit_all(project.root)
    answer = project.gate("check", "db", *words)
    assert answer.status == 2, answer
    assert f"{words[0]} does not go with {words[2]}" in answer.err


def test_a_narrowed_session_is_never_accepted(tmp_path):
    """Not as a first baseline, and not as a new epoch of a changed profile: it has less."""
    project = swept(tmp_path / "p")
    answer = project.gate("run", "db", "--benchmark", POINT, "--json", "--quiet")
    path = answer.json["sessions"][0]["path"]
    held = json.loads((project.root / path).read_text())
    assert ([one["benchmark"] for one in held["planned"]], held["left_out"]) == ([POINT], 4)
    refused = project.gate("baseline", "accept", path, "--reason", "x", "--by", "me")
    assert refused.status == 2
    assert "narrowed by --benchmark" in refused.err
    assert not project.baselines.exists()


def test_a_narrowed_session_judged_elsewhere_lacks_the_rest(project):
    """Handed to `gate judge`, what was left out is missing: only the check knew of its filter."""
    project.gate("check", "db", "--benchmark", POINT, "--out", "out", "--quiet")
    answer = project.gate("judge", "--session", "out/session.json", "--json")
    assert answer.status == 4
    assert answer.json["verdict"] == "missing"


def test_a_narrowed_session_judged_by_itself_is_no_verdict_on_the_change(project):
    """Where no baseline misses the four others, the note alone tells that there are more."""
    project.gate("check", "db", "--benchmark", POINT, "--out", "out", "--quiet")
    (project.root / "none").mkdir()
    words = ("judge", "--session", "out/session.json", "--allow", "new", "--baseline", "none")
    answer = project.gate(*words, "--json")
    assert (answer.status, answer.json["gate"]) == (0, "open"), answer
    assert answer.json["notes"][0] == (
        "only 1 of 5 benchmarks of db was measured and judged (--benchmark): no verdict on the "
        "change as a whole"
    )


def test_fewer_than_none_left_out_is_no_session(project):
    """A negative number would hide that others were left out."""
    path = project.session()
    text = (project.root / path).read_text()
    held = json.loads(text) | {"left_out": -1}
    (project.root / path).write_text(json.dumps(held))
    answer = project.gate("judge", "--session", path)
    assert (answer.status, "left_out: must be at least 0, not -1" in answer.err) == (2, True)


def test_resuming_a_narrowed_check_as_a_whole_one_passes_nothing(project):
    """The session holds one point; as a check of all five the other four are missing."""
    project.gate("check", "db", "--benchmark", POINT, "--out", "out", "--quiet")
    answer = project.gate("check", "db", "--out", "out", "--resume", "--quiet")
    assert answer.status == 4, answer
    assert report(project, "out")["verdict"] == "missing"


def test_a_session_to_finish_says_itself_what_it_holds(project):
    """`gate run --resume` with another --benchmark is refused, with the same one it goes on."""
    answer = project.gate("run", "db", "--benchmark", POINT, "--json", "--quiet")
    path = answer.json["sessions"][0]["path"]
    other = project.gate("run", "--resume", path, "--benchmark", "db[iodepth=1]")
    assert other.status == 2
    assert "of other benchmarks" in other.err
    assert project.gate("run", "--resume", path, "--benchmark", POINT).status == 0


def test_waivers_of_what_was_left_out_are_not_told(project):
    """A waiver of another point matches nothing here, and no note says so."""
    now = datetime.now(UTC).date()
    since, expires = now.isoformat(), (now + timedelta(days=9)).isoformat()
    (project.baselines / "waivers.toml").write_text(
        '[[waiver]]\nprofile = "db"\nbenchmark = "db[iodepth=64]"\nmetric = "wall"\n'
        f'ceiling = "90%"\nsince = {since}\nexpires = {expires}\nissue = "#1"\nreason = "known"\n'
    )
    answer = project.gate("check", "db", "--benchmark", POINT, "--out", "out", "--quiet")
    assert answer.status == 0, answer
    assert not [one for one in report(project, "out")["notes"] if "waiver" in one]


NOISY = [1.0, 1.15, 0.9, 1.2, 0.85, 1.1, 0.95, 1.05, 1.3, 0.8, 1.02] * 40


def paired(root):
    """A screen that flags, and sides in noise of 15 %: thirty pairs cannot tell them apart."""
    project = write_replay_project(root, sides=True)
    project.accept()
    project.record({"b": [1.1, 1.12, 1.09, *NOISY]}, {"b": NOISY})
    return project


def pairs(project, out):
    return len(json.loads((project.root / out / "p/pairs-head.json").read_text())["trials"])


def test_more_pairs_are_taken_than_the_profile_allows(tmp_path):
    """--pairs 61 takes up to 61 where the profile says 30, and the report says so."""
    project = paired(tmp_path / "p")
    usual = project.gate("check", "p", "--out", "a", "--quiet")
    more = project.gate("check", "p", "--pairs", "61", "--out", "b", "--quiet")
    assert (usual.status, pairs(project, "a")) == (5, 29), usual
    assert pairs(project, "b") > 29, more
    note = next(one for one in report(project, "b")["notes"] if "--pairs" in one)
    assert note == (
        "up to 61 pairs (--pairs), where the profile says otherwise (p 30); the promise is the "
        "same, as the limit was set before the first pair"
    )
    session = json.loads((project.root / "b/p/pairs-head.json").read_text())
    assert session["pairs"] == 61
    assert not any("--pairs" in one for one in report(project, "a")["notes"])


def test_the_limit_is_set_before_the_first_pair(tmp_path):
    """Resuming with another limit is refused; with the same one the check goes on as it was."""
    project = paired(tmp_path / "p")
    project.gate("check", "p", "--pairs", "9", "--out", "out", "--quiet")
    other = project.gate("check", "p", "--pairs", "99", "--out", "out", "--resume", "--quiet")
    assert other.status == 2
    assert "begun with a limit of 9, and it is 99 now. Go on with --pairs 9" in other.err
    same = project.gate("check", "p", "--pairs", "9", "--out", "out", "--resume", "--quiet")
    assert same.status == 5, same


def test_pairs_mean_nothing_without_both_sides(project):
    """A profile that only the head can run takes no pairs: usage, with the cure."""
    answer = project.gate("check", "db", "--pairs", "60")
    assert answer.status == 2
    assert "--pairs means nothing to profile db" in answer.err


@pytest.mark.parametrize("number", ["8", "1001", "x"])
def test_pairs_stay_within_what_a_profile_may_ask_for(project, number):
    """9 to 1000."""
    assert project.gate("check", "db", "--pairs", number).status == 2
