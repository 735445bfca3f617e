"""fio's JSON: exact figures from recorded runs, and every silent pass it invites."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import TrialFailed
from gate.formats.profile.metric_kinds import FIO_KINDS
from gate.harness.fio.metrics import fio_values
from gate.harness.fio.output import JobFailed, parse


def read(text):
    values, missing = fio_values(parse(text))
    return {value.metric: (value.value, value.samples) for value in values}, missing


@pytest.fixture
def good(recorded):
    return recorded("fio-3.33-file-server-qd32.json")


def changed(text, **fields):
    raw = json.loads(text)
    raw["jobs"][0].update(fields)
    return json.dumps(raw)


def test_mixed_job_exact(good):
    """A recorded random read/write run gives exactly fio's own figures in base units."""
    values, missing = read(good)
    assert values["iops"] == (41339.132174 + 10379.724055, 206737 + 51909)
    assert values["throughput"] == (469304974 + 117817742, 206737 + 51909)
    assert values["read_iops"] == (41339.132174, 206737)
    assert values["write_throughput"] == (117817742, 51909)
    assert values["read_clat_mean"] == (pytest.approx(595862.904294e-9), 206737)
    assert values["read_clat_p50"] == (pytest.approx(528384e-9), 206737)
    assert values["write_clat_p99"] == (pytest.approx(2244608e-9), 51909)
    assert values["write_clat_p999"] == (pytest.approx(4423680e-9), 51909)
    assert "clat_p99" not in values
    assert "read_clat_" in missing["clat_p99"]
    assert "trim_iops" not in values
    assert "did no trims" in missing["trim_iops"]


def test_several_jobs_add_up(recorded):
    """Concurrent job entries: rates add, means are weighted, percentiles are not merged."""
    values, missing = read(recorded("fio-3.33-several.json"))
    assert values["read_iops"][0] == pytest.approx(168301.324503 + 154055.737705)
    assert values["iops"][1] == 50827 + 46987 + 53684 + 49601
    mean = (50827 * 3187.528243 + 46987 * 3848.304935) / (50827 + 46987)
    assert values["read_clat_mean"][0] == pytest.approx(mean * 1e-9)
    assert "read_clat_p99" not in values
    assert "group_reporting" in missing["read_clat_p99"]


def test_group_reporting(recorded):
    """With group_reporting one entry stands for all jobs, and percentiles are given."""
    values, _ = read(recorded("fio-3.33-grouped.json"))
    assert values["iops"][0] == pytest.approx(45588.815789 + 46207.236842)
    assert values["read_clat_p999"][0] == pytest.approx(2473984e-9)


def test_trim_only(recorded):
    """A trim-only run gives trim figures and the side-less latencies."""
    values, _ = read(recorded("fio-3.33-trim.json"))
    assert values["trim_iops"] == values["iops"] == (256000.0, 256)
    assert values["clat_p99"] == values["trim_clat_p99"] == (pytest.approx(20e-9), 256)


def test_unified_reporting(recorded):
    """unified_rw_reporting gives totals, and says why sides are not there."""
    values, missing = read(recorded("fio-3.33-unified.json"))
    assert values["iops"] == (38694.352159, 11647)
    assert values["clat_p50"][0] == pytest.approx(2096e-9)
    assert "unified_rw_reporting" in missing["read_iops"]


def test_no_latencies(recorded):
    """gtod_reduce takes no latencies: they are left out, never given as 0."""
    values, missing = read(recorded("fio-3.33-gtod-reduce.json"))
    assert values["iops"] == (18279.069767, 5502)
    assert "clat_mean" not in values
    assert "gtod_reduce" in missing["clat_p99"]


def test_no_percentiles(recorded):
    """clat_percentiles=0 leaves the mean and takes the percentiles out, with the cure."""
    values, missing = read(recorded("fio-3.33-no-percentiles.json"))
    assert values["clat_mean"][0] == pytest.approx(78552.909353e-9)
    assert "percentile_list" in missing["clat_p99"]


def test_text_before_is_noted(recorded):
    """A real warning before the document is tolerated and noted."""
    document = parse(recorded("fio-3.33-text-before.json"))
    assert "time_based requires a runtime" in document.notes[0]
    assert document.version == "3.33"


