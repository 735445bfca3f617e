"""What rounds tell of a host class: which count, what is known, and when it is unfit."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import HOST_CLASS

from gate.judge.calibration_rounds import RoundFilter, rounds_that_count
from gate.judge.host_fitness import class_record
from gate.model import Ending, PlantedShare

WANTED = RoundFilter(host_class=HOST_CLASS, texts={"p": "sha256:abc"}, alpha=0.01, beta=0.025)


def unfit(rounds, **changes):
    """Why the host class of these rounds is unfit."""
    known = class_record(rounds, replace(WANTED, **changes))
    assert known is not None
    return known.unfit


def test_a_host_class_without_rounds_is_not_known(make_round):
    """Neither no rounds at all nor those of another class tell anything."""
    assert class_record((), WANTED) is None
    assert class_record([make_round(1, host_class="other")], WANTED) is None


@pytest.mark.parametrize(
    "change",
    [
        {"digest": "abd"},
        {"rule": "0"},
        {"alpha": 0.05},
        {"beta": 0.1},
        {"profile": "q"},
    ],
    ids=lambda change: next(iter(change)),
)
def test_rounds_of_something_else_do_not_count(make_round, change):
    """Another profile text, rule or promise says nothing of this one, and is told where it is p's."""
    known = class_record([make_round(1), make_round(2, **change)], WANTED)
    assert known.unchanged == 1
    assert known.outdated == (0 if "profile" in change else 1)


def test_the_newest_200_unchanged_comparisons_are_counted(make_round):
    """An alarm long ago is forgotten; what stands in the window is not."""
    old = [make_round(n, ending=Ending.ALARM) for n in range(1, 4)]
    newer = [make_round(n) for n in range(4, 204)]
    known = class_record([*newer, *old], WANTED)
    assert (known.unchanged, known.false_alarms) == (200, 0)
    known = class_record([*old, *newer[:-1]], WANTED)
    assert (known.unchanged, known.false_alarms) == (200, 1)
    assert known.newest == "2026-01-01"


def test_everything_is_counted_in_its_place(make_series):
    """Alarms of unchanged rounds, shares of planted ones, void rounds in neither."""
    rounds = make_series(clear=18, alarm=1, inconclusive=1, found=8, missed=1, void=3)
    rounds.append(replace(rounds[-1], id="planted-void", planted=0.05))
    rounds.append(replace(rounds[19], id="planted-undecided", planted=0.05, benchmark="b"))
    rounds.append(replace(rounds[20], id="planted-more", planted=0.1, achieved=0.11))
    known = class_record(rounds, WANTED)
    assert (known.unchanged, known.false_alarms, known.undecided, known.void) == (20, 1, 1, 4)
    assert (known.alarms_low, known.alarms_high) == (
        pytest.approx(0.0012651, rel=1e-4),
        pytest.approx(0.2487328, rel=1e-4),
    )
    assert known.planted == (
        PlantedShare(
            loss=0.05,
            rounds=10,
            found=8,
            missed=1,
            achieved=0.05,
            low=pytest.approx(0.4439045),
            high=pytest.approx(0.9747893),
        ),
        PlantedShare(
            loss=0.1, rounds=1, found=1, missed=0, achieved=0.11, low=pytest.approx(0.025), high=1.0
        ),
    )


def test_profiles_without_rounds_are_named(make_round):
    """A report of several profiles says which of them were never calibrated."""
    texts = {"p": "abc", "q": "abc", "r": "abc"}
    void = make_round(2, profile="r", ending=Ending.VOID)
    assert class_record([make_round(1), void], replace(WANTED, texts=texts)).lacking == ("q", "r")
    assert class_record([make_round(1)], replace(WANTED, texts=None)).lacking == ()


def test_rounds_are_put_in_order(make_round):
    """Whatever the order of the file, the newest comes last."""
    rounds = [make_round(number) for number in (3, 1, 2)]
    assert [one.number for one in rounds_that_count(rounds, WANTED)] == [1, 2, 3]


