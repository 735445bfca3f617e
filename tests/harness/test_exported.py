"""Importing exports that were made elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import InputError, MeasureError
from gate.harness import load_harness
from gate.harness.exported import read_export

RECORDED = Path(__file__).parent.parent / "data" / "tool-output"


def test_fio(recorded, figures):
    """One fio file is one trial, named by its job."""
    export = read_export(recorded("fio-3.33-file-server-qd32.json"), "x.json")
    assert (export.harness, export.version, len(export.trials)) == ("fio", "3.33", 1)
    assert export.trials[0].benchmark == "file-server"
    assert figures(export.trials[0].values)["read_iops"] == 41339.132174


def test_fio_text_before(recorded):
    """Text before the document is noted."""
    export = read_export(recorded("fio-3.33-text-before.json"), "x.json")
    assert len(export.notes) == 1
    assert read_export(recorded("fio-3.33-several.json"), "x").trials[0].benchmark == "a+b"


def test_hyperfine_1(recorded, figures):
    """Each time of a 1.x export is a trial; CPU means are nobody's."""
    export = read_export(recorded("hyperfine-1.20.0.json"), "x.json")
    assert (export.harness, export.version) == ("hyperfine", "1")
    assert [trial.benchmark for trial in export.trials] == ["cp-1[sz=1]"] * 3 + ["cp-4[sz=4]"] * 3
    assert figures(export.trials[2].values) == {"wall": 0.005383003499999999, "memory": 3403776}
    single = read_export(recorded("hyperfine-1.15.0-single.json"), "x.json")
    assert figures(single.trials[0].values)["cpu"] == 0.000824


def test_hyperfine_2(recorded, figures):
    """Each measurement of a 2.x export is a trial with all its values."""
    export = read_export(recorded("hyperfine-2.0.0.json"), "x.json")
    assert (export.version, len(export.trials)) == ("2.0.0", 6)
    assert figures(export.trials[3].values)["system"] == 0.0
    assert figures(export.trials[4].values)["cpu"] == 0.001271


def test_pytest(recorded):
    """One pytest-benchmark file is one trial per test."""
    export = read_export(recorded("pytest-benchmark-5.3.1.json"), "x.json")
    assert (export.harness, export.version, len(export.trials)) == ("pytest-benchmark", "5.3.1", 3)
    assert export.trials[0].benchmark == "test_bench.py::test_crc32"


@pytest.mark.parametrize("version", ["1.15.0", "1.20.0"])
def test_ignored_failures(recorded, version):
    """Runs that hyperfine -i measured though they failed are refused."""
    with pytest.raises(MeasureError) as caught:
        read_export(recorded(f"hyperfine-{version}-failing.json"), "x.json")
    assert caught.value.code == "G236"


def test_failed_job(recorded):
    """A fio job that failed is refused."""
    with pytest.raises(MeasureError) as caught:
        read_export(recorded("fio-3.33-failed.json"), "x.json")
    assert caught.value.code == "G236"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "hello",
        "[]",
        "3",
        "{}",
        '{"results": []}',
        '{"results": [{}]}',
        '{"a": NaN}',
        '{"machine_info": {}, "benchmarks": [], "version": "5"}',
        "[" * 100000,
        '{"schema": 1, "trials": []}',
        '{"results": [{"command": "a\\u001b", "times": [1.0],"exit_codes": [0]}]}',
    ],
)
def test_unusable(text):
    """What is no whole export of a known tool names what was seen and the cure."""
    with pytest.raises(InputError) as caught:
        read_export(text, "x.json")
    assert (caught.value.code, caught.value.place) == ("G235", "x.json")
    assert "--export-json" in caught.value.cure


def test_partial_hyperfine(recorded):
    """An export with fewer exit codes than times is partial."""
    raw = json.loads(recorded("hyperfine-1.15.0.json"))
    raw["results"][1]["exit_codes"].pop()
    with pytest.raises(InputError, match="partial"):
        read_export(json.dumps(raw), "x.json")


@pytest.mark.parametrize("path", sorted(RECORDED.glob("*.json")), ids=lambda path: path.name)
def test_values_have_kinds(path, figures):
    """Every value of every recorded file has a kind; no file raises anything undeclared."""
    try:
        export = read_export(path.read_text(), path.name)
    except (InputError, MeasureError):
        return
    for trial in export.trials:
        assert set(figures(trial.values)) <= set(load_harness(export.harness).kinds)


@given(
    st.text()
    | st.recursive(
        st.none() | st.floats() | st.text() | st.integers(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "results",
                        "jobs",
                        "fio version",
                        "benchmarks",
                        "machine_info",
                        "times",
                        "exit_codes",
                        "command",
                        "schema_version",
                        "measurements",
                        "version",
                        "fullname",
                        "stats",
                    ]
                ),
                inner,
            )
        ),
    ).map(json.dumps)
)
def test_arbitrary_text(text):
    """Any text is refused with one of the declared errors."""
    with pytest.raises((InputError, MeasureError)):
        read_export(text, "x")
