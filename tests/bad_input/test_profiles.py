"""Profiles that are wrong: the message names file, line and key, and nothing is measured."""

from __future__ import annotations

import os

import pytest

GOOD = (
    'harness = "replay"',
    'replay = "p.json"',
    'benchmarks = ["b"]',
    "trials = { screen = 3, confirm_pairs = 30 }",
    "[metric.wall]",
    'tolerance = "5%"',
)
RUN = ["run", "p", "--quiet"]


def edited(**lines: str) -> str:
    """The good profile with lines replaced, `l3="..."`; each may hold several lines."""
    text = [lines.get(f"l{i}", line) for i, line in enumerate(GOOD, start=1)]
    return "\n".join(text) + "\n"


def case(name, code, line, *words, **lines):
    return pytest.param(edited(**lines), code, line, words, id=name)


HUGE_NUMBER = "9" * 5000

KEYS = [
    case("a string is not closed", "G204", 2, l2='replay = "p.json'),
    case("a value is missing", "G204", 1, l1="harness ="),
    case("a list is not closed", "G204", None, l3='benchmarks = ["b"', l4="", l5="", l6=""),
    case("a key stands twice", "G204", 2, l2='harness = "replay"'),
    case("a table stands twice", "G204", 6, "metric", l6="[metric.wall]"),
    case("a number of 5000 digits", "G204", None, "digits", l4=f"warmup = {HUGE_NUMBER}"),
    case("lists nested 100000 deep", "G204", None, "nested", l4="x = " + "[" * 100_000),
    case("dotted keys 5000 deep", "G204", None, "nested", l4="x" + ".x" * 5000 + " = 1"),
    case("tables nested 50 deep", "G204", None, "nested", l4="x = " + "{a=" * 50 + "1" + "}" * 50),
    case("a string of 200000 characters", "G204", None, "200000", l4=f'about = "{"x" * 200_000}"'),
    case("true where an integer belongs", "G206", 4, "trials.screen", l4="trials = { screen = true }"),
    case("text where an integer belongs", "G206", 4, "trials.screen", l4='trials = { screen = "3" }'),
    case("a fraction where an integer belongs", "G206", 4, "trials.screen", l4="trials.screen = 3.5"),
    case("zero trials", "G206", 4, "trials.screen", l4="trials = { screen = 0 }"),
    case("a single trial", "G206", 4, "trials.screen", l4="trials = { screen = 1 }"),
    case("negative trials", "G206", 4, "trials.screen", l4="trials = { screen = -1 }"),
    case("a million trials", "G206", 4, "trials.screen", l4="trials = { screen = 1000000 }"),
    case("too few pairs", "G206", 4, "trials.confirm_pairs", l4="trials = { confirm_pairs = 8 }"),
    case("nan trials", "G206", 4, "trials.screen", l4="trials = { screen = nan }"),
    case("infinite trials", "G206", 4, "trials.screen", l4="trials = { screen = inf }"),
    case("a list where a table belongs", "G206", 4, "trials", l4="trials = [3]"),
    case("a number where text belongs", "G206", 6, "metric.wall.tolerance", l6="tolerance = 5"),
    case("a misspelt metric key", "G206", 6, "tolerence", 'did you mean "tolerance"?', l6='tolerence = "5%"'),
    case("a misspelt top key", "G206", 3, 'benchmark: unknown key; did you mean "benchmarks"?', l3='benchmark = ["b"]'),
    case("a misspelt side", "G206", 4, "side.bse", 'did you mean "base"?', l4="[side.bse]"),
    case("a key of 50000 letters", "G206", 4, "unknown key", l4=f"{'k' * 50_000} = 1"),
    case("fifty thousand unknown keys", "G206", None, "unknown key", "more", l4="\n".join(f"k{i}=1" for i in range(50_000))),
    case("no harness", "G206", 1, "harness: is required", l1=""),
    case("an unknown harness", "G206", 1, "harness", "hyperfine", l1='harness = "hyperfin"'),
    case("an unknown role", "G206", 6, "metric.wall.role", "watch", l6='role = "gates"'),
    case("a matrix value of true", "G206", 4, "matrix.n", l4="matrix = { n = [1, true] }"),
    case("a matrix that is a list", "G206", 4, "matrix", l4="matrix = [1, 2]"),
    case("a tolerance without per cent", "G210", 6, "tolerance", '"5%"', l6='tolerance = "5"'),
    case("a negative tolerance", "G210", 6, "tolerance", l6='tolerance = "-5%"'),
    case("no tolerance at all", "G210", 6, "tolerance", l6='tolerance = "0%"'),
    case("an endless tolerance", "G210", 6, "tolerance", l6='tolerance = "1e999%"'),
    case("a tolerance of nan", "G210", 6, "tolerance", l6='tolerance = "nan%"'),
    case("a tolerance above 500%", "G210", 6, "tolerance", l6='tolerance = "501%"'),
    case("a negligible loss above the tolerance", "G210", 7, "negligible", l6='tolerance = "5%"\nnegligible = "6%"'),
    case("a negative negligible loss", "G210", 7, "negligible", l6='tolerance = "5%"\nnegligible = "-1%"'),
    case("a floor in another unit", "G210", 7, "floor", "ns", l6='tolerance = "5%"\nfloor = "200 B"'),
    case("a floor without unit", "G210", 7, "floor", l6='tolerance = "5%"\nfloor = "200"'),
    case("an endless floor", "G210", 7, "floor", l6='tolerance = "5%"\nfloor = "1e999 s"'),
    case("an unknown metric", "G210", 5, "wal", "wall", l5="[metric.wal]"),
    case("no metric", "G210", None, "metric", l5="", l6=""),
    case("only watched metrics", "G210", None, "gate", l6='role = "watch"'),
    case("no benchmarks", "G210", None, "benchmarks", l3="benchmarks = []"),
    case("a benchmark twice", "G210", 3, "same name", "b", l3='benchmarks = ["b", "c", "b"]'),
    case("a benchmark name with a line break", "G210", 3, "benchmarks", l3='benchmarks = ["b\\n"]'),
    case("an empty benchmark name", "G210", 3, "benchmarks", l3='benchmarks = [""]'),
    case("a control that is not there", "G210", 4, "control", "idle", l4='control = ["idle"]'),
    case("a matrix for recorded values", "G210", 4, "matrix", l4="matrix = { n = [1] }"),
    case("a key of another harness", "G210", 4, "job", "replay", l4='job = "p.fio"'),
    case("a recording outside the project", "G210", 2, "replay", l2='replay = "../../x.json"'),
    case("a recording in /etc", "G210", 2, "replay", l2='replay = "/etc/passwd"'),
    case("a recording that is not there", "G201", 2, "replay", "q.json", l2='replay = "q.json"'),
    case("a recording that is a directory", "G201", 2, "replay", l2='replay = "."'),
    case("a recording with a NUL in its name", "G204", None, "NUL", l2='replay = "a\\u0000b"'),
    case("a recording with an endless name", "G210", 2, "replay", l2=f'replay = "{"x" * 5000}"'),
    case("a timeout of zero", "G210", 4, "timeout", l4='timeout = "0 s"'),
    case("a negative timeout", "G210", 4, "timeout", l4='timeout = "-1 s"'),
    case("a timeout of a week", "G210", 4, "timeout", "24 h", l4='timeout = "168 h"'),
    case("a timeout without unit", "G210", 4, "timeout", l4='timeout = "10"'),
    case("an endless timeout", "G210", 4, "timeout", l4='timeout = "1e999 s"'),
    case("a variable that is no name", "G210", 5, "side.head.env", l4='[side.head]\nenv = { "A=B" = "1" }'),
    case("a variable with a NUL", "G204", None, "NUL", l4='[side.head]\nenv = { A = "a\\u0000b" }'),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "line", "words"), KEYS)
