"""What a joined report shows beside its findings: nothing twice, nothing lost, in any order."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from examples import examples
from formats.refusal import refusal
from hypothesis import given
from hypothesis import strategies as st
from judge.sharding.test_joining import report

from gate.judge.report_sections import join_reports
from gate.model import (
    Accepted,
    Alike,
    Better,
    Bill,
    Difference,
    Latency,
    Quantile,
    SetAside,
    Side,
    Stage,
    Sweep,
    SweepPoint,
    TextChange,
    Touched,
    Verdict,
)
from gate.model.report_rows import AREAS
from gate.report.text.text import render_text

NAMES = st.sampled_from(["p", "q", "r"])
AGAINST = st.sampled_from(["base side", "accepted session x", "accepted session y"])


def difference(profile, *, against="base side", area="host", key="smt", head="off"):
    return Difference(
        area=area, key=key, base="on", head=head, against=against, profiles=(profile,)
    )


def accepted(profile, session="a", started="2026-01-01"):
    return Accepted(
        profile=profile,
        session=session,
        started=started,
        commit="",
        accepted="2026-01-02",
        by="me",
        reason="first",
    )


def bill(profile, head=1.0):
    return Bill(
        profile=profile,
        benchmark="b",
        word="run",
        trials_base=0,
        trials_head=3,
        base=None,
        head=head,
        owners=(),
        contexts=(),
    )


def latency(profile):
    points = (Quantile(percentile=50.0, base=None, head=1.0, beyond=10.0),)
    return Latency(
        profile=profile, benchmark="b", kind="read", trials_base=0, trials_head=3, points=points
    )


def touched(profile, executed=1):
    said = f"{executed} of 2 changed functions executed"
    return Touched(profile=profile, headline=said, count=2, executed=executed, empty=executed == 0)


def sweep(profile):
    point = SweepPoint(place="1", benchmark="b", base=None, head=1.0, verdict=Verdict.PASSED)
    return Sweep(
        profile=profile,
        group="b[x=*]",
        parameter="x",
        metric="wall",
        unit="s",
        better=Better.LOWER,
        points=(point,),
    )


def aside(profile, sequence=0):
    return SetAside(
        profile=profile,
        benchmark="b",
        side=Side.HEAD,
        stage=Stage.SCREEN,
        sequence=sequence,
        kind="steal",
        why="steal of 9 %",
    )


@st.composite
def parts(draw):
    """A report with tables of few rows, so that two of them often say the same."""
    few = {"max_size": 3, "unique": True}
    alike = draw(st.dictionaries(st.sampled_from(AREAS), st.integers(1, 5), max_size=3))
    return replace(
        report([Verdict.PASSED], name=draw(NAMES)),
        accepted=tuple(map(accepted, draw(st.lists(NAMES, **few)))),
        bills=tuple(
            bill(name, head=draw(st.floats(0, 1))) for name in draw(st.lists(NAMES, **few))
        ),
        latencies=tuple(map(latency, draw(st.lists(NAMES, **few)))),
        sweeps=tuple(map(sweep, draw(st.lists(NAMES, **few)))),
        touched=tuple(
            touched(name, draw(st.integers(0, 1))) for name in draw(st.lists(NAMES, **few))
        ),
        differences=tuple(
            difference(name, against=draw(AGAINST), key=draw(st.sampled_from(["smt", "thp"])))
            for name in draw(st.lists(NAMES, **few))
        ),
        alike=tuple(Alike(area=area, count=alike[area]) for area in AREAS if area in alike),
        changes=tuple(
            TextChange(name=name, lines=("+x",)) for name in draw(st.lists(NAMES, **few))
        ),
        aside=tuple(aside(name, draw(st.integers(0, 1))) for name in draw(st.lists(NAMES))),
    )


@given(st.lists(parts(), min_size=2, max_size=3))
@examples(1.5)
def test_the_order_of_the_parts_does_not_matter(several):
    """Every table is the same in any order, and nothing of it contradicts itself."""
    whole = join_reports(several)
    assert all(join_reports(order) == whole for order in permutations(several))
    assert (refusal(whole)) == []


@given(st.lists(parts(), min_size=2, max_size=3))
def test_nothing_is_lost(several):
    """Whoever differed still does, every trial set aside and every accepted session is there."""
    whole = join_reports(several)
    for one in several:
        assert set(one.aside) <= set(whole.aside)
        assert set(one.touched) <= set(whole.touched)
        assert {(a.profile, a.session) for a in one.accepted} <= {
            (a.profile, a.session) for a in whole.accepted
        }
        for table in ("accepted", "bills", "latencies", "sweeps"):
            if any(row not in getattr(whole, table) for row in getattr(one, table)):
                assert any(f"of {table}" in note for note in whole.notes)
        for was in one.differences:
            assert any(
                (now.area, now.key, now.base, now.head) == (was.area, was.key, was.base, was.head)
                and set(was.profiles) <= set(now.profiles)
                for now in whole.differences
            )
    total = sum(one.count for part in several for one in part.alike)
    assert sum(one.count for one in whole.alike) == total


def joined(**tables):
    """Two parts with the first and the second of each table."""
    return join_reports(
        [
            replace(report([Verdict.PASSED], name=name), **{k: v[i] for k, v in tables.items()})
            for i, name in enumerate("ab")
        ]
    )


def test_what_is_alike_adds_up():
    """Each part compared facts of its own: 30 and 30 are 60, and no row stands for both."""
    whole = joined(
        alike=(
            (Alike(area="host", count=30),),
            (Alike(area="host", count=30), Alike(area="tools", count=2)),
        )
    )
    assert whole.alike == (Alike(area="host", count=60), Alike(area="tools", count=2))


def test_the_same_difference_has_the_profiles_of_all_parts():
    """One row, with the profiles in order; accepted sessions of two names are told without one."""
    first, second = (difference(name, against=f"accepted session {name}") for name in ("q", "p"))
    (row,) = joined(differences=((first,), (second,))).differences
    assert row.profiles == ("p", "q")
    assert row.against == "accepted sessions"


def test_a_session_accepted_is_told_once_and_oldest_first():
    """Two parts that name one session name it once; by profile, then by when it was measured."""
    old, new = accepted("p", "z", "2026-01-01"), accepted("p", "a", "2026-02-01")
    whole = joined(accepted=((new, old), (accepted("o"), old)))
    assert whole.accepted == (accepted("o"), old, new)


def test_equal_rows_of_one_part_stay_two():
    """Two further sessions may set the same trial aside; the same part twice adds none."""
    whole = joined(aside=((aside("p"), aside("p")), (aside("p"),)))
    assert whole.aside == (aside("p"), aside("p"))


def test_what_each_part_executed_of_the_change_is_in_the_whole():
    """An empty pass of one part is still called empty where the parts are joined."""

    def touched(profile, executed):
        return Touched(
            profile=profile,
            headline=f"{executed} of 7 changed functions executed",
            count=7,
            executed=executed,
            empty=not executed,
        )

    whole = joined(touched=((touched("q", 0),), (touched("p", 3),)))
    assert whole.touched == (touched("p", 3), touched("q", 0))
    assert "q: 0 of 7 changed functions executed" in render_text(whole)
