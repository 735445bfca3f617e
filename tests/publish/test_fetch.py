"""Artifacts of a stranger's run: one plain file of the expected name and size, or nothing."""

from __future__ import annotations

import contextlib
import hashlib
import io
import stat
import struct
import zipfile

import pytest
from builders import run_gate
from publish.github_server import GitHubServer
from publish.server_build import zipped
from publish.server_client import HEAD, REPOSITORY, TOKEN, client

from gate.errors import PublishError
from gate.publish.github.artifacts import NotPlain, fetch_file, read_only_file

NAME, FILE, RUN = "driftgate-session", "session.json", 5
CONTENT = b'{"schema": 1}\n'
CAP = 10_000


@pytest.fixture
def hub(tmp_path):
    with GitHubServer(tmp_path / "hub") as server:
        server.add_repository(REPOSITORY)
        server.add_token(TOKEN, {"actions": "read"})
        server.add_run(REPOSITORY, RUN, head=HEAD)
        yield server


def upload(hub, data=None, *, name=NAME, **more):
    return hub.add_artifact(REPOSITORY, RUN, name, data or zipped({FILE: CONTENT}), **more)


def get(hub):
    return fetch_file(client(hub), RUN, NAME, FILE, CAP)


def refused(hub):
    with pytest.raises(PublishError) as caught:
        get(hub)
    assert caught.value.code == "G275", caught.value
    return str(caught.value)


def archive(*members, comment=b"", method=zipfile.ZIP_DEFLATED):
    """Members are (ZipInfo or name, content)."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as made:
        made.comment = comment
        for name, content in members:
            made.writestr(name, content)
    return stream.getvalue()


def with_mode(kind):
    member = zipfile.ZipInfo(FILE)
    member.external_attr = (kind | 0o644) << 16
    return archive((member, CONTENT))


def directory_field(data, offset, form, value):
    """The archive with one field of its directory's entry changed."""
    at = data.index(b"PK\x01\x02") + offset
    return data[:at] + struct.pack(form, value) + data[at + struct.calcsize(form) :]


NUL = zipped({f"{FILE}_x": CONTENT}).replace(f"{FILE}_x".encode(), f"{FILE}\0x".encode())
"""Its name ends at the NUL for whoever looks only that far."""


def test_the_one_file_of_the_artifact_comes_out(hub):
    upload(hub)
    upload(hub, zipped({FILE: b"other"}), name="driftgate-session-1-of-2")
    assert get(hub) == CONTENT


def test_one_that_is_not_compressed_is_fine_too(hub):
    upload(hub, archive((FILE, CONTENT), method=zipfile.ZIP_STORED))
    assert get(hub) == CONTENT


def test_nothing_of_that_name_is_told(hub):
    upload(hub, name="Driftgate-Session")
    assert "does not exist" in refused(hub)


def test_the_exact_name_counts_also_where_the_server_does_not_filter(hub):
    other = upload(hub, name="driftgate-session-x")
    hub.fault(
        status=200, body=f'{{"total_count": 1, "artifacts": [{{"name": "{other["name"]}"}}]}}'
    )
    assert "does not exist" in refused(hub)


def test_one_that_has_expired_is_told(hub):
    upload(hub, expired=True)
    assert "has expired" in refused(hub)


def test_one_that_expires_while_we_ask_is_told(hub):
    made = upload(hub)
    hub.when("GET", "/zip", lambda: made.update(expired=True))
    assert "has expired" in refused(hub)


def test_two_of_one_attempt_are_refused(hub):
    upload(hub)
    upload(hub)
    assert "stands 2 times in 1 attempts" in refused(hub)
    assert hub.stored == []


def test_of_a_run_that_was_started_again_the_latest_counts_by_time_and_not_by_number(hub):
    upload(hub, zipped({FILE: b"first"}), created_at="2026-11-22T10:00:00Z", id=9_000)
    upload(hub, zipped({FILE: b"again"}), created_at="2026-11-22T11:00:00Z")
    hub.repository(REPOSITORY)["runs"][0]["run_attempt"] = 2
    assert get(hub) == b"again"


