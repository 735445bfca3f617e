"""The draw of rounds: fair, mostly unchanged, and the same for the same seed."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.baseline.calibration_file import read_rounds
from gate.harness.planted.planting import UNCHANGED_PER_PLANT, planted_benchmark, planted_loss


@given(
    seed=st.integers(0, 2**63 - 1),
    plants=st.sets(st.floats(0.001, 5), min_size=1, max_size=4).map(sorted),
    block=st.integers(0, 1000),
)
def test_every_block_holds_each_plant_once(seed, plants, block):
    """Of each block a quarter is planted, every loss once, whatever the seed."""
    size = len(plants) * (1 + UNCHANGED_PER_PLANT)
    drawn = [planted_loss(seed, block * size + place, plants) for place in range(size)]
    assert Counter(drawn) == {0.0: len(plants) * UNCHANGED_PER_PLANT} | dict.fromkeys(plants, 1)


def test_the_draw_is_that_of_its_seed():
    """Pinned figures: another version of the draw would make old seeds worthless."""
    drawn = [planted_loss(1, place, (0.05, 0.1)) for place in range(16)]
    assert [place for place, loss in enumerate(drawn) if loss] == [1, 5, 8, 11]
    assert len({tuple(planted_loss(s, p, (0.05,)) for p in range(40)) for s in range(20)}) == 20


def test_without_plants_everything_is_unchanged():
    """No plant, no planted round."""
    assert {planted_loss(1, place, ()) for place in range(50)} == {0.0}


def test_every_benchmark_is_slowed_now_and_then():
    """The benchmark is drawn as well, evenly."""
    names = ("a", "b", "c")
    drawn = Counter(planted_benchmark(3, place, names) for place in range(3000))
    assert all(900 < drawn[name] < 1100 for name in names)


@pytest.mark.night
def test_two_calibrations_of_one_seed_plant_alike(template, tmp_path):
    """The recorded seed is enough to repeat the schedule on another checkout."""
    drawn = []
    for name, seed in (("one", "5"), ("two", "5"), ("three", "6")):
        shutil.copytree(template.root, tmp_path / name)
        project = type(template)(tmp_path / name, "p")
        answer = project.gate("calibrate", "p", "--rounds", "8", "--seed", seed, "--quiet")
        assert answer.status == 0, answer
        stored = read_rounds(project.baselines)
        assert {one.seed for one in stored} == {int(seed)}
        drawn.append([one.planted for one in stored])
    assert drawn[0] == drawn[1]
    assert drawn[0] == [planted_loss(5, place, (0.05, 0.1)) for place in range(8)]
    assert drawn[2] == [planted_loss(6, place, (0.05, 0.1)) for place in range(8)]


@pytest.mark.parametrize("seed", ["1", "2"])
def test_another_seed_begins_another_draw_after_the_rounds_that_are_there(project, seed):
    """A new seed counts from the next round; what was measured before stays."""
    project.gate("calibrate", "p", "--rounds", "2", "--seed", "1", "--quiet")
    project.gate("calibrate", "p", "--rounds", "8", "--seed", seed, "--quiet")
    later = read_rounds(project.baselines)[2:]
    skipped = 2 if seed == "1" else 0
    expected = [planted_loss(int(seed), skipped + place, (0.05, 0.1)) for place in range(8)]
    assert [one.planted for one in later] == expected
    assert [one.number for one in later] == list(range(3, 11))
