"""Files of a stranger's machine go through the whole second stage, and do nothing but be judged."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hostile import reading
from hostile.files import GIANT, HOSTILE, WORST
from hostile.payloads import MARK
from hostile.stage import RENDERED, second_stage
from hostile.watching import snapshot, watched

from gate.formats.session.session_file import read_report

CLOSED = {2, 3, 4, 5, 10}
LIMIT = 2 << 30
"""Bytes of address space for the giants."""


def named(hostile):
    return re.sub(r"\W+", "-", hostile.name)


def test_there_are_more_than_a_hundred_and_each_has_its_own_name():
    """110 files at least, of every kind that the issue names."""
    names = [one.name for one in (*HOSTILE, *GIANT, *WORST)]
    assert len(names) >= 110
    assert len(names) == len(set(names))
    assert all(one.status == 2 for one in HOSTILE if one.refused)


@pytest.mark.parametrize("hostile", HOSTILE, ids=named)
def test_a_hostile_file_is_refused_or_does_no_harm(tmp_path, roots, honest, hostile):
    """Every step ends as it must, starts nothing but git, writes nowhere else, says nothing of it."""
    session = tmp_path / "session.json"
    hostile.write(session, honest)
    root = roots[hostile.slow].root
    before = snapshot(root)
    with watched() as seen:
        ended = second_stage(session, root, tmp_path / "job")
    # What it ends with.
    assert ended.judge.status == hostile.status, ended.judge
    code = re.match(r"error\[(G\d+)\]", ended.judge.err)
    assert (code[1] if code else "") == hostile.code, ended.judge.err
    assert (ended.step.status in CLOSED) if hostile.status else (ended.step.status == 0)
    if not hostile.refused:
        assert ended.step.status == hostile.status
    assert ended.report.status == 0, ended.report
    assert "Traceback" not in ended.told
    assert "internal error" not in ended.told
    # What it did.
    assert set(seen.programs) <= {"git"}
    assert seen.network == []
    assert seen.naming(MARK) == []
    assert seen.naming("passwd") == [] or "password" in hostile.name
    assert seen.written(tmp_path / "job") == []
    assert snapshot(root) == before
    # What it said.
    _check_the_log(ended)
    _check_what_was_written(ended, "closed" if ended.step.status else "open")


def _check_the_log(ended):
    own, rest = reading.annotations(ended.step.out)
    assert len(own) <= 10
    for told in (ended.judge.out, ended.judge.err, rest, ended.step.err, ended.report.out):
        assert list(reading.lines(told)) == []
    assert not [line for line in own if re.search(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]|##\[", line)]


def _check_what_was_written(ended, gate):
    texts = {name: (ended.out / name).read_text(encoding="utf-8") for name in RENDERED}
    summary = (ended.runner / "summary").read_text(encoding="utf-8")
    assert reading.html(texts["page.html"]) == []
    assert reading.html((ended.out / "report.html").read_text(encoding="utf-8")) == []
    for text in (texts["summary.md"], texts["comment.md"], summary):
        assert reading.markdown(text) == []
    assert reading.junit(texts["junit.xml"]) == []
    assert len(texts["comment.md"]) < 60_000
    assert len(summary.encode()) <= 900_000
    outputs = reading.outputs((ended.runner / "output").read_text(encoding="utf-8"))
    assert tuple(outputs) == reading.OUTPUTS
    assert (outputs["gate"], outputs["status"]) == (gate, str(ended.step.status))
    assert not [value for value in outputs.values() if "\n" in value or reading.invisible(value)]
    assert read_report(ended.out / "report.json").gate == gate


_BOUNDED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
from gate.cli.main import run
status = run(sys.argv[1:])
print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize(
    "hostile",
    [*GIANT, *(pytest.param(one, marks=pytest.mark.proof) for one in WORST)],
    ids=named,
)
def test_a_giant_is_refused_within_two_gib(tmp_path, honest, hostile):
    """It is refused by name of what is too much, never by the end of memory."""
    hostile.write(tmp_path / "session.json", honest)
    program = [sys.executable, "-c", _BOUNDED.format(limit=LIMIT), "judge", "--session"]
    ended = subprocess.run(
        [*program, "session.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 2, ended.stderr[-500:]
    assert ended.stderr.startswith(f"error[{hostile.code}]: "), ended.stderr[:500]
    assert len(ended.stderr) < 2000
    assert int(ended.stderr.rpartition("peak ")[2]) < LIMIT >> 10