def test_wrong_text(project, refuse, text, code, line, words):
    """A wrong key or value is refused with its file, its line and its name."""
    project.profile.write_text(text)
    place = "profiles/p.toml" + (f":{line}: " if line else "")
    refuse(RUN, code, place, *words)


HYPERFINE = 'harness = "hyperfine"\ncommand = "true {{n}}"\n{}\n[metric.wall]\n'
FORMS = [
    pytest.param("matrix = { n = [] }", "G210", ("matrix: n is empty",), id="an empty parameter"),
    pytest.param("matrix = { n = [1, 1] }", "G210", ("same name",), id="a parameter value twice"),
    pytest.param('matrix = { n = [1, "1"] }', "G210", ("same name",), id="1 beside text 1"),
    pytest.param("matrix = { side = [1] }", "G210", ("side",), id="a parameter called side"),
    pytest.param('matrix = { "a b" = [1] }', "G210", ("a b",), id="a parameter with a blank"),
    pytest.param("matrix = { n = [nan] }", "G206", ("matrix.n",), id="a parameter of nan"),
    pytest.param("matrix = { n = [inf] }", "G206", ("matrix.n",), id="an infinite parameter"),
    pytest.param('matrix = { n = ["\\n"] }', "G210", ("matrix",), id="a parameter line break"),
    pytest.param("warmup = true", "G206", ("warmup",), id="true warm-up runs"),
    pytest.param('shell = ""', "G233", ("shell",), id="an empty shell"),
    pytest.param('prepare = "rm {m}"', "G233", ("{m}", "profiles/p.toml"), id="unknown braces"),
    pytest.param("", "G233", ("{n}", "profiles/p.toml"), id="braces without a matrix"),
    pytest.param(
        f"matrix = {{ n = {list(range(101))}, m = {list(range(101))} }}",
        "G210",
        ("10201",),
        id="a matrix of 10201 points",
    ),
    pytest.param(
        "\n".join(f"matrix.k{i} = [1,2,3,4,5,6,7,8]" for i in range(60)),
        "G210",
        ("at most",),
        id="a matrix of 8 to the 60th points",
    ),
]


