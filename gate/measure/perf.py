"""perf, where it is installed and works: counters around a run, and stacks of all processors.

It is the system's own perf and never one of the project's, it writes into the trial's scratch
directory alone, and nothing of it is needed: where it is absent or refused, that is said.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.harness.base import Command
from gate.measure.process.process import kill_group, run_process, start, wait_for_end
from gate.model.diagnosis import DEEPEST, OTHERS, UNKNOWN, Folded
from gate.scratch import scratch_directory

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gate.measure.process.stop import Stop
    from gate.model.diagnosis import ExtraRun

_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ENVIRONMENT = {"PATH": _PATH, "LC_ALL": "C", "HOME": "/nonexistent", "DEBUGINFOD_URLS": ""}
_COUNTED = ("cycles", "instructions", "cache-misses", "branch-misses", "cpu-migrations")
_MODES = (("cycles", ("-a",)), ("cpu-clock", ("-a",)), ("cpu-clock", ()), ("cpu-clock:u", ()))
"""From all processors to the benchmark's own processes in user space: fewer rights tell less."""
_FASTEST, _SLOWEST = 997, 49
"""Samples of a processor in a second; neither keeps step with a clock of ours."""
_MOST_SAMPLES = 60_000
_PROBE, _READING = 20.0, 120.0
"""Seconds that a probe may take, and reading the samples."""
_FRAME = re.compile(r"\s+[0-9a-f]+ (.*)")
_IDLE, _KERNEL_THREAD = "swapper", "ret_from_fork"
_AT_WORK = re.compile(r"irq|softirq|sysvec")
"""What an idle processor was interrupted by: that is work, and all else of it is rest."""
NEEDED = (
    "Install it (Debian: apt install linux-perf; Ubuntu: linux-tools-generic; Fedora: perf) to see "
    "where the CPU time went."
)
DENIED = "Run as root, or set kernel.perf_event_paranoid to -1, to see where the CPU time went."


@dataclass(frozen=True, slots=True, kw_only=True)
class Perf:
    """A perf that works, and what it can do here."""

    program: str
    counts: bool
    """Whether it counts all processors."""
    event: str
    """What it samples by; empty where it can not."""
    options: tuple[str, ...] = ()

    def counting(self, command: Command, file: Path) -> Command:
        """The command with its counters written to a file."""
        events = ",".join(_COUNTED)
        return self._around(command, "stat", "-a", "-x", ";", "-e", events, "-o", str(file))

    def sampling(self, command: Command, file: Path, rate: int) -> Command:
        """The command with stacks of all that ran meanwhile in a file."""
        options = (*self.options, "-g", "-F", str(rate), "-e", self.event, "-o", str(file))
        return self._around(command, "record", "-q", "--no-buildid-cache", *options)

    def _around(self, command: Command, *words: str) -> Command:
        return replace(command, argv=(self.program, *words, "--", *command.argv))


def rate_for(seconds: float) -> int:
    """How often to look in a run that takes about so long, so that samples are enough and few."""
    most = _MOST_SAMPLES / max(seconds, 0.01) / (os.cpu_count() or 1)
    return int(min(_FASTEST, max(_SLOWEST, most)))


def find_perf(stop: Stop, directory: Path) -> tuple[Perf | None, str]:
    """The perf of this machine, tried out, or why there is none and what to do."""
    found = [Path(place).glob("perf_[0-9]*") for place in _PATH.split(":")]
    programs = [name for paths in found for name in sorted(map(str, paths), reverse=True)]
    if plain := shutil.which("perf", path=_PATH):
        programs.insert(0, plain)
    if not programs:
        return None, f"perf is not installed. {NEEDED}"
    said = ""
    for program in programs:
        with scratch_directory("any", directory) as scratch:
            perf, said = _try_out(program, stop, Path(scratch))
        if perf is not None:
            return perf, "" if perf.event else f"perf does not sample here: {said} {DENIED}"
    return None, f"perf does not work here: {said} {DENIED}"


def _try_out(program: str, stop: Stop, scratch: Path) -> tuple[Perf | None, str]:
    nothing = _command(("true",), scratch)
    perf = Perf(program=program, counts=True, event="")
    counts, said = _works(perf.counting(nothing, scratch / "stat"), stop)
    for event, options in _MODES:
        one = replace(perf, counts=counts, event=event, options=options)
        works, said = _works(one.sampling(nothing, scratch / "data", _FASTEST), stop)
        if works:
            return replace(one, event=_event(one, scratch / "data", stop) or event), ""
    return (replace(perf, counts=True) if counts else None), said


