"""Baseline files: what is written is read back, to the last character."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from judge.build import accepted, at, baseline, series, session

from gate.formats.baseline.baseline_file import read_baseline, write_baseline
from gate.formats.baseline.baseline_text import baseline_text
from gate.judge.accept import Acceptance, accept
from gate.model import AcceptedSession, Baseline, BaselinePoint, BaselineSeries, Better

# No lone surrogates (no UTF-8 file holds them) and no NUL (refused by the reader).
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
names = texts.filter(bool) | st.sampled_from(
    ['a"b', "a'b", "a.b", "a\nb", "a\\b", "]", "#", " ", "\x7f", "\u2028", "Ünï[x=1,y=2]", "=",
     '"""', "a\r\nb", "\x1b[31m", "true", "1", "\u202e", "𝒷"]
)  # fmt: skip
numbers = st.floats(5e-324, 1e300)  # above it the median of two is no float any more
tables = st.dictionaries(names, texts, max_size=3)
controls = st.dictionaries(names, st.lists(numbers, min_size=1, max_size=3).map(tuple), max_size=2)


@st.composite
def baselines(draw):
    ids = sorted(draw(st.lists(names, min_size=1, max_size=4, unique=True)))
    sessions = tuple(
        AcceptedSession(
            id=one,
            profile_digest=draw(texts),
            started=f"2026-01-01T00:00:{i:02}Z",
            boot=draw(texts),
            commit=draw(texts),
            subject=draw(texts),
            tools=draw(tables),
            epoch_facts=draw(tables),
            fingerprint=draw(texts),
            accepted=draw(texts),
            by=draw(texts),
            reason=draw(names),
            controls=draw(controls),
        )
        for i, one in enumerate(ids)
    )
    keys = sorted(draw(st.lists(st.tuples(names, names), max_size=4, unique=True)))
    rows = tuple(
        BaselineSeries(
            benchmark=benchmark,
            metric=metric,
            unit=draw(names),
            better=draw(st.sampled_from(Better)),
            points=tuple(
                BaselinePoint(
                    session=one,
                    epoch=1 + i // 2,
                    values=tuple(draw(st.lists(numbers, min_size=1, max_size=3))),
                )
                for i, one in enumerate(ids)
            ),
        )
        for benchmark, metric in keys
    )
    return Baseline(
        profile="p",
        profile_digest=draw(texts),
        harness=draw(texts),
        host_class="lab",
        stable=draw(tables),
        sessions=sessions,
        series=rows,
    )


def shuffled(one: Baseline, dice) -> Baseline:
    """The same baseline, its parts in another order."""

    def mixed(items):
        items = list(items)
        dice.shuffle(items)
        return items

    return replace(
        one,
        sessions=tuple(replace(s, tools=dict(mixed(s.tools.items()))) for s in mixed(one.sessions)),
        series=tuple(mixed(one.series)),
        stable=dict(mixed(one.stable.items())),
    )


@examples(1.5)
@given(baselines())
def test_write_then_read(one):
    """Any baseline comes back as it was, with quotes, dots, newlines and all of Unicode."""
    with tempfile.TemporaryDirectory() as directory:
        path = write_baseline(Path(directory), one)
        assert replace(read_baseline(path), path="") == one


@given(baselines(), st.randoms(use_true_random=False))
def test_equal_baselines_give_equal_bytes(one, dice):
    """The text does not depend on the order in which things were put together."""
    assert baseline_text(shuffled(one, dice)) == baseline_text(one)


@given(baselines())
def test_one_line_per_accepted_session(one):
    """No name, unit or reason can break out of its line."""
    rows = [row for row in baseline_text(one).splitlines() if row.startswith("  {")]
    assert len(rows) >= sum(len(s.points) for s in one.series)


def test_writing_twice_changes_nothing(tmp_path):
    """Reading and writing a baseline gives the same bytes: no noise in a reviewer's diff."""
    path = write_baseline(tmp_path, baseline(series("b"), series("c")))
    before = path.read_bytes()
    assert write_baseline(tmp_path, read_baseline(path)) == path
    assert path.read_bytes() == before


def test_accepting_adds_one_line_and_one_block(tmp_path):
    """A session that appends adds a line to each series and a block, and touches nothing else."""
    known = baseline(series("b"), series("c"))
    fresh = session({"b": at(1), "c": at(1)}, id="n1", started="2026-02-01T00:00:00Z")
    why = Acceptance(by="me", reason="more", accepted="2026-02-02T00:00:00Z")
    before = baseline_text(known).splitlines()
    after = baseline_text(accept(known, [fresh], why).baseline).splitlines()
    rest = iter(after)
    assert all(row in rest for row in before)
    added = [row for row in after if row not in before]
    assert sum(row.startswith("  { session =") for row in added) == 2
    assert sum(row.startswith("[session.") for row in added) == 1


def merge(tmp_path, ours: str, base: str, theirs: str) -> tuple[int, str]:
    paths = [tmp_path / name for name in ("ours", "base", "theirs")]
    for path, text in zip(paths, (ours, base, theirs), strict=True):
        path.write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["git", "merge-file", "-p", *map(str, paths)], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout


def with_point(known: Baseline, name: str, session_id: str, day: int) -> Baseline:
    """The baseline with one more session that holds a single benchmark."""
    rows = tuple(
        replace(
            one,
            points=(*one.points, BaselinePoint(session=session_id, epoch=1, values=at(1.0))),
        )
        if one.benchmark == name
        else one
        for one in known.series
    )
    return replace(
        known,
        sessions=(*known.sessions, accepted(0, id=session_id, started=f"2026-02-{day:02}")),
        series=rows,
    )


def test_branches_that_touch_different_benchmarks_merge(tmp_path):
    """Two branches that add sessions of different benchmarks merge without a conflict."""
    known = baseline(series("b"), series("c"))
    ours = with_point(known, "b", "a01-later", 1)
    theirs = with_point(known, "c", "a03-later", 2)
    status, text = merge(tmp_path, baseline_text(ours), baseline_text(known), baseline_text(theirs))
    assert status == 0
    both = with_point(ours, "c", "a03-later", 2)
    assert text == baseline_text(both)


def test_branches_that_touch_the_same_benchmark_conflict(tmp_path):
    """Two new levels of one benchmark are for a person to decide between."""
    known = baseline(series("b"))
    ours = with_point(known, "b", "z1", 1)
    theirs = with_point(known, "b", "z2", 2)
    status, _ = merge(tmp_path, baseline_text(ours), baseline_text(known), baseline_text(theirs))
    assert status > 0


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_no_number_that_is_none(tmp_path, value):
    """NaN and infinities in a baseline are refused when it is read."""
    from gate.errors import InputError

    path = write_baseline(tmp_path, baseline())
    text = path.read_text(encoding="utf-8").replace("values = [1.0,", f"values = [{value},", 1)
    assert value in text
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError):
        read_baseline(path)
