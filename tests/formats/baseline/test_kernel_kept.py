"""How kernels were configured stands beside the baselines: kept once, read with distrust."""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from builders import run_gate, write_replay_project
from hypothesis import given
from hypothesis import strategies as st
from judge.build import accepted, baseline, session

from gate.formats import disk
from gate.formats.baseline.baseline_file import (
    config_name,
    read_baseline,
    read_baselines,
    read_kernel_config,
    write_baseline,
    write_kernel_config,
)
from gate.formats.session.consistency import session_complaints
from gate.judge.accept import Acceptance, accept
from gate.model import Kernel
from gate.model.kernel_config import LONGEST_VALUE, MOST_OPTIONS, config_digest, config_text

WHY = Acceptance(by="me", reason="more", accepted="2026-02-02T00:00:00Z")
OLD, NEW = {"HZ": "250", "SMP": "y"}, {"HZ": "1000", "SMP": "y"}
KERNEL = Kernel(release="6.1", version="#1", build_id="aa", command_line="quiet", config=OLD)

OPTIONS = st.dictionaries(
    st.from_regex(r"[A-Za-z0-9_]{1,20}", fullmatch=True),
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20),
    min_size=1,
)


@given(OPTIONS)
def test_a_configuration_that_is_written_is_read_back(config):
    """Whatever options a kernel may have, quotes and equals signs among their values."""
    with tempfile.TemporaryDirectory() as place:
        write_kernel_config(Path(place), config)
        assert [one.name for one in Path(place).iterdir()] == [config_name(config_digest(config))]
        assert read_kernel_config(Path(place), config_digest(config)) == config


def test_a_baseline_reads_the_configuration_of_its_newest_session(tmp_path):
    """Written with the baseline, one file for each digest; only the newest's is read again."""
    digests = [config_digest(one) for one in (OLD, OLD, NEW)]
    one = baseline(
        sessions=tuple(
            accepted(n, kernel_build=f"a{n}", kernel_config=digests[n]) for n in range(3)
        ),
        series=(),
        kernel_configs={config_digest(OLD): OLD, config_digest(NEW): NEW},
    )
    path = write_baseline(tmp_path, one)
    assert sorted(p.name for p in path.parent.glob("*.config")) == sorted(
        config_name(digest) for digest in set(digests)
    )
    again = read_baseline(path)
    assert again.sessions == one.sessions
    assert again.kernel_configs == {config_digest(NEW): NEW}
    text = (path.parent / config_name(config_digest(NEW))).read_text()
    assert text == "CONFIG_HZ=1000\nCONFIG_SMP=y\n"


def test_accepting_keeps_the_kernel_of_each_session():
    """Build id and digest stand in the session's block; the options are there to be written."""
    fresh = session(id="n1", started="2026-02-01T00:00:00Z", kernel=KERNEL)
    grown = accept(baseline(), [fresh], WHY).baseline
    newest = grown.sessions[-1]
    assert (newest.kernel_build, newest.kernel_config) == ("aa", config_digest(OLD))
    assert grown.kernel_configs == {config_digest(OLD): OLD}


def test_what_no_repository_should_hold_is_not_accepted_into_one():
    """A session of another gate holds private options: neither text, digest nor row tells them."""
    told = OLD | {"CMDLINE": '"password=hunter2"', "UEVENT_HELPER_PATH": '"/home/me/helper"'}
    loose = replace(KERNEL, config=told)
    fresh = session(id="n1", started="2026-02-01T00:00:00Z", kernel=loose)
    grown = accept(baseline(), [fresh], WHY).baseline
    assert grown.sessions[-1].kernel_config == config_digest(OLD)
    assert grown.kernel_configs == {config_digest(OLD): OLD}
    only = replace(KERNEL, config={"CMDLINE": '"password=hunter2"'})
    none = accept(baseline(), [replace(fresh, kernel=only)], WHY).baseline
    assert (none.sessions[-1].kernel_config, none.kernel_configs) == ("", {})


