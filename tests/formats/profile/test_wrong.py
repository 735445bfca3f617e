"""Wrong keys of the profile format: each is refused with file, line and a cure, none ignored."""

from __future__ import annotations

import pytest

from gate.docs import PAGES
from gate.errors import InputError

TOP = 'harness = "hyperfine"\ncommand = "run {n}"\n'
METRIC = "\n[metric.wall]\n"
BACKGROUND = '\n[background]\ncommand = "sleep 1"\n'
OUTPUT = '[output.rate]\npattern = \'^([0-9]+) MB\'\nunit = "MB/s"\nbetter = "higher"\n'


def command(middle, tail="", top=TOP):
    """A profile of hyperfine with `middle` from line 3 on."""
    return f"{top}{middle}\n{METRIC}{tail}"


def case(name, text, line, *words, code="G210", size="full"):
    return pytest.param(text, line, words, code, size, id=name)


N = "matrix = { n = [1, 2] }\n"
FIO = 'harness = "fio"\njob = "jobs/p.fio"\n'
SWEPT = (
    FIO + "matrix = { iodepth = [1, 2, 4], mode = ['a', 'b'] }\n[metric.iops]\n[metric.clat_mean]\n"
)


def shape(lines, *, top=SWEPT):
    """A fio profile over iodepth and mode; the metric's lines begin at line 7 (its table 6)."""
    return f"{top}[metric.shape]\n{lines}\n"


