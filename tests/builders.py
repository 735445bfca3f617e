"""Builders that the test folders share: a replay project, and one call of the gate.

Import it as `from builders import run_gate, write_replay_project` (`pythonpath = ["tests"]`).

    project = write_replay_project(tmp_path)              # profiles/p.toml, profiles/p.json
    project.accept()                                      # 5 sessions, accepted: a baseline
    answer = project.gate("check", "p", "--out", "out")   # Answer(status, out, err)
    status, out, err = run_gate(["explain", "G060"])      # anywhere

Everything goes through the command line itself, on the replay harness, in milliseconds. Every
call uses a measuring lock and a state directory of this test process, so that test runs beside
each other on one host never meet, nor what a killed gate left on it. `start_gate` does the same in a real process, for signals and closed pipes. Trials are
not watched for disturbance unless that is asked for: other work on a shared machine would
otherwise set aside what a test of something else measures. For the same reason all but `gate host`
reads the facts of a played machine (tests/played.py): those of a shared one move meanwhile.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

from played import is_playing, playing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

HOST_CLASS = "lab"
"""Host class of every builder's call, so that no test depends on the machine it runs on."""
QUIET = (1.0, 1.002, 0.998)
"""Three steady trials."""
LEVELS = (1.0, 1.001, 0.999, 1.0005, 0.9995)
"""Factors of five sessions: what sessions on several days look like."""
_OWN = Path(tempfile.mkdtemp(prefix="driftgate-tests-"))
atexit.register(shutil.rmtree, _OWN, ignore_errors=True)
LOCK, STATE = _OWN / "lock", _OWN / "state"
"""The measuring lock of this test process, and its state directory."""
_HERE = str(Path(__file__).resolve().parent)
PLAY = f"""
import sys
sys.path.insert(0, {_HERE!r})
import gate.host.identity.identity, played
gate.host.identity.identity.ThisMachine = played.machine
"""
"""Begins a program of its own on the machine that every call of a builder plays."""
_START = """
import sys
from pathlib import Path
import gate.host.lock, gate.host.journal
lock, how = Path(sys.argv.pop(1)), sys.argv.pop(1).split("-")
gate.host.lock.lock_path = lambda: lock
if "mounted" not in how:
    gate.host.journal.SYSTEM = lock.with_name(lock.name + ".state")
if "unwatched" in how:
    import gate.measure.setup
    import gate.measure.order
    gate.measure.setup.make_watch = lambda *_: None
    gate.measure.order.CONTROLS = {}
if sys.argv[1:2] != ["host"]:
    exec(PLAY)
from gate.__main__ import main
main()
"""


class Answer(NamedTuple):
    """What one call of the gate gave."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What stdout holds, parsed."""
        return json.loads(self.out)


def run_gate(
    arguments: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    watch: Any = None,
    controls: bool = False,
) -> Answer:
    """Run `gate ARGUMENTS` inside this process; `env` is added to the environment.

    `watch` tells it of disturbance: True for the real one, None for none, or one that acts. With
    `controls` the built-in ones run: a test that asks for neither must not depend on the machine.

    stdout and stderr are real UTF-8 text streams, so that what cannot be printed is found out.
    """
    from gate.cli.main import run

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        mock.patch.dict(os.environ, {"GATE_HOST_CLASS": HOST_CLASS, **(env or {})}),
        mock.patch("gate.host.lock.lock_path", return_value=LOCK),
        mock.patch("gate.host.journal.SYSTEM", STATE),
        mock.patch("gate.pipeline.host_reservation.SYSTEM", STATE),
        contextlib.nullcontext()
        if watch is True
        else mock.patch("gate.measure.setup.make_watch", return_value=watch),
        contextlib.nullcontext()
        if controls or watch is True
        else mock.patch("gate.measure.order.CONTROLS", {}),
        contextlib.nullcontext() if arguments[:1] == ["host"] or is_playing() else playing(),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = run([str(argument) for argument in arguments])
    return Answer(status, _written(out), _written(err))


