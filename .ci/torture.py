"""`make torture`: every write, fsync, rename, fork and exec of the gate fails once, or kills it.

    .venv/bin/python .ci/torture.py [--jobs N] [--only NAME] [--kind KIND] [--sample N]

A small library (torture.c) is preloaded; a point is one call of `check`, `accept`, `calibrate` or
`host tune` at which one fault is injected: ENOSPC, EIO, EINTR, EMFILE, ENOMEM, SIGKILL. After each
every file must parse, what was accepted must be there, the host (a fake one, in mounts of its own)
must be as before, and the same command must work. Ends with 1 where one of these was not so.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import importlib
import json
import os
import pkgutil
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import played  # noqa: E402
from builders import write_replay_project  # noqa: E402
from host.kernel import FRESH, KNOBS, Namespace  # noqa: E402
from own_mounts import bind, mount  # noqa: E402

import gate.host.identity.identity  # noqa: E402
import gate.host.journal  # noqa: E402
import gate.host.lock  # noqa: E402
import gate.measure.order  # noqa: E402
import gate.measure.setup  # noqa: E402
import gate.pipeline.host_reservation  # noqa: E402
from gate.cli.main import run  # noqa: E402

KINDS = ("write", "fsync", "rename", "fork", "exec")
FAULTS = {
    **{name: getattr(errno, name) for name in ("ENOSPC", "EIO", "EINTR", "EMFILE", "ENOMEM")},
    "SIGKILL": -1,
}
WHY = ("--reason", "a level", "--by", "me")
STEADY = (1.0, 1.002, 0.998)
LIBRARY = "DRIFTGATE_TORTURE"
LEAST = 2000
MEMORY = Path("/dev/shm")  # noqa: S108 - fsync costs nothing there
REFUSED = 2
PATIENCE = 120.0
GIT = Path(shutil.which("git") or "/usr/bin/git")
SHOWN = 100
"""Points from one line that tells how far a part is to the next."""


def build(place: Path) -> Path:
    """The library, by cc."""
    library = place / "torture.so"
    source = ROOT / ".ci/torture.c"
    words = ["cc", "-O1", "-fPIC", "-shared", "-o", str(library), str(source), "-ldl"]
    subprocess.run(words, check=True)
    return library


class Bench:
    """One worker's place: a copy of the template, and children that run one gate each."""

    def __init__(self, template: Path, place: Path, library: str) -> None:
        self.template, self.place = template, place
        self.torture = ctypes.CDLL(library)
        self.project = place / "p"

    def fresh(self) -> None:
        """Everything as before the first call."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.template, self.place, symlinks=True)
        (self.place / "tmp").mkdir()

    def gate(
        self, words: tuple[str, ...], fault: tuple[int, int, int] | None
    ) -> tuple[int, list[int]]:
        """Run the gate in a child; its status (negative: killed by), and how many calls it made."""
        receive, send = os.pipe()
        child = os.fork()
        if not child:
            os.close(receive)
            self._child(words, fault, send)
        os.close(send)
        counts = os.read(receive, 4096)  # the end, where it was killed
        os.close(receive)
        deadline = time.monotonic() + PATIENCE
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            if time.monotonic() > deadline:
                os.kill(child, 9)
            time.sleep(0.002)
        return os.waitstatus_to_exitcode(ended[1]), json.loads(counts or b"[]")

    def _child(self, words: tuple[str, ...], fault: tuple[int, int, int] | None, send: int) -> None:
        status = 99
        try:
            log = os.open(self.place / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.chdir(self.project)
            self._own_surroundings(words)
            self.torture.torture_arm(*(fault or (-1, -1, 0)))
            status = run(list(words))
            counts = [self.torture.torture_calls(kind) for kind in range(len(KINDS))]
            self.torture.torture_arm(-1, -1, 0)
            os.write(send, json.dumps(counts).encode())
        except BaseException as error:  # noqa: BLE001 - a fault may come out anywhere
            self.torture.torture_arm(-1, -1, 0)
            os.write(2, f"OUTSIDE: {type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(status)

    def _own_surroundings(self, words: tuple[str, ...]) -> None:
        os.environ["GATE_HOST_CLASS"] = "lab"
        # First a folder without any program: an exec that finds none is a point as well.
        os.environ["PATH"] = f"{self.place / 'tmp'}:{GIT.parent}"
        os.environ["TMPDIR"] = tempfile.tempdir = str(self.place / "tmp")
        lock = self.place / "lock"
        gate.host.lock.lock_path = lambda: lock
        for module in (gate.host.journal, gate.pipeline.host_reservation):
            module.SYSTEM = self.place / "state"
        gate.measure.setup.make_watch = lambda *_: None
        gate.measure.order.CONTROLS = {}
        if words[0] != "host":
            gate.host.identity.identity.ThisMachine = played.machine
        if words[0] == "host":
            os.unshare(0x00020000) if hasattr(os, "unshare") else _unshare()
            mount("none", "/", 16384 | 1 << 18)
            bind(self.place / "cpu", "/sys/devices/system/cpu")


def _unshare() -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(0x00020000):
        raise OSError(ctypes.get_errno(), "no mounts of our own")


def template(place: Path) -> None:
    """A project with a baseline in a repository of git, two sessions to accept, and a fake host."""
    project = write_replay_project(place / "p", head={"b": STEADY})
    project.accept()
    for number in (1, 2):
        shutil.copy(
            project.session({"b": [1 + number / 1000, 1.002, 0.998]}),
            project.root / f"s{number}.json",
        )
    shutil.rmtree(project.root / "reports")
    project.record({"b": STEADY * 60})
    (project.root / ".gitignore").write_text("reports\nout\nrounds\n*.json\n", "ascii")
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(project.root))
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "one")):
        subprocess.run([*git, *words], check=True)
    Namespace(place / "space")
    (place / "space/cpu").rename(place / "cpu")
    shutil.rmtree(place / "space")


COMMANDS = {
    "check": ("check", "p", "--out", "out", "--quiet", "--wait", "1min"),
    "accept": ("baseline", "accept", "s1.json", "s2.json", *WHY),
    "calibrate": (
        "calibrate",
        "p",
        "--rounds",
        "2",
        "--seed",
        "1",
        "--out",
        "rounds",
        "--quiet",
        "--wait",
        "1min",
    ),
    "tune": ("host", "tune", "governor", "turbo", "--wait", "1min", "--", "/bin/true"),
}
AGAIN = {"tune": ("host", "restore"), "check": (*COMMANDS["check"], "--resume")}


def unparsed(place: Path) -> list[str]:
    """Files that are not whole."""
    wrong = []
    for path in [*(place / "p").rglob("*"), *(place / "state").glob("*")]:
        readers = {".json": json.loads, ".toml": tomllib.loads}
        if path.is_file() and ".git/" not in str(path) and path.suffix in readers:
            try:
                readers[path.suffix](path.read_text("utf-8"))
            except ValueError as error:
                wrong.append(f"{path.name} does not parse: {error}")
    return wrong


def accepted(place: Path) -> set[str]:
    """Identities of the accepted sessions."""
    text = (place / "p/baselines/lab/p.toml").read_text("utf-8")
    return set(tomllib.loads(text)["session"])


def left(place: Path) -> list[str]:
    """Temporary files that nobody removed."""
    kinds = (place / "p").rglob("*.driftgate"), place.rglob("driftgate-*.tmp")
    return [f"left: {path}" for kind in kinds for path in kind]


def knobs(place: Path) -> dict[str, str]:
    """The first line of every fake knob."""
    return {name: (place / "cpu" / name).read_text("ascii").partition("\n")[0] for name in KNOBS}


def point(bench: Bench, name: str, fault: tuple[int, int, int], good: int) -> list[str]:
    """Inject one fault; what was wrong afterwards."""
    bench.fresh()
    before, words = accepted(bench.place), COMMANDS[name]
    new = {json.loads((bench.project / f"s{one}.json").read_text())["id"] for one in (1, 2)}
    status, _ = bench.gate(words, fault)
    wrong = unparsed(bench.place)
    now = accepted(bench.place)
    wrong += [f"accepted sessions are gone: {before - now}"] if before - now else []
    if name == "accept" and status == 0 and not new <= now:
        wrong.append("it ended with 0, and the session is not there")
    if status == 99 or (status == 1 and fault[2] >= 0 and "internal error" in log(bench)):
        wrong.append(f"ended with {status}: {log(bench)[-300:]}")
    again, _ = bench.gate(words if name == "check" else AGAIN.get(name, words), None)
    if name == "check" and again == REFUSED:  # it holds results already, which may be resumed
        again, _ = bench.gate(AGAIN[name], None)
    there = name == "accept" and new <= now and again == REFUSED
    wrong += (
        [] if again == good or there else [f"the next run ended with {again}: {log(bench)[-300:]}"]
    )
    wrong += unparsed(bench.place) + left(bench.place)
    if not before <= accepted(bench.place) or (
        name == "accept" and not new <= accepted(bench.place)
    ):
        wrong.append("sessions are missing after the next run")
    if name == "tune" and (
        knobs(bench.place) != FRESH or (bench.place / "state/tuning.json").exists()
    ):
        wrong.append(f"the host is not as before: {knobs(bench.place)}")
    return wrong


def log(bench: Bench) -> str:
    """What the gates of this point printed."""
    return (bench.place / "log").read_text("utf-8", "replace")


def main() -> int:
    """Count the calls of each command, then injure each in every way."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", choices=COMMANDS)
    parser.add_argument("--kind", choices=KINDS, help="calls of this kind only")
    parser.add_argument("--sample", type=int, help="so many points, drawn by a fixed seed")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("torture: skipped: root is needed for mounts of its own")
        return 0
    if shutil.which("cc") is None:
        print("torture: skipped: there is no cc to build what injects the faults")
        return 0
    memory = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="torture-", dir=memory) as name:
        place = Path(name)
        if LIBRARY not in os.environ:
            library = str(build(place))
            own = {**os.environ, LIBRARY: library, "LD_PRELOAD": library}
            return subprocess.run([sys.executable, *sys.argv], env=own, check=False).returncode
        return torture(place, options)