@pytest.mark.parametrize("kernel", [None, replace(KERNEL, config={}, build_id="")])
def test_a_session_that_knows_no_kernel_leaves_no_trace(kernel, tmp_path):
    """Imported sessions, and kernels that tell nothing: the file has no line about them."""
    fresh = session(id="n1", started="2026-02-01T00:00:00Z", kernel=kernel)
    grown = accept(baseline(), [fresh], WHY).baseline
    path = write_baseline(tmp_path, grown)
    assert "kernel_" not in path.read_text()
    assert (grown.kernel_configs, list(path.parent.glob("*.config"))) == ({}, [])


def _spoil(path, how):
    text = path.read_bytes()
    path.unlink()
    if how == "edited":
        path.write_bytes(text.replace(b"250", b"300"))
    elif how == "no text":
        path.write_bytes(b"\xff\xfe")
    elif how == "a pipe":
        os.mkfifo(path)
    elif how == "a directory":
        path.mkdir()
    elif how == "too large":
        path.write_bytes(text + b"#" * disk.CAP_BYTES["kernel config"])


@pytest.mark.parametrize("how", ["gone", "edited", "no text", "a pipe", "a directory", "too large"])
def test_a_configuration_that_is_gone_or_spoilt_is_not_kept_any_more(tmp_path, how):
    """The baseline is read all the same, without these options: they decide nothing."""
    kept = {config_digest(OLD): OLD}
    one = baseline(
        sessions=(accepted(0, kernel_config=config_digest(OLD)),), series=(), kernel_configs=kept
    )
    path = write_baseline(tmp_path, one)
    _spoil(path.parent / config_name(config_digest(OLD)), how)
    assert read_baseline(path).kernel_configs == {}
    assert read_baseline(path).sessions == one.sessions


def test_accepting_again_mends_an_edited_configuration(tmp_path):
    """What does not fit its name is written anew; what does is left alone."""
    write_kernel_config(tmp_path, OLD)
    path = tmp_path / config_name(config_digest(OLD))
    before = path.stat().st_mtime_ns
    write_kernel_config(tmp_path, OLD)
    assert path.stat().st_mtime_ns == before
    path.write_text("CONFIG_HZ=300\n")
    write_kernel_config(tmp_path, OLD)
    assert path.read_text() == config_text(OLD)


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"build_id": "no hex"}, ("kernel", "build_id")),
        ({"build_id": "a" * 129}, ("kernel", "build_id")),
        ({"config": {"A B": "y"}}, ("kernel", "config", "A B")),
        ({"config": {"A": "y\nCONFIG_B=y"}}, ("kernel", "config", "A")),
        ({"config": {"A": ""}}, ("kernel", "config", "A")),
        ({"config": {"A": "x" * (LONGEST_VALUE + 1)}}, ("kernel", "config", "A")),
        ({"config": {f"O{n}": "y" for n in range(MOST_OPTIONS + 1)}}, ("kernel", "config")),
    ],
    ids=["no build id", "long", "name", "newline", "empty", "long value", "many"],
)
def test_what_no_kernel_tells_is_refused_in_a_session(changes, where):
    """A session comes from another machine: no option can break out of its line."""
    assert list(session_complaints(session(kernel=KERNEL))) == []
    found = list(session_complaints(session(kernel=replace(KERNEL, **changes))))
    assert [path for path, _ in found] == [where]


@pytest.fixture
def project(tmp_path):
    """A project with an accepted baseline, and a session of a kernel to be accepted."""
    made = write_replay_project(tmp_path)
    made.accept()
    return made


def with_kernel(project, config):
    """A session of this project that ran on such a kernel."""
    path = project.session()
    data = json.loads(path.read_text())
    data["kernel"] = {
        "release": "6.1", "version": "#1", "build_id": "aa", "command_line": "quiet",
        "config": config,
    }  # fmt: skip
    path.write_text(json.dumps(data))
    return path