def _command(argv: tuple[str, ...], directory: Path, timeout: float = _PROBE) -> Command:
    return Command(argv=argv, directory=directory, environment=_ENVIRONMENT, timeout=timeout)


def _works(command: Command, stop: Stop) -> tuple[bool, str]:
    """Whether it ends well, and the first thing that it said where not."""
    try:
        outcome = run_process(command, stop)
    except OSError as error:
        return False, f"{error.strerror}."
    said = next((line.strip() for line in outcome.errors.splitlines() if line.strip()), "")
    return outcome.status == 0, said[:200] or f"it ended with status {outcome.status}."


def _event(perf: Perf, file: Path, stop: Stop) -> str:
    """What perf really samples by: it takes the clock where there are no cycles."""
    question = _command((perf.program, "evlist", "-i", str(file)), file.parent)
    said = run_process(question, stop).output.split()
    return said[0] if said and re.fullmatch(r"[A-Za-z0-9_:/=-]{1,40}", said[0]) else ""


def counted_in(file: Path) -> dict[str, float]:
    """What perf counted, as counters of ours; what this machine does not count is left out."""
    try:
        lines = file.read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    counts = {}
    for line in lines:
        value, _, name, *_ = [*line.split(";"), "", "", ""]
        if value.isdecimal() and float(value) and name in _COUNTED:
            counts[f"perf: {name}"] = float(value)
    return counts


def fold(
    perf: Perf, file: Path, rate: int, taken: ExtraRun, before: frozenset[str], stop: Stop
) -> Folded:
    """The samples of a file by stack; `before` are the processes that ran before the benchmark.

    `OSError` where perf cannot be started, or does not read them in time.
    """
    words = ("script", "-i", str(file), "--no-inline", "-F", "comm,pid,ip,sym")
    command = _command((perf.program, *words), file.parent, _READING)
    with tempfile.TemporaryFile(dir=file.parent) as output, tempfile.TemporaryFile() as errors:
        child = start(command, os.urandom(8).hex(), output, errors)
        try:
            with stop.interruptible():
                in_time = wait_for_end(child, command.timeout)
        finally:
            kill_group(child)
        if not in_time or child.returncode:
            raise OSError(0, f"perf script ended with status {child.returncode}")
        output.seek(0)
        stacks = folded_stacks((line.decode("utf-8", "replace") for line in output), before)
    return Folded(event=perf.event, every=1.0 / rate, run=taken, stacks=stacks)


def join_runs(one: Folded, other: Folded) -> Folded:
    """Two runs of one side, sampled equally often, as if they were one."""
    stacks = dict(Counter(one.stacks) + Counter(other.stacks))
    both = one.run.operations, other.run.operations
    run = replace(
        one.run,
        seconds=one.run.seconds + other.run.seconds,
        operations=both[0] + both[1] if both[0] and both[1] else None,
    )
    return replace(one, run=run, stacks=stacks)


def folded_stacks(lines: Iterable[str], before: frozenset[str] = frozenset()) -> dict[str, int]:
    """Samples by stack, of what `perf script -F comm,pid,ip,sym` prints.

    A sample is its command and process, then a frame in each line, innermost first, then an empty
    line. Commands and symbols are the workload's: none of them can make another line or frame.
    """
    found: Counter[str] = Counter()
    head, frames = "", list[str]()
    for line in (*lines, ""):
        text = line.rstrip("\n")
        frame = _FRAME.fullmatch(text) if text[:1] in {"\t", " "} else None
        if frame is not None:
            frames.append(frame[1].strip())
        elif text.strip():
            head = text.strip()
        elif head:
            command, _, process = head.rpartition(" ")
            names = _stack(command.strip() or head, frames, old=process in before)
            if names:
                found[";".join(names[:DEEPEST])] += 1
            head, frames = "", []
    return dict(found)


def _stack(command: str, frames: list[str], *, old: bool) -> list[str]:
    """The frames of a sample, outermost first; none where a processor was idle.

    What ran before the benchmark and is no kernel thread stands apart: it may serve the benchmark,
    or be somebody else's.
    """
    idle = command == _IDLE
    if idle and not any(map(_AT_WORK.search, frames)):
        return []
    kernel = idle or (bool(frames) and frames[-1].startswith(_KERNEL_THREAD))
    names = [_name(command), *map(_name, reversed(frames))]
    # A program without frame pointers leaves unknown callers, of which one says as much as ten.
    names = [one for i, one in enumerate(names) if one != UNKNOWN or names[i - 1] != one]
    return [OTHERS, *names] if old and not kernel else names


def _name(text: str) -> str:
    plain = "".join(c if c.isprintable() and c != ";" else " " for c in text)
    return plain.strip()[:120] or UNKNOWN
