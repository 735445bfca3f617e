"""fsperf: the mean of the new runs against mean + 1.96 standard deviations of the stored ones.

Every run is a stored result of its own, whichever session it is of; `fsperf -t` marks a metric
whose new mean is above mean + 1.96 s of all results of the last 7 days (src/utils.py at
fc0e544). Its outlier filter has no effect, and it always exits with 0: closing here means the
red mark. (The weekly page compares one new value in the same way.)

Degenerate input: without new or without stored results it passes. With one stored result, and
with equal ones, the deviation is 0 and any increase closes.
"""

from __future__ import annotations

from gate.calibrate.peers.peer import Comparison, Peer, mean, mean_and_deviation

DEVIATIONS = 1.96
DAYS = 7


def _closes(case: Comparison) -> bool:
    stored = [value for session in case.history[-DAYS:] for value in session]
    if not case.head or not stored:
        return False
    centre, spread = mean_and_deviation(stored) if len(stored) > 1 else (stored[0], 0.0)
    return mean(case.head) > centre + DEVIATIONS * spread


FSPERF = Peer(
    name="fsperf",
    sides=False,
    trials=10,
    history=DAYS,
    closes=_closes,
    source="mean > mean + 1.96 s of the stored runs (fsperf src/utils.py); 10 runs (its default "
    "is 1) against 7 days of one session each",
)