def take(project, path):
    """Accept a session."""
    told = project.gate("baseline", "accept", path, "--reason", "kernel", "--by", "me")
    assert told.status == 0, told
    return told


def test_the_command_line_keeps_one_file_for_a_kernel_and_drops_unnamed_ones(project):
    """Accepted twice it stands there once; when no session names it any more, it goes."""
    folder = project.baseline.parent
    take(project, with_kernel(project, OLD))
    take(project, with_kernel(project, OLD))
    old, new = (folder / config_name(config_digest(one)) for one in (OLD, NEW))
    assert list(folder.glob("*.config")) == [old]
    assert old.read_text() == config_text(OLD)
    sessions = tomllib.loads(project.baseline.read_text())["session"].values()
    assert [one.get("kernel_config") for one in sessions].count(config_digest(OLD)) == 2
    text = project.baseline.read_text().replace(f'kernel_config = "{config_digest(OLD)}"\n', "")
    project.baseline.write_text(text)
    told = take(project, with_kernel(project, NEW))
    assert list(folder.glob("*.config")) == [new]
    assert f"removed {old.relative_to(project.root)}: no accepted session" in told.out


def test_a_check_tells_what_differs_from_the_accepted_kernel(project):
    """From the accepted session's file to the report: one option differs, one is alike."""
    take(project, with_kernel(project, OLD))
    path = with_kernel(project, NEW)
    told = project.gate("judge", "--session", path, "--json")
    report = told.json
    rows = [
        (r["key"], r["base"], r["head"]) for r in report["differences"] if "config" in r["area"]
    ]
    assert rows == [("HZ", "250", "1000")]
    assert {"area": "kernel config", "count": 1} in report["alike"]
    (newest,) = {r["against"] for r in report["differences"] if "config" in r["area"]}
    assert newest == f"accepted session {read_baselines(project.baselines)[0].sessions[-1].id}"


def test_a_report_does_not_tell_private_options(project):
    """Judged from a session that holds them: what else differs is told, and nothing of them."""
    take(project, with_kernel(project, OLD))
    path = with_kernel(project, NEW | {"CMDLINE": '"password=hunter2"'})
    told = project.gate("judge", "--session", path, "--json")
    rows = [r["key"] for r in told.json["differences"] if r["area"] == "kernel config"]
    assert rows == ["HZ"]
    assert "hunter2" not in told.out


def test_without_the_file_the_report_says_that_it_was_not_kept(project):
    """Removed from the repository: the verdict is the same, and the row says what is missing."""
    take(project, with_kernel(project, OLD))
    path = with_kernel(project, NEW)
    before = project.gate("judge", "--session", path, "--json")
    (project.baseline.parent / config_name(config_digest(OLD))).unlink()
    after = project.gate("judge", "--session", path, "--json")
    assert after.status == before.status
    (row,) = [r for r in after.json["differences"] if r["area"] == "kernel config"]
    assert row["base"] == f"digest {config_digest(OLD)} (the text was not kept)"


def test_a_measured_session_tells_its_kernel(tmp_path):
    """`gate run` writes down the kernel of the machine; replayed values have none."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles/m.toml").write_text(
        'harness = "hyperfine"\ncommand = "true"\ntrials = { screen = 2 }\n'
        '[metric.wall]\ntolerance = "50%"\n'
    )
    told = run_gate(["run", "m", "--quiet", "--json"], cwd=tmp_path)
    assert told.status == 0, told
    kernel = json.loads((tmp_path / told.json["sessions"][0]["path"]).read_text())["kernel"]
    assert kernel["release"] == "6.8.0-45-generic"
    assert kernel["command_line"] == "ro quiet mitigations=auto isolcpus=1"
    replayed = write_replay_project(tmp_path / "other").session()
    assert json.loads(replayed.read_text())["kernel"] is None
