"""Real gates that tune, killed at moments of a fixed draw: every setting reads as before."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from builders import HOST_CLASS, Project, start_gate, write_replay_project
from host.kernel import FRESH, KNOBS, NUMA, THP, Namespace
from night import at_night
from turns import MACHINE, machine_to_ourselves

from gate.formats.host.host_file import write_known_host
from gate.formats.session.session_file import read_session
from gate.host.tuning.sysctl_setting import turn, value_at
from gate.linux.machine import ThisMachine
from gate.model import KnownHost
from gate.model.disturbance import TUNABLE

STEADY = (1.0, 1.002, 0.998)
CHECK = ("check", "p", "--out", "out")
MARK = "DRIFTGATE_TESTED"


def _namespaces_work():
    """Whether this user may make mounts of his own: everything here needs that."""
    asked = ["unshare", "-m", "--propagation", "private", "true"]
    return subprocess.run(asked, check=False, capture_output=True).returncode == 0


pytestmark = [
    MACHINE,
    pytest.mark.skipif(
        os.geteuid() != 0 or not _namespaces_work(), reason="needs root and mount namespaces"
    ),
]


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    """A swap file, and every other setting as on a host that nobody tuned; all of it undone."""
    swap = tmp_path_factory.mktemp("swap") / "file"
    with machine_to_ourselves():
        swap.write_bytes(b"\0" * (1 << 20))
        swap.chmod(0o600)
        made = subprocess.run(["mkswap", swap], check=False, capture_output=True).returncode == 0
        active = made and _tried("swap", str(swap), "on 7")
        before = [(name, path, value_at(ThisMachine(), name, path)) for name, path, _ in UNTUNED]
        try:
            for name, path, value in UNTUNED:
                _tried(name, path, value)
            yield {"swap": str(swap)} if active else {}
        finally:
            for name, path, value in before:
                _tried(name, path, value)
            if active:
                turn("swap", str(swap), "off")


UNTUNED = [
    *(
        (name, path, on)
        for name, path, on in (("thp", THP, "madvise"), ("numa_balancing", NUMA, "1"))
        if Path(path).exists()
    ),
    *(
        ("irq", str(path), f"0-{os.cpu_count() - 1}")
        for path in Path("/proc/irq").glob("*/smp_affinity_list")
    ),
]
"""A tuned check that was killed for good may have left any of them tuned."""


def _tried(setting, path, value):
    try:
        turn(setting, path, value)
    except OSError:
        return False
    return True


@pytest.fixture
def state(settings):
    """A call that reads every real setting that tuning touches."""

    def read():
        machine = ThisMachine()
        lists = sorted(Path("/proc/irq").glob("*/smp_affinity_list"))
        paths = {
            "thp": [THP],
            "numa_balancing": [NUMA],
            "irq": ["/proc/irq/default_smp_affinity", *map(str, lists)],
            "swap": [settings["swap"]] if settings else [],
        }
        return {p: value_at(machine, name, p) for name, some in paths.items() for p in some}

    return read


@pytest.fixture(scope="module")
def project(settings, tmp_path_factory):
    """A project whose host is tuned in every way, with tuned sessions accepted; to be copied."""
    root = tmp_path_factory.mktemp("tuned")
    made = write_replay_project(root / "p", head={"b": STEADY * 5})
    known = KnownHost(host_class=HOST_CLASS, stable={}, tune=tuple(TUNABLE), measured_cpus="1")
    write_known_host(made.baselines, known)
    run = ("run", "p", "--repeat", "5", "--out", "first")
    gate = Gate(Namespace(root / "space"), made, made.root, *run)
    assert gate.end()[0] == 0
    sessions = sorted((made.root / "first").glob("*.json"))
    write_known_host(made.baselines, replace(known, stable=read_session(sessions[0]).host.stable))
    answer = made.gate("baseline", "accept", *sessions, "--reason", "first", "--by", "me")
    assert answer.status == 0, answer
    raw = json.loads(made.recording.read_text("utf-8"))
    made.recording.write_text(json.dumps({**raw, "delay": 0.15}), "utf-8")
    return made


@pytest.fixture(scope="module")
def hanging(project, tmp_path_factory):
    """The same, whose check measures until it is killed: its second trial never ends."""
    root = tmp_path_factory.mktemp("hanging") / "p"
    shutil.copytree(project.root, root)
    recording = root / project.recording.relative_to(project.root)
    raw = json.loads(recording.read_text("utf-8"))
    raw["delay"] = 0
    raw["benchmarks"]["b"]["head"]["wall"][1] = "hang"
    recording.write_text(json.dumps(raw), "utf-8")
    return Project(root, "p")


class Gate:
    """A gate in a namespace, on a copy of the project."""

    def __init__(self, space, project, root, *command):
        self.space, self.mark = space, f"{time.monotonic_ns()}"
        if not root.exists():
            shutil.copytree(project.root, root)
        self.root, self.lock = root, root.with_suffix(".lock")
        self.lock.unlink(missing_ok=True)
        self.process = start_gate(
            command, cwd=root, lock=self.lock, before=space.before, env={MARK: self.mark}
        )

    def measuring(self):
        """Wait until the gate is about to tune."""
        self.wait(lambda: self.lock.exists() and self.lock.stat().st_size)
        return self

    def tuned(self):
        """Wait until the gate has tuned everything and has measured something."""
        self.wait((self.root / "out/p/head.json").exists)
        assert self.process.poll() is None, self.process.communicate()
        return self

    def kill_orphans(self):
        """What a gate ran goes on where its guardian was killed with it."""
        for one in _marked(self.mark):
            with suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)

    def wait(self, condition):
        until = time.monotonic() + 120
        while not condition() and self.process.poll() is None:
            assert time.monotonic() < until, "nothing happened"
            time.sleep(0.002)

    def guardian(self):
        """The number of the guardian."""
        found = []
        self.wait(lambda: found.extend(_children(self.process.pid, "gate-guardian")) or found)
        return found[0]

    def end(self):
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out, err

    def all_dead(self):
        """Wait until nothing of this gate runs, the guardian included."""
        until = time.monotonic() + 60
        while list(_marked(self.mark)):
            assert time.monotonic() < until, "something runs on"
            time.sleep(0.005)


def _marked(mark):
    wanted = f"{MARK}={mark}".encode()
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                yield int(entry.name)
        except OSError:
            continue


def _children(parent, name):
    for entry in Path("/proc").iterdir():
        try:
            text = (entry / "stat").read_text("utf-8", "replace") if entry.name.isdigit() else ""
        except OSError:
            continue
        _, _, after = text.rpartition(")")
        if f"({name})" in text and int(after.split()[1]) == parent:
            yield int(entry.name)


@pytest.fixture(scope="module")
def whole(project, settings, tmp_path_factory):
    """A tuned check that nobody disturbs, and what it says."""
    root = tmp_path_factory.mktemp("whole")
    space = Namespace(root / "space")
    gate = Gate(space, project, root / "p", *CHECK).measuring()
    gate.wait(lambda: space.fake() == KNOBS)
    return gate.end(), space, root / "p"


def test_a_tuned_check_tells_and_undoes(whole, state, settings):
    """The session names what was tuned, the report is as ever, and everything is as before."""
    (status, _, err), space, root = whole
    session, first = (read_session(root / one) for one in ("out/p/head.json", "first/p-001.json"))
    # Open, unless a swap of another namespace of this host kept one of the two from tuning `swap`.
    assert status == (0 if session.tuned == first.tuned else 5), err
    expected = {"governor", "turbo", "thp", "irq", "cstates", "pinning"}
    if settings and not any("could not be put back" in note for note in session.notes):
        expected.add("swap")  # unless another namespace of this host swaps just now
    assert expected <= set(session.tuned) <= set(TUNABLE), session.notes
    assert session.notes[0].startswith("tuned while measuring: governor, turbo, thp")
    assert space.fake() == FRESH
    assert not space.journal.exists()


DICE = random.Random("killed while tuned")
EARLY = [DICE.random() * 0.2 for _ in range(4)]
TUNED = [DICE.random() * 0.5 for _ in range(6)]


def kill(gate):
    """A kill -9, after which the guardian tidies up."""
    gate.process.kill()
    gate.end()
    gate.all_dead()


@pytest.mark.parametrize("moment", [EARLY[0], *at_night(EARLY[1:])], ids=lambda one: f"{one:.2f}")
def test_killed_about_when_it_tunes(moment, hanging, state, tmp_path):
    """After a kill -9 before, while or after it tunes every setting is as it was."""
    space = Namespace(tmp_path / "space")
    before, fake = state(), space.fake()
    gate = Gate(space, hanging, tmp_path / "p", *CHECK).measuring()
    time.sleep(moment)
    kill(gate)
    assert (space.fake(), state(), space.journal.exists()) == (fake, before, False)


@pytest.mark.parametrize("moment", [TUNED[0], *at_night(TUNED[1:])], ids=lambda one: f"{one:.2f}")
def test_killed_while_tuned(moment, hanging, state, tmp_path):
    """After a kill -9 the guardian alone puts back every real and every fake setting."""
    space = Namespace(tmp_path / "space")
    before, fake = state(), space.fake()
    gate = Gate(space, hanging, tmp_path / "p", *CHECK).tuned()
    time.sleep(moment)
    turned = [p for p, value in state().items() if value != before[p]]
    turned += [p for p, value in space.fake().items() if value != fake[p]]
    kill(gate)
    assert len(turned) > len(KNOBS)
    assert (space.fake(), state(), space.journal.exists()) == (fake, before, False)


def test_killed_while_it_puts_back(project, state, tmp_path):
    """A kill -9 at the end of a check, with the first knobs turned back, leaves none turned."""
    space = Namespace(tmp_path / "space")
    before, fake = state(), space.fake()
    gate = Gate(space, project, tmp_path / "p", *CHECK).tuned()
    gate.wait(lambda: space.fake() != KNOBS)
    kill(gate)
    assert (space.fake(), state(), space.journal.exists()) == (fake, before, False)


@pytest.mark.parametrize("cure", ["restore", *at_night(["run", "tune"])])
def test_killed_with_its_guardian(cure, hanging, project, state, tmp_path):
    """With the guardian killed as well, the next command that is given puts everything back."""
    space = Namespace(tmp_path / "space")
    before, fake = state(), space.fake()
    gate = Gate(space, hanging, tmp_path / "p", *CHECK).tuned()
    os.kill(gate.guardian(), signal.SIGKILL)
    gate.process.kill()
    gate.end()
    gate.kill_orphans()
    gate.all_dead()
    shutil.copy(project.recording, tmp_path / "p/profiles")
    assert space.fake() == KNOBS
    assert space.journal.exists()
    command = {
        "restore": ("host", "restore"),
        "run": ("run", "p", "--baseline", "nowhere", "--out", "o"),
        "tune": ("host", "tune", "pinning", "--", "true"),
    }[cure]
    status, out, err = Gate(space, project, tmp_path / "p", *command).end()
    assert status == 0, err
    assert f"put back: {THP} = {before[THP]}" in out + err
    assert space.fake() == fake
    assert state() == before
    assert not space.journal.exists()
    status, out, err = Gate(space, project, tmp_path / "p", "host", "restore").end()
    assert (status, out) == (0, "nothing to put back\n"), err


def test_somebody_else_while_killed(hanging, project, state, settings, tmp_path):
    """A setting that somebody else changed meanwhile is left and told, until --force decides."""
    space = Namespace(tmp_path / "space")
    before, fake = state(), space.fake()
    gate = Gate(space, hanging, tmp_path / "p", *CHECK).tuned()
    theirs = space.cpu / "cpufreq/policy1/scaling_governor"
    theirs.write_text("schedutil\n", "ascii")
    kill(gate)
    name = "cpufreq/policy1/scaling_governor"
    assert space.fake() == fake | {name: "schedutil"}
    assert state() == before
    left = f"/sys/devices/system/cpu/{name} = schedutil"
    for _ in range(2):
        status, out, err = Gate(space, project, tmp_path / "p", "host", "restore").end()
        assert status == 5, err
        assert f"LEFT AS IT IS: {left}: somebody else changed it meanwhile" in out
        assert "error[G261]: 1 settings were left" in err
    status, out, _ = Gate(space, project, tmp_path / "p", "host", "restore", "--force").end()
    assert (status, space.fake()) == (0, fake), out


def test_somebody_else_in_the_middle_of_a_check(project, state, settings, tmp_path):
    """Numbers of two settings are not judged, the change stays, and the report says so."""
    space = Namespace(tmp_path / "space")
    gate = Gate(space, project, tmp_path / "p", *CHECK).measuring()
    gate.wait((tmp_path / "p/out/p/head.json").exists)
    (space.cpu / "intel_pstate/no_turbo").write_text("2\n", "ascii")
    status, _, err = gate.end()
    assert status == 5, err
    assert "warning[G261]: LEFT AS IT IS: /sys/devices/system/cpu/intel_pstate/no_turbo = 2" in err
    session = read_session(tmp_path / "p/out/p/head.json")
    path = "/sys/devices/system/cpu/intel_pstate/no_turbo"
    assert session.disturbances == (f"{path} was tuned to 1, and is 2",)
    status, _, _ = Gate(space, project, tmp_path / "p", "host", "restore", "--keep").end()
    assert (status, space.journal.exists()) == (0, False)
    assert (space.cpu / "intel_pstate/no_turbo").read_text("ascii") == "2\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_undoes(number, hanging, state, tmp_path):
    """A signal to a tuned check, or to a tuning that is held, ends it with everything as before."""
    space = Namespace(tmp_path / "space")
    before, fake = state(), space.fake()
    for command, status in ((CHECK, 128 + number), (("host", "tune"), 0)):
        gate = Gate(space, hanging, tmp_path / "p", *command).measuring()
        gate.wait(lambda: space.fake() == KNOBS)
        gate.process.send_signal(number)
        answer = gate.end()
        assert answer[0] == status, answer
        assert (space.fake(), state()) == (fake, before)
        assert not space.journal.exists()


def test_a_failing_command_undoes(project, state, settings, tmp_path):
    """A command runs tuned, and its own exit status comes back, a signal's as a shell tells it."""
    space = Namespace(tmp_path / "space")
    fake = space.fake()
    shown = f"cat {THP} /sys/devices/system/cpu/intel_pstate/no_turbo; nproc; exit 7"
    for words, status in ((("sh", "-c", shown), 7), (("sh", "-c", "kill -9 $$"), 137)):
        gate = Gate(space, project, tmp_path / "p", "host", "tune", "--cpus", "1", "--", *words)
        ended, out, err = gate.end()
        assert ended == status, err
        assert space.fake() == fake
        if status == 7:
            assert out.splitlines() == ["always madvise [never]", "1", "1"]


