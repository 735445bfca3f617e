"""Every code the gate prints: a title, what it means, what to do. `gate explain CODE` shows it."""

from __future__ import annotations

from gate.codes_calibration import CALIBRATION
from gate.codes_page import Page
from gate.codes_summary import SUMMARY

_FINDINGS = {
    "G001": Page(
        "passed by the screen",
        "The loss is so small that a true loss of the tolerance would look like this with "
        "probability below 1 %. Nothing further was measured.",
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
    "G010": Page(
        "new: no baseline",
        "No accepted session of this host class holds this benchmark and metric, so there is "
        "nothing to compare with. That is not a pass.",
        "Take sessions with `gate run PROFILE` on an unchanged tree (5 at least, 10 wanted, on "
        "different days), then `gate baseline accept SESSION... --reason ...`; or let new "
        "benchmarks through once with `--allow new`.",
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
        "The metric varies too much to be judged at the tolerance asked for. Raising that to what "
        'the noise can prove is forbidden by `loud = "refuse"`, or takes more than ten times the '
        "tolerance asked for.",
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
    "G027": Page(
        "inconclusive: too few samples beyond a percentile",
        "Fewer than 10 samples of a trial lie beyond the percentile, or nobody knows how many the "
        "trial had. Such a number tells of single hiccups, not of the change.",
        'Let each trial run longer, judge a lower percentile, or give the metric `role = "watch"`.',
    ),
    "G030": Page(
        "incomparable: another host class",
        "The session was measured on another kind of machine than the baseline.",
        "Run the check on a host of the baseline's class, or accept a baseline for this class.",
    ),
    "G031": Page(
        "incomparable: the host's stable facts differ",
        "The host claims the baseline's class, but a fact that must agree does not.",
        "Use another host class name for this machine, or accept a baseline on it.",
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
        "A control benchmark, which the change cannot reach, moved. The machine is not what it "
        "was, so nothing measured beside it may be judged.",
        "Look for other load, throttling or an update; then run the check again.",
    ),
    "G036": Page(
        "incomparable: the sitting was disturbed",
        "Something happened while measuring that makes the values meaningless.",
        "Run the check again.",
    ),
    "G037": Page(
        "incomparable: base and head were not measured alike",
        "The confirming sessions differ in host, boot, profile or order of pairs.",
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
        "a stuck counter or an old result file.",
        "Check that the benchmark really measures.",
    ),
    "G053": Page(
        "broken: trials are lacking",
        "The session holds fewer trials of this benchmark than were planned.",
        "Finish it with `gate run --resume SESSION`, or measure again.",
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

_ERRORS = {
    "G200": Page("usage", "An option or argument is wrong.", "See `gate COMMAND --help`."),
    "G201": Page(
        "file not readable",
        "The file does not exist, is not a regular file, or may not be read.",
        "Check the path and its permissions.",
    ),
    "G202": Page(
        "file too large",
        "Files are capped so that a hostile one cannot exhaust the machine.",
        "Hand in a session or export of a sane size.",
    ),
    "G203": Page("not UTF-8 text", "The file holds binary data.", "Hand in the right file."),
    "G204": Page("malformed TOML", "The file is not TOML.", "Mend the line named."),
    "G205": Page("malformed JSON", "The file is not JSON.", "Write the file anew."),
    "G206": Page(
        "unknown or wrong key",
        "A key is not known, is missing, or its value is of the wrong type or out of range.",
        "The message says what is allowed; `gate schema` prints the whole format.",
    ),
    "G207": Page(
        "another schema number",
        "The file was written by a version of the gate with another file format.",
        "Use the version that wrote it, or write the file anew.",
    ),
    "G208": Page(
        "not writable",
        "A file or directory could not be written. What was there before is unchanged.",
        "Check permissions and free space, or choose another directory.",
    ),
    "G210": Page(
        "profile says too little or contradicts itself",
        "The profile lacks what its harness needs, or its settings exclude each other.",
        "The message names the key and what is needed.",
    ),
    "G211": Page(
        "no such profile",
        "No file of that name stands in the profiles directory.",
        "`gate check` without names takes all profiles.",
    ),
    "G220": Page(
        "session not accepted",
        "Only a complete, undisturbed session of the right host class whose trials all succeeded "
        "may become a baseline, and only with a reason.",
        "The message says which condition failed.",
    ),
    "G221": Page(
        "resume not possible",
        "The session belongs to another profile text, host or boot.",
        "Start a new session; the partial one stays as it is.",
    ),
    "G222": Page(
        "directory in use or not empty",
        "The output directory holds another run's results.",
        "Name another directory with `--out`, or continue that run with `--resume`.",
    ),
    "G230": Page("program missing", "A harness is not installed.", "Install it: `make setup`."),
    "G231": Page(
        "program of an unsupported version",
        "The harness is too old or too new for what the gate knows of its output.",
        "Install a version in the range named.",
    ),
    "G232": Page(
        "unsafe fio job",
        "The job could write or read outside the work directory, or destroy a device.",
        "Use plain file names; the gate runs fio inside the work directory.",
    ),
    "G233": Page(
        "unknown name in braces",
        "A `{name}` in the command is neither `{side}` nor a key of the matrix.",
        "Use one of the names listed; write `{{` for a plain brace.",
    ),
    "G234": Page(
        "no directory for the side",
        "The command uses `{side}`, and no directory is known for the side to be measured.",
        "Declare `[side.head]` in the profile, or pass `--head DIR`.",
    ),
    "G235": Page(
        "export not understood",
        "The file is no JSON export of fio, hyperfine or pytest-benchmark, or only part of one.",
        "Write it again with the tool's JSON option.",
    ),
    "G236": Page(
        "export of a failed run",
        "The export records a failure: an error number, or an exit status that is not zero.",
        "Mend the run; numbers of a failed run are not measurements.",
    ),
    "G237": Page(
        "sides without effect",
        "Base and head were named, but the profile uses neither: both would run the same thing, "
        "and a slow head would pass.",
        "Use `{side}` in the command, `${GATE_SIDE_DIR}` in a fio job, or environments.",
    ),
    "G240": Page(
        "the host is busy measuring",
        "Another gate process measures on this host.",
        "Wait for it to end: two measurements at once disturb each other.",
    ),
    "G247": Page(
        "malformed recording",
        "A recording is gzip CSV of series, better, session, trial, value; one line is not that.",
        "Mend the line named. Values are finite and above 0, and no trial stands twice.",
    ),
    "G280": Page(
        "nothing to compare",
        "No profile, no benchmark or no gate metric was there to judge.",
        "Check the names and the filter; an empty comparison never opens the gate.",
    ),
    "G290": Page(
        "interrupted",
        "The run was stopped by a signal; everything measured so far is kept.",
        "Continue with `--resume`.",
    ),
    "G299": Page(
        "internal error",
        "The gate itself failed. That is our fault, and never opens the gate.",
        "Report it with the text printed; `GATE_TRACEBACK=1` shows where it happened.",
    ),
}

PAGES: dict[str, Page] = {**_FINDINGS, **SUMMARY, **_ERRORS, **CALIBRATION}
