"""Codes of kernels that the gate has built."""

from __future__ import annotations

from gate.codes.page import Page

BUILDING = {
    "G281": Page(
        "a kernel cannot be built from these words",
        "`gate build-kernel` found no kernel source, no such revision, no configuration, or the "
        "place it writes to is taken by another run. Nothing was built.",
        "Do as the message says. `gate build-kernel --help` has examples.",
    ),
    "G282": Page(
        "a kernel did not build",
        "The tree's own make, or git, ended with an error. The message quotes the first error of "
        "the log and names the log. Sides that were built before are as they were.",
        "Mend what the compiler says, or the configuration, and run it again.",
    ),
}
