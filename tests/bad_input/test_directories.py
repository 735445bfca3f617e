"""Directories that cannot be written: said in one paragraph, and nothing is lost."""

from __future__ import annotations

import resource
import shutil

import pytest
from builders import Answer, start_gate, unchanged

ACCEPT = ["baseline", "accept", "reports/sessions/p-006.json", "--reason", "x"]
PLACES = [
    pytest.param("a-file/below", id="below a file"),
    pytest.param("/proc/driftgate", id="in proc"),
    pytest.param("/sys/driftgate", id="in sys"),
    pytest.param("/dev/null/below", id="below a device"),
    pytest.param("loop/below", id="below a link to itself"),
    pytest.param("dangling/below", id="below a link to nothing"),
    pytest.param("x" * 300, id="a name of 300 letters"),
    pytest.param("/".join(["x" * 200] * 30), id="a path of 6000 letters"),
]
WRITERS = [
    pytest.param(["run", "p", "--out"], id="run"),
    pytest.param(["run", "p", "--work"], id="run in a work directory"),
    pytest.param(["check", "p", "--out"], id="check"),
    pytest.param(["check", "p", "--out", "out", "--work"], id="check in a work directory"),
    pytest.param(["judge", "--session", "reports/sessions/p-006.json", "--out"], id="judge"),
    pytest.param(["report", "report.json", "--html"], id="report"),
    pytest.param(["import", "hyperfine.json", "--out"], id="import"),
    pytest.param(["init"], id="init"),
    pytest.param(["demo", "--out"], id="demo"),
    pytest.param(["schema", "--write"], id="schema"),
    pytest.param([*ACCEPT, "--baseline"], id="accept"),
]


@pytest.fixture
def furnished(accepted, request):
    """The accepted project with a report, an export, a file and two bad links."""
    judge = ["judge", "--session", "reports/sessions/p-006.json", "--json"]
    (accepted.root / "report.json").write_text(accepted.gate(*judge).out)
    recorded = request.config.rootpath / "tests/data/tool-output/hyperfine-1.20.0.json"
    shutil.copy(recorded, accepted.root / "hyperfine.json")
    (accepted.root / "a-file").write_text("mine")
    (accepted.root / "loop").symlink_to("loop")
    (accepted.root / "dangling").symlink_to("none")
    return accepted


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("command", WRITERS)
def test_unwritable(furnished, refused, command, place):
    """Every command that writes names the place it cannot write, and leaves all else alone."""
    with unchanged(furnished.root):
        answer = furnished.gate(*command, place)
    code = answer.err[6:10]
    assert code in {"G201", "G208"}, answer
    refused(answer, code, place[:60])


@pytest.mark.parametrize("place", ["/proc", "/sys"])
@pytest.mark.parametrize("option", ["--out", "--work"])
def test_existing_and_unwritable(furnished, refused, place, option):
    """A directory that is there and takes no file is named."""
    with unchanged(furnished.root):
        answer = furnished.gate("run", "p", option, place, "--quiet")
    refused(answer, "G208", place)


FULL = [
    pytest.param(ACCEPT, id="accept"),
    pytest.param(["run", "p", "--quiet"], id="run"),
    pytest.param(["check", "p", "--out", "out", "--quiet"], id="check"),
    pytest.param(["report", "report.json", "--html", "old.html"], id="report"),
    pytest.param(["init", "new"], id="init"),
]


@pytest.mark.parametrize("command", FULL)
def test_full(furnished, refused, command):
    """When a file cannot be written whole, it is not written at all: the old one stays."""
    (furnished.root / "old.html").write_text("old")

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    with unchanged(furnished.root):
        process = start_gate(command, cwd=furnished.root, preexec_fn=small_files)
        out, err = process.communicate(timeout=60)
    refused(Answer(process.returncode, out if "{" in out else "", err), "G208")
    assert not [path.name for path in furnished.root.rglob(".*") if path.is_file()]


@pytest.mark.parametrize("name", ["p.toml", "host.toml"])
def test_a_directory_where_a_file_belongs(furnished, refused, name):
    """A directory in place of a baseline or host file is not replaced."""
    path = furnished.baseline.with_name(name)
    path.unlink()
    path.mkdir()
    with unchanged(furnished.root):
        answer = furnished.gate(*ACCEPT)
    refused(answer, "G201", name)


def test_init_keeps_links(furnished):
    """`gate init` keeps whatever has a file's name, be it only a link to nothing."""
    (furnished.root / "profiles/first.toml").symlink_to("none")
    with unchanged(furnished.root):
        assert furnished.gate("init").status == 0