@pytest.mark.parametrize(("line", "code", "words"), FORMS)
def test_wrong_command(project, refuse, line, code, words):
    """A matrix or command that cannot be expanded is refused before anything runs."""
    given = line.startswith("matrix") or not line
    text = HYPERFINE.format(line if given else f"matrix = {{ n = [1] }}\n{line}")
    project.profile.write_text(text)
    refuse(RUN, code, "profiles/p.toml", *words)


def test_foreign_job(project, refuse):
    """A fio job outside the project is refused, with its line."""
    project.profile.write_text('harness = "fio"\njob = "../../../etc/fstab"\n[metric.iops]\n')
    refuse(RUN, "G210", "profiles/p.toml:2: ", "job")


def bytes_case(name, content, code, *words):
    return pytest.param(content, code, words, id=name)


BYTES = [
    bytes_case("an empty file", b"", "G206", "harness: is required"),
    bytes_case("only blanks", b" \n\n", "G206", "harness: is required"),
    bytes_case("two megabytes", b"#" * (2 << 20), "G202", "1 MiB"),
    bytes_case("binary junk", bytes(range(256)) * 8, "G203", "UTF-8"),
    bytes_case("UTF-16", edited().encode("utf-16"), "G203", "UTF-8"),
    bytes_case("Latin-1 in line 2", b'\nabout = "\xe4"', "G203", "p.toml:2: "),
    bytes_case("NUL bytes", b"harness = \0", "G204", "p.toml:1: "),
    bytes_case("JSON", b'{"harness": "replay"}', "G204", "p.toml:1: "),
    bytes_case("a byte order mark", b"\xef\xbb\xbf" + edited().encode(), "G204", "p.toml:1: "),
    bytes_case("terminal escapes", b'"\\u001b[31m" = 1\n', "G206", "unknown key"),
    bytes_case("a lone carriage return", b"harness = 1\rx", "G204", "p.toml:1: "),
]


@pytest.mark.parametrize(("content", "code", "words"), BYTES)
def test_strange_bytes(project, refuse, content, code, words):
    """What is no TOML text of a sane size is refused by what it is."""
    project.profile.write_bytes(content)
    answer = refuse(RUN, code, "profiles/p.toml", *words)
    assert answer.err.strip("\n").isprintable()


RECORDINGS = [
    pytest.param(b"", id="empty"),
    pytest.param(b"{", id="cut off"),
    pytest.param(b"[]", id="a list"),
    pytest.param(b"\xff\xfe{}", id="UTF-16"),
    pytest.param(b"[" * 200_000, id="nested deep"),
    pytest.param(b'{"metrics": {"wall": {"unit": NaN}}}', id="NaN"),
    pytest.param(b'{"metrics": {"wall": {"unit": "kg", "better": "lower"}}}', id="kilograms"),
    pytest.param(b'{"metrics": {"wall": {"unit": [], "better": {}}}}', id="lists for text"),
    pytest.param(b'{"metrics": {"wall": {"unit": "s", "better": "up"}}}', id="better up"),
]


@pytest.mark.parametrize("content", RECORDINGS)
def test_recordings(project, refuse, content):
    """A recording that cannot be played is refused with its own file."""
    project.recording.write_bytes(content)
    refuse(RUN, "G235", "profiles/p.json")


SPECIAL = [
    pytest.param(lambda path: path.mkdir(), "G201", id="a directory"),
    pytest.param(os.mkfifo, "G201", id="a named pipe"),
    pytest.param(lambda path: path.symlink_to("/dev/zero"), "G201", id="a link to /dev/zero"),
    pytest.param(lambda path: path.symlink_to(path), "G201", id="a link to itself"),
    pytest.param(lambda path: path.symlink_to("none"), "G201", id="a link to nothing"),
    pytest.param(lambda path: path.symlink_to("/proc/self/mem"), "G201", id="a link to memory"),
]


@pytest.mark.parametrize("names", [pytest.param(["p"], id="named"), pytest.param([], id="all")])
@pytest.mark.parametrize(("make", "code"), SPECIAL)
def test_no_plain_file(project, refuse, make, code, names):
    """What is no plain file is refused at once, never waited for, whether named or found."""
    project.profile.unlink()
    make(project.profile)
    refuse(["run", *names, "--quiet"], code, "profiles/p.toml")


@pytest.mark.parametrize("name", ["host", ".hidden", "a\nb", "x" * 200])
def test_name(project, refuse, name):
    """A profile whose name cannot become a baseline's file name is refused."""
    project.profile.rename(project.profile.with_name(f"{name}.toml"))
    refuse(["run", name, "--quiet"], "G210", "Rename the file")
