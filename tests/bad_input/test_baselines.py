"""Baselines, host files and waivers: edited by hand, misplaced, broken. And what is not accepted."""

from __future__ import annotations

import json
import os
import re
import shutil

import pytest
from builders import HOST_CLASS, tree, write_replay_project

JUDGE = ["judge", "--session", "reports/sessions/p-006.json"]
BASELINE = f"baselines/{HOST_CLASS}/p.toml"
HOST = f"baselines/{HOST_CLASS}/host.toml"
READERS = [
    pytest.param(JUDGE, id="judge"),
    pytest.param(["check", "p", "--out", "out"], id="check"),
    pytest.param(["baseline", "show"], id="show"),
    pytest.param(
        ["baseline", "accept", "reports/sessions/p-006.json", "--reason", "x"], id="accept"
    ),
]


def swap(old, new, count=1):
    """An edit that replaces text, which must be there."""

    def edit(text):
        assert re.search(old, text), old
        return re.sub(old, lambda _: new, text, count=count)

    return edit


def case(name, edit, code, *words):
    return pytest.param(edit, code, words, id=name)


ID = r'"\d{8}T\d{6}Z-[0-9a-f]{8}"'
EDITS = [
    case("the median of other values", swap(r"median = 1\.0\b", "median = 1.1"), "G206", "median", "b wall"),
    case("values of another median", swap(r"\[1\.0, 1\.002, 0\.998\]", "[1.1, 1.102, 1.098]"), "G206", "median"),
    case("a value of nan", swap(r"\[1\.0, ", "[nan, "), "G206", "values.0", "finite"),
    case("an infinite value", swap(r"\[1\.0, ", "[inf, "), "G206", "values.0", "finite"),
    case("a value of true", swap(r"\[1\.0, ", "[true, "), "G206", "values.0"),
    case("a value as text", swap(r"\[1\.0, ", '["1.0", '), "G206", "values.0"),
    case("a value of zero", swap(r"\[1\.0, 1\.002, 0\.998\]", "[1.0, 1.002, 0.0]"), "G206", "values", "above zero"),
    case("a negative value", swap(r"\[1\.0, 1\.002, 0\.998\]", "[1.0, 1.002, -1.0]"), "G206", "values", "above zero"),
    case("no values", swap(r"\[1\.0, 1\.002, 0\.998\]", "[]"), "G206", "values"),
    case("an epoch of zero", swap("epoch = 1", "epoch = 0"), "G206", "epoch"),
    case("an epoch of true", swap("epoch = 1", "epoch = true"), "G206", "epoch"),
    case("a session block missing", lambda t: t[: t.rindex("\n[session.")], "G206", "no [session] block"),
    case("a session twice in a series", lambda t: re.sub(r"(  \{ session = .*\n)", r"\1\1", t, count=1), "G206", "twice"),
    case("a session renamed in a series", swap(rf"session = {ID}", 'session = "x"'), "G206", "'x'", "no [session] block"),
    case("no reason", swap('reason = "first baseline"', 'reason = ""'), "G206", "reason"),
    case("no reason line", swap('reason = "first baseline"\n', ""), "G206", "reason: is required"),
    case("a misspelt key", swap("reason =", "raeson ="), "G206", 'did you mean "reason"?'),
    case("another profile", swap('profile = "p"', 'profile = "q"'), "G206", "'q'", "'p'"),
    case("another host class", swap(f'host_class = "{HOST_CLASS}"', 'host_class = "x"'), "G206", "'x'", HOST_CLASS),
    case("the next schema", swap("schema = 1", "schema = 2"), "G207", "schema number 2"),
    case("the next schema and a new key", swap("schema = 1", "schema = 2\nnew = 1"), "G207", "schema number 2"),
    case("schema true", swap("schema = 1", "schema = true"), "G207"),
    case("schema as text", swap("schema = 1", 'schema = "1"'), "G207"),
    case("no schema", swap("schema = 1\n", ""), "G206", "schema"),
    case("better up", swap('better = "lower"', 'better = "up"'), "G206", "better", "higher"),
    case("cut in half", lambda t: t[: len(t) // 2], "G204"),
    case("conflict marks of a merge", lambda t: "<<<<<<< HEAD\n" + t, "G204", "p.toml:1: "),
    case("empty", lambda _: "", "G206", "schema"),
    case("JSON", lambda _: '{"schema": 1}', "G204", "p.toml:1: "),
    case("binary", lambda _: "\x00\x01\x02", "G204", "p.toml:1: "),
    case("nested deep", lambda t: t + "x = " + "[" * 50_000, "G204", "nested"),
    case("70 MB", lambda t: t + "#" * (70 << 20), "G202", "64 MiB"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "code", "words"), EDITS)
def test_edited(accepted, refuse, edit, code, words):
    """A baseline edited by hand is refused by its file and key, and is not written over."""
    accepted.baseline.write_text(edit(accepted.baseline.read_text()))
    refuse(JUDGE, code, BASELINE, *words)
    refuse(["baseline", "accept", *JUDGE[2:], "--reason", "x"], code, BASELINE, *words)


@pytest.mark.parametrize("command", READERS)
def test_every_reader(accepted, refuse, command):
    """Every command that needs the baselines refuses a broken one, before it measures."""
    accepted.baseline.write_text("x")
    refuse(command, "G204", BASELINE)
    assert not (accepted.root / "out/p").exists()


LINES = [
    (swap('reason = "first baseline"', "reason = 1"), "reason = 1"),
    (swap("epoch = 1", "epoch = 0"), "sessions = ["),
    (swap('unit = "s"', "unit = 1"), "unit = 1"),
    (swap('profile = "p"', "profile = 1"), "profile = 1"),
    (swap('by = "me"', "bye = 1"), "bye = 1"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "line"), LINES)
def test_line(accepted, refuse, edit, line):
    """The line named is that of the wrong key, or of the list that it stands in."""
    text = edit(accepted.baseline.read_text())
    accepted.baseline.write_text(text)
    refuse(JUDGE, "G206", f"p.toml:{text.splitlines().index(line) + 1}: ")


def moved(name):
    def act(project):
        place = project.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        project.baseline.rename(place)
        if place.parent != project.baseline.parent:
            shutil.copy(project.baseline.with_name("host.toml"), place.with_name("host.toml"))

    return act


def replaced(make):
    def act(project):
        project.baseline.unlink()
        make(project.baseline)

    return act


def host(edit):
    def act(project):
        path = project.root / HOST
        path.write_text(edit(path.read_text()))

    return act


def whole(make):
    def act(project):
        shutil.rmtree(project.baselines)
        make(project.baselines)

    return act


PLACES = [
    case("in another class", moved("baselines/other/p.toml"), "G206", "host_class", "'other'"),
    case("under another name", moved(f"baselines/{HOST_CLASS}/q.toml"), "G206", "'q'"),
    case("a directory in its place", replaced(lambda p: p.mkdir()), "G201", BASELINE),
    case("a pipe in its place", replaced(os.mkfifo), "G201", BASELINE),
    case("a link to itself", replaced(lambda p: p.symlink_to(p)), "G201", BASELINE),
    case("a link to nothing", replaced(lambda p: p.symlink_to("x")), "G201", BASELINE),
    case("a link to dev zero", replaced(lambda p: p.symlink_to("/dev/zero")), "G201", BASELINE),
    case("UTF-16", replaced(lambda p: p.write_text("schema = 1", "utf-16")), "G203", BASELINE),
    case("no host.toml", lambda p: (p.root / HOST).unlink(), "G201", HOST),
    case("an empty host.toml", host(lambda _: ""), "G206", HOST, "schema"),
    case("host.toml of another class", host(swap(HOST_CLASS, "x")), "G206", HOST, "'x'"),
    case("host.toml of the next schema", host(swap("schema = 1", "schema = 2")), "G207", HOST),
    case("host.toml with schema true", host(swap("schema = 1", "schema = true")), "G207", HOST),
    case("host.toml with a number for text", host(swap('memory = ".*"', "memory = 1")), "G206", "stable.memory"),
    case("host.toml with a misspelt key", host(swap("host_class", "hostclass")), "G206", HOST, "host_class"),
    case("host.toml of 2 MB", host(lambda t: t + "#" * (2 << 20)), "G202", HOST),
    case("a file for a directory", whole(lambda p: p.write_text("")), "G201", "baselines"),
    case("a pipe for a directory", whole(os.mkfifo), "G201", "baselines"),
    case("a link to itself for a directory", whole(lambda p: p.symlink_to(p)), "G201", "baselines"),
    case("a link to nothing for a directory", whole(lambda p: p.symlink_to("x")), "G201", "baselines"),
]  # fmt: skip


@pytest.mark.parametrize(("act", "code", "words"), PLACES)
def test_misplaced(accepted, refuse, act, code, words):
    """A baseline that is not where or what it should be is never taken for `none`."""
    act(accepted)
    refuse(JUDGE, code, *words)
    refuse(["baseline", "accept", *JUDGE[2:], "--reason", "x"], code, *words)


def test_endless_name(accepted, refuse):
    """A baseline directory whose name cannot be is refused."""
    refuse([*JUDGE, "--baseline", "x" * 300], "G201")


WAIVER = """[[waiver]]
profile = "p"
benchmark = "b"
metric = "wall"
ceiling = "20%"
since = "2999-01-01"
expires = "2999-12-31"
issue = "#1"
reason = "known"
"""
WAIVERS = [
    case("a ceiling without per cent", swap('"20%"', '"20"'), "G206", 5, "ceiling"),
    case("a negative ceiling", swap('"20%"', '"-20%"'), "G206", 5, "ceiling"),
    case("an endless ceiling", swap('"20%"', '"1e999%"'), "G206", 5, "ceiling"),
    case("a ceiling of a million per cent", swap('"20%"', '"1000000%"'), "G206", 5, "ceiling"),
    case("a ceiling that is a number", swap('"20%"', "0.2"), "G206", 5, "waiver.0.ceiling"),
    case("no ceiling", swap('ceiling = "20%"\n', ""), "G206", 1, "ceiling: is required"),
    case("a day that is not", swap("2999-12-31", "2999-02-30"), "G206", 7, "expires"),
    case("a day in words", swap("2999-12-31", "never"), "G206", 7, "expires"),
    case("no day", swap("expires = .*\n", ""), "G206", 1, "expires: is required"),
    case("no first day", swap("since = .*\n", ""), "G206", 1, "since: is required"),
    case("a first day in words", swap("2999-01-01", "today"), "G206", 6, "since"),
    case("begun after its end", swap("2999-01-01", "3000-01-01"), "G206", 6, "behind the last"),
    case("367 days", swap("2999-01-01", "2998-12-29"), "G206", 7, "at most 366 days"),
    case("no issue", swap('"#1"', '""'), "G206", 8, "issue"),
    case("no reason", swap('"known"', '""'), "G206", 9, "reason"),
    case("a blank reason", swap('"known"', '"  "'), "G206", 9, "reason"),
    case("a misspelt key", swap("metric", "metrics"), "G206", 4, 'did you mean "metric"?'),
    case("a single table", swap(r"\[\[waiver\]\]", "[waiver]"), "G206", 1, "waiver"),
    case("a misspelt table", swap("waiver", "waver"), "G206", 1, 'did you mean "waiver"?'),
    case("the same row twice", lambda t: t + t, "G206", 10, "twice"),
    case("broken", swap('"p"', '"p'), "G204", 2),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "code", "words"), WAIVERS)
def test_waivers(accepted, refuse, edit, code, words):
    """A wrong waiver is refused with its line: nothing is waived by accident."""
    line, *rest = words
    (accepted.baselines / "waivers.toml").write_text(edit(WAIVER))
    refuse(JUDGE, code, f"baselines/waivers.toml:{line}: ", *rest)
    refuse(["check", "p", "--out", "out"], code, f"baselines/waivers.toml:{line}: ", *rest)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(os.mkfifo, id="a pipe"),
        pytest.param(lambda p: p.symlink_to(p), id="a link to itself"),
        pytest.param(lambda p: p.symlink_to("x"), id="a link to nothing"),
        pytest.param(lambda p: p.mkdir(), id="a directory"),
    ],
)
def test_waivers_no_file(accepted, refuse, make):
    """Waivers that cannot be read are not taken for none."""
    make(accepted.baselines / "waivers.toml")
    refuse(JUDGE, "G201", "baselines/waivers.toml")


