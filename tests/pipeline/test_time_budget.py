"""`gate check --within`: never longer, spent where it decides, and never open for lack of time."""

from __future__ import annotations

import json
import random
import signal
from collections import Counter
from unittest import mock

import pytest
from builders import run_gate, start_gate, write_replay_project
from played_clock import played_clock

from gate.formats.session.session_file import read_session

CHECK = ("check", "p", "--out", "out", "--quiet")
NOISE = 0.005


def steady(count, seed=0, level=1.0):
    """Log-normal trials with a standard deviation of half a per cent."""
    dice = random.Random(seed)
    return [level * dice.lognormvariate(0, NOISE) for _ in range(count)]


def suite(root, count, *, slower=(), sides=True, name="p", trials=120):
    """Unchanged benchmarks, but for those that are slower by a factor."""
    names = [f"b{number:02d}" for number in range(count)]
    base = {one: steady(trials, f"{one} base") for one in names}
    head = {one: steady(trials, f"{one} head", dict(slower).get(one, 1.0)) for one in names}
    return write_replay_project(root, name=name, head=head, base=base, sides=sides)


def report_in(root):
    return json.loads((root / "out/report.json").read_text("utf-8"))


def codes(report):
    return Counter(one["code"] for one in report["findings"])


@pytest.mark.parametrize("seed", range(8))
def test_a_budget_is_never_exceeded_by_more_than_a_twentieth(tmp_path, seed):
    """Trials of any length, that scatter, grow slower, or hang now and then: closing time included."""
    dice = random.Random(seed)
    usual = {f"b{number:02d}": dice.choice([0.05, 0.3, 1, 4]) for number in range(5)}
    slower, hangs = dice.choice([1.0, 1.02]), dice.random() * 0.01

    def takes(context):
        if dice.random() < hangs:
            return 1e6
        usual[context.benchmark.name] *= slower
        return usual[context.benchmark.name] * dice.lognormvariate(0, 0.3)

    seconds = dice.choice([60, 90, 150, 240])
    project = suite(tmp_path, 5)
    with (
        mock.patch("gate.measure.new_session.secrets.randbits", return_value=seed),
        played_clock(takes) as clock,
    ):
        answer = project.gate(*CHECK, "--within", f"{seconds}s")
    closing = 2.0 + 0.02 * 5
    assert clock.now + closing <= 1.05 * seconds, clock.now
    assert answer.status in {0, 5}, answer
    if answer.status == 0:
        assert set(codes(report_in(tmp_path))) == {"G002"}
    elif "error" not in answer.err:
        assert codes(report_in(tmp_path))["G048"] > 0


def test_what_the_budget_leaves_open_is_closed_and_says_what_more_time_buys(tmp_path):
    """Nothing without its proof passes: half of six are decided, the rest is told with its price."""
    project = suite(tmp_path, 6)
    with played_clock(lambda _: 1.0):
        answer = project.gate(*CHECK, "--within", "150s")
    report = report_in(tmp_path)
    assert answer.status == 5
    assert report["gate"] == "closed"
    assert codes(report) == {"G002": 3, "G048": 3}
    left_open = [one for one in report["findings"] if one["code"] == "G048"]
    for one in left_open:
        assert one["verdict"] == "inconclusive"
        pairs = one["more_time"]["pairs"]
        assert one["trials_head"] + pairs == 15  # with three in the screen, 18 runs of the head
        assert one["more_time"]["seconds"] == pytest.approx(2 * pairs * 1.1)
        assert f"about {pairs} more pairs" in one["headline"]
        assert "would decide on a loss of 5.0 %" in one["headline"]
    budget = report["budget"]
    assert budget["seconds"] == 150
    assert 140 < budget["spent"] <= 150
    assert budget["left_open"] == 3
    assert budget["more"] == pytest.approx(sum(one["more_time"]["seconds"] for one in left_open))
    line = "3 metrics are left open, which about"
    assert line in " ".join(answer.out.split())
    assert line in " ".join((tmp_path / "out/report.html").read_text("utf-8").split())


def test_more_time_decides_what_was_left_open(tmp_path):
    """The same check with --resume and a larger budget goes on: no pair is taken again."""
    project = suite(tmp_path, 4)
    with played_clock(lambda _: 1.0) as clock:
        assert project.gate(*CHECK, "--within", "80s").status == 5
        first = read_session(tmp_path / "out/p/pairs-head.json")
        assert first.budget.left_open
        answer = project.gate(*CHECK, "--within", "160s", "--resume")
    assert answer.status == 0, answer
    whole = read_session(tmp_path / "out/p/pairs-head.json")
    assert whole.trials[: len(first.trials)] == first.trials
    assert whole.budget.left_open == ()
    assert whole.budget.spent == pytest.approx(clock.now)
    assert "nothing is left open" in answer.out


