"""The codes of calibrations."""

from __future__ import annotations

from gate.codes.page import Page

CALIBRATION = {
    "G245": Page(
        "the host class is unfit",
        "Rounds whose right answer was known contradict the promise: too many unchanged "
        "comparisons were called regressed, too many planted losses passed, or more than half of "
        "the rounds of a profile ended without an answer. Verdicts of this host class may be as "
        "wrong.",
        "Open the reports of the rounds that went wrong (reports/calibration). Look for other "
        "load, throttling, turbo, or benchmarks too loud for their tolerance. When the cause is "
        "mended, remove the rounds from calibration.toml in a reviewed change and calibrate anew.",
    ),
    "G246": Page(
        "nothing to calibrate against",
        "A round of a calibration is a whole check, and a check needs accepted sessions of this "
        "host class and of the profile's text as it is now.",
        "Measure sessions of an unchanged tree with `gate run PROFILE --repeat 5` and accept them "
        "with `gate baseline accept`.",
    ),
}