def changed(**values):
    return lambda data: data.update(values)


def failed(data):
    data["trials"][1] |= {"status": "failed", "values": [], "note": "it fell over"}


def other_memory(data):
    data["host"]["stable"]["memory"] = "1 GiB"


def zero(data):
    data["trials"][0]["values"][0]["value"] = 0.0


def confirming(data):
    data["stage"] = "confirm"
    for trial in data["trials"]:
        trial |= {"stage": "confirm", "pair": 0, "slot": 0}


NOT_ACCEPTED = [
    case("partial", changed(state="partial"), "G220", "partial", "--resume"),
    case("disturbed", changed(disturbances=["the machine was suspended"]), "G220", "suspended"),
    case("with a failed trial", failed, "G220", "it fell over"),
    case("with a trial too few", lambda d: d["trials"].pop(), "G220", "2 of 3"),
    case("with a value of zero", zero, "G220", "above zero"),
    case("without trials", changed(trials=[]), "G220", "0 of 3"),
    case("without benchmarks", changed(planned=[], trials=[]), "G220", "no benchmark"),
    case("of other memory", other_memory, "G220", "memory", "1 GiB"),
    case("of pairs", confirming, "G220", "confirming"),
    case("of the next schema", changed(schema=2), "G207"),
]  # fmt: skip