@pytest.mark.parametrize("command", [CHECK, ("run", "p"), ("host", "restore")], ids=" ".join)
def test_a_damaged_journal_stops_everything(command, project, tmp_path):
    """Nothing is measured, tuned or removed while nobody can tell what a killed gate changed."""
    space = Namespace(tmp_path / "space")
    space.journal.parent.mkdir()
    space.journal.write_text('{"schema": 1, "ent', "utf-8")
    status, _, err = Gate(space, project, tmp_path / "p", *command).end()
    assert status == 2, err
    assert "error[G262]: /var/lib/driftgate/tuning.json: the journal of tuned settings" in err
    assert space.journal.read_text("utf-8") == '{"schema": 1, "ent'
    assert space.fake() == FRESH


def test_after_a_power_loss(project, state, settings, tmp_path):
    """A journal of another boot is closed with a note and writes nothing: the kernel forgot it."""
    space = Namespace(tmp_path / "space")
    fake, before = space.fake(), state()
    path = "/sys/devices/system/cpu/intel_pstate/no_turbo"
    entry = {"setting": "turbo", "path": path, "before": "1", "after": "0"}
    owner = {"pid": 1, "start": "1"}
    space.journal.parent.mkdir()
    text = json.dumps({"schema": 1, "boot": "another", "owner": owner, "entries": [entry]})
    space.journal.write_text(text, "utf-8")
    status, out, err = Gate(space, project, tmp_path / "p", "host", "restore").end()
    assert status == 0, err
    assert out == "the machine was restarted, which forgot the tuning of 1 settings\n"
    assert (space.fake(), state(), space.journal.exists()) == (fake, before, False)


_AS_NOBODY = """
import os, sys
from gate.host.tuning import tuning
os.setgid(65534)
os.setuid(65534)
with tuning.tune_host(sys.argv[1:], measured_cpus="1"):
    pass
"""


def test_who_is_not_root_is_told(state, settings, tmp_path):
    """Without root nothing is changed, and the names that need it are told."""
    before = state()
    own = Namespace(tmp_path / "space").before  # the host's journal may be closed to nobody
    asked = [*own, sys.executable, "-c", _AS_NOBODY, "thp", "pinning"]
    done = subprocess.run(asked, check=False, capture_output=True, text=True)
    assert "tuning thp needs root." in done.stderr
    assert state() == before
