"""The digest law: what decides what is run changes it, and nothing else does."""

from __future__ import annotations

import pytest

BASE = """\
harness = "hyperfine"
command = "run {n} {m}"
operations = "msgs"
environment = { A = "{n}" }
parameters = { n = 1 }
matrix = { m = [1, 2, 3] }
timeout = "10 min"

[output.msgs]
pattern = '^msgs ([0-9]+)'
unit = "1"
better = "higher"

[needs.sh]
install = "apt install dash"

[background]
command = "cp a b"

[metric.wall]
tolerance = "5%"
"""

COUNTS = [
    pytest.param("run {n}", "run  {n}", id="command"),
    pytest.param('environment = { A = "{n}" }', 'environment = { A = "2" }', id="variable"),
    pytest.param('{ A = "{n}" }', '{ A = "{n}", B = "" }', id="new variable"),
    pytest.param("n = 1 }", "n = 2 }", id="parameter"),
    pytest.param("n = 1 }", "n = 1, cpus = 1 }", id="processors"),
    pytest.param("n = 1 }", 'n = 1, load = "loaded" }', id="load"),
    pytest.param("[1, 2, 3]", "[1, 2]", id="matrix value"),
    pytest.param("m = [1, 2, 3]", "m = [1, 2, 3], cpus = [1]", id="matrix key"),
    pytest.param("'^msgs ([0-9]+)'", "'^msgs ([0-9]*)'", id="pattern"),
    pytest.param("[needs.sh]", '[output.b]\npattern = "(b)"\nbetter = "lower"\nunit = "s"\n[needs.sh]', id="output"),
    pytest.param('operations = "msgs"\n', "", id="operations"),
    pytest.param('command = "cp a b"', 'command = "cp a c"', id="background"),
    pytest.param('[background]\ncommand = "cp a b"\n', "", id="no background"),
    pytest.param('command = "cp a b"', 'job = "jobs/p.fio"', id="background job"),
    pytest.param('timeout = "10 min"', 'prepare = "sync"', id="prepare"),
    pytest.param('timeout = "10 min"', "warmup = 1", id="warm-up"),
    pytest.param('timeout = "10 min"', 'shell = "sh"', id="shell"),
]  # fmt: skip

DOES_NOT = [
    pytest.param("apt install dash", "make", id="installation"),
    pytest.param('[needs.sh]\ninstall = "apt install dash"\n', "", id="needs"),
    pytest.param('better = "higher"', 'better = "lower"', id="which way is better"),
    pytest.param('"cp a b"', '"cp a b"\nleast = "1 op/s"', id="least rate"),
    pytest.param('"5%"', '"6%"', id="tolerance"),
    pytest.param('"5%"', '"5%"\n[metric.cpu]\nrole = "watch"', id="metric"),
    pytest.param('"5%"', '"5%"\n[metric.x]\nof = "wall"\nover = "m"\ntake = "scaling"', id="group"),
    pytest.param('"5%"', '"5%"\n[size.small]\nwarmup = 3', id="size not asked for"),
    pytest.param('"5%"', '"5%"\n[side.head]\ndir = "."', id="side"),
    pytest.param('"10 min"', '"9 min"', id="timeout"),
    pytest.param('timeout = "10 min"', "trials = { screen = 9 }", id="trials"),
    pytest.param('timeout = "10 min"', 'about = "x"', id="about"),
    pytest.param('timeout = "10 min"', 'control = ["p[m=1]"]', id="control"),
    pytest.param("n = 1 }", 'n = "1" }', id="a number as text"),
]


def digests(read, old, new):
    assert BASE.count(old) == 1, old
    return read(BASE).digest, read(BASE.replace(old, new)).digest


@pytest.mark.parametrize(("old", "new"), COUNTS)
def test_counts(read, old, new):
    """A key that decides what is run makes another digest."""
    before, after = digests(read, old, new)
    assert before != after


@pytest.mark.parametrize(("old", "new"), DOES_NOT)
def test_does_not_count(read, old, new):
    """A key that does not decide what is run leaves the digest as it is."""
    before, after = digests(read, old, new)
    assert before == after


def test_unit_and_bytes(read):
    """The unit of an output and the output that counts bytes are part of the digest."""
    text = BASE.replace('operations = "msgs"', 'transferred = "msgs"')
    found = {read(text.replace('unit = "1"', f'unit = "{unit}"')).digest for unit in ("B", "kB")}
    assert len(found | {read(BASE).digest}) == 3


def test_background_job_text(read, tmp_path):
    """The text of the background's fio job is part of the digest."""
    text = BASE.replace('command = "cp a b"', 'job = "jobs/p.fio"')
    before = read(text).digest
    (tmp_path / "profiles" / "jobs" / "p.fio").write_text("[p]\nrw=write\n")
    assert read(text).digest != before


def test_old_profiles_keep_theirs(read):
    """A profile without the newer keys has the digest that the first version gave it."""
    text = 'harness = "hyperfine"\ncommand = "true {n}"\nmatrix = { n = [1, 2] }\n[metric.wall]\n'
    assert read(text).digest == (
        "sha256:6623126fdd90f33b650a8de8b6c15f548da0ac3b1bc7a4576a194a0eb5058b2b"
    )


@pytest.mark.parametrize(
    "change",
    [
        ("run {n} {m}", "sh ./profiles/work/x.sh"),
        ("run {n} {m}", "sh $PWD/profiles/work/x.sh"),
        ("run {n} {m}", "sh profiles/work/{n}.sh"),
        ("run {n} {m}", "sh profiles/$A/x.sh"),
        ("run {n} {m}", "sh profiles/work/../work/x.sh"),
        ("cp a b", "cd profiles/work/ && sh x.sh"),
        ('{ A = "{n}" }', '{ A = "profiles/work/x.sh" }'),
    ],
)
def test_a_script_counts_however_it_is_named(read, tmp_path, change):
    """A script below profiles/ is part of the digest also where its name is not plain."""
    (tmp_path / "profiles" / "work").mkdir()
    script = tmp_path / "profiles" / "work" / "x.sh"
    script.write_text("true\n")
    text = BASE.replace(*change)
    if "{m}" not in text:
        text = text.replace("matrix = { m = [1, 2, 3] }\n", 'prepare = "true {n}"\n')
    before = read(text).digest
    script.write_text("false\n")
    assert read(text).digest != before


def test_a_script_of_the_subject_does_not_count(read, tmp_path):
    """What is named below {side} is what is measured, and not how."""
    (tmp_path / "profiles" / "x.sh").write_text("true\n")
    text = BASE.replace("run {n}", "sh {side}/profiles/x.sh {n}")
    before = read(text).digest
    (tmp_path / "profiles" / "x.sh").write_text("false\n")
    assert read(text).digest == before