@pytest.mark.parametrize("good_one_too", [False, True])
@pytest.mark.parametrize(("edit", "code", "words"), NOT_ACCEPTED)
def test_not_accepted(accepted, refuse, edit, code, words, good_one_too):
    """A session that must not become a baseline is refused, and good ones beside it too."""
    good = accepted.root / "reports/sessions/p-006.json"
    data = json.loads(good.read_text())
    data["id"] = "edited"
    edit(data)
    (accepted.root / "s.json").write_text(json.dumps(data))
    paths = [good, "s.json"] if good_one_too else ["s.json"]
    refuse(["baseline", "accept", *paths, "--reason", "x"], code, "s.json", *words)


def test_accepted_before(accepted, refuse):
    """A session counts once: accepting it again is refused."""
    path = "reports/sessions/p-001.json"
    refuse(["baseline", "accept", path, "--reason", "again"], "G220", path, "before")


@pytest.mark.parametrize("first", [False, True])
def test_accepted_twice_in_one_call(accepted, refuse, first):
    """A copy of a session under another name is refused, also in a first baseline."""
    if first:
        shutil.rmtree(accepted.baselines)
    path = accepted.root / "reports/sessions/p-006.json"
    shutil.copy(path, accepted.root / "copy.json")
    accept = ["baseline", "accept", path, "copy.json", "--reason", "x"]
    refuse(accept, "G220", "copy.json", "twice")
    assert accepted.baselines.exists() is not first


