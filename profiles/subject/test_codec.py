"""A benchmark suite as a project would have it."""

from codec import TABLE, round_trip


def test_round_trip(benchmark):
    """Time the round trip and check that it changes nothing."""
    result = benchmark.pedantic(round_trip, rounds=60, warmup_rounds=5)
    assert result == TABLE
