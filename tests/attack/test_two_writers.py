"""Two gates that write below `baselines/` at once: nothing that one of them accepted is lost."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from contextlib import contextmanager

import pytest
from builders import HOST_CLASS, run_gate, start_gate, tree, write_replay_project

from gate.formats.baseline.baseline_file import read_baseline
from gate.formats.host.host_file import read_known_host

WHY = ("--reason", "a level", "--by", "me")


def sessions_of(project, count):
    """As many sessions as that, each of a level of its own."""
    return [project.session({"b": [1.0 + 0.001 * n, 1.002, 0.998]}) for n in range(count)]


@contextmanager
def held(directory):
    """The directory's lock, as another process holds it."""
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


@pytest.mark.slow
def test_four_gates_that_accept_at_once_lose_no_session(tmp_path):
    """Every session whose acceptance ended with 0 is in the baseline afterwards."""
    project = write_replay_project(tmp_path, head={"b": (1.0, 1.002, 0.998)})
    files = sessions_of(project, 8)
    for four in (files[:4], files[4:]):
        started = [
            start_gate(["baseline", "accept", file, *WHY], cwd=project.root) for file in four
        ]
        ends = [(one.communicate(timeout=120), one.returncode) for one in started]
        assert [status for _, status in ends] == [0, 0, 0, 0], ends
    known = read_baseline(project.baseline)
    measured = {json.loads(file.read_text(encoding="utf-8"))["id"] for file in files}
    assert {one.id for one in known.sessions} == measured


@pytest.mark.parametrize("before", [True, False], ids=["enrolled", "empty"])
def test_a_gate_waits_for_the_one_that_writes(tmp_path, before):
    """While somebody holds the lock of `baselines/`, an acceptance neither reads nor writes."""
    project = write_replay_project(tmp_path, head={"b": (1.0, 1.002, 0.998)})
    first, second = sessions_of(project, 2)
    project.baselines.mkdir(exist_ok=True)
    if before:
        assert project.gate("baseline", "accept", first, *WHY).status == 0
    with held(project.baselines):
        started = start_gate(["baseline", "accept", second, *WHY], cwd=project.root)
        with pytest.raises(TimeoutError):
            _ended_within(started, 4.0)
        seen = tree(project.baselines)
    out, err = started.communicate(timeout=120)
    assert started.returncode == 0, err
    assert seen != tree(project.baselines), out
    assert len(read_baseline(project.baseline).sessions) == 1 + before


def _ended_within(process, seconds):
    waiting = threading.Thread(target=process.wait, daemon=True)
    waiting.start()
    waiting.join(seconds)
    if waiting.is_alive():
        raise TimeoutError


@pytest.mark.parametrize("what", ["p.toml", "host.toml"])
def test_what_somebody_else_wrote_meanwhile_is_not_overwritten(tmp_path, monkeypatch, what):
    """An editor takes no lock: a file that is not as it was read is left, and the gate says so."""
    project = write_replay_project(tmp_path, head={"b": (1.0, 1.002, 0.998)})
    first, second = sessions_of(project, 2)
    assert project.gate("baseline", "accept", first, *WHY).status == 0
    from gate.cli.baseline import accept

    file = project.baseline.with_name(what)
    other = file.read_text(encoding="utf-8") + "# edited\n"
    real = accept.accept_all

    def then_edited(*args, **options):
        results = real(*args, **options)
        file.write_text(other, encoding="utf-8")
        return results

    monkeypatch.setattr(accept, "accept_all", then_edited)
    answer = project.gate("baseline", "accept", second, *WHY)
    assert answer.status == 2, answer
    assert f"error[G209]: {file.relative_to(project.root)}: " in answer.err
    assert file.read_text(encoding="utf-8") == other


def test_of_two_that_enroll_one_class_the_second_sees_the_first(tmp_path):
    """It does not write over settings that were enrolled a moment ago."""
    store = tmp_path / "baselines"
    words = ["host", "enroll", "--host-class", HOST_CLASS, "--baseline", store]
    store.mkdir()
    with held(store):
        started = start_gate([*words, "--tune", "thp"], cwd=tmp_path)
        with pytest.raises(TimeoutError):
            _ended_within(started, 3.0)
    assert (started.communicate(timeout=60), started.returncode)[1] == 0
    assert read_known_host(store, HOST_CLASS).tune == ("thp",)
    assert run_gate([*words, "--tune", "aslr"], cwd=tmp_path).status == 2
    assert read_known_host(store, HOST_CLASS).tune == ("thp",)


def test_a_refused_acceptance_leaves_no_directory_behind(tmp_path):
    """The lock's directory was not there, and is not there afterwards."""
    project = write_replay_project(tmp_path, head={"b": (1.0, 1.002, 0.998)})
    (session,) = sessions_of(project, 1)
    words = json.loads(session.read_text(encoding="utf-8"))
    words["state"] = "partial"
    session.write_text(json.dumps(words), encoding="utf-8")
    assert project.gate("baseline", "accept", session, *WHY).status == 2
    assert not project.baselines.exists()