def test_text_after_is_noted(good):
    """Text after the document is tolerated and noted, escapes removed."""
    document = parse(good + "fio: terminating\x1b[31m on signal 2\n{not json\n")
    assert "terminating [31m on signal 2" in document.notes[0]


@pytest.mark.parametrize("name", ["fio-3.33-stonewall.json", "fio-3.33-wait-for.json"])
def test_sequence_refused(recorded, name):
    """Rates of jobs that ran one after another are not added up."""
    with pytest.raises(TrialFailed, match="one profile per group"):
        parse(recorded(name))


def test_status_interval_refused(recorded):
    """Several documents in one output are refused: which is the result cannot be told."""
    with pytest.raises(TrialFailed, match="3 documents"):
        parse(recorded("fio-3.33-status-interval.json"))


def test_error_with_numbers(good, recorded):
    """A job's error closes the gate though figures are there, and so does total_err."""
    with pytest.raises(JobFailed, match="failed with error 5"):
        parse(changed(good, error=5))
    with pytest.raises(JobFailed, match="went on after 3 I/O errors"):
        parse(changed(good, total_err=3))
    with pytest.raises(JobFailed, match="failed with error 22"):
        parse(recorded("fio-3.33-failed.json"))


def test_second_job_in_error(recorded):
    """An error of a job other than the first is seen too."""
    raw = json.loads(recorded("fio-3.33-several.json"))
    raw["jobs"][3]["error"] = 28
    with pytest.raises(JobFailed, match="28"):
        parse(json.dumps(raw))


def test_idle_job(recorded):
    """A job that did no I/O is a failure even when others did."""
    raw = json.loads(recorded("fio-3.33-several.json"))
    raw["jobs"][1]["read"]["total_ios"] = 0
    with pytest.raises(TrialFailed, match="did no I/O"):
        parse(json.dumps(raw))


def test_zero_rate(good):
    """A rate of zero is not a value."""
    raw = json.loads(good)
    for side in ("read", "write"):
        raw["jobs"][0][side]["iops"] = 0
    with pytest.raises(TrialFailed, match="iops = 0"):
        read(json.dumps(raw))


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity", "nan", "-nan", "inf", "1e999"])
def test_not_a_number(good, token):
    """No spelling of a non-number leaves the parser."""
    with pytest.raises(TrialFailed):
        read(good.replace("41339.132174", token))


@pytest.mark.parametrize("value", ["-1", "true", '"5"', "null", "[]", "9" * 400])
def test_wrong_type(good, value):
    """A figure of another type, negative, or too large is a sentence, not a traceback."""
    with pytest.raises(TrialFailed):
        read(good.replace("41339.132174", value))


@pytest.mark.parametrize("text", ["", "fio: no space", "{}", "[]", "{" * 100000, '{"a":\n' * 9999])
def test_no_document(text):
    """Output without a document is refused."""
    with pytest.raises(TrialFailed):
        parse(text)


def test_cut_anywhere(good):
    """A document that is cut off anywhere is refused."""
    for end in range(0, len(good) - 3, 97):
        with pytest.raises(TrialFailed):
            parse(good[:end])


def test_every_field_may_lack(good):
    """Removing any one field of the document gives values or TrialFailed, nothing else."""

    def paths(node, at=()):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield (*at, key)
            if isinstance(node[key], dict | list):
                yield from paths(node[key], (*at, key))

    for path in list(paths(json.loads(good))):
        raw = json.loads(good)
        node = raw
        for key in path[:-1]:
            node = node[key]
        del node[path[-1]]
        try:
            read(json.dumps(raw))
        except TrialFailed:
            continue


@given(st.text() | st.text().map(lambda text: '{"fio version": "x",' + text))
def test_arbitrary_text(text):
    """For any text the parser returns values or raises TrialFailed."""
    with pytest.raises(TrialFailed):
        read(text)


def test_kinds_cover_values(good):
    """Every value has a kind, with the right unit and direction."""
    values, missing = read(good)
    assert set(values) | set(missing) == set(FIO_KINDS)
    assert (FIO_KINDS["iops"].unit, FIO_KINDS["iops"].better) == ("op/s", "higher")
    assert (FIO_KINDS["write_throughput"].unit, FIO_KINDS["clat_p99"].unit) == ("B/s", "s")