WRONG = [
    # parameters, environment, matrix
    case("a parameter that the matrix sweeps", command(f"{N}parameters = {{ n = 3 }}"), 4, "n is swept"),
    case("a parameter called side", command(f"{N}parameters = {{ side = 3 }}"), 4, "'side'"),
    case("a parameter with a blank", command(f'{N}parameters = {{ "a b" = 3 }}'), 4, "'a b'"),
    case("a parameter that nothing uses", command(f"{N}parameters = {{ m = 3 }}"), 4, "{m}", "environment"),
    case("a matrix key that nothing uses", command("matrix = { n = [1], m = [1] }"), 3, "{m}"),
    case("a matrix key in doubled braces only", command(N, top=TOP.replace("{n}", "{{n}}")), 3, "{n}"),
    case("a variable that is no name", command(f'{N}environment = {{ "A=B" = "1" }}'), 4, "'A=B'"),
    case("a variable of the gate", command(f'{N}environment = {{ GATE_X = "1" }}'), 4, "GATE_X"),
    case("an unknown name in a variable", command(f'{N}environment = {{ A = "{{m}}" }}'), 4, "{m}", "{n}", code="G233"),
    case("a number as a variable", command(f"{N}environment = {{ A = 1 }}"), 4, "environment.A", code="G206"),
    case("a truth as a parameter", command(f"{N}parameters = {{ m = true }}"), 4, "parameters.m", code="G206"),
    case(
        "a matrix over tests that no variable takes",
        'harness = "pytest-benchmark"\ntests = ["t.py::t"]\nmatrix = { jobs = [1, 2] }\n[metric.median]\n',
        3, "{jobs}", "environment",
    ),
    # load and cpus
    case("load without a background", command("matrix = { n = [1], load = ['alone', 'loaded'] }"), 3, "[background]"),
    case("fixed load without a background", command(f"{N}parameters = {{ load = 'loaded' }}"), 4, "[background]"),
    case("load in another order", command("matrix = { n = [1], load = ['loaded', 'alone'] }", BACKGROUND), 3, '["alone", "loaded"]'),
    case("load of one value", command("matrix = { n = [1], load = ['alone'] }", BACKGROUND), 3, '["alone", "loaded"]'),
    case("load of another word", command(f"{N}parameters = {{ load = 'half' }}", BACKGROUND), 4, "loaded"),
    *(
        case(f"cpus of {text}", command(f"matrix = {{ n = [1], cpus = [{text}] }}"), 3, "cpus", "no count")
        for text in ("0", "-1", "1.5", "''", "'a'", "'3-1'", "'0,0'", "'0-2,1'", "'0-'", "'1 2'", "'0x2'", "'٣'", "99999")
    ),
    case("fixed cpus of 0", command(f"{N}parameters = {{ cpus = 0 }}"), 4, "cpus '0'"),
    # outputs
    case("a pattern that is none", command(N, OUTPUT.replace("([0-9]+)", "([0-9]+")), 8, "output.rate.pattern"),
    case("a pattern without a group", command(N, OUTPUT.replace("([0-9]+)", "[0-9]+")), 8, "0 groups"),
    case("a pattern of two groups", command(N, OUTPUT.replace(" MB", " (MB)")), 8, "2 groups", "(?:...)"),
    case("a pattern that Python doubts", command(N, OUTPUT.replace("[0-9]", "[[0-9]")), 8, "output.rate.pattern"),
    case("an output in furlongs", command(N, OUTPUT.replace("MB/s", "furlong")), 9, "furlong", "MB/s"),
    case("an output without a way", command(N, OUTPUT.replace('better = "higher"\n', "")), 7, "output.rate.better", code="G206"),
    case("an output that is measured anyway", command(N, OUTPUT.replace("rate", "wall")), 7, "wall", "another name"),
    case("an output that is no name", command(N, OUTPUT.replace("rate", '"a b"')), 7, "'a b'"),
    case("an output twice", command(N, OUTPUT + OUTPUT), None, "rate", code="G204"),
    case("an output of fio", f"{FIO}[metric.iops]\n{OUTPUT}", 4, "output means nothing to fio"),
    case("operations of no output", command(f'{N}operations = "msgs"', OUTPUT), 4, "'msgs'", "only rate"),
    case("operations without outputs", command(f'{N}operations = "msgs"'), 4, "none is declared"),
    case("operations in another unit", command(f'{N}operations = "rate"', OUTPUT), 4, "rate is in B/s"),
    case("bytes in another unit", command(f'{N}transferred = "rate"', OUTPUT), 4, "must be in B"),
    case("operations of fio", f'{FIO}operations = "x"\n[metric.iops]\n', 3, "operations means nothing to fio"),
    # groups
    case("of without over", shape('of = "iops"\ntake = "scaling"'), 7, "of needs over"),
    case("take alone", shape('take = "scaling"'), 7, "take needs of and over"),
    case("over alone", shape('over = "iodepth"'), 7, "over needs of and take"),
    case("of an unknown metric", shape('of = "iop"\nover = "iodepth"\ntake = "scaling"'), 7, "iop", "iops"),
    case(
        "the background's rate over load",
        f"{FIO}matrix = {{ iodepth = [1, 2], load = ['alone', 'loaded'] }}\n{BACKGROUND}"
        '[metric.iops]\n[metric.shape]\nof = "background_rate"\nover = "load"\ntake = "scaling"\n',
        9, "no load runs", "another key",
    ),
    case("over an unknown key", shape('of = "iops"\nover = "depth"\ntake = "scaling"'), 8, "depth", "iodepth, mode"),
    case("an unknown take", shape('of = "iops"\nover = "iodepth"\ntake = "mean"'), 9, "metric.shape.take", code="G206"),
    case("over a single value", shape('of = "iops"\nover = "iodepth"\ntake = "geomean"', top=SWEPT.replace("[1, 2, 4]", "[1]")), 8, "2 values"),
    case("a knee of two points", shape('of = "iops"\nover = "mode"\ntake = "knee"'), 8, "3 values"),
    case("a knee over words", shape('of = "iops"\nover = "iodepth"\ntake = "knee"', top=SWEPT.replace("[1, 2, 4]", "[1, 2, '4k']")), 8, "rising numbers"),
    case("a knee over falling numbers", shape('of = "iops"\nover = "iodepth"\ntake = "knee"', top=SWEPT.replace("[1, 2, 4]", "[4, 2, 1]")), 8, "rising numbers"),
    case("a knee from 0", shape('of = "iops"\nover = "iodepth"\ntake = "knee"', top=SWEPT.replace("[1, 2, 4]", "[0, 2, 4]")), 8, "rising numbers"),
    case("a knee over nan", shape('of = "iops"\nover = "iodepth"\ntake = "knee"', top=SWEPT.replace("[1, 2, 4]", "[1, 'nan', 4]")), 8, "rising numbers"),
    case("a knee of a latency", shape('of = "clat_mean"\nover = "iodepth"\ntake = "knee"'), 7, "more is better"),
    case(
        "a chain of groups",
        shape('of = "iops"\nover = "iodepth"\ntake = "scaling"\n[metric.more]\nof = "shape"\nover = "mode"\ntake = "scaling"'),
        11, "shape is a group's metric",
    ),
    case("a group's metric called like a measured one", shape('of = "iops"\nover = "iodepth"\ntake = "scaling"').replace("shape", "throughput"), 6, "throughput is a metric that is measured", code="G210"),
    case("a group's floor in seconds", shape('of = "clat_mean"\nover = "mode"\ntake = "scaling"\nfloor = "1 ms"'), 10, "a plain number"),
    case("a curve without a matrix", command("", '[metric.x]\nof = "wall"\nover = "cpus"\ntake = "scaling"\n', top='harness = "hyperfine"\ncommand = "run"\n'), 8, "there is none"),
    case("a point called like a group", FIO + "matrix = { iodepth = ['*', '1', '2'] }\n[metric.iops]\n[metric.x]\nof = 'iops'\nover = 'iodepth'\ntake = 'scaling'\n", 3, "both called"),
    # needs
    case("a need without installation", command(N, "[needs.dbench]\ninstall = ''\n"), 8, "needs.dbench", "apt install dbench"),
    case("a need that says nothing", command(N, "[needs.dbench]\n"), 7, "needs.dbench.install", code="G206"),
    case("a relative need", command(N, "[needs.\"bin/x\"]\ninstall = 'make'\n"), 7, "absolute path"),
    case("an unnamed need", command(N, "[needs.\" \"]\ninstall = 'make'\n"), 7, "' '"),
    case("a version command of blanks", command(N, "[needs.x]\ninstall = 'make'\nversion = ' '\n"), 9, "version is no command"),
    case("an open quotation mark", command(N, "[needs.x]\ninstall = 'make'\nversion = \"x 'y\"\n"), 9, "version is no command"),
    case("a need twice", command(N, "[needs.x]\ninstall = 'a'\n[needs.x]\ninstall = 'b'\n"), None, "needs", code="G204"),
    # background
    case("a background of nothing", command(N, "[background]\n"), 7, "neither a command nor a job"),
    case("a background of blanks", command(N, "[background]\ncommand = ' '\n"), 7, "neither"),
    case("a background of both", command(N, "[background]\ncommand = 'x'\njob = 'jobs/p.fio'\n"), 7, "both"),
    case("a background job that is not there", command(N, "[background]\njob = 'jobs/q.fio'\n"), 8, "background.job", code="G201"),
    case("a background job outside", command(N, "[background]\njob = '/etc/passwd'\n"), 8, "inside the project"),
    case("a background's unknown name", command(N, "[background]\ncommand = 'x {m}'\n"), 8, "{m}", code="G233"),
    case("a least rate in bytes", command(N, "[background]\ncommand = 'x'\nleast = '1 MB/s'\n"), 9, "least", "op/s"),
    case("background_rate without a background", FIO + "[metric.iops]\n[metric.background_rate]\n", 4, "background_rate needs a [background]"),
    # sizes
    case("an unknown size", command(N, "[size.small]\nwarmup = 1\n"), None, "'tiny'", "full, small", size="tiny"),
    case("a size where there are none", command(N), None, "'tiny'", "only full", size="tiny"),
    case("a size called full", command(N, "[size.full]\nwarmup = 1\n"), 7, "size.full"),
    case("a size within a size", command(N, "[size.small]\nwarmup = 1\n[size.small.size.tiny]\nwarmup = 1\n"), 7, "no sizes"),
    case("a size that is no table", command(f"{N}size = 3"), 4, "size", code="G206"),
    case("a size that is a number", command(f"{N}[size]\nsmall = 3"), 5, "size.small", code="G206"),
    case("an unknown key in a size", command(N, "[size.small]\nwarmpu = 1\n"), 8, "warmpu", "warmup", code="G206", size="small"),
    case("an unknown key in a size not asked for", command(N, "[size.small]\nwarmpu = 1\n"), 8, "warmpu", code="G206"),
    case("a size that empties the matrix", command(N, "[size.small]\nmatrix = { n = [] }\n"), 8, "n is empty", size="small"),
    case("a size that puts a list for a table", command(N, "[size.small]\nmatrix = [1]\n"), 8, "matrix", code="G206", size="small"),
    case("a size with a new parameter that clashes", command(N, "[size.small.parameters]\nn = 1\n"), 8, "swept", size="small"),
    case("a size with an output that lacks a pattern", command(N, "[size.small.output.rate]\nunit = 'MB/s'\nbetter = 'higher'\n"), 7, "output.rate.pattern", code="G206", size="small"),
    # replay
    case("recorded values by nothing", 'harness = "replay"\nreplay = "p.json"\n[metric.wall]\n', 1, "either benchmarks or a matrix"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "words", "code", "size"), WRONG)
