"""The words a report uses, for a reader who meets them here first."""

from __future__ import annotations

GLOSSARY: tuple[tuple[str, str], ...] = (
    ("benchmark", "One point of a profile's matrix, such as one queue depth of one workload."),
    (
        "group",
        (
            "The points over one parameter, taken as a curve: [iodepth=*]. Its trial is one trial "
            "of each point, and its metrics are the curve's mean, its scaling from first to last "
            "point, or its knee, where nine tenths of the largest value are reached."
        ),
    ),
    (
        "background load",
        (
            "Work of another program beside the benchmark, proven to be under way in every trial; "
            "a scaling over load is loaded over alone."
        ),
    ),
    (
        "resolution",
        "The smallest difference that a measurement can tell; one below it is never a verdict.",
    ),
    (
        "metric",
        (
            "A named quantity of a benchmark. Its role is gate (may close the gate) or watch "
            "(shown only)."
        ),
    ),
    (
        "trial",
        (
            "One fresh process of one benchmark; it gives one value per metric. Trials are what n "
            "counts: samples inside a process are never counted as independent."
        ),
    ),
    ("session", "The trials of one sitting on one host, in one boot."),
    ("base, head", "The two sides of what is under test: before the change and after it."),
    ("baseline", "The accepted sessions of one kind of host and one profile."),
    (
        "loss",
        (
            "Relative worsening: positive is worse, whichever way the metric is better. A rate of "
            "100 that falls to 90 needs 11.1 % more time for the same work, so its loss is 11.1 %."
        ),
    ),
    ("tolerance", "The smallest loss that must not get in."),
    ("negligible", "A loss so small that nobody should be blocked for it."),
    (
        "interval",
        (
            "Where the true loss lies, at the confidence given. It is drawn from -2 to +3 "
            "tolerances; an arrow says that it goes on."
        ),
    ),
    (
        "minimum detectable loss",
        "The smallest true loss that this amount of data would have shown.",
    ),
    (
        "screen",
        (
            "First stage: a few head trials against the baseline. It may flag too much, never too "
            "little."
        ),
    ),
    (
        "pairs",
        (
            "Second stage, where base and head can both be run: blocks of base and head trials "
            "back to back, every order of a block equally likely."
        ),
    ),
    (
        "strikes",
        (
            "Second stage, where only head can be run: fresh head sessions, ranked against the "
            "accepted ones. Weaker than pairs."
        ),
    ),
    (
        "summary",
        (
            "Printed means of both sides, with spread and number of trials where they are printed. "
            "Several sittings of a side show the spread between them. Without a spread nothing can "
            "be claimed."
        ),
    ),
    (
        "CPU per operation",
        (
            "Time that the processors of the whole machine were not idle in the measured window, "
            "less what the idle machine uses, for each I/O or operation. It holds what no process "
            "is charged for: kernel threads, interrupts, other processes that did the work."
        ),
    ),
    (
        "who paid",
        (
            "Which tasks used more or less CPU time on the head side: the benchmark's own "
            "processes in user space and in the kernel, kernel threads by name, all others. What "
            "the tick saw stands beside it; it misses short bursts, so it tells who, not how much."
        ),
    ),
    (
        "record",
        (
            "How the gate did on this host class in a calibration: rounds whose right answer is "
            "known, because a thing is compared with itself or a loss of known size is planted."
        ),
    ),
    (
        "epoch, anchor",
        (
            "The accepted sessions since the level was last accepted as a new one. The first of "
            "them is the anchor, so that a slow slide is judged against it too."
        ),
    ),
    (
        "curve",
        (
            "A metric over the parameter that a profile sweeps, base and head. Where its shape "
            "changed, that is said: no longer grows beyond iodepth 32."
        ),
    ),
    (
        "latency percentile",
        "99 of 100 requests took no longer than p99, and 999 of 1,000 no longer than p99.9.",
    ),
    (
        "set aside",
        (
            "A trial that ran while something outside it disturbed the machine, or before its "
            "storage was steady. It is shown, and proves nothing."
        ),
    ),
    (
        "changed function",
        (
            "A function of the kernel or of a module whose machine code differs between the sides, "
            "wherever it lies. One that was inlined shows in its callers."
        ),
    ),
    (
        "what else differed",
        (
            "Everything beside the numbers that was not alike on both sides. It may be the cause, "
            "or the reason to doubt the comparison."
        ),
    ),
    ("stable facts", "Facts of the host that must agree, or nothing is compared."),
    ("epoch facts", "Facts of the host that open a new epoch of the baseline when they change."),
)

VERDICTS: tuple[tuple[str, str], ...] = (
    ("regressed", "A loss above the negligible one is proven. Closes the gate."),
    ("broken", "A trial failed, or its number is not a measurement. Closes the gate."),
    ("missing", "Accepted earlier, not measured now. Closes the gate."),
    (
        "incomparable",
        "Host, tool, profile or unit differ, or the host moved. Closes the gate.",
    ),
    ("inconclusive", "Neither a loss nor its absence is proven. Closes the gate."),
    ("new", "No baseline to compare with. Closes the gate unless it is let through once."),
    ("waived", "Regressed, and somebody accepted that for a while. Leaves the gate open."),
    ("improved", "Better than every plausible accepted value. Leaves the gate open."),
    ("passed", "A loss as large as the tolerance is ruled out. Leaves the gate open."),
)
