"""Printed figures: the pattern matches exactly once, the number is finite and positive."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import TrialFailed
from gate.formats.profile.metric_kinds import output_kinds
from gate.harness import load_harness
from gate.harness.expand import output_values
from gate.model import Better, Output, Work

HYPERFINE = load_harness("hyperfine")


def output(pattern=r"^rate: (\S*) MB/s$", unit="MB/s", name="rate", better="higher"):
    return Output(name=name, pattern=pattern, unit=unit, better=Better(better))


@pytest.mark.parametrize(
    ("unit", "base", "factor"),
    [
        ("MB/s", "B/s", 1e6),
        ("KiB/s", "B/s", 1024.0),
        ("ms", "s", 1e-3),
        ("kop/s", "op/s", 1e3),
        ("GiB", "B", 2.0**30),
        ("1", "1", 1.0),
    ],
)
def test_base_unit(unit, base, factor):
    """A figure is kept in its base unit, and so is its kind."""
    one = output(unit=unit)
    (value,) = output_values("first\nrate: 2.5 MB/s\nlast\n", [one])
    assert (value.metric, value.value) == ("rate", 2.5 * factor)
    kind = output_kinds([one])["rate"]
    assert (kind.unit, kind.better) == (base, Better.HIGHER)


@given(st.floats(1e-6, 1e12), st.integers(0, 3), st.integers(0, 3))
def test_found_wherever_it_stands(number, before, after):
    """The figure is found in whatever line it stands, with or without an exponent."""
    text = "noise 1 MB/s\n" * before + f"rate: {number!r} MB/s\n" + "rate: \n" * after
    (value,) = output_values(text, [output(unit="B/s")])
    assert value.value == number


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ("printed nothing",)),
        (" \n", ("printed nothing",)),
        ("a\nb", ("none of the 2 lines",)),
        ("a\nb\n", ("none of the 2 lines",)),
        (
            "rate: 1 MB/s\nx\nrate: 2 MB/s\n",
            ("got 2", "line 1: “rate: 1 MB/s”", "line 3: “rate: 2 MB/s”"),
        ),
        ("rate: 1 MB/s\nrate: 1 MB/s\n", ("got 2",)),
        ("x\nrate: 0 MB/s\n", ("above 0", "“0”", "line 2")),
        ("rate: -3 MB/s\n", ("above 0", "“-3”")),
        ("rate: nan MB/s\n", ("above 0", "“nan”")),
        ("rate: inf MB/s\n", ("above 0", "“inf”")),
        ("rate: 1e999 MB/s\n", ("above 0", "“1e999”")),
        ("rate: 1e308 MB/s\n", ("out of range",)),
        ("rate: 1.2.3 MB/s\n", ("above 0", "“1.2.3”")),
        ("rate: 1_000 MB/s\n", ("above 0", "“1_000”")),
        ("rate: 1,5 MB/s\n", ("above 0", "“1,5”")),
        ("rate: ٣ MB/s\n", ("above 0",)),
        ("rate:  MB/s\n", ("above 0", "“”")),
        ("rate: \x1b[31m7 MB/s\n", ("above 0",)),
    ],
)
def test_refused(text, words):
    """None, two, or no positive number: the trial fails and says what was found, in which line."""
    with pytest.raises(TrialFailed) as failure:
        output_values(text, [output()])
    assert str(failure.value).startswith("output rate: ")
    assert str(failure.value).isprintable()
    for word in words:
        assert word in str(failure.value)


def test_optional_group():
    """A group that took no part in the match is nothing, not a number."""
    with pytest.raises(TrialFailed, match="got nothing"):
        output_values("rate\n", [output(pattern="^rate(?:: ([0-9]+))?$")])


def work(command, **more):
    outputs = (
        output(),
        output(pattern="^did ([0-9]+)$", unit="1", name="did"),
        output(pattern="^moved ([0-9]+) k$", unit="kB", name="moved"),
    )
    return Work(command=f"printf '{command}'", outputs=outputs, **more)


def test_real_program(make, figures):
    """Figures that a command prints under hyperfine stand among its values, in base units."""
    spec = work("rate: 2.5 MB/s\\ndid 40\\nmoved 3 k\\n", operations="did", transferred="moved")
    reading = HYPERFINE.trial(make(spec, harness="hyperfine", metrics=("rate", "wall")))
    found = figures(reading.values)
    assert (found["rate"], found["did"], found["moved"]) == (2.5e6, 40.0, 3000.0)
    assert found["wall"] > 0
    assert (reading.work.operations, reading.work.transferred) == (40.0, 3000.0)


def test_one_operation(make):
    """A run is one operation, and moves nothing that is known, where no output counts them."""
    reading = HYPERFINE.trial(
        make(work("rate: 1 MB/s\\ndid 4\\nmoved 3 k\\n"), harness="hyperfine")
    )
    assert (reading.work.operations, reading.work.transferred) == (1.0, 0.0)


def test_older_figure(make):
    """A figure that an older run left in the scratch is never read."""
    context = make(work("nothing to see\\n"), harness="hyperfine")
    (context.scratch / "printed.txt").write_text("rate: 9 MB/s\ndid 1\nmoved 1 k\n")
    with pytest.raises(TrialFailed, match="none of the 1 lines"):
        HYPERFINE.trial(context)


def test_link_in_the_way(make, tmp_path):
    """A link in the place of the printed text is removed, not followed."""
    context = make(work("rate: 1 MB/s\\ndid 4\\nmoved 3 k\\n"), harness="hyperfine")
    target = tmp_path / "target"
    target.write_text("mine")
    (context.scratch / "printed.txt").symlink_to(target)
    HYPERFINE.trial(context)
    assert target.read_text() == "mine"


def test_standard_error_is_not_read(make):
    """Only standard output is looked at."""
    spec = Work(command="echo 'rate: 1 MB/s' >&2", shell="sh", outputs=(output(),))
    with pytest.raises(TrialFailed, match="printed nothing"):
        HYPERFINE.trial(make(spec, harness="hyperfine"))


def test_warm_up_is_not_read(make):
    """Warm-up runs print too, and only the measured run is read."""
    spec = Work(command="echo 'rate: 1 MB/s'", shell="sh", outputs=(output(),), warmup=2)
    reading = HYPERFINE.trial(make(spec, harness="hyperfine"))
    assert math.isclose(reading.values[-1].value, 1e6)
