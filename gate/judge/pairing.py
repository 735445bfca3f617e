"""The pairs of a confirmation, block by block, as the two sessions hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.judge.suite import resolution_in
from gate.model import TrialStatus
from gate.model.blocks import block_of, pairs_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.model import Session, Trial

Values = tuple[tuple[float, ...], tuple[float, ...]]
"""A block's values of the base and of the head side, in the order of their pairs."""


class Pairing:
    """The confirming trials of one benchmark."""

    def __init__(self, base: Session | None, head: Session | None, benchmark: str) -> None:
        self._base = _by_pair(base, benchmark)
        self._head = _by_pair(head, benchmark)

    @property
    def blocks(self) -> tuple[int, ...]:
        """Numbers of the complete blocks; one that was cut short does not count."""
        both = self._base.keys() & self._head.keys()
        numbers = sorted({block_of(pair) for pair in both})
        return tuple(number for number in numbers if both.issuperset(pairs_in(number)))

    def values(self, metric: str) -> tuple[Values, ...]:
        """A metric's values in the complete blocks that hold it in every trial."""
        before, after = _of(self._base, metric), _of(self._head, metric)
        return tuple(
            (tuple(before[p] for p in pairs_in(b)), tuple(after[p] for p in pairs_in(b)))
            for b in self.blocks
            if all(p in before and p in after for p in pairs_in(b))
        )

    def resolution(self, metric: str) -> float:
        """The median resolution of a metric in these trials, in its base unit."""
        return resolution_in((*self._base.values(), *self._head.values()), metric)


def _by_pair(session: Session | None, benchmark: str) -> dict[int, Trial]:
    return {
        trial.pair: trial
        for trial in (session.trials if session else ())
        if trial.benchmark == benchmark
        and trial.pair is not None
        and trial.status is TrialStatus.OK
    }


def _of(trials: Mapping[int, Trial], metric: str) -> dict[int, float]:
    return {
        pair: value.value
        for pair, trial in trials.items()
        for value in trial.values
        if value.metric == metric
    }