def test_two_of_the_same_second_are_refused(hub):
    for _ in range(2):
        upload(hub, created_at="2026-11-22T10:00:00Z")
    hub.repository(REPOSITORY)["runs"][0]["run_attempt"] = 2
    assert "stands 2 times" in refused(hub)


def test_one_that_is_announced_as_too_long_is_not_downloaded(hub):
    upload(hub, size_in_bytes=CAP + 65_537)
    assert "is 75537 bytes long" in refused(hub)
    assert hub.stored == []


def test_one_that_is_longer_than_announced_is_left_in_the_middle(hub):
    upload(hub, b"x" * 1_000_000, size_in_bytes=100)
    assert "more than 75536 bytes came" in refused(hub)


def test_the_digest_that_github_tells_must_be_right(hub):
    data = zipped({FILE: CONTENT})
    upload(hub, data, digest=f"sha256:{hashlib.sha256(data).hexdigest()}")
    assert get(hub) == CONTENT
    hub.repository(REPOSITORY)["artifacts"][0]["digest"] = "sha256:" + "0" * 64
    assert "digest" in refused(hub)


def test_a_file_of_just_the_cap_is_taken_and_one_byte_more_is_not(hub):
    made = upload(hub, zipped({FILE: b"x" * CAP}))
    assert len(get(hub)) == CAP
    hub.state.artifact(made["id"]).write_bytes(zipped({FILE: b"x" * (CAP + 1)}))
    assert "holds 10001 bytes; 10000 are the most" in refused(hub)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no plain zip"),
        (b"PK\x05\x06" + bytes(18), "holds 0 files"),
        (b"no zip at all, but long enough to be one", "no plain zip"),
        (archive(), "holds 0 files"),
        (zipped({FILE: CONTENT, "other": b""}), "holds 2 files"),
        (archive((FILE, CONTENT), comment=b"PK\x05\x06 hello"), "no plain zip"),
        (b"#!/bin/sh\n" + zipped({FILE: CONTENT})[:-1], "no plain zip"),
        (zipped({"report.json": CONTENT}), 'holds "report.json" in place of "session.json"'),
        (zipped({f"../{FILE}": CONTENT}), "in place of"),
        (zipped({f"/{FILE}": CONTENT}), "in place of"),
        (zipped({f"x/{FILE}": CONTENT}), "in place of"),
        (zipped({f"{FILE}/": b""}), "in place of"),
        (zipped({"SESSION.JSON": CONTENT}), "in place of"),
        (NUL, "in place of"),
        (with_mode(stat.S_IFLNK), "no plain file"),
        (with_mode(stat.S_IFIFO), "no plain file"),
        (with_mode(stat.S_IFCHR), "no plain file"),
        (directory_field(zipped({FILE: CONTENT}), 8, "<H", 1), "is encrypted"),
        (archive((FILE, CONTENT), method=zipfile.ZIP_BZIP2), "no upload uses"),
        (archive((FILE, CONTENT), method=zipfile.ZIP_LZMA), "no upload uses"),
        (directory_field(zipped({FILE: CONTENT}), 16, "<L", 7), "is broken"),  # check sum
        (directory_field(zipped({FILE: CONTENT}), 24, "<L", 99), "is broken"),  # size
        (directory_field(zipped({FILE: CONTENT}), 24, "<L", 5), "is broken"),
        (directory_field(zipped({FILE: CONTENT}), 20, "<L", 3), "is broken"),  # packed size
        (directory_field(zipped({FILE: CONTENT}), 42, "<L", 5), "is broken"),  # place
        (directory_field(zipped({FILE: CONTENT}), 42, "<L", 2**31), "is broken"),
    ],
)
def test_an_archive_that_is_not_the_plain_one_is_refused(data, said):
    with pytest.raises(NotPlain, match=said):
        read_only_file(data, FILE, CAP)


def test_a_bomb_is_not_unpacked():
    bomb = archive((FILE, bytes(200_000_000)))
    assert len(bomb) < 250_000
    with pytest.raises(NotPlain, match="holds 200000000 bytes"):
        read_only_file(bomb, FILE, CAP)
    lying = directory_field(bomb, 24, "<L", 100)
    with pytest.raises(NotPlain, match="is broken"):
        read_only_file(lying, FILE, CAP)


