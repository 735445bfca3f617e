"""The codes of tuning."""

from __future__ import annotations

from gate.codes.page import Page

TUNING = {
    "G260": Page(
        "tuning needs root",
        "The settings named belong to the whole machine, and only root may change them. Nothing "
        "was changed.",
        "Run the gate as root, or take these names out of `tune` in host.toml.",
    ),
    "G261": Page(
        "a tuned setting was changed by somebody else",
        "The gate tuned a setting, and before it put it back somebody else set it to a third "
        "value, or the kernel refused the old one. It was left as it is: it may be meant so.",
        "`gate host restore --force` sets what was there before the gate; `gate host restore "
        "--keep` leaves it as it is and forgets it. A restart of the machine forgets it as well.",
    ),
    "G262": Page(
        "the journal of tuned settings cannot be used",
        "The gate writes down what it changes on the host before it changes it. That file is "
        "there and cannot be read, so a killed gate may have left settings that nobody knows of. "
        "Nothing is tuned or measured meanwhile.",
        "Restart the machine, which forgets every such setting, or look at the file and put back "
        "by hand what it still shows; then remove it.",
    ),
}
