"""What holds for every rule."""

from __future__ import annotations

import numpy as np
import pytest

from gate.calibrate.peers import PEERS
from gate.calibrate.peers.peer import Comparison

every_peer = pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)


def drawn(peer, slower, dice):
    """A comparison of typical size with 2 % noise, the head so much slower."""

    def trials():
        return tuple((20 * np.exp(dice.normal(0, 0.02, peer.trials))).tolist())

    return Comparison(
        head=tuple(slower * value for value in trials()),
        base=trials() if peer.sides else (),
        history=tuple(trials() for _ in range(peer.history)),
    )


def test_names_and_costs_are_stable():
    """Names, order and data of the registry, as tables and command lines know them."""
    assert [(p.name, p.sides, p.trials, p.history, p.rounds) for p in PEERS] == [
        ("github-action-benchmark-200", False, 10, 1, 1),
        ("github-action-benchmark-110", False, 10, 1, 1),
        ("github-action-benchmark-105", False, 10, 1, 1),
        ("pytest-benchmark-mean-5", False, 10, 1, 1),
        ("pytest-benchmark-min-5", False, 10, 1, 1),
        ("bencher-t-99", False, 10, 64, 1),
        ("benchstat", True, 10, 0, 1),
        ("benchstat-5", True, 10, 0, 1),
        ("asv-continuous", True, 10, 0, 1),
        ("fsperf", False, 10, 7, 1),
        ("rustc-perf", False, 10, 31, 1),
        ("lkp", False, 3, 3, 1),
        ("firecracker", True, 10, 0, 4),
    ]


@every_peer
def test_source_is_one_line(peer):
    """The source of a rule fits into a table: one line that says how many trials."""
    assert "\n" not in peer.source
    assert f"{peer.trials} " in peer.source


@every_peer
def test_only_losses_close(peer):
    """A head three times slower closes with every rule, one three times faster with none."""
    dice = np.random.default_rng(8)
    for _ in range(20):
        assert peer.closes(drawn(peer, 3.0, dice)) is True
        assert peer.closes(drawn(peer, 1 / 3, dice)) is False


@every_peer
def test_the_unit_does_not_matter(peer):
    """Costs times a power of two get the same answer."""
    dice = np.random.default_rng(9)
    for slower in (1.0, 1.02, 1.05, 1.1):
        for _ in range(10):
            case = drawn(peer, slower, dice)
            for unit in (2.0**-30, 2.0**30):
                scaled = Comparison(
                    head=tuple(unit * value for value in case.head),
                    base=tuple(unit * value for value in case.base),
                    history=tuple(tuple(unit * v for v in one) for one in case.history),
                )
                assert peer.closes(scaled) is peer.closes(case)


@every_peer
@pytest.mark.parametrize("value", [0.0, 1e-9, 0.1, 1e9])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 30])
def test_nothing_raises(peer, value, count):
    """Empty, single and equal values, on any side and in any number, get an answer."""
    shapes = [(), (value,), (value,) * 3, (value,) * 40]
    for head in shapes:
        for other in shapes:
            case = Comparison(head=head, base=other if peer.sides else (), history=(other,) * count)
            assert peer.closes(case) in {True, False, None}
