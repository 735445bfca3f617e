"""The machine at rest before and after the trials, and windows with too few looks."""

from __future__ import annotations

from unittest import mock

import pytest
from builders import run_gate
from measure.cpu.made import bill_of

from gate.formats.session.session_file import read_session
from gate.measure.cpu.bill import Curve
from gate.measure.cpu.samples import changed_rest
from gate.model import IdleReference

PROFILE = """
harness = "hyperfine"
about = "A little work"
command = "python3 -c 'sum(range(3_000_000))'"
trials = { screen = 2 }
[metric.cpu_per_op]
[metric.wall]
role = "watch"
"""


def rest(busy):
    """A look at the machine at rest."""
    return IdleReference(seconds=1.5, busy=busy)


def test_a_neighbour_that_went_away_is_told():
    """One processor was busy while the machine was to be idle: the bills are off by all of that."""
    bill = bill_of()  # 0.9 CPU-seconds in 2 seconds
    assert changed_rest(rest(1.02), rest(0.01), [bill]) == (
        "the machine at rest used 1.02 processors before the trials and 0.01 after them: "
        "their CPU cost may be off by 224%"
    )


@pytest.mark.parametrize(("before", "after"), [(0.01, 0.01), (0.0, 0.1), (0.1, 0.0)])
def test_the_noise_of_any_machine_is_no_change(before, after):
    """A tenth of a processor more or less disturbs nothing."""
    assert changed_rest(rest(before), rest(after), [bill_of()]) == ""


def test_a_change_that_no_verdict_could_rest_on():
    """Beside trials that keep eight processors busy, half a processor is below a tenth."""
    large = bill_of(busy=16.1, per_cpu=(2.0,) * 8)
    assert changed_rest(rest(0.0), rest(0.5), [large]) == ""
    assert changed_rest(rest(0.0), rest(0.9), [large]).endswith("off by 11%")


def test_without_a_bill_nothing_is_wrong():
    """A session whose trials all failed has no cost that could be off."""
    assert changed_rest(rest(1.0), rest(0.0), []) == ""


def test_the_session_is_disturbed(tmp_path):
    """A neighbour during the first look only: the session says so, and is never accepted."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "p.toml").write_text(PROFILE)
    looks = [rest(0.4), rest(0.0)]
    with mock.patch("gate.measure.cpu.account.measure_idle", side_effect=looks):
        assert run_gate(["run", "p", "--quiet", "--out", "out"], cwd=tmp_path).status == 0
    session = read_session(tmp_path / "out" / "p-001.json")
    assert len(session.disturbances) == 1
    assert session.disturbances[0].startswith("the machine at rest used 0.40 processors before")
    words = ["baseline", "accept", "out/p-001.json", "--reason", "r", "--by", "me"]
    assert run_gate(words, cwd=tmp_path).status != 0


def test_each_session_has_a_look_of_its_own(tmp_path):
    """Of two sessions in one command each was looked at before and after."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "p.toml").write_text(PROFILE)
    looks = []

    def look(sources, stop):
        looks.append(rest(0.001 * len(looks)))
        return looks[-1]

    with mock.patch("gate.measure.cpu.account.measure_idle", look):
        done = run_gate(["run", "p", "--quiet", "--out", "out", "--repeat", "2"], cwd=tmp_path)
    assert done.status == 0, done
    found = [read_session(tmp_path / "out" / f"p-00{n}.json").idle.busy for n in (1, 2)]
    assert found[0] == 0.0
    assert found[1] > 0.0


def test_few_looks_leave_a_doubt():
    """With one look inside nothing is sure but the looks around: half of what lies between."""
    curve = Curve([0.0, 1.0, 1.5, 2.5], [0.0, 0.5, 1.0, 1.2])
    assert curve.doubt(1.2, 1.8) == pytest.approx((1.2 - 0.5) / 2)
    assert curve.doubt(0.0, 2.5) == 0.0, "the whole life is known"
    assert curve.stretch(1.2, 1.8) == 1.0


def test_enough_looks_leave_none():
    """Between looks inside the rate is known; their rounding grows with the window's share."""
    curve = Curve([0.2 * i for i in range(21)], [0.1 * i for i in range(21)])
    assert curve.doubt(1.1, 3.1) == 0.0
    assert curve.stretch(1.1, 3.1) == pytest.approx(2.0 / 1.8)
