"""host.toml: written for a reviewer, read strictly, and the same after both."""

from __future__ import annotations

import json
import tempfile
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from builders import run_gate
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from played import machine

from gate.errors import InputError
from gate.formats.host.host_file import (
    about,
    host_text,
    read_host_file,
    read_known_host,
    write_known_host,
)
from gate.host.identity.identity import read_host
from gate.model import EpochPolicy, KnownHost, Limits
from gate.model.disturbance import TUNABLE
from gate.units import parse_percent

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
facts = st.dictionaries(
    texts.filter(bool)
    | st.sampled_from(['a"b', "a.b", "a\nb", "#", " ", "]", "\x7f", "cpu_model"]),
    texts,
    max_size=4,
)
shares = st.integers(0, 1000).map(lambda n: parse_percent(f"{n / 10}%"))
hosts = st.builds(
    KnownHost,
    host_class=st.just("lab"),
    stable=facts,
    epoch=facts,
    policy=st.sampled_from(EpochPolicy),
    tune=st.lists(st.sampled_from(list(TUNABLE)), unique=True).map(tuple),
    measured_cpus=st.sampled_from(["", "0", "1-3", "1-3,5", "0,2,4-7"]),
    limits=st.builds(
        Limits,
        steal=shares,
        foreign_cpu=st.integers(0, 400).map(lambda n: n / 16),
        foreign_io=st.integers(0, 10**12).map(float),
        memory_pressure=shares,
        set_aside=shares,
    ),
)
GOOD = host_text(
    KnownHost(host_class="lab", stable={"cpu_model": "x"}, epoch={"kernel": "6.8"}, tune=("thp",))
)


@examples(1.5)
@given(hosts)
def test_write_then_read(one):
    """Any host file comes back as it was: facts of all of Unicode, tunings, policy, limits."""
    with tempfile.TemporaryDirectory() as directory:
        path = write_known_host(Path(directory), one)
        assert replace(read_known_host(Path(directory), "lab"), path="") == one
        before = path.read_bytes()
        write_known_host(Path(directory), read_host_file(path))
        assert path.read_bytes() == before


@given(hosts)
def test_every_fact_has_its_reason_above_it(one):
    """No fact stands without the line that says what it is, whatever its name and value are."""
    lines = host_text(one).splitlines()
    keys = [*sorted(one.stable), *sorted(one.epoch)]
    start = lines.index("[stable]")
    reasons = [line for line in lines[start:] if line in {f"# {about(key)}" for key in keys}]
    assert reasons == [f"# {about(key)}" for key in keys]


def test_a_reviewer_reads_why():
    """The file of a real machine names the drive's firmware, the microcode, and what each does."""
    host = read_host(Path("/x"), machine=machine(), host_class="lab")
    text = host_text(KnownHost(host_class="lab", stable=host.stable, epoch=host.epoch))
    assert (
        "# the drive's own software: it decides on cache, flash and pauses\n"
        'disk_firmware = "7.2.1"\n'
    ) in text
    assert (
        "# the processors' own software: mitigations and speeds come with it\n"
        'microcode = "0x2b000571"\n'
    ) in text
    assert max(map(len, text.splitlines())) <= 100
    assert "S64GNE0R" not in text


def test_defaults_are_shown_and_not_set():
    """Limits that nobody set are commented examples, so that a new default reaches old files."""
    assert tomllib.loads(GOOD)["limits"] == {}
    assert '# foreign_io = "8 MB/s"' in GOOD
    set_one = host_text(
        KnownHost(host_class="lab", stable={}, limits=Limits(steal=0.01, foreign_io=2e9))
    )
    assert tomllib.loads(set_one)["limits"] == {"steal": "1%", "foreign_io": "2 GB/s"}


def test_the_examples_are_the_defaults(tmp_path):
    """With every commented limit uncommented the file still says what it said before."""
    path = tmp_path / "host.toml"
    names = Limits.__slots__
    lines = [
        line.removeprefix("# ") if line.startswith(tuple(f"# {n} =" for n in names)) else line
        for line in GOOD.splitlines()
    ]
    path.write_text("\n".join(lines))
    assert sum(line.startswith(tuple(f"{n} =" for n in names)) for line in lines) == 5
    assert read_host_file(path).limits == Limits()


