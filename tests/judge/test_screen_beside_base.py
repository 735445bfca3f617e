"""The screen beside base trials of its own sitting: a stale level hides no loss."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import at, baseline, decide, only, pairs, series, session

from gate.errors import InputError
from gate.model import LevelState, Side, Verdict


def head(level, **more):
    return session({"b": at(level)}, sides=True, **more)


def base(level, **more):
    return session({"b": [level]}, **({"id": "base-1", "side": Side.BASE, "sides": True} | more))


@pytest.mark.parametrize(
    ("today", "now"),
    [(0.90, 0.99), (0.92, 0.965)],
    ids=["10 % against a stale level", "5 % seen as -3.5 %"],
)
def test_a_stale_level_hides_no_loss(today, now):
    """A host that got faster since: what passed against the accepted level goes to pairs."""
    known = baseline(series("b"))
    assert only(decide([head(now)], known)).code in {"G001", "G003"}
    found = only(decide([head(now), base(today)], known))
    assert (found.code, found.verdict) == ("G021", Verdict.INCONCLUSIVE)
    assert "the base side beside it is -" in " ".join(found.path)
    proven = decide([head(now), base(today), *pairs(now / today - 1)], known)
    assert only(proven).verdict is Verdict.REGRESSED


def test_an_odd_base_trial_clears_nothing():
    """A base trial that was slow by chance does not make a loss look like none."""
    found = only(decide([head(1.2), base(1.2)], baseline()))
    assert (found.code, found.verdict) == ("G021", Verdict.INCONCLUSIVE)
    assert "the base side beside it is +20" in " ".join(found.path)


def test_a_base_that_stands_where_it_was_accepted_clears():
    """An unchanged head beside an unchanged base passes, and the report says what it stood beside."""
    found = only(decide([head(1.0), base(1.001)], baseline()))
    assert (found.code, found.verdict) == ("G001", Verdict.PASSED)
    assert "with the base side beside it" in " ".join(found.path)
    assert found.level.state is LevelState.KEPT


def test_a_slow_host_is_no_loss():
    """Both sides a little slower than accepted: the head is compared with the base of today."""
    known = baseline(series("b", (1.0, 1.03, 0.98, 1.01, 0.985)))
    alone = only(decide([head(1.04)], known))
    assert alone.code == "G021"
    assert only(decide([head(1.04), base(1.04)], known)).verdict is Verdict.PASSED


@pytest.mark.parametrize("value", [None, 0.0])
def test_a_base_without_a_value_clears_nothing(value):
    """The base trial failed or is unusable: nobody knows where it stands, so pairs decide."""
    found = only(decide([head(1.0), base(value)], baseline()))
    assert (found.code, found.verdict) == ("G021", Verdict.INCONCLUSIVE)
    assert "the base side beside it gave no value" in " ".join(found.path)


@pytest.mark.parametrize(
    "other",
    [
        {"boot": "boot-1"},
        {"started": "2026-01-10T00:02:00Z", "ended": "2026-01-10T00:03:00Z"},
        {"started": "2026-01-09T00:02:00Z", "ended": "2026-01-09T00:03:00Z"},
    ],
    ids=["another boot", "after it", "before it"],
)
def test_a_base_of_another_sitting_says_nothing_of_this_one(other):
    """A base session that was not taken among the head's trials is not compared with them."""
    found = only(decide([head(1.0), base(0.9, **other)], baseline()))
    assert (found.code, found.verdict) == ("G001", Verdict.PASSED)
    assert "beside" not in " ".join(found.path)


def test_two_bases_of_one_sitting_are_refused():
    """Of two base sessions among the head's trials none is dropped in silence."""
    with pytest.raises(InputError, match="base session of the screen of p was handed in 2 times"):
        decide([head(1.0), base(1.0), base(0.9, id="base-2")], baseline())


def test_a_base_of_another_host_refuses():
    """What stood beside the head is of its machine, or nothing is judged."""
    other = replace(base(1.0).host, fingerprint="g")
    found = only(decide([head(1.0), base(1.0, host=other)], baseline()))
    assert found.code == "G037"