def test_refused(read, tmp_path, text, line, words, code, size):
    """A wrong key is refused with its code, the file and line, and words that name it."""
    with pytest.raises(InputError) as refused:
        read(text, size)
    error = refused.value
    said = str(error)
    assert error.code == code, said
    assert error.code in PAGES
    place = f"{tmp_path}/profiles/p.toml" + (f":{line}" if line else "")
    assert error.place == place if line else error.place.startswith(place), said
    assert said[-1] in ".?", said
    for word in words:
        assert word in said, (word, said)


def test_unknown_size_by_command(tmp_path):
    """`gate run --size tiny` names the sizes there are, and measures nothing."""
    from builders import write_replay_project

    project = write_replay_project(tmp_path, tail='[size.small]\nabout = "less"')
    answer = project.gate("run", "p", "--size", "tiny")
    assert answer.status == 2
    assert answer.err.startswith("error[G210]: profiles/p.toml:7: there is no size 'tiny'")
    assert "only full, small" in answer.err
    assert not (tmp_path / "reports").exists()


@pytest.mark.parametrize("name", ["run", "check", "power", "judge", "calibrate"])
def test_every_command_takes_a_size(name):
    """Every command that loads profiles has the option --size."""
    from builders import run_gate

    assert "--size NAME" in run_gate([name, "--help"]).out


def test_size_without_profiles(tmp_path):
    """`gate judge --size` without profiles would be ignored in silence, so it is refused."""
    from builders import run_gate

    answer = run_gate(["judge", "--session", "s.json", "--size", "small"], cwd=tmp_path)
    assert answer.status == 2
    assert "--size means nothing without --profiles" in answer.err