def test_a_budget_that_is_spent_already_buys_nothing_more(tmp_path):
    """Going on within the same time takes no further pair: a check has its budget once."""
    project = suite(tmp_path, 4)
    with played_clock(lambda _: 1.0) as clock:
        assert project.gate(*CHECK, "--within", "80s").status == 5
        spent = clock.now
        assert project.gate(*CHECK, "--within", "80s", "--resume").status == 5
    assert clock.now == spent
    assert codes(report_in(tmp_path))["G048"] > 0


@pytest.mark.night
@pytest.mark.parametrize(("sessions", "least"), [(5, 40), (0, 30)])
def test_forty_unchanged_metrics_of_a_second_in_twenty_minutes(tmp_path, sessions, least):
    """With a baseline all are decided; without one 18 runs of each head would take 22 minutes."""
    project = suite(tmp_path, 40)
    if sessions:
        dice = random.Random(1)
        levels = [dice.lognormvariate(0, 0.003) for _ in range(sessions)]
        rows = [{name: steady(3, f"{name} {level}", level) for name in recorded(project)}
                for level in levels]  # fmt: skip
        before = project.recording.read_bytes()
        paths = [project.session(row) for row in rows]
        project.recording.write_bytes(before)
        words = ("--reason", "first", "--by", "me")
        assert project.gate("baseline", "accept", *paths, *words).status == 0
    with played_clock(lambda _: 1.05) as clock:  # with what is around a trial
        answer = project.gate(*CHECK, "--within", "20min")
    found = codes(report_in(tmp_path))
    decided = found["G001"] + found["G002"] + found["G003"] + found["G006"]
    assert decided + found["G048"] == 40
    assert decided >= least, found
    assert answer.status == (0 if decided == 40 else 5)
    assert clock.now + 2.8 <= 1.05 * 1200


def recorded(project):
    return json.loads(project.recording.read_text("utf-8"))["benchmarks"]


def blocks_in(order):
    """The benchmarks in the order in which their blocks ran, each block once."""
    runs = [name for i, (name, _) in enumerate(order) if i == 0 or order[i - 1][0] != name]
    return list(dict.fromkeys(runs)), runs


def test_every_benchmark_has_its_first_block_before_any_has_a_second(tmp_path):
    """The cheapest begins; then each is brought to its end before the next goes on."""
    seconds = {"b00": 2.0, "b01": 0.5, "b02": 1.0}
    project = suite(tmp_path, 3)
    with played_clock(lambda context: seconds[context.benchmark.name]) as clock:
        assert project.gate(*CHECK, "--within", "5min").status == 0
    _, runs = blocks_in(clock.order[9:])
    assert runs == ["b01", "b02", "b00", "b01", "b02", "b00"]


def test_a_clear_loss_is_proven_however_short_the_time(tmp_path):
    """The last of twelve is slower by 30 %: its first block proves it, though ten stay open."""
    project = suite(tmp_path, 12, slower={"b11": 1.3})
    with played_clock(lambda _: 1.0):
        answer = project.gate(*CHECK, "--within", "180s")
    found = codes(report_in(tmp_path))
    assert answer.status == 10
    assert found["G060"] == 1
    assert found["G048"] >= 9


def test_the_order_is_that_of_the_seed_and_the_clock(tmp_path):
    """With the same seed and the same clock the same trials run in the same order."""
    orders = []
    for turn in ("one", "two"):
        project = suite(tmp_path / turn, 5)
        dice = random.Random(3)
        with (
            mock.patch("gate.measure.new_session.secrets.randbits", return_value=7),
            played_clock(lambda _, dice=dice: dice.uniform(0.5, 1.5)) as clock,
        ):
            project.gate(*CHECK, "--within", "100s")
        orders.append(clock.order)
    assert orders[0] == orders[1]
    assert len(orders[0]) > 60


