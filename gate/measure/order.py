"""Who runs when: the trials of a round or a block in random order, and the built-in controls."""

from __future__ import annotations

import random
import time
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from gate.host.controls import CONTROLS
from gate.model import UNTIMED, Side, Source
from gate.model.plan import pairs_in

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from gate.measure.recorder import SessionRecorder
    from gate.measure.run_context import RunContext


K = TypeVar("K", bound="Hashable")


def rounds(trials: Mapping[str, int], seed: int) -> tuple[str, ...]:
    """The names of all trials in order: each round holds every name still due once, shuffled.

    The same seed gives the same order, so that a resumed session goes on where it stopped.
    """
    order: list[str] = []
    dice = random.Random(seed)
    for number in range(max(trials.values(), default=0)):
        one = [name for name, count in trials.items() if count > number]
        dice.shuffle(one)
        order += one
    return tuple(order)


def in_turn(trials: Mapping[str, int], seed: int) -> tuple[str, ...]:
    """All trials of one name, then all of the next: for storage that must settle for each."""
    names = list(trials)
    random.Random(seed).shuffle(names)
    return tuple(name for name in names for _ in range(trials[name]))


def mixed_in(
    order: Sequence[tuple[Side, str]], side: Side, trials: Mapping[str, int], seed: int
) -> tuple[tuple[Side, str], ...]:
    """The order with trials of another side in it, each at a random place among those of its name.

    Every place is equally likely, before all of them and after all of them included.
    """
    mixed = list(order)
    dice = random.Random(f"{seed}/{side.value}")
    for name, count in trials.items():
        for _ in range(count):
            places = [at for at, (_, other) in enumerate(mixed) if other == name]
            after = [*places, places[-1] + 1] if places else [len(mixed)]
            mixed.insert(dice.choice(after), (side, name))
    return tuple(mixed)


def remaining_trials(order: Sequence[K], done: Iterable[K]) -> tuple[K, ...]:
    """What is left of an order when the trials `done` were taken from its start."""
    taken = Counter(done)
    left: list[K] = []
    for name in order:
        if taken[name] > 0:
            taken[name] -= 1
        else:
            left.append(name)
    return tuple(left)


def block_order(seed: int, benchmark: str, block: int) -> tuple[tuple[Side, int], ...]:
    """Side and pair number of each trial of a block, in the order in which they are to run.

    Every arrangement of the two sides is equally likely; that fairness is what the verdict
    rests on.
    """
    sides = [side for side in (Side.BASE, Side.HEAD) for _ in pairs_in(block)]
    random.Random(f"{seed}/{benchmark}/{block}").shuffle(sides)
    numbers = {side: iter(pairs_in(block)) for side in (Side.BASE, Side.HEAD)}
    return tuple((side, next(numbers[side])) for side in sides)


APART = 10.0
"""Seconds from one run to the next between trials, at least."""
FIRST = 2
"""Runs before the first trial, also of a resumed session; one more comes after the last."""


class Controls:
    """The controls of one session, or of both sessions of pairs, which share every run of them."""

    def __init__(self, run: RunContext, *recorders: SessionRecorder) -> None:
        self.stop, self.recorders = run.stop, recorders
        timed = run.profile.harness not in UNTIMED
        timed = timed and all(one.session.source is Source.MEASURED for one in recorders)
        # Another kernel slows them too: then they would tell of the change, not of the machine.
        there = timed and not run.restarts
        self.known: dict[str, Callable[[], float]] = dict(CONTROLS) if there else {}
        self._last = 0.0

    def begin(self) -> None:
        """Run them before the first trial; a resumed session gets these runs once more."""
        for _ in range(FIRST):
            self.run()

    def between(self) -> None:
        """Run them where the last time is long ago."""
        if time.monotonic() - self._last >= APART:
            self.run()

    def run(self) -> None:
        """Run each once; what it took, or why it could not be run, stands in every session."""
        seconds: dict[str, float] = {}
        failed = ""
        for name, control in self.known.items():
            self.stop.check()
            try:
                seconds[name] = control()
            except OSError as error:
                self.stop.check()  # the signal that stops us may have reached the child first
                failed = f"the built-in control {name} could not be run: {error}"
        self._last = time.monotonic()
        for recorder in self.recorders if self.known else ():
            recorder.add_controls(seconds, failed)


def measure_all(
    run: RunContext, recorders: Sequence[SessionRecorder], take: Callable[[Controls], str]
) -> None:
    """Begin sessions, `take` their trials, and complete them; controls run before and after.

    `take` says why no more trials are taken than were: then the sessions must not be judged.
    """
    for recorder in recorders:
        recorder.begin()
    controls = Controls(run, *recorders)
    controls.begin()
    why_not = take(controls)
    for recorder in recorders if why_not else ():
        recorder.add_disturbance(why_not)
    controls.run()
    for recorder in recorders:
        recorder.complete()
