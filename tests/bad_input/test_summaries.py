"""Summary files: typed by hand from a printed table, or from another machine."""

from __future__ import annotations

import os

import pytest
from builders import run_gate

GOOD = """\
source = "An article, 2001"
mean = "arithmetic"
side = { base = "kernel 1", head = "kernel 2" }

[metric.time]
unit = "s"
better = "lower"
tolerance = "4%"
negligible = "1%"

[[row]]
benchmark = "copy"
metric = "time"
base = { mean = 2.67, sd = 0.785, trials = 10 }
head = { mean = 0.88, sd = 0.067, trials = 10 }

[[row]]
benchmark = "build"
metric = "time"
base = { mean = 284, trials = 1 }
head = { mean = 340, trials = 1 }
"""


def judge(path="t.toml"):
    return ["judge", "--summary", path]


def case(name, old, new, line, *words, code="G206"):
    """An edit of GOOD, the line that must be named, and words that must be said."""
    return pytest.param(old, new, line, words, code, id=name)


EDITS = [
    case("a mean of zero", "mean = 2.67", "mean = 0.0", 14, "row.0.base.mean", "must be above 0"),
    case("a mean that rounds to zero", "mean = 2.67", "mean = 1e-400", 14, "row.0.base.mean", "must be above 0"),
    case("a negative mean", "mean = 0.88", "mean = -0.88", 15, "row.0.head.mean", "must be above 0"),
    case("a mean of nan", "mean = 2.67", "mean = nan", 14, "row.0.base.mean", "finite"),
    case("an infinite mean", "mean = 2.67", "mean = inf", 14, "row.0.base.mean", "finite"),
    case("an endless mean", "mean = 2.67", "mean = 1e999", 14, "row.0.base.mean", "finite"),
    case("a mean beyond all sense", "mean = 2.67", "mean = 1.1e15", 14, "row.0.base.mean", "1000000000000000"),
    case("a mean of 400 digits", "mean = 284", f"mean = {'9' * 400}", 20, "row.1.base.mean"),
    case("a mean as text", "mean = 2.67", 'mean = "2.67"', 14, "row.0.base.mean", "number"),
    case("a mean of true", "mean = 2.67", "mean = true", 14, "row.0.base.mean"),
    case("no mean", "mean = 2.67, ", "", 14, "row.0.base.mean: is required"),
    case("a negative spread", "sd = 0.785", "sd = -0.785", 14, "row.0.base.sd", "at least 0"),
    case("a spread of nan", "sd = 0.785", "sd = nan", 14, "row.0.base.sd", "finite"),
    case("an infinite spread", "sd = 0.067", "sd = inf", 15, "row.0.head.sd", "finite"),
    case("a spread as text", "sd = 0.785", 'sd = "0.785"', 14, "row.0.base.sd"),
    case("a spread of one trial", "mean = 284, ", "mean = 284, sd = 3, ", 20, "row.1.base.sd", "one trial", "Leave sd out"),
    case("no trials", "trials = 10 }\nhead", "trials = 0 }\nhead", 14, "row.0.base.trials", "at least 1"),
    case("half a trial", "trials = 10 }\nhead", "trials = 9.5 }\nhead", 14, "row.0.base.trials", "integer"),
    case("trials as a decimal", "trials = 10 }\nhead", "trials = 10.0 }\nhead", 14, "row.0.base.trials", "integer"),
    case("negative trials", "trials = 1 }\nhead", "trials = -1 }\nhead", 20, "row.1.base.trials"),
    case("a million trials", "trials = 1 }\nhead", "trials = 1000000 }\nhead", 20, "row.1.base.trials", "100000"),
    case("trials not said", ", trials = 1 }\nhead", " }\nhead", 20, "row.1.base.trials: is required"),
    case("an unknown column", "sd = 0.785", "std = 0.785", 14, "row.0.base.std: unknown key"),
    case("a misspelt column", "trials = 10 }\nhead", "trails = 10 }\nhead", 14, 'did you mean "trials"?'),
    case("an unknown key of a row", 'benchmark = "copy"', 'benchmark = "copy"\nnote = "x"', 13, "row.0.note: unknown key"),
    case("an unknown key of the file", "source =", 'author = "x"\nsource =', 1, "author: unknown key"),
    case("one side only", "head = { mean = 340, trials = 1 }\n", "", 17, "row.1.head: is required"),
    case("a row twice", '"build"', '"copy"', 17, "row.1", "copy time stands twice", "Keep one"),
    case("a metric that is not there", 'benchmark = "build"\nmetric = "time"', 'benchmark = "build"\nmetric = "wall"', 19, "row.1.metric", "'wall'", "time"),
    case("a metric without rows", "[metric.time]", '[metric.wall]\nunit = "s"\nbetter = "lower"\n\n[metric.time]', 5, "metric.wall", "no row"),
    case("an unknown unit", 'unit = "s"', 'unit = "sec"', 6, "metric.time.unit", '"sec" is no unit', "ms", "MB/s"),
    case("an empty unit", 'unit = "s"', 'unit = ""', 6, "metric.time.unit"),
    case("an unknown direction", '"lower"', '"less"', 7, "metric.time.better", "higher"),
    case("a tolerance without per cent", '"4%"', '"4"', 8, "metric.time.tolerance", "5%"),
    case("a tolerance of nothing", '"4%"', '"0%"', 8, "metric.time.tolerance", "0.1%"),
    case("an absurd tolerance", '"4%"', '"501%"', 8, "metric.time.tolerance", "500%"),
    case("negligible beyond half", '"1%"', '"2.1%"', 9, "metric.time.negligible", "half the tolerance"),
    case("negligible as a number", '"1%"', "0.01", 9, "metric.time.negligible"),
    case("an unknown role", '"lower"', '"lower"\nrole = "show"', 8, "metric.time.role", "watch"),
    case("no source", 'source = "An article, 2001"\n', "", 1, "source: is required"),
    case("an empty source", '"An article, 2001"', '" "', 1, "source"),
    case("a source of two lines", '"An article, 2001"', r'"a\nb"', 1, "source"),
    case("a source without end", '"An article, 2001"', f'"{"x" * 501}"', 1, "source", "500"),
    case("an unknown mean", '"arithmetic"', '"harmonic"', 2, "mean", "geometric"),
    case("no mean kind", 'mean = "arithmetic"\n', "", 1, "mean: is required"),
    case("no sides", 'side = { base = "kernel 1", head = "kernel 2" }\n', "", 1, "side: is required"),
    case("an empty side", '"kernel 2"', '""', 3, "side.head"),
    case("an empty benchmark", '"copy"', '""', 12, "row.0.benchmark"),
    case("a benchmark with an escape", '"copy"', r'"a\u001b[31m"', 12, "row.0.benchmark"),
    case("means in two units", "mean = 340", "mean = 340_000_000", 21, "row.1.head", "millionfold", "unit"),
    case("rows as a table", '[[row]]\nbenchmark = "copy"', '[row]\nbenchmark = "copy"', 17, code="G204"),
    case("a comma for a point", "2.67", "2,67", 14, code="G204"),
    case("minutes with a colon", "mean = 284", "mean = 4:44", 20, code="G204"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "line", "words", "code"), EDITS)
