"""The codes of findings that were judged from summaries: printed means, no trials."""

from __future__ import annotations

from gate.codes.page import Page

_ASSUMED = (
    "This holds as far as the printed trials were independent, both sides ran alike and the noise "
    "is near normal; a summary cannot show any of it."
)

SUMMARY = {
    "G008": Page(
        "passed on a summary",
        "The upper limit of the loss lies below the tolerance, with mean, spread and number of "
        f"trials as printed (error bound beta). {_ASSUMED}",
        "Nothing to do. A baseline is made of sessions; a summary cannot be accepted.",
    ),
    "G009": Page(
        "improved on a summary",
        "The upper limit of the loss lies below zero by more than the negligible loss, with mean, "
        f"spread and number of trials as printed (error bound beta). {_ASSUMED}",
        "Measure it yourself before you count on the gain; a summary cannot be accepted.",
    ),
    "G028": Page(
        "inconclusive: the summary does not decide",
        "The limits of the loss hold both losses above the negligible one and losses below the "
        "tolerance: the spread is too large, or the trials are too few.",
        "Ask for more trials or sittings (the finding says how many a side would do), or for the "
        "trials themselves: `gate import FILE...` makes a session of fio, hyperfine or "
        "pytest-benchmark exports. Or widen the tolerance.",
    ),
    "G029": Page(
        "inconclusive: no spread was given",
        "A mean alone, a single trial or a spread of zero (a coarse clock, or rounding) says "
        "nothing of the noise, so nothing can be claimed, however large the loss printed is. How "
        "many trials would decide is told for trial-to-trial spreads that are assumed, 2 % and "
        "5 %, and for that of comparable rows; no verdict rests on them.",
        "Ask for the standard deviation and the number of trials, or better for the trials "
        "themselves; or measure both sides again. Several independent sittings of one side are a "
        "spread too: write them as a list.",
    ),
    "G068": Page(
        "regressed: proven on a summary",
        "The lower limit of the loss lies above the negligible one, with mean, spread (of trials "
        "or between sittings) and number of trials as printed: an unchanged suite gives any such "
        f"verdict with probability at most alpha. {_ASSUMED}",
        "Measure both sides on one machine in random-order pairs (`gate check`): that tells the "
        "change from the day and the machine. Then find the cause.",
    ),
}
