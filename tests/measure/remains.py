"""What an interrupted gate leaves behind, and how a test looks at it."""

from __future__ import annotations

import json
import re
import shutil

from gate.formats.session.session_file import read_session
from gate.model import Stage
from gate.model.plan import block_of, pairs_in

RESUME = re.compile(r"and: gate ((?:check|run) .*--resume.*?)\.?$", re.MULTILINE)
"""The command that a stopped gate names to go on."""


def copy_of(template, target):
    """The project of a template, in a place of its own."""
    shutil.copytree(template.root, target)
    return type(template)(target, template.name)


def is_litter(name):
    """Whether a file is one that only a running gate may have."""
    return "trial-" in name or name.rpartition("/")[2].startswith(".")


def sessions_of(root):
    """Every session of a check, by path."""
    return {
        path.relative_to(root): read_session(path) for path in sorted(root.glob("out/p/*.json"))
    }


def report_of(root):
    """The report of a check, or None."""
    path = root / "out/report.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def verdicts_of(root):
    """What a check said, without the numbers of its random pairs."""
    report = report_of(root)
    if report is None:
        return None
    findings = [(f["benchmark"], f["metric"], f["verdict"]) for f in report["findings"]]
    return report["gate"], report["verdict"], report["exit_status"], sorted(findings)


def blocks_of(root):
    """Slot, side and pair of the trials of each block, by benchmark and block, in slot order."""
    found = {}
    for session in sessions_of(root).values():
        for trial in session.trials:
            if trial.stage is Stage.CONFIRM:
                key = trial.benchmark, block_of(trial.pair)
                found.setdefault(key, []).append((trial.slot, session.side, trial.pair))
    return {key: sorted(rows) for key, rows in found.items()}


def complete(found):
    """Of these blocks the ones of which every trial was taken."""
    return {key: rows for key, rows in found.items() if len(rows) == 2 * len(pairs_in(key[1]))}
