"""The one table of numbers of a finding, and the accepted sessions told once for a profile."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gate.model import Evidence, Level
from gate.report.html.accepted import accepted_sessions
from gate.report.plots.numbers import numbers, short_names
from gate.report.plots.picture import tight
from tests.report.build import finding
from tests.report.plots.drawn import walked
from tests.report.sample import sample_report

PLACES = st.tuples(st.integers(0, 1000), st.integers(0, 150))


def told(evidence, **changes):
    """The lines of a finding with that evidence, in milliseconds."""
    made = replace(finding(unit="s", evidence=evidence), base_value=0.2, head_value=0.4)
    return [*numbers(replace(made, **changes)).rows]


def test_every_value_is_listed_where_it_was_measured():
    """Three accepted values, the head's and a pair with its loss, in the unit of the plot."""
    seen = Evidence(
        baseline=((0.1, 0.2, 0.3),),
        baseline_sessions=("s1",),
        head=(0.4,),
        pairs_base=(0.2,),
        pairs_head=(0.25,),
    )
    assert told(seen) == [
        ("accepted", ""),
        ("s1", "100.0 200.0 300.0"),
        ("head, screen", "400.0"),
        ("pairs, base", "200.0"),
        ("pairs, head", "250.0"),
        ("pairs, loss in %", "+25.0"),
    ]


def test_an_epoch_is_told_where_it_begins():
    """Earlier sessions have a median, those of the current epoch all values."""
    seen = Evidence(
        baseline=((0.2,), ()),
        baseline_sessions=("20261122T073512Z-af2772ba", "20261122T073535Z-33b6c99f"),
        earlier=tuple(Level(session=f"s{n}", epoch=n // 2, value=0.1) for n in (2, 3, 4)),
        epoch=3,
        strikes=((0.3,), (0.4, 0.5)),
    )
    assert told(seen) == [
        ("epoch 1, medians", ""),
        ("s2", "100.0"),
        ("s3", "100.0"),
        ("epoch 2, medians", ""),
        ("s4", "100.0"),
        ("epoch 3, every trial", ""),
        ("af2772ba", "200.0"),
        ("33b6c99f", "none"),
        ("strike 1", "300.0"),
        ("strike 2", "400.0 500.0"),
    ]


def test_a_pair_without_a_ratio_keeps_its_place():
    """A zero has no ratio: a mark stands for it, and the next is still the third."""
    seen = Evidence(pairs_base=(1.0, 0.0, 1.0), pairs_head=(2.0, 2.0, 2.0))
    assert told(seen)[-1] == ("pairs, loss in %", "+100.0 ? +100.0")


def test_nothing_measured_is_no_table():
    """A finding of a benchmark that did not run has none."""
    assert numbers(finding(evidence=Evidence())) is None


def test_a_session_is_called_by_the_end_of_its_name():
    """Where eight digits end it, and where no other session ends so."""
    names = ["20261122T073512Z-af2772ba", "nightly", "a-00000000", "b-00000000", "x" * 80]
    short = short_names(names)
    assert [short[name] for name in names[:4]] == [
        *("af2772ba", "nightly", "a-00000000", "b-00000000")
    ]
    assert len(short[names[4]]) == 60


def test_accepted_sessions_are_told_once_for_a_profile():
    """Each that a finding names, in full; why is told where it is not as for the one before."""
    report = sample_report()
    found = {one.profiles: one.rows for one in accepted_sessions(report)}
    rows = found["iometer",]
    assert {f"{row.before}{row.short}" for row in rows} >= {
        one.session for one in report.accepted if one.profile == "iometer"
    }
    moved = [row.accepted for row in rows if "the host: " in row.accepted]
    assert len(moved) == sum(bool(one.moved) for one in report.accepted)
    assert all(re.match(r"2026-\d\d-\d\d", row.accepted) for row in rows if row.day)
    told = [row.accepted.partition(" by ")[2].partition(";")[0] for row in rows]
    assert all(before != after for before, after in pairwise(told) if after)
    assert "" in told
    assert sorted(name for profiles in found for name in profiles) == sorted(
        {one.profile for one in report.findings if one.evidence.baseline_sessions}
    )


@given(st.lists(st.tuples(st.sampled_from(["M{} {}", "L{} {}", "M{} {}h0", "H{}"]), PLACES)))
def test_a_tight_path_goes_to_the_same_places(steps):
    """No longer than before, and the pen comes everywhere it came."""
    path = "M0 0" + "".join(form.format(*place) for form, place in steps)
    assert len(tight(path)) <= len(path)
    assert list(walked(tight(path))) == list(walked(path))
