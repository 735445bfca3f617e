"""Sessions and reports come from other machines: they are read as if they were hostile."""

from __future__ import annotations

import json
import os
import re

import pytest
from builders import unchanged

JUDGE = ["judge", "--session", "s.json"]


def put(*path_and_value):
    """An edit that sets the value at a path."""
    *path, key, value = path_and_value

    def edit(data):
        for part in path:
            data = data[part]
        data[key] = value

    return edit


def gone(key):
    """An edit that removes a top key."""
    return lambda data: data.pop(key)


def case(name, edit, code, *words):
    return pytest.param(edit, code, words, id=name)


T0 = ("trials", 0)
VALUES = [
    case("schema of the next version", put("schema", 2), "G207", "schema number 2", "s.json:2: "),
    case("schema true", put("schema", True), "G207", "True"),
    case("schema as text", put("schema", "1"), "G207"),
    case("schema null", put("schema", None), "G207"),
    case("schema 1.0", put("schema", 1.0), "G206", "schema", "s.json:2: "),
    case("a schema of 200000 letters", put("schema", "x" * 200_000), "G207"),
    case("no schema", gone("schema"), "G206", "schema"),
    case("no trials", gone("trials"), "G206", "trials: is required"),
    case("trials misspelt", put("trails", []), "G206", 'did you mean "trials"?'),
    case("trials as a table", put("trials", {}), "G206", "trials"),
    case("true for a seed", put("seed", True), "G206", "seed"),
    case("text for a seed", put("seed", "3"), "G206", "seed", 'not "3"'),
    case("1 for a flag", put("sides", 1), "G206", "sides"),
    case("an unknown side", put("side", "heads"), "G206", "side", "base"),
    case("an unknown state", put("state", "done"), "G206", "state", "partial"),
    case("an unknown loudness", put("loud", "ignore"), "G206", "loud"),
    case("a value that is text", put(*T0, "values", 0, "value", "1.0"), "G206", "trials.0.values.0.value"),
    case("a value that is true", put(*T0, "values", 0, "value", True), "G206", "trials.0.values.0.value"),
    case("a value of null", put(*T0, "values", 0, "value", None), "G206", "trials.0.values.0.value"),
    case("a value too big for a float", put(*T0, "values", 0, "value", 10**400), "G206", "trials.0.values.0.value"),
    case("the same metric twice in a trial", lambda d: d["trials"][0]["values"].append(d["trials"][0]["values"][0]), "G206", "wall", "twice"),
    case("an unknown key in a trial", put(*T0, "valeus", []), "G206", 'did you mean "values"?'),
    case("a negative sequence", put(*T0, "sequence", -1), "G206", "trials.0.sequence", "-1"),
    case("a sequence twice", put("trials", 1, "sequence", 0), "G206", "trials.1.sequence"),
    case("a negative duration", put(*T0, "duration", -1.0), "G206", "trials.0.duration"),
    case("a negative pair", put(*T0, "pair", -1), "G206", "trials.0.pair"),
    case("a negative slot", put(*T0, "slot", -1), "G206", "trials.0.slot"),
    case("a coin as the version before wrote it", put(*T0, "first", True), "G206", "trials.0.first"),
    case("a benchmark planned twice", lambda d: d["planned"].append(d["planned"][0]), "G206", "planned.1.benchmark"),
    case("negative trials planned", put("planned", 0, "trials", -1), "G206", "planned.0.trials"),
    case("a billion trials planned", put("planned", 0, "trials", 10**9), "G206", "planned.0.trials"),
    case("a metric twice", lambda d: d["metrics"].append(d["metrics"][0]), "G206", "metrics.1.name"),
    case("a negative tolerance", put("metrics", 0, "tolerance", -0.05), "G206", "metrics.0.tolerance"),
    case("a tolerance of nothing", put("metrics", 0, "tolerance", 0.0), "G206", "metrics.0.tolerance"),
    case("a tolerance of a million", put("metrics", 0, "tolerance", 1e6), "G206", "metrics.0.tolerance"),
    case("negligible above the tolerance", put("metrics", 0, "negligible", 0.9), "G206", "metrics.0.negligible"),
    case("a negative floor", put("metrics", 0, "floor", -1.0), "G206", "metrics.0.floor"),
    case("a limit of a billion pairs", put("pairs", 10**9), "G206", "pairs"),
    case("a limit of no pairs", put("pairs", 0), "G206", "pairs"),
    case("a profile that climbs out", put("profile", "../../p"), "G206", "profile"),
    case("a profile called host", put("profile", "host"), "G206", "profile"),
    case("an empty profile", put("profile", ""), "G206", "profile"),
    case("a host class that climbs out", put("host", "host_class", ".."), "G206", "host.host_class"),
    case("a host class that is a path", put("host", "host_class", "/etc"), "G206", "host.host_class"),
    case("an empty id", put("id", ""), "G206", "id"),
    case("an id with a line break", put("id", "a\nb"), "G206", "id"),
    case("an id with terminal escapes", put("id", "\x1b[31mred"), "G206", "id"),
    case("a half surrogate", put("boot", "\ud800"), "G205", "surrogate"),
    case("a NUL", put("boot", "a\0b"), "G205", "NUL"),
    case("a note of 200000 letters", put(*T0, "note", "x" * 200_000), "G205", "200000"),
    case("ten thousand wrong trials", put("trials", [1] * 10_000), "G206", "9995 more"),
    case("notes nested 50 deep", lambda d: d.update(notes=json.loads("[" * 50 + "]" * 50)), "G205", "deep"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "code", "words"), VALUES)
