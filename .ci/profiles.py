"""Runs every shipped profile in its small size with the real programs, and prints what came out.

    profiles.py [PROFILE...]      default: all; sessions go to reports/profiles/

A table of benchmark, main metric, median and scatter of its trials, CPU time of the whole machine
for each operation, and what one trial takes with its preparation. Fails if any trial failed, or a
session is not complete or was disturbed. What a hypervisor takes sets no trial aside here: that
the programs run and are read is what this shows, and no figure of it is judged.
"""

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from gate.formats.session.session_file import read_session
from gate.model import Metric, Planned, Role, Session, State, Trial, TrialStatus
from gate.units import percent, show, show_duration

OUT = Path("reports/profiles")
STORE = OUT / "baselines"
"""Holds nothing but the limits of this host."""
DISTURBED = 5
"""What `gate run` says if a session was disturbed."""
GATE = (sys.executable, "-m", "gate")
FAILED = 4
"""What `gate run` says if a trial failed."""
BOOTED = frozenset({"kernel-instructions"})
"""Profiles whose sides are kernels."""
KERNELS = Path(".tools/kernel").absolute()
REPEATS = 2
"""How often a profile that failed is measured again, and told."""
ROW = "{:<44} {:<14} {:>15} {:>8} {:>12} {:>9}"


def measure(names: list[str]) -> int:
    """One command for all, so that what several profiles prepare is prepared once.

    What boots a kernel is given those that the tests boot.
    """
    plain = [name for name in names if name not in BOOTED]
    booted = [name for name in names if name in BOOTED]
    sides = ("--base", f"{KERNELS}/debian", "--head", f"{KERNELS}/shared")
    statuses = [run(*some, *more) for some, more in ((plain, ()), (booted, sides)) if some]
    return next(filter(None, statuses), 0)


def run(*words: str) -> int:
    """One `gate run` in the small size."""
    command = ("run", *words, "--size", "small", "--baseline", str(STORE), "--out", str(OUT))
    return subprocess.run((*GATE, *command, "--quiet"), check=False).returncode


def bear_steal() -> None:
    """Enroll this host with a limit of its own: all of the processors' time may be taken."""
    shutil.rmtree(STORE, ignore_errors=True)
    subprocess.run((*GATE, "host", "enroll", "--baseline", str(STORE)), check=True)
    (host,) = STORE.glob("*/host.toml")
    text = host.read_text(encoding="utf-8")
    host.write_text(text.replace('# steal = "5%"', 'steal = "100%"', 1), encoding="utf-8")


def taken() -> list[Session]:
    """The sessions measured, in the order of their profiles."""
    return [read_session(path) for path in sorted(OUT.glob("*.json"))]


def failures(session: Session) -> list[Trial]:
    """Its trials that gave no values."""
    bad = (TrialStatus.FAILED, TrialStatus.TIMEOUT)
    return [trial for trial in session.trials if trial.status in bad]


def flaws(session: Session) -> list[str]:
    """Why a whole session is no good, whatever its trials say."""
    partial = [] if session.state is State.COMPLETE else ["it is not complete"]
    given = {trial.benchmark for trial in session.trials if trial.status is TrialStatus.OK}
    empty = [one.benchmark for one in session.planned if one.benchmark not in given]
    return [*partial, *session.disturbances, *(f"no trial of {one} counts" for one in empty)]


def values_of(session: Session, planned: Planned, name: str) -> list[float]:
    """One value for each trial that gave one."""
    return [
        value.value
        for trial in session.trials
        if trial.benchmark == planned.benchmark and trial.status is TrialStatus.OK
        for value in trial.values
        if value.metric == name
    ]


def main_metric(session: Session, planned: Planned) -> Metric | None:
    """The first metric of the profile that may close the gate for this benchmark."""
    fit = (m for m in session.metrics if (m.derived.over if m.derived else "") == planned.group)
    return next((metric for metric in fit if metric.role is Role.GATE), None)


def row(session: Session, planned: Planned) -> str:
    """One line of the table."""
    metric = main_metric(session, planned)
    values = values_of(session, planned, metric.name) if metric else []
    cost = values_of(session, planned, "cpu_per_io") + values_of(session, planned, "cpu_per_op")
    took = [t.duration for t in session.trials if t.benchmark == planned.benchmark]
    scatter = statistics.stdev(values) / statistics.fmean(values) if len(values) > 1 else None
    return ROW.format(
        planned.benchmark,
        metric.name if metric else "-",
        show(statistics.median(values), metric.unit) if values and metric else "-",
        percent(scatter, signed=False) if scatter is not None else "-",
        show(statistics.median(cost), "s") if cost else "-",
        "-" if planned.group or not took else f"{statistics.median(took):.1f} s",
    )


def measure_all(names: list[str]) -> int:
    """Measure, and what failed a few times more; gives the last exit status of `gate run`."""
    for old in OUT.glob("*.json"):
        old.unlink()
    bear_steal()
    status = measure(names)
    for _ in range(REPEATS):
        # A machine that others use for a moment has no CPU cost to tell.
        again = [one for one in taken() if failures(one) or flaws(one)]
        if not again or status not in {0, FAILED, DISTURBED}:
            break
        for one in again:
            for why in (*(f"{t.benchmark}: {t.note}" for t in failures(one)), *flaws(one)):
                print(f"measured once more: {one.profile}: {why}")
            (OUT / f"{one.profile}-001.json").unlink()
        status = measure([one.profile for one in again])
    return status


def main(names: list[str]) -> int:
    """The exit status of `gate run`, or 1 where it said 0 and something is lacking."""
    started = time.monotonic()
    wanted = names or [path.stem for path in sorted(Path("profiles").glob("*.toml"))]
    status = measure_all(wanted)
    sessions = taken()
    print(ROW.format("benchmark", "metric", "median", "CV", "CPU per op", "trial"))
    for session in sessions:
        for planned in session.planned:
            print(row(session, planned))
    lacking = sorted(set(wanted) - {session.profile for session in sessions})
    failed = [trial for session in sessions for trial in failures(session)]
    for trial in failed:
        print(f"failed: {trial.benchmark}: {trial.note}")
    flawed = [(one.profile, why) for one in sessions for why in flaws(one)]
    for name, why in flawed:
        print(f"no good: {name}: {why}")
    for name in lacking:
        print(f"not measured: {name}")
    print(f"{len(sessions)} profiles in {show_duration(time.monotonic() - started)}")
    return status or int(bool(lacking or failed or flawed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
