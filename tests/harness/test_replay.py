"""The replay harness: values in order, and every failure it can act."""

from __future__ import annotations

import json

import pytest

from gate.errors import InputError, TrialFailed, TrialTimeout
from gate.formats.profile.metric_kinds import replay_kinds
from gate.harness import load_harness
from gate.model import Side, Work

REPLAY = load_harness("replay")


@pytest.fixture
def play(make, tmp_path, figures):
    context = None

    def go(row, index=0, side=Side.HEAD, **more):
        nonlocal context
        path = tmp_path / "r.json"
        raw = {
            "metrics": {"wall": {"unit": "s", "better": "lower"}},
            "benchmarks": {"b": {"base": {"wall": [9.0]}, "head": {"wall": row}}},
            **more.pop("top", {}),
        }
        path.write_text(json.dumps(raw))
        context = make(
            Work(replay_file=str(path)), index=index, side=side, metrics=("wall",), **more
        )
        REPLAY.check(context)
        return figures(REPLAY.trial(context).values)["wall"]

    return go


@pytest.mark.parametrize("index", [0, 1, 2])
def test_in_order(play, index):
    """The i-th trial is the i-th value."""
    assert play([1.0, 2, 3.5], index) == [1.0, 2.0, 3.5][index]


def test_side(play):
    """Each side has its own values."""
    assert play([1.0], side=Side.BASE) == 9.0


def test_zero(play):
    """Zero is handed on: judging it is not the harness's part."""
    assert play(["zero"]) == 0.0


@pytest.mark.parametrize("value", ["fail", "nan", "inf", "other", None, True, []])
def test_failures(play, value):
    """Acted failures and things that are no numbers are failed trials."""
    with pytest.raises(TrialFailed):
        play([value])


def test_exhausted(play):
    """A trial beyond the recording fails."""
    with pytest.raises(TrialFailed, match="ends after 1"):
        play([1.0], 1)


def test_timeout(play):
    """An acted timeout is one without waiting."""
    with pytest.raises(TrialTimeout):
        play(["timeout"])


def test_hang(play):
    """A hang is a real process that the time limit ends."""
    with pytest.raises(TrialTimeout):
        play(["hang"], timeout=0.3)


def test_delay(play):
    """A delay is a real process too."""
    assert play([1.0], top={"delay": 0.05}) == 1.0


def test_missing_metric(play):
    """A declared metric that the profile asks for and the row lacks is a failure."""
    benchmarks = {"b": {"head": {}}}
    with pytest.raises(TrialFailed, match="no value for wall"):
        play([1.0], top={"benchmarks": benchmarks})


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"metrics": {"a": {"unit": "kg"}}}', "{"])
def test_unreadable(tmp_path, text):
    """A recording that cannot be read is a configuration error with its place."""
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        replay_kinds(path)
    assert (caught.value.code, caught.value.place) == ("G235", str(path))


def test_no_file(tmp_path):
    """A missing recording is a configuration error."""
    with pytest.raises(InputError):
        replay_kinds(tmp_path / "none.json")