def test_same_path_twice(accepted, refuse):
    """One path named twice is one session, however it is spelt."""
    path = accepted.root / "reports/sessions/p-006.json"
    os.link(path, accepted.root / "hard.json")
    refuse(["baseline", "accept", path, "hard.json", "--reason", "x"], "G220", "twice")


def test_two_machines_in_one_first_baseline(accepted, refuse):
    """Two machines that call themselves the same class cannot found a baseline together."""
    shutil.rmtree(accepted.baselines)
    data = json.loads((accepted.root / "reports/sessions/p-005.json").read_text())
    other_memory(data)
    (accepted.root / "s.json").write_text(json.dumps(data))
    path = "reports/sessions/p-006.json"
    refuse(["baseline", "accept", path, "s.json", "--reason", "x"], "G220", "memory")
    assert not accepted.baselines.exists()


def test_other_machine_for_another_profile(accepted, refuse):
    """A machine that differs from host.toml cannot join its class by way of a new profile."""
    data = json.loads((accepted.root / "reports/sessions/p-006.json").read_text())
    data["profile"] = "q"
    other_memory(data)
    (accepted.root / "s.json").write_text(json.dumps(data))
    refuse(["baseline", "accept", "s.json", "--reason", "x"], "G220", "memory")
    assert not accepted.baseline.with_name("q.toml").exists()


@pytest.mark.parametrize("reason", ["", "  ", "\n"])
def test_no_reason(accepted, refuse, reason):
    """Without a reason nothing is accepted."""
    path = "reports/sessions/p-006.json"
    refuse(["baseline", "accept", path, "--reason", reason], "G220", "reason")


def test_nobody(accepted, refuse, monkeypatch):
    """Where nobody is known to accept, somebody has to be named."""
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987_654)
    path = "reports/sessions/p-006.json"
    env = {"PATH": ""}
    refuse(["baseline", "accept", path, "--reason", "x"], "G200", "--by", env=env)


def test_one_of_two_profiles(accepted, refuse):
    """When one profile's sessions are refused, the other profile's baseline stays as it was."""
    other = write_replay_project(accepted.root, name="q", head={"b": [1.0, "fail", 1.0]})
    bad = other.session(ends=(4,))
    before = tree(accepted.baselines)
    paths = ["reports/sessions/p-006.json", bad]
    refuse(["baseline", "accept", *paths, "--reason", "x"], "G220", "q-001.json")
    assert tree(accepted.baselines) == before


def test_a_reason_of_strange_characters(accepted):
    """A reason may hold anything: the baseline reads back, on one line each."""
    path = "reports/sessions/p-006.json"
    reason = 'a "b"\n[session.x]\nreason = "c" \x1b[31m \x7f \\ ü'
    answer = accepted.gate("baseline", "accept", path, "--reason", reason)
    assert answer.status == 0, answer
    assert accepted.gate("judge", "--session", accepted.session()).status == 0
    shown = accepted.gate("baseline", "show").out
    assert 'a "b" [session.x] reason = "c"' in shown
    assert shown.replace("\n", "").isprintable()
