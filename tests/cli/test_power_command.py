"""`gate power`, what `gate baseline accept` and `gate init` propose, and `gate run --trials`."""

from __future__ import annotations

import math
import random
import tomllib

import pytest
from builders import write_replay_project

from gate.formats.baseline.baseline_file import read_baseline
from gate.formats.session.session_file import read_session

LONG = [1.0, 1.002, 0.998, 1.001, 0.999, 1.003, 0.997, 1.0015, 0.9985, 1.0005]


def scattered(project, spread, *, sessions=10, trials=3, seed=4):
    """Accept sessions of the benchmark `b` whose trials scatter by `spread`; the answer."""
    dice = random.Random(seed)
    paths = []
    for _ in range(sessions):
        level = dice.gauss(0, spread / 3)
        values = [math.exp(level + dice.gauss(0, spread)) for _ in range(trials)]
        paths.append(project.session({"b": values}))
    return project.gate("baseline", "accept", *paths, "--reason", "first", "--by", "me")


def test_held(tmp_path):
    """A quiet baseline holds its tolerance: status 0, one row, no complaint."""
    project = write_replay_project(tmp_path, sides=True)
    project.accept()
    answer = project.gate("power")
    assert (answer.status, answer.err) == (0, "")
    assert "✓ b wall" in answer.out
    assert "too noisy" not in answer.out


def test_not_held(tmp_path):
    """A loud one does not: status 5, 0 with --warn; where it is judged and what would do."""
    project = write_replay_project(tmp_path, sides=True)
    scattered(project, 0.05)
    answer = project.gate("power", "p")
    assert answer.status == 5
    assert "✗ b wall" in answer.out
    text = " ".join(answer.out.split())
    assert "can detect 17.0 %: too noisy for 5.0 %, judged at 7.5 % at most" in text
    assert 'tolerance = "' in answer.out
    warned = project.gate("power", "p", "--warn")
    assert (warned.status, warned.out) == (0, answer.out)


def test_refused_by_the_profile(tmp_path):
    """With `loud = "refuse"` it says that nothing is judged above what was asked."""
    project = write_replay_project(tmp_path, sides=True, top='loud = "refuse"')
    scattered(project, 0.05)
    answer = project.gate("power")
    assert answer.status == 5
    assert "judged at 5.0 % at most" in " ".join(answer.out.split())


@pytest.mark.parametrize("spread", [0.002, 0.05, 0.9])
@pytest.mark.parametrize("sides", [True, False])
def test_the_text_fits_80_columns(tmp_path, spread, sides):
    """Whatever the names and figures."""
    name = "a-benchmark-with-quite-a-long-name[iodepth=256,bs=128k]"
    project = write_replay_project(
        tmp_path, sides=sides, head={"b": [1, 1.1, 1.2], name: [1, 2, 3]}
    )
    dice = random.Random(1)
    paths = [
        project.session(
            {one: [math.exp(dice.gauss(0, spread)) for _ in range(3)] for one in ("b", name)}
        )
        for _ in range(6)
    ]
    accepted = project.gate("baseline", "accept", *paths, "--reason", "first", "--by", "me")
    assert accepted.status == 0
    lines = project.gate("power").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("[iodepth=256,bs=128k] wall" in line for line in lines)


def test_json(tmp_path):
    """Every figure as a number, what does not exist as null, and the exit status."""
    project = write_replay_project(tmp_path, sides=True)
    scattered(project, 0.05)
    answer = project.gate("power", "--json")
    assert answer.json["exit_status"] == answer.status == 5
    (row,) = answer.json["rows"]
    assert (row["host_class"], row["profile"], row["benchmark"], row["metric"]) == (
        "lab", "p", "b", "wall",
    )  # fmt: skip
    assert (row["standing"], row["sessions"], row["pairs"]) == ("too noisy", 10, 30)
    assert set(row["power"]) == {
        "can_detect", "judged_at", "finds", "chance", "unchanged", "slower",
    }  # fmt: skip
    assert {one["what"] for one in row["more"]} == {"pairs", "sessions", "trials"}


def test_too_few_sessions_is_nothing_to_judge(tmp_path):
    """With fewer than five sessions nothing is known: status 3, the count and what to do."""
    project = write_replay_project(tmp_path)
    project.accept(levels=(1.0, 1.001))
    answer = project.gate("power")
    assert answer.status == 3
    assert "only 2 accepted sessions in this epoch, 5 are needed and 10 wanted" in answer.out
    assert "`gate run p --repeat 8`" in answer.out.replace("\n    ", " ")


def test_no_baseline(tmp_path):
    """Without any baseline, or of another host class: status 3 and G280."""
    project = write_replay_project(tmp_path)
    answer = project.gate("power")
    assert answer.status == 3
    assert answer.err.startswith("error[G280]: baselines: there is no baseline of these profiles")
    project.accept()
    other = project.gate("power", "--host-class", "elsewhere")
    assert other.status == 3
    assert "no baseline of host class elsewhere" in other.err
    assert project.gate("power", "--host-class", "lab").status == 0


def test_other_directories(tmp_path):
    """--profiles and --baseline are as in the other commands."""
    project = write_replay_project(tmp_path)
    project.accept()
    (tmp_path / "baselines").rename(tmp_path / "kept")
    (tmp_path / "profiles").rename(tmp_path / "mine")
    answer = project.gate("power", "p", "--profiles", "mine", "--baseline", "kept")
    assert (answer.status, "✓ b wall" in answer.out) == (0, True)