def test_a_file_of_an_earlier_version_still_reads(tmp_path):
    """Schema, class and stable facts are enough; the rest is what it is by default."""
    path = tmp_path / "host.toml"
    path.write_text('schema = 1\nhost_class = "lab"\n\n[stable]\ncpu = "x"\n')
    assert replace(read_host_file(path), path="") == KnownHost(
        host_class="lab", stable={"cpu": "x"}
    )


def test_a_class_that_was_never_enrolled(tmp_path):
    """Where there is no file, nothing is known; a link to nothing is a mistake."""
    assert read_known_host(tmp_path, "lab") is None
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "host.toml").symlink_to("gone")
    with pytest.raises(InputError, match="cannot be read"):
        read_known_host(tmp_path, "lab")


def after(text, new):
    """The file with a line put after the one that starts so."""
    lines = GOOD.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(text))
    return "\n".join([*lines[: at + 1], new, *lines[at + 1 :]]), at + 2


WRONG = [
    pytest.param("[limits]", 'steal = "5"', "G206", 'limits.steal: "5" is not a percentage', id="share"),
    pytest.param("[limits]", 'steal = "101%"', "G206", "limits.steal: '101%' is too much", id="above one"),
    pytest.param("[limits]", 'foreign_io = "8 MB"', "G206", "limits.foreign_io", id="no rate"),
    pytest.param("[limits]", "foreign_cpu = -1", "G206", "at least 0", id="negative"),
    pytest.param("[limits]", "foreign_cpu = nan", "G206", "limits.foreign_cpu", id="nan"),
    pytest.param("[limits]", 'stael = "5%"', "G206", 'did you mean "steal"?', id="misspelt"),
    pytest.param("[stable]", "cores = 4", "G206", "stable.cores", id="a fact as a number"),
    pytest.param("[policy]", 'eopch = "refuse"', "G206", 'did you mean "epoch"?', id="misspelt policy"),
    pytest.param("[policy]", "epoch = 1", "G204", "", id="twice"),
    pytest.param("[epoch]", 'kernel = "6.9"', "G204", "", id="a fact twice"),
]  # fmt: skip


@pytest.mark.parametrize(("place", "new", "code", "words"), WRONG)
def test_wrong_lines_are_named(tmp_path, place, new, code, words):
    """Whatever is wrong in the file is refused with its line and what was expected."""
    text, number = after(place, new)
    path = tmp_path / "host.toml"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        read_host_file(path)
    assert refused.value.code == code
    assert words in refused.value.message
    if code == "G206":
        assert refused.value.place == f"{path}:{number}"


EDITS = [
    pytest.param('tune = ["thp"]', 'tune = ["thb"]', "there are governor, turbo", id="tuning"),
    pytest.param('tune = ["thp"]', 'tune = ["thp", "thp"]', "twice", id="tuning twice"),
    pytest.param('measured_cpus = ""', 'measured_cpus = "3-1"', "ascending", id="processors"),
    pytest.param('measured_cpus = ""', 'measured_cpus = "all"', "ascending", id="no processors"),
    pytest.param('epoch = "refuse"', 'epoch = "ignore"', "'new-baseline'", id="policy"),
    pytest.param('host_class = "lab"', "host_class = 1", "host_class", id="class"),
]


@pytest.mark.parametrize(("old", "new", "words"), EDITS)
def test_wrong_values_are_named(tmp_path, old, new, words):
    """A name or value that there is not is refused with its line and those that there are."""
    assert GOOD.count(f"\n{old}\n") == 1
    path = tmp_path / "host.toml"
    path.write_text(GOOD.replace(f"\n{old}\n", f"\n{new}\n"))
    with pytest.raises(InputError) as refused:
        read_host_file(path)
    number = path.read_text().splitlines().index(new) + 1
    assert (refused.value.code, refused.value.place) == ("G206", f"{path}:{number}")
    assert words in refused.value.message


def test_the_format_is_published():
    """`gate schema host` knows every key, the tunings and the policies."""
    schema = json.loads(run_gate(["schema", "host"]).out)
    assert schema["properties"].keys() >= tomllib.loads(GOOD).keys()
    assert schema["properties"]["tune"]["items"]["enum"] == list(TUNABLE)
    assert schema["$defs"]["EpochPolicy"]["enum"] == ["refuse", "new-baseline"]
    assert schema["$defs"]["LimitsForm"]["properties"].keys() == set(Limits.__slots__)