def test_edited(tmp_path, refuse, old, new, line, words, code):
    """Each slip of the pen is refused by file, line and key, with a cure."""
    assert GOOD.count(old) >= 1
    (tmp_path / "t.toml").write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    refuse(judge(), code, f"t.toml:{line}: ", *words)
    refuse([*judge(), "--json"], code)


def test_the_file_edited_here_is_good(tmp_path):
    """Nothing above is refused for another reason: as it stands the file is judged."""
    (tmp_path / "t.toml").write_text(GOOD, encoding="utf-8")
    answer = run_gate([*judge(), "--json"], cwd=tmp_path)
    assert answer.status == 5
    assert [f["code"] for f in answer.json["findings"]] == ["G029", "G009"]


FILES = [
    pytest.param(b"", "G206", ("source: is required", "row: is required"), id="empty"),
    pytest.param(GOOD[: GOOD.index("[[row]]")].encode(), "G206", ("row: is required",), id="no rows"),
    pytest.param(b"row = []\n", "G206", ("row",), id="an empty list of rows"),
    pytest.param(b'{"schema": 1}', "G204", ("t.toml:1: ",), id="a session"),
    pytest.param(b"\xff\xfe\x00", "G203", ("UTF-8",), id="binary"),
    pytest.param(b"x = " + b"[" * 50_000, "G204", ("nested",), id="nested deep"),
    pytest.param(b"#" * ((1 << 20) + 1), "G202", ("1 MiB", "summary"), id="too large"),
    pytest.param(b"[metric]\n" + GOOD.encode(), "G206", (), id="everything in a table"),
]  # fmt: skip


