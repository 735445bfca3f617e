"""What of a machine can be tuned around a check, and put back."""

from __future__ import annotations

TUNABLE = {
    "governor": "the frequency governor and energy preference ask for full speed",
    "turbo": "no clock above the rated one, which heat and neighbours would take back",
    "thp": "no transparent huge pages, which a trial gets or not as memory is free",
    "swap": "no swap, so that no trial waits for a disk in place of memory",
    "irq": "interrupts are steered off the processors that measure",
    "numa_balancing": "the kernel moves no pages between nodes in the middle of a trial",
    "cstates": "processors wake at once, in place of after a deep sleep",
    "pinning": "harnesses run on the processors that measure, and nowhere else",
}
"""Names that `tune` in host.toml and `--tune` take, each with what tuning it does."""
TUNED_FACTS = {
    "governor": ("governor", "epp"),
    "turbo": ("turbo",),
    "thp": ("thp",),
    "swap": ("swap",),
    "numa_balancing": ("numa_balancing",),
}
"""Facts of the machine that are other ones while it is tuned, by the name of the tuning."""


def facts_tuned(names: tuple[str, ...]) -> frozenset[str]:
    """The facts that a check with these tunings finds otherwise than they are without one."""
    tuned = {fact for name in names for fact in TUNED_FACTS.get(name, ())}
    return frozenset(tuned | ({"tuned"} if names else set()))