def injured(points: list[Any], place: Path, jobs: int, good: dict[str, int]) -> list[Any]:
    """The points that were wrong, and why, from workers that share them."""
    workers = []
    for job in range(jobs):
        receive, send = os.pipe()
        if not os.fork():
            own = Bench(place / "template", place / f"job-{job}", os.environ[LIBRARY])
            found = []
            for number, one in enumerate(points[job::jobs], start=1):
                found.append((one, point(own, *one, good[one[0]])))
                if found[-1][1]:
                    print(f"WRONG so far: {found[-1]}", flush=True)
                if number % SHOWN == 0:
                    print(f"part {job + 1} of {jobs}: {number:,} points", flush=True)
            with os.fdopen(send, "w") as stream:
                json.dump([one for one in found if one[1]], stream)
            os._exit(0)
        os.close(send)
        workers.append(receive)
    return [row for receive in workers for row in json.load(os.fdopen(receive))]


def torture(place: Path, options: argparse.Namespace) -> int:
    """All points, spread over some workers."""
    os.environ.pop("LD_PRELOAD")
    for one in pkgutil.walk_packages([str(ROOT / "gate")], "gate."):
        if not one.name.endswith("__main__"):
            importlib.import_module(one.name)  # once, and not in each of some thousand children
    library = os.environ[LIBRARY]
    template(place / "template")
    began, points, good = time.monotonic(), [], {}
    bench = Bench(place / "template", place / "count", library)
    for name in [options.only] if options.only else COMMANDS:
        bench.fresh()
        status, counts = bench.gate(COMMANDS[name], None)
        if not counts or status not in {0, 5}:
            print(f"torture: {name} does not work: {status}\n{log(bench)}")
            return 1
        good[name] = bench.gate(AGAIN[name], None)[0] if name in AGAIN else status
        print(
            f"{name}: {', '.join(f'{n} {k}' for n, k in zip(counts, KINDS, strict=True))}",
            flush=True,
        )
        points += [
            (name, (kind, nth, number))
            for kind, most in enumerate(counts)
            if options.kind in {None, KINDS[kind]}
            for nth in range(1, most + 1)
            for number in FAULTS.values()
        ]
    if options.sample:
        points = random.Random(18).sample(points, min(options.sample, len(points)))
    wrong = injured(points, place, options.jobs, good)
    names = {number: word for word, number in FAULTS.items()}
    for (name, (kind, nth, number)), texts in wrong:
        print(f"WRONG {name}, {KINDS[kind]} {nth}, {names[number]}: {'; '.join(texts)}")
    spread = ", ".join(
        f"{count:,} of {name}" for name, count in Counter(n for n, _ in points).items()
    )
    took = time.monotonic() - began
    print(f"{len(points):,} points ({spread}), {len(wrong)} wrong, {took:.0f} s")
    whole = not (options.only or options.sample or options.kind)
    return 1 if wrong or (whole and len(points) < LEAST) else 0


if __name__ == "__main__":
    sys.exit(main())