def _written(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def start_gate(
    arguments: Sequence[str | Path],
    *,
    cwd: Path,
    lock: Path | None = None,
    env: Mapping[str, str] | None = None,
    before: Sequence[str] = (),
    watched: bool = False,
    **options: Any,
) -> subprocess.Popen[str]:
    """Start `gate ARGUMENTS` as a process of its own, with pipes on stdout and stderr.

    `lock` is its measuring lock (default: one below `cwd`'s parent), beside which its state stands.
    `before` is what stands before the command, as `unshare` does: with mounts of its own it keeps
    its state where every gate does. `options` go to Popen.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True} | options
    return subprocess.Popen(
        [
            *(*before, sys.executable, "-c", f"PLAY = {PLAY!r}\n{_START}"),
            str(lock or cwd.parent / f"{cwd.name}.lock"),
            f"{'watched' if watched else 'unwatched'}-{'mounted' if before else 'plain'}",
            *map(str, arguments),
        ],
        cwd=cwd,
        env={**os.environ, "GATE_HOST_CLASS": HOST_CLASS, **(env or {})},
        **options,
    )


def tree(root: Path) -> dict[str, str]:
    """Hash of every file below a directory, link target of every link, kind of all else."""
    return {str(path.relative_to(root)): _content(path) for path in sorted(root.rglob("*"))}


def _content(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    if path.is_file():
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    return "directory" if path.is_dir() else "special"


@contextlib.contextmanager
def unchanged(root: Path) -> Iterator[None]:
    """Assert that nothing that stood below `root` before was changed or removed meanwhile."""
    before = tree(root)
    yield
    after = tree(root)
    assert {name: after.get(name) for name in before} == before


class Project:
    """A directory with one replay profile; files can be edited freely between calls."""

    def __init__(self, root: Path, name: str) -> None:
        self.root, self.name = root, name
        self.profile = root / "profiles" / f"{name}.toml"
        self.recording = root / "profiles" / f"{name}.json"
        self.baselines = root / "baselines"
        self.baseline = root / "baselines" / HOST_CLASS / f"{name}.toml"

    def gate(
        self, *arguments: str | Path, env: Mapping[str, str] | None = None, watch: Any = None
    ) -> Answer:
        """`gate ARGUMENTS`, inside the project."""
        return run_gate(arguments, cwd=self.root, env=env, watch=watch)

    def record(
        self, head: Mapping[str, Sequence[Any]], base: Mapping[str, Sequence[Any]] | None = None
    ) -> None:
        """What the next calls play: benchmark name to the trials of the metric `wall`.

        A trial is a number of seconds or an act: fail, timeout, hang, nan, inf, zero.
        """
        sides = {"head": head, "base": head if base is None else base}
        names = dict.fromkeys(name for rows in sides.values() for name in rows)
        benchmarks = {
            name: {side: {"wall": list(rows[name])} for side, rows in sides.items() if name in rows}
            for name in names
        }
        metrics = {"wall": {"unit": "s", "better": "lower"}}
        text = json.dumps({"metrics": metrics, "benchmarks": benchmarks}, indent=1)
        self.recording.write_text(text, encoding="utf-8")

    def session(
        self, head: Mapping[str, Sequence[Any]] | None = None, *, ends: tuple[int, ...] = (0,)
    ) -> Path:
        """Measure one session with `gate run` and return its path."""
        if head is not None:
            self.record(head)
        answer = self.gate("run", self.name, "--json", "--quiet")
        assert answer.status in ends, answer
        return self.root / answer.json["sessions"][0]["path"]

    def accept(
        self, levels: Sequence[float] = LEVELS, trials: Sequence[float] = QUIET
    ) -> tuple[Path, ...]:
        """Measure a session per level, accept them all, and leave the recording as it was."""
        before = self.recording.read_bytes()
        names = json.loads(before)["benchmarks"]
        paths = tuple(
            self.session({name: [one * level for one in trials] for name in names})
            for level in levels
        )
        self.recording.write_bytes(before)
        answer = self.gate("baseline", "accept", *paths, "--reason", "first baseline", "--by", "me")
        assert answer.status == 0, answer
        return paths


def write_replay_project(
    root: Path,
    *,
    name: str = "p",
    head: Mapping[str, Sequence[Any]] | None = None,
    base: Mapping[str, Sequence[Any]] | None = None,
    sides: bool = False,
    trials: int = 3,
    tolerance: str = "5%",
    top: str = "",
    tail: str = "",
) -> Project:
    """Write `profiles/NAME.toml` and its recording below `root`.

    By default one benchmark `b` with three steady trials of the metric `wall`. With `sides`
    both sides can be activated, so that a check confirms by pairs. `top` is TOML put before the
    first table, `tail` TOML put last.
    """
    head = {"b": QUIET} if head is None else head
    project = Project(root, name)
    project.profile.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        'harness = "replay"',
        f'replay = "{name}.json"',
        f"benchmarks = {json.dumps(list(head))}",
        f"trials = {{ screen = {trials}, confirm_pairs = 30 }}",
        *([top] if top else []),
        *(["[side.base]", "[side.head]"] if sides else []),
        "[metric.wall]",
        f'tolerance = "{tolerance}"',
        *([tail] if tail else []),
    ]
    project.profile.write_text("\n".join(lines) + "\n", encoding="utf-8")
    project.record(head, base)
    return project