def test_a_budget_too_short_for_the_screen_is_told_after_one_round(tmp_path):
    """Nobody knows how long trials take before the first: status 5, closed, with the time needed."""
    project = suite(tmp_path, 10)
    with played_clock(lambda _: 3.0) as clock:
        answer = project.gate(*CHECK, "--within", "60s")
    assert answer.status == 5
    assert "error[G284]" in answer.err
    assert "about 1 min" in answer.err
    assert "--within 2min" in answer.err
    assert len(clock.order) == 10
    assert report_in(tmp_path)["gate"] == "closed"


def test_a_known_screen_that_does_not_fit_is_told_before_anything_runs(tmp_path):
    """Accepted sessions took 200 s each: with 100 s nothing is begun."""
    project = suite(tmp_path, 2)
    project.accept()
    text = project.baseline.read_text("utf-8")
    assert text.count("\nepoch_facts = ") == 5
    text = text.replace("\nepoch_facts = ", "\nduration = 200.0\nepoch_facts = ")
    project.baseline.write_text(text, "utf-8")
    with played_clock(lambda _: 1.0) as clock:
        answer = project.gate(*CHECK, "--within", "100s")
    assert (answer.status, clock.order) == (5, [])
    assert "the time budget of 1 min 40 s cannot hold the screens alone: about 3 min" in answer.err


def test_without_sides_too_few_sessions_pass_nothing(tmp_path):
    """A flag of the screen that further head sessions may not be enough to clear stays closed."""
    project = suite(tmp_path, 1, sides=False)
    project.accept()
    project.record({"b00": steady(60, level=1.05)})
    with played_clock(lambda _: 1.0):
        answer = project.gate(*CHECK, "--within", "20s")
    (one,) = report_in(tmp_path)["findings"]
    assert answer.status == 5, answer
    assert one["code"] == "G048"
    assert "more head sessions" in one["headline"]
    assert one["more_time"]["pairs"] == 0
    assert one["more_time"]["seconds"] > 0


def test_time_that_one_profile_leaves_goes_to_another(tmp_path):
    """Each has its share: the first goes on with what the second, proven soon, did not need."""
    first = suite(tmp_path, 3)
    names = {f"c{number}": steady(120, number) for number in range(3)}
    slow = {name: [1.5 * one for one in row] for name, row in names.items()}
    write_replay_project(tmp_path, name="q", head=slow, base=names, sides=True)
    with played_clock(lambda _: 1.0) as clock:
        first.gate("check", "--out", "out", "--quiet", "--no-why", "--within", "170s")
    found = codes(report_in(tmp_path))
    assert found == {"G002": 3, "G060": 3}
    assert clock.now < 170


def test_a_hanging_trial_ends_with_the_budget(tmp_path):
    """A real process that would sleep an hour is killed when the time is up, and counts for nothing."""
    project = write_replay_project(
        tmp_path,
        head={"b": [1.0, 1.002, 0.998, *["hang"] * 20]},
        base={"b": steady(20)},
        sides=True,
        top='timeout = "1 h"',
    )
    answer = project.gate(*CHECK, "--within", "10s")
    (one,) = report_in(tmp_path)["findings"]
    assert answer.status == 5, answer
    assert one["code"] == "G048"
    head = read_session(tmp_path / "out/p/pairs-head.json")
    assert all(trial.status == "ok" for trial in head.trials)


def test_an_interruption_goes_on_with_the_budget(tmp_path):
    """Ctrl-C while a trial runs: what was measured is kept, and the command says the budget again."""
    project = write_replay_project(
        tmp_path, head={"b": [*steady(5), *["hang"] * 20]}, base={"b": steady(20)}, sides=True
    )
    process = start_gate(["check", "p", "--out", "out", "--within", "5min"], cwd=tmp_path)
    lines = []
    for line in process.stderr:
        lines.append(line)
        if "pair 5/30 head" in line or len(lines) > 40:
            break
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "--within 300s" in rest
    assert rest.rstrip().endswith("--resume")
    assert project.root.joinpath("out/p/pairs-head.json").is_file()


@pytest.mark.parametrize(
    ("given", "why"),
    [("soon", "a quantity in"), ("0", "10 s are the least"), ("9s", "10 s are the least"),
     ("200h", "168 h are the most"), ("20", "a quantity in"), ("-5min", "a quantity in")],
)  # fmt: skip
def test_what_is_no_time_is_refused(tmp_path, given, why):
    """With the option's name, before anything is read."""
    for command in ("check", "compare"):
        answer = run_gate([command, f"--within={given}"], cwd=tmp_path)
        assert answer.status == 2
        assert "--within: " in answer.err
        assert why in answer.err
