"""Programs that are missing, hang, die or talk nonsense: never a number, never a pass."""

from __future__ import annotations

import json
import signal
import textwrap
from pathlib import Path

import pytest
from builders import unchanged

EXPORT = {
    "results": [
        {
            "command": "true",
            "mean": 0.5,
            "stddev": None,
            "median": 0.5,
            "user": 0.4,
            "system": 0.1,
            "min": 0.5,
            "max": 0.5,
            "times": [0.5],
            "exit_codes": [0],
        }
    ]
}
PROFILES = {
    "hyperfine": 'harness = "hyperfine"\ncommand = "true"\n[metric.wall]\n',
    "fio": 'harness = "fio"\njob = "p.fio"\n[metric.iops]\n',
    "pytest": 'harness = "pytest-benchmark"\ntests = ["test_it.py::test_it"]\n[metric.median]\n',
}
VERSIONS = {"hyperfine": "hyperfine 1.20.0", "fio": "fio-3.33"}


@pytest.fixture
def place(tmp_path):
    """Write a profile of a harness and, in bin/, a program in its place."""

    def write(harness, script=None, *, top="", version=None):
        profiles = tmp_path / "profiles"
        profiles.mkdir()
        (profiles / "p.toml").write_text(
            f'trials = {{ screen = 2 }}\ntimeout = "20 s"\n{top}\n' + PROFILES[harness]
        )
        (profiles / "p.fio").write_text("[p]\nfilename=x\nsize=4k\nrw=read\n")
        (tmp_path / "bin").mkdir()
        if script is not None:
            said = VERSIONS.get(harness) if version is None else version
            program = tmp_path / "bin" / harness
            answer = f'[ "$1" = --version ] && {{ printf "%s\\n" "{said}"; exit 0; }}\n'
            program.write_text(f"#!/bin/sh\n{answer}{textwrap.dedent(script)}")
            program.chmod(0o755)
        return {"PATH": str(tmp_path / "bin")}

    return write


@pytest.mark.parametrize("command", [["run", "p"], ["check", "p", "--out", "out"]])
@pytest.mark.parametrize("harness", ["hyperfine", "fio"])
def test_missing(place, refuse, harness, command):
    """A harness that is not installed is named with the way to install it."""
    env = place(harness)
    words = (f"{harness} is not installed", f"apt install {harness}")
    refuse(command, "G230", *words, status=4, env=env)


def test_empty_path(place, refuse):
    """An empty PATH finds no harness, and does not find one in the working directory."""
    place("hyperfine")
    refuse(["run", "p"], "G230", "hyperfine", status=4, env={"PATH": ""})


PYTHONS = [
    pytest.param("none/python", "G230", ("python",), id="no such file"),
    pytest.param("./bin", "G231", ("bin",), id="a directory"),
    pytest.param("bin", "G230", ("bin",), id="a name that PATH does not hold"),
    pytest.param("profiles/p.toml", "G231", ("p.toml",), id="no program"),
    pytest.param("/bin/false", "G231", ("false", "status 1"), id="a program that fails"),
    pytest.param("/bin/true", "G230", ("python is not installed",), id="a program that is silent"),
]


@pytest.mark.parametrize(("python", "code", "words"), PYTHONS)
def test_interpreter(place, refuse, python, code, words):
    """An interpreter that is none is named."""
    env = place("pytest", top=f'python = "{python}"')
    refuse(["run", "p"], code, *words, status=4, env=env)


SAID = ["hyperfine 1.9.0", "hyperfine 3.0.0", "hyperfine", "", "1.20.0", "x" * 5000, "\x1b[31m"]


@pytest.mark.parametrize("said", SAID)
def test_version(place, refuse, said):
    """A version that is too old, unknown or no version at all is refused and quoted safely."""
    env = place("hyperfine", "exit 0", version=said)
    refuse(["run", "p"], "G231", "hyperfine", status=4, env=env)


@pytest.mark.parametrize("said", ["fio-2.1", "fio-3.5", "fio", "fio-x.y", ""])
def test_fio_version(place, refuse, said):
    """An ancient fio, or a program that is no fio, is refused."""
    env = place("fio", "exit 0", version=said)
    refuse(["run", "p"], "G231", "fio", status=4, env=env)


def broken(kind, code):
    def act(program):
        if kind == "directory":
            program.unlink()
            program.mkdir()
        elif kind == "not executable":
            program.chmod(0o644)
        elif kind == "binary junk":
            program.write_bytes(b"\x7fELF" + bytes(range(256)))
        elif kind == "dangling link":
            program.unlink()
            program.symlink_to("none")
        elif kind == "script without interpreter":
            program.write_text("#!/none/sh\n")
        elif kind == "failing":
            program.write_text("#!/bin/sh\necho no licence >&2; exit 3\n")
        elif kind == "killed":
            program.write_text("#!/bin/sh\nkill -9 $$\n")

    return pytest.param(act, code, id=kind)