@pytest.mark.parametrize(("content", "code", "words"), FILES)
def test_files(tmp_path, refuse, content, code, words):
    """What is no summary at all is refused before anything is judged."""
    (tmp_path / "t.toml").write_bytes(content)
    refuse(judge(), code, "t.toml", *words)


def test_the_cure_names_the_format(tmp_path, refuse):
    """Whoever misspelt a key is sent to the schema of summaries, not to that of profiles."""
    (tmp_path / "t.toml").write_text(GOOD.replace("sd = 0.785", "std = 0.785"), encoding="utf-8")
    refuse(judge(), "G206", "`gate schema summary` prints the format.")


def test_no_file(tmp_path, refuse):
    """A path that leads nowhere, or to a directory or pipe, is named and not waited for."""
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "d.toml").mkdir()
    for name in ("none.toml", "pipe.toml", "d.toml"):
        refuse(judge(name), "G201", name)


@pytest.mark.parametrize("name", ["-x.toml", ".toml", "host.toml", "x" * 120 + ".toml"])
def test_the_name_of_the_file_is_that_of_its_findings(tmp_path, refuse, name):
    """A file whose stem is no plain name cannot name findings."""
    (tmp_path / name).write_text(GOOD, encoding="utf-8")
    refuse(judge(f"./{name}"), "G206", "Rename the file")


def test_a_mean_too_small_for_its_unit(tmp_path, refuse):
    """A figure that vanishes in base units is refused, not divided by."""
    text = GOOD.replace('unit = "s"', 'unit = "ns"').replace("mean = 2.67", "mean = 1e-29")
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    refuse(judge(), "G206", "t.toml:14: ", "row.0.base.mean", "too small", "smaller unit")


def test_zeros_with_absurd_exponents(tmp_path):
    """A spread of zero written with an exponent that no decimal holds is still a zero."""
    text = GOOD.replace("sd = 0.785", "sd = 0e99999999999999999999")
    (tmp_path / "t.toml").write_text(text, encoding="utf-8")
    answer = run_gate([*judge(), "--json"], cwd=tmp_path)
    assert answer.status == 5, answer
    assert [f["code"] for f in answer.json["findings"]] == ["G029", "G029"]


def usage(name, arguments, code, *words, status=2):
    return pytest.param(arguments.split("|"), code, words, status, id=name)


USAGE = [
    usage("beside a session", "--summary|t.toml|--session|s.json", "G200", "--session", "two calls"),
    usage("beside profiles", "--summary|t.toml|--profiles|profiles", "G200", "--profiles", "--tolerance"),
    usage("beside allow new", "--summary|t.toml|--allow|new", "G200", "--allow"),
    usage("a tolerance without a summary", "--session|s.json|--tolerance|5%", "G200", "--tolerance"),
    usage("a tolerance of nothing to judge", "--tolerance|5%", "G200", "--tolerance"),
    usage("a tolerance without per cent", "--summary|t.toml|--tolerance|5", "G200", "--tolerance"),
    usage("a tolerance out of range", "--summary|t.toml|--tolerance|0%", "G200", "--tolerance"),
    usage("a summary without value", "--summary", "G200", "--summary"),
    usage("one name twice", "--summary|t.toml|--summary|sub/t.toml", "G200", "called t", "Rename"),
    usage("only watched", "--summary|watched.toml", "G280", "gate metric", status=3),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "words", "status"), USAGE)
def test_usage(tmp_path, refuse, arguments, code, words, status):
    """What would be ignored in silence, or cannot share a report, is refused."""
    (tmp_path / "sub").mkdir()
    for name in ("t.toml", "sub/t.toml"):
        (tmp_path / name).write_text(GOOD, encoding="utf-8")
    watched = GOOD.replace('better = "lower"', 'better = "lower"\nrole = "watch"')
    (tmp_path / "watched.toml").write_text(watched, encoding="utf-8")
    refuse(["judge", *arguments], code, *words, status=status)
