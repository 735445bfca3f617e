"""The codes of findings: what a verdict rests on."""

from __future__ import annotations

from gate.codes.page import Page

FINDINGS = {
    "G001": Page(
        "passed by the screen",
        "The loss is so small that a true loss of the tolerance would hardly ever look like this: "
        "with probability of about half of beta at most. Nothing further was measured.",
        "Nothing to do.",
    ),
    "G002": Page(
        "passed by confirmation",
        "The screen could not clear the metric; base and head were then run in pairs, in random "
        "order, and a loss as large as the tolerance was ruled out (error bound beta).",
        "Nothing to do. A metric that often needs confirming wants a quieter benchmark.",
    ),
    "G003": Page(
        "improved",
        "The head side is better than every plausible value of the accepted sessions.",
        "Check that the workload still does its work; then keep the gain with "
        "`gate baseline accept SESSION --reason ...`, or it can be lost again unnoticed.",
    ),
    "G004": Page(
        "waived",
        "A regression was proven, and a waiver in the baselines covers it: same benchmark and "
        "metric, below its ceiling, before its last day.",
        "Remove the waiver when its issue is closed.",
    ),
    "G005": Page(
        "passed: the curve changed its shape because its start improved",
        "A scaling or knee became worse only because the first point of the curve became better; "
        "the last point, on its own, lost nothing (for a knee: no point did). The first point is "
        "proven better, and of a scaling by enough to explain all of its loss.",
        "Nothing to do. Accept the new level, so that the shape is judged against it from now on.",
    ),
    "G010": Page(
        "new: no baseline",
        "No accepted session of this host class holds this benchmark and metric, so there is "
        "nothing to compare with. That is not a pass.",
        "Take sessions with `gate run PROFILE` on an unchanged tree (5 at least, 10 wanted, on "
        "different days), then `gate baseline accept SESSION... --reason ...`; or let new "
        "benchmarks through once with `--allow new`.",
    ),
    "G011": Page(
        "new: the host is not what it was",
        "An epoch fact of the host (kernel, microcode, mitigation, I/O scheduler, governor) is not "
        "that of the newest accepted session, so what was accepted says nothing of the change. "
        'host.toml says `epoch = "new-baseline"`: the benchmarks count as new. That is not a pass, '
        "and no pair was spent on it.",
        "Accept sessions of the unchanged subject on the host as it is now: they open a new epoch. "
        "`gate host diff` shows what moved; `--allow new` lets it through once.",
    ),
    "G020": Page(
        "inconclusive: pairs spent",
        "The pairs that may be spent were spent, and neither a regression nor its absence is "
        "proven.",
        "Run it again on a quieter host, raise `trials.confirm_pairs`, or widen the tolerance of "
        "this metric to what its noise can bear.",
    ),
    "G021": Page(
        "inconclusive: flagged and not confirmed",
        "The screen flagged the metric, and the sessions handed in hold no confirmation of it.",
        "Run `gate check` on the host: it confirms what it flags. From files, hand in the "
        "confirming sessions with further `--session` options.",
    ),
    "G022": Page(
        "inconclusive: too few accepted sessions",
        "With fewer than 5 accepted sessions in the current epoch the noise between sessions is a "
        "guess, and the base side cannot be run to do without it.",
        "Accept more sessions of the unchanged subject, or give the profile both sides.",
    ),
    "G023": Page(
        "inconclusive: slid since the anchor",
        "Step by step nothing moved much, but since the first sessions of this epoch the metric "
        "has lost more than its tolerance.",
        "Find the steps (`gate baseline show`), or accept the level with a reason: that opens a "
        "new epoch.",
    ),
    "G024": Page(
        "inconclusive: too loud for its tolerance",
        "The metric varies too much, or its resolution (the median of its trials') is too coarse, "
        "to be judged at the tolerance asked for. Raising that to what can be proven is "
        'forbidden by `loud = "refuse"`, or takes more than ten times the tolerance asked for.',
        "Give the profile both sides, accept more sessions, quieten the benchmark, or raise the "
        "tolerance to the one printed.",
    ),
    "G025": Page(
        "inconclusive: flag not borne out, not cleared",
        "The further head sessions do not prove a loss, and all of them together still look slower "
        "than may pass.",
        "Give the profile both sides, so that pairs can decide, or accept more sessions.",
    ),
    "G026": Page(
        "inconclusive: a single trial",
        "One value shows no noise of its own, so nothing may rest on it.",
        "Give `trials.screen` in the profile at least 2 (3 is the default) and measure again.",
    ),
    "G043": Page(
        "inconclusive: the workload did not run the change",
        "Functions differ between the kernels or modules of base and head, and the trials executed "
        "none of them, or nobody knows whether they did. The figures are right and say nothing of "
        'the change. The profile wants it to close: `untouched = "close"` in its subject or guest.',
        "Judge the change by a workload that runs what it changed; the report names the functions.",
    ),
    "G027": Page(
        "inconclusive: too few samples beyond a percentile",
        "Fewer than 10 samples of a trial lie beyond the percentile, or nobody knows how many the "
        "trial had. Such a number tells of single hiccups, not of the change.",
        'Let each trial run longer, judge a lower percentile, or give the metric `role = "watch"`.',
    ),
    "G042": Page(
        "inconclusive: the head disturbs itself",
        "The pairs that count would clear the metric, but more of the head's trials than of the "
        "base's were set aside, for what a workload can cause itself: waiting for memory, "
        "throttling, a fault in the kernel's log, the work of other processes. If those were its "
        "slow trials, only its fast ones were compared. Told where an exact sign test finds the "
        "sides uneven at 1 %, or with three of the head and none of the base. A proven loss "
        "stays.",
        "The session says what disturbed each trial. Give the workload the memory that it needs, "
        "or find out why the change needs more. What it does on purpose belongs into the profile, "
        "as `companions` or `expects`: such trials count.",
    ),
    "G030": Page(
        "incomparable: another host class",
        "The session was measured on another kind of machine than the baseline.",
        "Run the check on a host of the baseline's class, or accept a baseline for this class.",
    ),
    "G031": Page(
        "incomparable: the host's stable facts differ",
        "The host claims the baseline's class, but a fact that must agree does not.",
        "Use another host class name for this machine (`gate host enroll --host-class NAME`), and "
        "accept a baseline on it; or put the fact back. `gate host diff` shows every one.",
    ),
    "G032": Page(
        "incomparable: the profile runs something else now",
        "What the profile runs (command, job, matrix, warm-up) was changed since the baseline was "
        "accepted. Tolerances are not part of this.",
        "Accept a baseline of the new profile with a reason; the old one stays in the history.",
    ),
    "G033": Page(
        "incomparable: unit or direction differ",
        "Session and baseline give this metric in another unit or with another better direction.",
        "Accept a baseline made with this version of the profile and harness.",
    ),
    "G034": Page(
        "incomparable: another major version of the tool",
        "The harness was upgraded across a major version since the baseline.",
        "Accept a baseline taken with the new version.",
    ),
    "G035": Page(
        "incomparable: the host moved",
        "A control, which the change cannot reach, moved. The machine is not what it was, so "
        "nothing measured beside it may be judged, however proven a loss looks. There are three "
        "kinds. The built-in cpu-spin and memory-copy run in every session while no trial does; "
        "they moved by more than 3 % and by more than six standard errors of the accepted "
        "sessions. A benchmark listed under `control` speaks for its profile. A profile with "
        "`control = true` speaks for everything measured on its host for the same report.",
        "Look for other load, throttling or an update; then run the check again. If the machine "
        "is to stay as it is now, accept sessions taken on it: the built-in controls are compared "
        "with the ten newest.",
    ),
    "G036": Page(
        "incomparable: the sitting was disturbed",
        "Something happened while measuring that makes the values meaningless. Every trial is "
        "watched: processor time and block I/O of other processes, time taken by the hypervisor, "
        "waiting for memory, throttling, faults in the kernel's log, suspension. A disturbed trial "
        "is set aside and taken again; where more are than the limit allows (`set_aside` of "
        "`[limits]` in host.toml), nothing is judged, and the message says what disturbed them.",
        "Find out who works on the machine, and run the check again when it is quiet. What the "
        "workload does by itself belongs into the profile, as `companions` or `expects`.",
    ),
    "G037": Page(
        "incomparable: base and head were not measured alike",
        "The sessions of one check differ in host, in a fact of it, in boot, profile or order of "
        "pairs.",
        "Run the check again, in one sitting on one host.",
    ),
    "G038": Page(
        "incomparable: judged against itself",
        "The session was accepted into the very baseline that it would be compared with, so the "
        "comparison could only agree.",
        "Measure a fresh session; the accepted level is the baseline now.",
    ),
    "G039": Page(
        "incomparable: the host is not as steady as it was",
        "Over most of the profile, trials scatter several times as much as in the accepted "
        "sessions: the machine is busy, throttled or failing, and every number is in doubt.",
        "Look for other load, throttling or a failing part; then run the check again. If it is "
        "the change that makes everything scatter, that is worth a look of its own.",
    ),
    "G040": Page(
        "missing: in the baseline, not in the session",
        "A benchmark or metric that was accepted was not measured: renamed, removed, skipped, or "
        "the matrix shrank.",
        "If that is intended, accept a session of the new profile with a reason; otherwise find "
        "out why it did not run.",
    ),
    "G041": Page(
        "incomparable: the host moved since the baseline",
        "An epoch fact of the host (kernel, microcode, mitigation, I/O scheduler, governor) is not "
        "that of the newest accepted session. It moves every number, so what was accepted says "
        "nothing of the change. No pair was spent on it.",
        "Put the fact back, or accept sessions of the unchanged subject on the host as it is now: "
        'that opens a new epoch. `gate host diff` shows what moved; `epoch = "new-baseline"` in '
        "host.toml calls the benchmarks new instead.",
    ),
    "G050": Page(
        "broken: a trial failed",
        "The harness failed, timed out or gave no usable number.",
        "The reason stands with the finding; run that benchmark by hand.",
    ),
    "G051": Page(
        "broken: not a positive finite number",
        "A value is zero, negative or not finite, so no ratio can be formed of it.",
        "Make the workload long enough to be measured, and check what the tool prints.",
    ),
    "G052": Page(
        "broken: every value is the same",
        "All trials gave one and the same number where real measurements differ: a canned value, "
        "a stuck counter or an old result file. Two trials may agree by chance: pairs tell then.",
        "Check that the benchmark really measures.",
    ),
    "G053": Page(
        "broken: trials are lacking",
        "The session holds fewer trials of this benchmark than were planned.",
        "Finish it with `gate run --resume SESSION`, or measure again.",
    ),
    "G054": Page(
        "not available on this host",
        "The host cannot give this metric: perf counts no cycles, or RAPL cannot be read. A "
        "watched metric is told so and closes nothing; for one that may close the gate it is "
        "broken.",
        'Measure on a host that has it, or let the metric be watched: `role = "watch"`.',
    ),
    "G060": Page(
        "regressed: proven by pairs",
        "Base and head were run in random-order pairs on this host, and a loss above the "
        "negligible one is proven: an unchanged suite gives any such verdict with probability at "
        "most alpha.",
        "Find the cause, or, if the loss is intended, accept the head session with a reason.",
    ),
    "G061": Page(
        "regressed: proven by strikes",
        "Fresh head sessions rank so far beyond the accepted ones that luck would not do it, and "
        "the loss is near the tolerance or above. This is exact only if the host is as it was when "
        "the baseline was taken.",
        "Find the cause; where possible give the profile both sides, which proves more.",
    ),
}