BROKEN = [
    broken("directory", "G231"),
    broken("not executable", "G231"),
    broken("binary junk", "G231"),
    broken("dangling link", "G230"),
    broken("script without interpreter", "G230"),
    broken("failing", "G231"),
    broken("killed", "G231"),
]


@pytest.mark.parametrize(("act", "code"), BROKEN)
def test_no_program(place, tmp_path, refuse, act, code):
    """What cannot be started, or does not answer, is refused before anything is measured."""
    env = place("hyperfine", "exit 0")
    act(tmp_path / "bin/hyperfine")
    refuse(["run", "p", "--json"], code, "hyperfine", status=4, env=env)


def test_version_hangs(place, refuse, monkeypatch):
    """A program that does not tell its version is not waited for without end."""
    monkeypatch.setattr("gate.harness.process._LONGEST_QUESTION", 0.2)
    env = place("hyperfine", "", version="$(/bin/sleep 60)")
    refuse(["run", "p"], "G231", "in time", status=4, env=env)


# $6 is the export of hyperfine's command line, see gate/harness/hyperfine.py.
FIND = """
for word; do [ "$before" = --export-json ] && export=$word; before=$word; done
"""


def export(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return f"{FIND}/bin/cat > \"$export\" <<'END'\n{text}\nEND\n"


def changed(**values):
    return export({"results": [EXPORT["results"][0] | values]})


TRIALS = [
    pytest.param("exit 0", ("without writing its export",), id="writes nothing"),
    pytest.param("exit 1", ("status 1", "said nothing"), id="fails without a word"),
    pytest.param("echo 'no such command' >&2; exit 1", ("no such command",), id="fails with a word"),
    pytest.param("kill -9 $$", ("signal 9",), id="is killed"),
    pytest.param("kill -11 $$", ("signal 11",), id="crashes"),
    pytest.param("echo garbage; exit 0", ("without writing",), id="prints garbage"),
    pytest.param(FIND + ': > "$export"', ("empty export",), id="an empty export"),
    pytest.param(FIND + "/bin/head -c 5000 /dev/urandom > $export", ("export",), id="a junk export"),
    pytest.param(FIND + "/bin/mkdir $export", ("export",), id="a directory as export"),
    pytest.param(FIND + "/usr/bin/mkfifo $export", ("plain file",), id="a pipe as export"),
    pytest.param(FIND + "/bin/ln -s /dev/zero $export", ("export",), id="a link as export"),
    pytest.param(FIND + "/bin/ln -s $export $export", ("export",), id="a link to itself"),
    pytest.param(FIND + "/usr/bin/truncate -s 70M $export", ("64 MiB",), id="70 MB of NUL"),
    pytest.param(export(json.dumps(EXPORT)[:80]), ("not complete JSON",), id="a cut export"),
    pytest.param(export("[" * 100_000), ("not complete JSON",), id="a deep export"),
    pytest.param(export("[]"), ("export",), id="a list"),
    pytest.param(export({"results": []}), ("no result",), id="no results"),
    pytest.param(export({"results": EXPORT["results"] * 2}), ("2 results",), id="two results"),
    pytest.param(changed(times=[0.5, 0.5], exit_codes=[0, 0]), ("2 runs",), id="two runs"),
    pytest.param(changed(times=[]), ("",), id="no runs"),
    pytest.param(changed(exit_codes=[1]), ("status 1",), id="a failed command"),
    pytest.param(changed(exit_codes=[None]), ("signal",), id="a killed command"),
    pytest.param(changed(times=[float("nan")]), ("NaN",), id="NaN"),
    pytest.param(changed(times=[float("inf")]), ("Infinity",), id="Infinity"),
    pytest.param(export(json.dumps(EXPORT).replace("0.5", "1e999")), ("finite",), id="1e999"),
    pytest.param(changed(times=[0.0]), ("0",), id="no time at all"),
    pytest.param(changed(times=[-0.5]), ("negative",), id="negative time"),
    pytest.param(changed(times=["0.5"]), ("number",), id="time as text"),
    pytest.param(changed(times=[True]), ("number",), id="time as true"),
]  # fmt: skip


@pytest.mark.parametrize(("script", "words"), TRIALS)
def test_trial(place, tmp_path, script, words):
    """A trial without a usable number is a failed trial: status 4, the reason, and no value."""
    from builders import run_gate

    env = place("hyperfine", script)
    with unchanged(tmp_path):
        answer = run_gate(["run", "p", "--quiet"], cwd=tmp_path, env=env)
    assert answer.status == 4, answer
    assert answer.err.startswith("failed: p: ")
    assert answer.err.count("\n") == 2, "one line for each trial"
    assert "Traceback" not in answer.err
    for word in words:
        assert word in answer.err, (word, answer.err)
    session = json.loads((tmp_path / "reports/sessions/p-001.json").read_text())
    assert [trial["values"] for trial in session["trials"]] == [[], []]


FIO_FIND = "for word; do case $word in --output=*) export=${word#--output=};; esac; done\n"
FIO = [
    pytest.param("exit 0", id="writes nothing"),
    pytest.param(FIO_FIND + ": > $export", id="an empty export"),
    pytest.param(FIO_FIND + "echo garbage > $export", id="garbage"),
    pytest.param(FIO_FIND + "echo '{\"fio version\": \"fio-3.33\"' > $export", id="a part"),
    pytest.param(FIO_FIND + "echo '{\"fio version\": \"fio-3.33\", \"jobs\": []}' > $export", id="no jobs"),
    pytest.param("kill -9 $$", id="is killed"),
    pytest.param("exit 1", id="fails"),
]  # fmt: skip


@pytest.mark.parametrize("script", FIO)
def test_fio_trial(place, tmp_path, script):
    """fio's failures close a check with status 4, and the report says broken."""
    from builders import run_gate

    env = place("fio", script)
    answer = run_gate(["check", "p", "--out", "out", "--json", "--quiet"], cwd=tmp_path, env=env)
    assert (answer.status, answer.json["gate"]) == (4, "closed"), answer
    assert {finding["verdict"] for finding in answer.json["findings"]} == {"broken"}
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("harness", ["hyperfine", "fio"])
def test_hangs(place, tmp_path, harness):
    """A harness that hangs is killed with all it started when its time is up."""
    from builders import run_gate

    env = place(harness, f'/bin/sleep 1000 & echo $! > "{tmp_path / "pid"}"; wait')
    profile = tmp_path / "profiles/p.toml"
    profile.write_text(profile.read_text().replace("20 s", "0.3 s"))
    answer = run_gate(["run", "p", "--quiet"], cwd=tmp_path, env=env)
    assert answer.status == 4
    assert "its time was up" in answer.err
    assert not runs(int((tmp_path / "pid").read_text()))


def runs(number):
    """Whether a process still runs; a dead one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_deaf_to_sigterm(place, tmp_path):
    """A harness that ignores SIGTERM is killed all the same."""
    from builders import run_gate

    script = "trap '' TERM; while :; do /bin/sleep 0.1; done"
    env = place("hyperfine", script)
    profile = tmp_path / "profiles/p.toml"
    profile.write_text(profile.read_text().replace("20 s", "0.2 s"))
    answer = run_gate(["run", "p", "--quiet"], cwd=tmp_path, env=env)
    assert (answer.status, "its time was up" in answer.err) == (4, True)


def test_floods_its_output(place, tmp_path):
    """Megabytes of output are neither kept nor shown."""
    from builders import run_gate

    env = place("hyperfine", "/usr/bin/head -c 30000000 /dev/zero; exit 1")
    answer = run_gate(["run", "p", "--quiet"], cwd=tmp_path, env=env)
    assert answer.status == 4
    assert len(answer.err) < 2000


def test_removes_the_work_directory(place, tmp_path, refused):
    """A program that removes the directory under the gate's feet is a failed run, not a crash."""
    from builders import run_gate

    env = place("hyperfine", f'/bin/rm -rf "{tmp_path / "w"}"; exit 1')
    answer = run_gate(["run", "p", "--quiet", "--work", "w"], cwd=tmp_path, env=env)
    refused(answer, "G208", "w")


TESTS = [
    pytest.param("def test_it(benchmark): assert False", ("failed",), id="fails"),
    pytest.param("def test_other(benchmark): benchmark(int)", ("not there",), id="is renamed"),
    pytest.param("import pytest\ndef test_it(benchmark): pytest.skip('no server')", ("none",), id="skips"),
    pytest.param("def test_it(): pass", ("none",), id="measures nothing"),
    pytest.param("import nothing_of_that_name", ("status",), id="does not import"),
    pytest.param("def test_it(benchmark", ("status",), id="is no Python"),
    pytest.param("import os\ndef test_it(benchmark): os.kill(os.getpid(), 9)", ("signal 9",), id="is killed"),
    pytest.param("import os\ndef test_it(benchmark): os._exit(0)", ("none",), id="leaves early"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), TESTS)
def test_pytest(place, tmp_path, text, words):
    """A test that fails, skips, was renamed or died gives no value and status 4."""
    from builders import run_gate

    place("pytest")
    (tmp_path / "test_it.py").write_text(text + "\n")
    answer = run_gate(["run", "p", "--quiet"], cwd=tmp_path)
    assert answer.status == 4, answer
    assert answer.err.startswith("failed: test_it.py::test_it: ")
    assert "Traceback" not in answer.err
    for word in words:
        assert word in answer.err, (word, answer.err)


def test_no_test_file(place, tmp_path):
    """A test file that is not there is a failed trial."""
    from builders import run_gate

    place("pytest")
    answer = run_gate(["run", "p", "--quiet"], cwd=tmp_path)
    assert (answer.status, "not there" in answer.err) == (4, True), answer


def test_signal_numbers():
    """The signals named above are what they are meant to be."""
    assert (signal.SIGKILL, signal.SIGSEGV) == (9, 11)