def test_wrong_value(accepted, refuse, edit, code, words):
    """A session with one wrong value is refused, with the file, the line and the key."""
    data = json.loads((accepted.root / "reports/sessions/p-006.json").read_text())
    edit(data)
    text = json.dumps(data, indent=1)
    (accepted.root / "s.json").write_text(text)
    answer = refuse(JUDGE, code, "s.json", *words)
    place = re.search(r"s\.json:(\d+): (?:\w+\.)*(\w+): ", answer.err)
    if place and "required" not in answer.err and f'"{place[2]}"' in text:
        assert f'"{place[2]}"' in text.splitlines()[int(place[1]) - 1], answer.err


CLOSED = [
    pytest.param(put(*T0, "benchmark", "x"), 4, id="a trial of an unplanned benchmark"),
    pytest.param(put(*T0, "stage", "confirm"), 4, id="a trial of the other stage"),
    pytest.param(put("planned", 0, "trials", 0), 4, id="no trials planned"),
    pytest.param(put("metrics", 0, "unit", "kg"), 5, id="a metric in kilograms"),
    pytest.param(put(*T0, "values", 0, "value", -1.0), 4, id="a negative value"),
    pytest.param(put("profile_digest", ""), 5, id="another profile text"),
    pytest.param(put("trials", []), 4, id="no trials"),
    pytest.param(put("planned", []), 4, id="no plan"),
]


@pytest.mark.parametrize(("edit", "status"), CLOSED)
def test_closed(accepted, edit, status):
    """What the format allows and no gate wrote closes the gate by a verdict, without an error."""
    data = json.loads((accepted.root / "reports/sessions/p-006.json").read_text())
    edit(data)
    (accepted.root / "s.json").write_text(json.dumps(data))
    with unchanged(accepted.root):
        answer = accepted.gate(*JUDGE, "--json")
    assert (answer.status, answer.json["gate"], answer.err) == (status, "closed", "")


def text_case(name, change, code, *words):
    return pytest.param(change, code, words, id=name)


