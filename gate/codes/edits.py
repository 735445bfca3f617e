"""The codes of trust: edits of what the gate judges by, and what a merge base or a shard lacks."""

from __future__ import annotations

from gate.codes.page import Page

_NOT_IN_FORCE = (
    "The gate judges by what stands at the merge base, so this edit changes nothing of the verdict "
    "of this change; it counts from the next one on, once it is merged."
)

EDITS = {
    "G044": Page(
        "missing: not measured",
        "A profile of the merge base, a part of a check that is spread over several machines, or "
        "the rest of a check that ended early sent no session. What was not measured has not "
        "passed: the profile was removed, left out or renamed, a machine did not answer, or the "
        "job was cancelled.",
        "Bring back what was taken away, or start the job that measures it again.",
    ),
    "G045": Page(
        "incomparable: a waiver that is not needed any more",
        "The benchmark passes without its waiver: sessions accepted for 30 days or more since the "
        "waiver's first day show the same, or the waiver ended more than 30 days ago. A waiver "
        "that nobody needs would let the next regression of this row in.",
        "Remove the waiver from waivers.toml.",
    ),
    "G070": Page(
        "edit: a tolerance",
        f"The change edits the tolerance of a metric. {_NOT_IN_FORCE}",
        "Ask why so much may be lost before you approve it.",
    ),
    "G071": Page(
        "edit: a negligible loss or a floor",
        f"The change edits below which loss a metric never closes the gate. {_NOT_IN_FORCE}",
        "Ask whether nobody should be blocked for a loss of that size.",
    ),
    "G072": Page(
        "edit: the role of a metric",
        "The change makes a metric that may close the gate one that is only watched, or the other "
        f"way round. {_NOT_IN_FORCE}",
        "Ask what guards this quantity from now on.",
    ),
    "G073": Page(
        "edit: a metric",
        "The change removes or adds a metric, or gives it another unit, direction or making. "
        f"{_NOT_IN_FORCE}",
        "Ask what guards this quantity from now on.",
    ),
    "G074": Page(
        "edit: a benchmark",
        "The change removes or adds a benchmark, or makes it another one, such as a control. One "
        f"that was removed and not measured is missing, which closes the gate. {_NOT_IN_FORCE}",
        "If it is meant to go, merge that by itself, with its baseline.",
    ),
    "G075": Page(
        "edit: a profile",
        "The change removes or adds a whole profile. One that was removed and not measured is "
        f"missing, which closes the gate. {_NOT_IN_FORCE}",
        "If it is meant to go, merge that by itself, with its baseline.",
    ),
    "G076": Page(
        "edit: what a profile runs",
        "The change edits the command, job, script, parameters or the like. What runs something "
        f"else cannot be compared with what was accepted. {_NOT_IN_FORCE}",
        "Ask whether it still measures the same thing; accept a baseline of it with a reason.",
    ),
    "G077": Page(
        "edit: how a profile is measured",
        "The change edits numbers of trials or pairs, the time limit, what may disturb, what "
        f"happens to loud metrics, or the sides. {_NOT_IN_FORCE}",
        "Ask whether the benchmark is still measured well enough.",
    ),
    "G078": Page(
        "edit: a baseline",
        f"The change edits accepted sessions: it brings a baseline of its own. {_NOT_IN_FORCE}",
        "Merge a new baseline by itself, measured on an unchanged tree or accepted with a reason.",
    ),
    "G079": Page(
        "edit: a waiver",
        f"The change adds, removes or edits a waiver. {_NOT_IN_FORCE}",
        "Merge the waiver first, by review; then this change can use it.",
    ),
    "G080": Page(
        "edit: what a host must be",
        "The change edits host.toml: limits of disturbance, epoch policy, tuning or facts. "
        f"{_NOT_IN_FORCE}",
        "Ask whether the machine really changed.",
    ),
    "G081": Page(
        "edit: a calibration",
        "The change edits the record of how often the gate was right. Rounds are only ever "
        f"appended, by `gate calibrate`. {_NOT_IN_FORCE}",
        "Restore rounds that were removed or edited.",
    ),
    "G082": Page(
        "edit: a file that the gate stands on",
        "The change edits a workflow that may run the gate, the owners who review it, or makes a "
        "file of the gate one that cannot be read. A workflow of the tree judged may run in its "
        "own text: this is how a gate is taken out.",
        "Read that file with care before you approve the change.",
    ),
    "G239": Page(
        "no merge base",
        "Profiles and baselines are to be read at the merge base, and git finds none: there is no "
        "repository, it does not know the revision, or the clone is too shallow to show a common "
        "ancestor.",
        "Check out with the whole history (`fetch-depth: 0`) and name a branch or commit that is "
        "there.",
    ),
    "G241": Page(
        "tree not read",
        "The profiles or baselines of a revision are larger than 20,000 files, 256 MiB or 64 MiB "
        "a file, or are links or the like where plain files belong.",
        "Keep plain and small files there.",
    ),
    "G242": Page(
        "profiles and baselines are not of one repository",
        "Both are read at one merge base, so they must stand in the same repository.",
        "Name directories of the repository that is judged with --profiles and --baseline.",
    ),
    "G243": Page(
        "the parts of a check do not fit together",
        "A check that is spread over several machines is judged from all of its parts: each once, "
        "of the same number of parts, measured by the same version of the gate on machines of one "
        "host class, no profile twice. With --proposed, the head side must be of that commit and "
        "the base side of the merge base.",
        "Hand in the files of one and the same check.",
    ),
}