def test_a_directory_of_very_many_entries_is_not_read():
    entry = zipped({FILE: CONTENT})
    start = entry.index(b"PK\x01\x02")
    one, end = entry[start:-22], bytearray(entry[-22:])
    many = one * 20_000
    struct.pack_into("<HHL", end, 8, 1, 1, len(many))
    with pytest.raises(NotPlain, match=r"holds 1 files|no plain zip"):
        read_only_file(entry[:start] + many + bytes(end), FILE, CAP)


def test_every_archive_cut_or_changed_anywhere_is_refused_or_gives_the_same():
    whole = zipped({FILE: CONTENT})
    for place in range(len(whole)):
        flipped = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        for data in (whole[:place], flipped):
            with contextlib.suppress(NotPlain):
                assert read_only_file(data, FILE, CAP) == CONTENT


# The command.


@pytest.fixture
def command(hub, tmp_path):
    environment = {"GATE_API_URL": hub.url, "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_TOKEN": TOKEN}

    def call(*words):
        fixed = ["publish", "fetch", "--run", RUN, "--artifact", NAME, "--out", tmp_path / "out"]
        return run_gate([*fixed, *words], env=environment)

    return call


def found(tmp_path):
    out = tmp_path / "out"
    return {str(one.relative_to(out)): one.read_bytes() for one in out.rglob("*") if one.is_file()}


def test_the_command_writes_the_file_and_tells_where(hub, command, tmp_path):
    upload(hub)
    answer = command("--json")
    assert answer.status == 0, answer.err
    assert answer.json == {"schema": 1, "files": [str(tmp_path / "out" / FILE)]}
    assert found(tmp_path) == {FILE: CONTENT}


def test_the_command_fetches_a_report(hub, command, tmp_path):
    upload(hub, zipped({"report.json": b"{}"}))
    assert command("--file", "report.json").status == 0
    assert found(tmp_path) == {"report.json": b"{}"}


def test_the_command_fetches_every_shard_into_a_directory_of_its_own(hub, command, tmp_path):
    for number in (1, 2, 3):
        upload(hub, zipped({FILE: b"%d" % number}), name=f"{NAME}-{number}-of-3")
    assert command("--shards", "3").status == 0
    assert found(tmp_path) == {f"{n}-of-3/{FILE}": b"%d" % n for n in (1, 2, 3)}


def test_a_missing_shard_is_told_and_the_others_are_there(hub, command, tmp_path):
    stale = tmp_path / "out" / "2-of-3" / FILE
    stale.parent.mkdir(parents=True)
    stale.write_bytes(b"of another day")
    for number in (1, 3):
        upload(hub, name=f"{NAME}-{number}-of-3")
    answer = command("--shards", "3")
    assert answer.status == 6
    assert (
        "1 of 3 artifacts: artifact driftgate-session-2-of-3 of run 5 does not exist." in answer.err
    )
    assert set(found(tmp_path)) == {f"1-of-3/{FILE}", f"3-of-3/{FILE}"}


def test_an_artifact_that_is_no_text_is_refused_and_not_written(hub, command, tmp_path):
    upload(hub, zipped({FILE: b"\xff\xfe"}))
    answer = command()
    assert answer.status == 6
    assert "no UTF-8 text" in answer.err
    assert found(tmp_path) == {}


def test_no_permission_ends_the_command_at_once(hub, command):
    hub.add_token(TOKEN, {})
    answer = command("--shards", "3")
    assert answer.status == 6
    assert "Give the job `actions: read`." in answer.err
    assert len(hub.log) == 1


def test_a_name_from_the_archive_neither_steers_the_terminal_nor_the_runner(hub, command):
    upload(hub, zipped({"\x1b[2J\n::error::x": CONTENT}))
    answer = command()
    assert answer.status == 6
    assert all(not line.startswith("::") for line in answer.err.splitlines())
    assert "\x1b" not in answer.err