TEXTS = [
    text_case("empty", lambda _: "", "G205"),
    text_case("blanks", lambda _: " \n ", "G205"),
    text_case("cut in half", lambda t: t[: len(t) // 2], "G205", "s.json:"),
    text_case("cut by one byte", lambda t: t.rstrip()[:-1], "G205", "s.json:"),
    text_case("something after the end", lambda t: t + "{}", "G205", "Extra data"),
    text_case("NaN", lambda t: t.replace("1.002", "NaN"), "G205", "NaN"),
    text_case("Infinity", lambda t: t.replace("1.002", "Infinity"), "G205", "Infinity"),
    text_case("minus Infinity", lambda t: t.replace("1.002", "-Infinity"), "G205", "-Infinity"),
    text_case("1e999", lambda t: t.replace("1.002", "1e999"), "G206", "trials.", "finite"),
    text_case("minus 1e999", lambda t: t.replace("1.002", "-1e999"), "G206", "trials.", "finite"),
    text_case("a number of 5000 digits", lambda t: t.replace("1.002", "9" * 5000), "G205", "digits"),
    text_case("a key twice", lambda t: t.replace("{", '{"seed": 1,', 1), "G205", "seed", "twice"),
    text_case("a list", lambda t: f"[{t}]", "G206"),
    text_case("null", lambda _: "null", "G206"),
    text_case("a number", lambda _: "1", "G206"),
    text_case("lists 200000 deep", lambda _: "[" * 200_000, "G205", "nested"),
    text_case("tables 200000 deep", lambda _: '{"a":' * 200_000, "G205", "nested"),
    text_case("a comment", lambda t: "// hello\n" + t, "G205", "s.json:1: "),
    text_case("single quotes", lambda t: t.replace('"', "'"), "G205", "s.json:2: "),
    text_case("TOML", lambda _: "schema = 1\n", "G205", "s.json:1: "),
    text_case("a byte order mark", lambda t: "\ufeff" + t, "G205", "s.json:1: "),
]  # fmt: skip


@pytest.mark.parametrize(("change", "code", "words"), TEXTS)
def test_wrong_text(accepted, refuse, change, code, words):
    """What is no JSON of a session is refused, and nothing else is guessed."""
    text = (accepted.root / "reports/sessions/p-006.json").read_text()
    (accepted.root / "s.json").write_text(change(text))
    refuse(JUDGE, code, "s.json", *words)
    refuse(["run", "--resume", "s.json"], code, "s.json", *words)
    refuse(["baseline", "accept", "s.json", "--reason", "x"], code, "s.json", *words)


GIANTS = [
    pytest.param(lambda: b" " * (70 << 20), "G202", ("64 MiB",), id="70 MB of blanks"),
    pytest.param(lambda: b"\0" * (70 << 20), "G202", ("64 MiB",), id="70 MB of NUL"),
    pytest.param(
        lambda: b'{"schema": 1' + b"".join(b',"k%d":1' % i for i in range(10**6)) + b"}",
        "G205",
        ("1000001 entries",),
        id="a million keys",
    ),
    pytest.param(
        lambda: b'{"schema": 1' + b"".join(b',"k%d":1' % (i % 500_000) for i in range(10**6)) + b"}",
        "G205",
        ("twice",),
        id="a million keys, each twice",
    ),
    pytest.param(
        lambda: b'{"schema": 1, "notes": [' + b'"x",' * 10**6 + b"1]}",
        "G205",
        ("1000001 entries",),
        id="a million notes",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("make", "code", "words"), GIANTS)
def test_giant(tmp_path, refuse, make, code, words):
    """A gigantic file is refused, with a message of the usual size."""
    (tmp_path / "s.json").write_bytes(make())
    refuse(JUDGE, code, "s.json", *words)


BYTES = [
    pytest.param(bytes(range(256)) * 8, id="binary junk"),
    pytest.param('{"schema": 1}'.encode("utf-16"), id="UTF-16"),
    pytest.param(b'{"schema": 1, "id": "\xe4"}', id="Latin-1"),
]


@pytest.mark.parametrize("command", [JUDGE, ["report", "s.json"], ["import", "s.json"]])
@pytest.mark.parametrize("content", BYTES)
def test_binary(tmp_path, refuse, content, command):
    """What is no UTF-8 is refused by every command that reads JSON."""
    (tmp_path / "s.json").write_bytes(content)
    refuse(command, "G203", "s.json")


SPECIAL = [
    pytest.param(lambda path: None, id="nothing"),
    pytest.param(lambda path: path.mkdir(), id="a directory"),
    pytest.param(os.mkfifo, id="a named pipe"),
    pytest.param(lambda path: path.symlink_to("/dev/zero"), id="a link to dev zero"),
    pytest.param(lambda path: path.symlink_to("/dev/full"), id="a link to dev full"),
    pytest.param(lambda path: path.symlink_to("/proc/self/mem"), id="a link to memory"),
    pytest.param(lambda path: path.symlink_to(path), id="a link to itself"),
]
READERS = [
    pytest.param(["judge", "--session", "s.json"], id="judge"),
    pytest.param(["report", "s.json"], id="report"),
    pytest.param(["import", "s.json"], id="import"),
    pytest.param(["run", "--resume", "s.json"], id="resume"),
    pytest.param(["baseline", "accept", "s.json", "--reason", "x"], id="accept"),
]


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("make", SPECIAL)
def test_no_plain_file(tmp_path, refuse, make, command):
    """What is no plain file is refused at once by every reader, and never waited for."""
    make(tmp_path / "s.json")
    refuse(command, "G201", "s.json")


@pytest.mark.parametrize("name", ["x" * 300, "s.json/below", "/proc/self/mem", "/dev/zero"])
def test_impossible_path(tmp_path, refuse, name):
    """A path that cannot be, or is a device, is refused."""
    (tmp_path / "s.json").write_text("{}")
    refuse(["judge", "--session", name], "G201")


@pytest.fixture
def report(accepted):
    """A project with a good report in out/."""
    answer = accepted.gate("judge", "--session", "reports/sessions/p-006.json", "--out", "out")
    assert answer.status == 0, answer
    return accepted


REPORTS = [
    case("another schema", put("schema", 2), "G207", "schema number 2"),
    case("schema true", put("schema", True), "G207"),
    case("no findings", gone("findings"), "G206", "findings: is required"),
    case("an unknown verdict", put("findings", 0, "verdict", "fine"), "G206", "findings.0.verdict"),
    case("a gate ajar", put("gate", "ajar"), "G206", "gate"),
    case("an unknown suite verdict", put("verdict", "fine"), "G206", "verdict"),
    case("open with status 10", put("exit_status", 10), "G206", "exit_status"),
    case("text for a loss", put("findings", 0, "loss", "5%"), "G206", "findings.0.loss"),
    case("infinite loss", put("findings", 0, "loss", float("inf")), "G205", "Infinity"),
    case("pairs that do not match", put("findings", 0, "evidence", "pairs_base", [1.0]), "G206", "findings.0.evidence"),
    case("an unknown key", put("findngs", []), "G206", 'did you mean "findings"?'),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "code", "words"), REPORTS)
def test_report(report, refuse, edit, code, words):
    """A report with one wrong value is not rendered at all."""
    path = report.root / "out/report.json"
    data = json.loads(path.read_text())
    edit(data)
    path.write_text(json.dumps(data))
    refuse(["report", "out/report.json", "--html", "new.html"], code, "out/report.json", *words)
    assert not (report.root / "new.html").exists()


def test_mixed_up(report, refuse):
    """A report is no session, a session is no report, and neither is an export."""
    refuse(["judge", "--session", "out/report.json"], "G206", "out/report.json")
    refuse(["report", "reports/sessions/p-006.json"], "G206", "p-006.json")
    refuse(["import", "out/report.json"], "G235", "out/report.json")
