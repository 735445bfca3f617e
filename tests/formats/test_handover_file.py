"""The handover file: what was written reads back, and what a stranger wrote is refused."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from builders import write_replay_project
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from pipeline.ends import CHECK, left, raw

from gate.errors import InputError
from gate.formats import disk
from gate.formats.session.session_file import (
    handover_text,
    read_handover,
    read_report,
    read_session,
    write_handover,
)
from gate.model import Handover


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """A finished check, and its handover as plain data."""
    project = write_replay_project(tmp_path_factory.mktemp("checked") / "p")
    project.accept()
    assert project.gate(*CHECK).status == 0
    return project


@pytest.fixture
def refused(checked, tmp_path):
    """Edit the handover, or replace it by a text; reading it must fail with these words."""

    def call(edit, code, *words):
        path = tmp_path / "session.json"
        if isinstance(edit, str):
            path.write_text(edit)
        else:
            data = raw(checked.root)
            edit(data)
            path.write_text(json.dumps(data))
        with pytest.raises(InputError) as caught:
            read_handover(path)
        assert caught.value.code == code, caught.value
        assert len(str(caught.value)) < 2000
        for word in words:
            assert word in str(caught.value), caught.value

    return call


def test_it_reads_back_as_it_was_written(checked, tmp_path):
    """Writing and reading gives the same value, and writing that gives the same bytes."""
    one = left(checked.root)[1]
    session = one.sessions[0]
    several = replace(
        one,
        shard=3,
        shards=256,
        error="G290: interrupted",
        sessions=(session, replace(session, id="ü — 2")),
    )
    for handover in (one, several, replace(one, sessions=())):
        write_handover(tmp_path / "h.json", handover)
        assert read_handover(tmp_path / "h.json") == handover
        assert (
            handover_text(read_handover(tmp_path / "h.json")) == (tmp_path / "h.json").read_text()
        )
    assert len(handover_text(several).splitlines()) == 9  # 5 facts, a line per session, brackets


@given(
    error=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4000),
    shards=st.integers(1, 256),
)
@examples(0.5)
def test_any_error_text_survives(tmp_path_factory, error, shards):
    """Whatever an error says, the file holds it and stays one value per line."""
    path = tmp_path_factory.mktemp("h") / "h.json"
    handover = Handover(schema=1, version="0", shards=shards, sessions=(), error=error)
    write_handover(path, handover)
    assert read_handover(path) == handover


def test_a_single_session_is_part_1_of_1(checked):
    """What `gate run` writes is accepted as a whole check of one session."""
    path = checked.root / "reports/sessions/p-001.json"
    found = read_handover(path)
    assert (found.shard, found.shards, found.sessions) == (1, 1, (read_session(path),))


def _set(*path_and_value):
    *path, key, value = path_and_value

    def edit(data):
        for part in path:
            data = data[part]
        data[key] = value

    return edit


def _twice(data):
    data["sessions"].append(data["sessions"][0])


def _many(data):
    one = data["sessions"][0] | {"trials": [], "planned": [], "metrics": []}
    data["sessions"] = [one | {"id": f"s{i}"} for i in range(10_001)]


S0 = ("sessions", 0)
T0 = (*S0, "trials", 0)
HOSTILE = [
    ("another schema number", _set("schema", 2), "G207", ("2",)),
    ("no sessions", lambda d: d.pop("sessions"), "G206", ("sessions: is required",)),
    ("sessions as a table", _set("sessions", {}), "G206", ("sessions",)),
    ("an unknown key", _set("path", "/etc/passwd"), "G206", ("path: unknown key",)),
    ("shard 0", _set("shard", 0), "G206", ("shard", "must be at least 1, not 0")),
    ("shard 2 of 1", _set("shard", 2), "G206", ("shard", "between 1 and 1")),
    ("a million shards", _set("shards", 10**6), "G206", ("shards", "256")),
    ("true for a shard", _set("shard", True), "G206", ("shard",)),
    ("a session twice", _twice, "G206", ("sessions.1.id", "twice")),
    ("ten thousand and one sessions", _many, "G206", ("10001",)),
    ("a session with an unknown key", _set(*S0, "run", "rm"), "G206", ("sessions.0.run",)),
    ("a session of another profile name", _set(*S0, "profile", "../p"), "G206", ("plain name",)),
    ("a host class that climbs", _set(*S0, "host", "host_class", ".."), "G206", ("plain name",)),
    ("a sequence twice", _set(*S0, "trials", 1, "sequence", 0), "G206", ("sessions.0.trials.1",)),
    ("an endless version", _set("version", "x" * 501), "G206", ("version", "501")),
    ("an endless error", _set("error", "x" * 4001), "G206", ("error", "4001", "4000")),
    ("an endless note", _set(*S0, "notes", ["x" * 4001]), "G206", ("sessions.0.notes.0", "4001")),
    ("an endless note of a trial", _set(*T0, "note", "x" * 4001), "G206", ("trials.0.note",)),
    ("an endless benchmark", _set(*T0, "benchmark", "x" * 501), "G206", ("benchmark", "501")),
    ("an endless metric", _set(*T0, "values", 0, "metric", "x" * 501), "G206", ("metric", "501")),
    ("an endless fact", _set(*S0, "host", "epoch", {"k": "x" * 10_001}), "G206", ("epoch.k",)),
    ("an endless key", _set(*S0, "tools", {"k" * 501: "1"}), "G206", ("sessions.0.tools", "501")),
    ("a string without end", _set(*S0, "notes", ["x" * 200_000]), "G205", ("200000",)),
    ("nothing", "", "G205", ()),
    ("a list", "[]", "G206", ()),
    ("NaN", '{"schema": 1, "shard": NaN, "sessions": []}', "G205", ("NaN",)),
    ("lists 100000 deep", "[" * 100_000, "G205", ("deep",)),
    ("a key twice", '{"schema": 1, "schema": 1}', "G205", ("twice",)),
    ("only a schema number", '{"schema": 1}', "G206", ("version: is required",)),
    ("a session and its sessions", '{"schema": 1, "trials": [], "sessions": []}', "G206", ("trials",)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("edit", "code", "words"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE]
)
def test_a_hostile_handover_is_refused(refused, edit, code, words):
    """One wrong thing, and nothing of the file is used; the message names the key."""
    refused(edit, code, *words)


def test_more_than_64_mib_are_not_read(tmp_path):
    """The cap is on the whole file, before it is parsed."""
    path = tmp_path / "h.json"
    with path.open("wb") as stream:
        stream.truncate((64 << 20) + 1)
    with pytest.raises(InputError, match="64 MiB") as caught:
        read_handover(path)
    assert caught.value.code == "G202"
    assert disk.CAP_BYTES["handover"] == 64 << 20


def test_the_longest_allowed_strings_are_read(checked, tmp_path):
    """At the caps nothing is refused: 500 of a name, 4,000 of a text, 10,000 of a fact."""
    data = raw(checked.root)
    data |= {"version": "v" * 500, "error": "e" * 4000}
    data["sessions"][0]["host"]["epoch"] = {"k" * 500: "x" * 10_000}
    data["sessions"][0]["notes"] = ["n" * 4000]
    (tmp_path / "h.json").write_text(json.dumps(data))
    assert asdict(read_handover(tmp_path / "h.json"))["error"] == "e" * 4000


def test_a_failed_report_reads_and_no_forged_one_does(checked, tmp_path):
    """An error is closed, has a status of errors, and hides no regression."""
    report = json.loads((checked.root / "out/report.json").read_text())
    path = tmp_path / "report.json"

    def reads(**changes):
        path.write_text(json.dumps(report | changes))
        try:
            return read_report(path)
        except InputError:
            return None

    closed = {"gate": "closed", "verdict": "error"}
    assert reads(**closed, exit_status=4)
    assert reads(**closed, exit_status=143, findings=[])
    assert not reads(**closed, exit_status=10)
    assert not reads(**closed, exit_status=0)
    assert not reads(gate="open", verdict="error", exit_status=0)
    assert not reads(gate="open", verdict="error", exit_status=4)
    worse = [one | {"verdict": "regressed"} for one in report["findings"]]
    assert not reads(**closed, exit_status=4, findings=worse)
    assert not reads(gate="closed", verdict="passed", exit_status=4)
    assert not reads(findings=[])