def test_a_base_side_given_here_counts(tmp_path):
    """--base-env tells that pairs will follow, as in a check."""
    project = write_replay_project(tmp_path)
    project.accept()
    assert "no base side: strikes" in project.gate("power").out
    paired = project.gate("power", "--base-env", "A=1", "--head-env", "A=2")
    assert "(pairs, at most 30)" in paired.out


def test_another_profile_text(tmp_path):
    """A changed profile is told, and nothing is worked out from the old one's noise."""
    project = write_replay_project(tmp_path)
    project.accept()
    text = project.profile.read_text().replace('["b"]', '["b", "c"]')
    project.profile.write_text(text)
    project.record({"b": [1, 2, 3], "c": [1, 2, 3]})
    answer = project.gate("power")
    assert answer.status == 3
    assert answer.out.count("the baseline is of another profile text") == 2


def test_accepting_proposes(tmp_path):
    """After accepting, one line for each metric below what it can detect, and where more is."""
    project = write_replay_project(tmp_path, sides=True)
    answer = scattered(project, 0.05)
    (line,) = (one for one in answer.out.splitlines() if "too noisy" in one)
    assert line.startswith("  b wall: can detect 17.0 %: too noisy for 5.0 %, judged at 7.5 % at ")
    assert 'tolerance = "' in line
    assert "  `gate power p` shows more" in answer.out


def test_accepting_a_quiet_one_proposes_nothing(tmp_path):
    """A tolerance that is held needs no proposal; the JSON has an empty list."""
    project = write_replay_project(tmp_path, sides=True)
    paths = [project.session({"b": [one, one * 1.001, one * 0.999]}) for one in (1, 1.001, 0.999)]
    answer = project.gate("baseline", "accept", *paths, "--reason", "x", "--by", "me", "--json")
    assert [one["proposals"] for one in answer.json["accepted"]] == [[]]


def test_init_begins_with_the_default(tmp_path):
    """Without a baseline the default tolerance, and a comment on how to find a better one."""
    project = write_replay_project(tmp_path / "here")
    answer = project.gate("init")
    assert answer.status == 0
    text = (project.root / "profiles" / "first.toml").read_text()
    assert tomllib.loads(text)["metric"]["cpu"]["tolerance"] == "10%"
    assert "`gate power first` tells" in text
    assert "baseline of" not in text


def test_init_proposes_from_a_baseline(tmp_path):
    """Where a baseline of that name is there, its noise gives the tolerance."""
    project = write_replay_project(tmp_path, name="first")
    for file in (project.profile, project.recording):
        file.write_text(file.read_text().replace("wall", "cpu"))
    dice = random.Random(2)
    paths = []
    for _ in range(10):
        level = dice.gauss(0, 0.01)
        values = [math.exp(level + dice.gauss(0, 0.02)) for _ in range(3)]
        recording = '{"metrics": {"cpu": {"unit": "s", "better": "lower"}}, "benchmarks": '
        recording += f'{{"b": {{"head": {{"cpu": {values}}}}}}}}}'
        project.recording.write_text(recording)
        paths.append(project.session())
    accepted = project.gate("baseline", "accept", *paths, "--reason", "x", "--by", "me")
    assert accepted.status == 0, accepted
    shown = project.gate("power", "--json").json["rows"][0]["power"]["can_detect"]
    project.profile.unlink()
    assert project.gate("init").status == 0
    text = project.profile.read_text()
    proposed = float(tomllib.loads(text)["metric"]["cpu"]["tolerance"].rstrip("%")) / 100
    assert proposed == pytest.approx(shown)
    assert "what the noise of the baseline of lab allows" in text


def test_run_takes_the_trials_asked_for(tmp_path):
    """--trials N plans and takes N of each benchmark, more or fewer than the profile says."""
    project = write_replay_project(tmp_path, head={"b": LONG}, trials=3)
    for count in (10, 2):
        answer = project.gate("run", "p", "--trials", str(count), "--json", "--quiet")
        assert answer.status == 0
        (row,) = answer.json["sessions"]
        session = read_session(project.root / row["path"])
        assert [plan.trials for plan in session.planned] == [count]
        assert len(session.trials) == count


def test_longer_sessions_are_accepted_and_judged_with(tmp_path):
    """Sessions of ten trials become a baseline, and a check of three is compared with it."""
    project = write_replay_project(tmp_path, head={"b": LONG})
    for _ in range(5):
        project.gate("run", "p", "--trials", "10", "--quiet")
    paths = sorted((project.root / "reports" / "sessions").glob("*.json"))
    answer = project.gate("baseline", "accept", *paths, "--reason", "x", "--by", "me")
    assert answer.status == 0
    baseline = read_baseline(project.baseline)
    assert {len(point.values) for point in baseline.series[0].points} == {10}
    assert project.gate("check", "p", "--out", "out").status == 0
    judged = project.gate("run", "p", "--trials", "10", "--json", "--quiet").json
    path = project.root / judged["sessions"][0]["path"]
    assert project.gate("judge", "--session", path).status == 0


@pytest.mark.parametrize("count", ["1", "0", "1001", "many"])
def test_trials_have_limits(tmp_path, count):
    """One trial shows no noise, and a thousand are enough."""
    project = write_replay_project(tmp_path)
    assert project.gate("run", "p", "--trials", count).status == 2


def test_a_resumed_session_keeps_its_trials(tmp_path):
    """--trials beside --resume is refused unless it is what the session was to hold."""
    project = write_replay_project(tmp_path)
    path = project.session()
    answer = project.gate("run", "--resume", path, "--trials", "10")
    assert answer.status == 2
    assert (
        "--trials 10: the session to resume is one of profile p, head side, 3 trials" in answer.err
    )
    assert project.gate("run", "--resume", path, "--trials", "3", "--quiet").status == 0