@pytest.mark.parametrize(
    ("clear", "alarm", "reason"),
    [
        (199, 1, None),
        (22, 2, "2 of 24 unchanged comparisons were called regressed, a rate of at least 1.03 %"),
        (23, 2, None),
        (194, 6, "6 of 200 unchanged comparisons were called regressed, a rate of at least 1.11 %"),
        (195, 5, None),
    ],
)
def test_false_alarms_that_contradict_the_promise(make_series, clear, alarm, reason):
    """Unfit is a host whose lower limit of the rate lies above alpha, and no other."""
    told = unfit(make_series(clear=clear, alarm=alarm))
    assert told == (() if reason is None else (f"{reason}, where 1 % is promised",))


def test_more_alarms_are_allowed_where_more_are_promised(make_series):
    """The reader's own alpha is what the rounds are held to."""
    rounds = [replace(one, alpha=0.2) for one in make_series(clear=22, alarm=2)]
    assert unfit(rounds, alpha=0.2) == ()


@pytest.mark.parametrize(
    ("found", "missed", "reason"),
    [
        (58, 2, None),
        (56, 4, None),
        (
            55,
            5,
            "55 of 60 planted losses of the tolerance or more were found and the others passed",
        ),
        (
            17,
            3,
            "17 of 20 planted losses of the tolerance or more were found and the others passed",
        ),
        (18, 2, None),
    ],
)
def test_losses_that_passed_contradict_the_promise(make_series, found, missed, reason):
    """Unfit is a host whose upper limit of the share found lies below 1 - beta."""
    told = unfit(make_series(found=found, missed=missed))
    assert [one.startswith(reason or "") for one in told] == ([] if reason is None else [True])
    assert all(one.endswith("where 97.5 % is promised") for one in told)


def test_an_inconclusive_plant_is_no_missed_one(make_series):
    """It closed the gate, so no loss passed; it is not counted as found either."""
    rounds = make_series(clear=30, found=17, missed=0, inconclusive=0)
    undecided = [
        replace(rounds[-1], id=f"undecided-{n}", ending=Ending.INCONCLUSIVE) for n in range(3)
    ]
    known = class_record([*rounds, *undecided], WANTED)
    assert (known.planted[0].found, known.planted[0].rounds, known.unfit) == (17, 20, ())


def test_losses_below_the_tolerance_may_pass(make_series):
    """Nothing is promised below the tolerance judged by, also where that was raised."""
    rounds = [replace(one, tolerance=0.06) for one in make_series(missed=20)]
    assert unfit(rounds) == ()
    assert class_record(rounds, WANTED).planted[0].below == 20


def test_plants_that_did_not_grow_promise_nothing(make_series):
    """Where the data show much less than was asked for, passing them was right."""
    rounds = [replace(one, achieved=0.03) for one in make_series(missed=20)]
    assert unfit(rounds) == ()
    rounds = [replace(one, achieved=0.041) for one in make_series(missed=20)]
    assert len(unfit(rounds)) == 1


def test_one_noisy_figure_excuses_no_miss(make_series):
    """The median of what was achieved decides, so a host cannot explain its misses one by one."""
    rounds = make_series(found=12, missed=8)
    rounds = [replace(one, achieved=0.01) if one.ending is Ending.MISSED else one for one in rounds]
    assert len(unfit(rounds)) == 1


@pytest.mark.parametrize(
    ("endings", "reason"),
    [
        ({"clear": 2, "inconclusive": 3}, "3 of 5 rounds of p ended without an answer"),
        ({"clear": 2, "void": 3}, "3 of 5 rounds of p ended without an answer"),
        ({"clear": 3, "inconclusive": 1, "void": 2}, None),
        ({"clear": 1, "void": 3}, None),
        ({"void": 4}, None),
        ({"void": 5}, "5 of 5 rounds of p ended without an answer"),
    ],
)
def test_a_host_that_does_not_answer(make_series, endings, reason):
    """More than half without an answer, of five rounds at least."""
    assert unfit(make_series(**endings)) == (() if reason is None else (reason,))


def test_every_reason_is_told(make_series):
    """A host can be unfit in more than one way, and each profile for itself."""
    rounds = make_series(clear=4, alarm=4, found=5, missed=5)
    silent = [replace(one, id=f"q-{n}", profile="q") for n, one in enumerate(make_series(void=6))]
    told = unfit([*rounds, *silent], texts=None)
    assert [one.split(" ")[0:3] for one in told] == [
        ["4", "of", "8"],
        ["5", "of", "10"],
        ["6", "of", "6"],
    ]
