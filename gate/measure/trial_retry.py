"""Trials that were disturbed: set aside with their reasons, taken again, within a limit.

Where both sides are measured, in random order, most of what others do on the machine hits both
alike: it costs pairs and proves nothing false. Such a trial counts, and is marked.

Whether another trial counts depends on what happened to the machine, not on its values or side,
so taking it again favours nobody who did not disturb it. Most of what is watched is seen for the
machine as a whole, however, and a change can cause it: pressure on memory, a killed process, a
throttled processor. So the judge looks at the trials that were set aside, too: their values may
flag a metric in the screen, and where they are mostly the head's, pairs clear nothing
(`gate.judge.verdict.exclusions`). They never prove a loss.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.model import UNSTEADY, Limits, TrialStatus
from gate.model.disturbance import most_set_aside

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gate.host.disturbance.watch import Watch
    from gate.measure.process.stop import Stop
    from gate.model import Disturbance, Trial

_PAUSES = (0.25, 0.5, 1.0, 2.0)
"""Seconds to wait before the first, second ... trial that is taken again in a row."""


BORNE = frozenset({"steal", "foreign_cpu", "foreign_io", "memory_pressure", "throttling"})
"""Kinds that hit both sides alike: what others do, or the machine as a whole suffers."""


def with_reasons(
    trial: Trial, reasons: tuple[Disturbance, ...], borne: frozenset[str] = frozenset()
) -> Trial:
    """The trial, set aside where it was disturbed; one that failed has failed, and says so.

    One whose disturbances are all of kinds that are `borne` counts, and is marked.
    """
    if not reasons:
        return trial
    if trial.status is TrialStatus.OK:
        if all(one.kind in borne for one in reasons):
            return replace(trial, marks=reasons)
        return replace(trial, status=TrialStatus.ASIDE, aside=reasons)
    meanwhile = "; ".join(one.text for one in reasons)
    return replace(trial, note=f"{trial.note[:600]}; meanwhile {meanwhile}"[:1000])


def trials_that_count(trials: Iterable[Trial]) -> list[Trial]:
    """The trials that were not set aside, failed ones included."""
    return [trial for trial in trials if trial.status is not TrialStatus.ASIDE]


def was_disturbed(trial: Trial) -> bool:
    """Whether it was set aside because of something outside it."""
    return trial.status is TrialStatus.ASIDE and any(one.kind != UNSTEADY for one in trial.aside)


class RetryBudget:
    """How often trials of a session, or of two that are taken together, may be taken again."""

    def __init__(self, watch: Watch | None, stop: Stop, planned: int) -> None:
        """`planned` is the number of trials wanted; more are, where more are taken."""
        self._limits = watch.limits if watch is not None else Limits()
        self._stop, self._planned = stop, planned
        self._in_a_row = 0

    def spent(self, trials: Sequence[Trial]) -> str:
        """Why nothing is taken again any more, if so many of the trials were disturbed."""
        disturbed = [trial for trial in trials if was_disturbed(trial)]
        count = len(trials_that_count(trials))
        if len(disturbed) <= most_set_aside(self._limits.set_aside, max(self._planned, count)):
            return ""
        # The most frequent kind first, each in the words of its last.
        reasons = [one for trial in disturbed for one in trial.aside]
        texts = {one.kind: one.text for one in reasons}
        often = Counter(one.kind for one in reasons).most_common()
        why = "; ".join(f"{kind}: {texts[kind]}" for kind, _ in often)
        return f"{len(disturbed)} of {len(disturbed) + count} trials were disturbed: {why}"

    def again(self, last: Trial, trials: Sequence[Trial]) -> bool:
        """Whether the last of the trials is to be taken again, after a moment of sleep.

        The moment is longer each time in a row: what disturbs may be over then.
        """
        if not was_disturbed(last):
            self._in_a_row = 0
            return False
        if self.spent(trials):
            return False
        pause = _PAUSES[min(self._in_a_row, len(_PAUSES) - 1)]
        self._in_a_row += 1
        self._stop.sleep(pause)
        return True
