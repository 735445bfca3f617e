"""The differential flame graph: one tree of both sides, small, and plain SVG."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from formats.refusal import refusal
from hypothesis import given
from hypothesis import strategies as st
from judge.diagnosis.sample import BASE_STACKS, HEAD_STACKS, sample_flame, sample_why, sampled

from gate.judge.context.diagnosis import flame_of
from gate.model import Side
from gate.model.diagnosis import MOST_FRAMES, Frame, Why
from gate.report.plots.cpu_time import flame_plot

NAMES = st.sampled_from(["a", "b", "c", "long" * 30])
STACKS = st.dictionaries(
    st.lists(NAMES, min_size=1, max_size=6).map(";".join), st.integers(1, 1000), max_size=30
)


def test_both_sides_are_laid_together():
    """CPU-seconds of one operation, of each frame with all that it called."""
    flame = sample_flame()
    assert [(one.name, one.depth) for one in flame.frames] == [
        ("all", 0),
        ("fio", 1),
        ("fsync", 2),
        ("io_submit", 2),
        ("crc", 3),
        ("ext4_map", 3),
        ("kworker", 1),
        ("writeback", 2),
    ]
    known = {one.name: (one.base, one.head) for one in flame.frames}
    assert known["all"] == pytest.approx((100e-6, 200e-6))
    assert known["crc"] == pytest.approx((20e-6, 120e-6))
    assert known["writeback"] == pytest.approx((20e-6, 0))
    assert [one.name for one in flame.calls] == ["crc", "writeback", "fsync", "ext4_map"]
    assert (flame.samples_base, flame.samples_head) == (100, 200)


def test_a_run_that_did_more_is_not_redder():
    """Twice the samples for twice the operations are no difference."""
    twice = {stack: 2 * count for stack, count in BASE_STACKS.items()}
    flame = flame_of(sampled(Side.BASE, BASE_STACKS), sampled(Side.HEAD, twice, 2000.0))
    assert flame.calls == ()
    assert all(one.base == one.head for one in flame.frames)


def test_without_operations_it_is_per_second():
    """As the counters are."""
    base, head = sampled(Side.BASE, {"a": 10}, None), sampled(Side.HEAD, {"a": 20}, None)
    root = flame_of(base, head, by_operation=False).frames[0]
    assert (root.base, root.head) == pytest.approx((0.005, 0.010))


def test_what_ran_before_takes_no_more_than_a_third_of_the_table():
    """However loud it was: it may be no part of the benchmark at all."""
    loud = {f"other processes;cc1;g{n}": 1000 + n for n in range(20)}
    own = {f"fio;f{n}": 1 + n for n in range(20)}
    flame = flame_of(sampled(Side.BASE, {"fio;f0": 1}), sampled(Side.HEAD, loud | own))
    names = [one.name for one in flame.calls]
    assert names[:8] == [f"f{n}" for n in range(19, 11, -1)]
    assert names[8:] == [f"g{n} (other processes)" for n in range(19, 15, -1)]


def test_a_side_without_samples_gives_none():
    """There is nothing to compare with."""
    assert flame_of(sampled(Side.BASE, {}), sampled(Side.HEAD, HEAD_STACKS)) is None


@given(STACKS, STACKS)
def test_exchanged_sides_give_the_mirrored_graph(base, head):
    """The same frames, base and head exchanged; the table too, each as wide as before."""
    straight = flame_of(sampled(Side.BASE, base), sampled(Side.HEAD, head))
    turned = flame_of(sampled(Side.BASE, head), sampled(Side.HEAD, base))
    if straight is None:
        assert turned is None
        return
    for part in ("frames", "calls"):
        mirrored = [replace(one, base=one.head, head=one.base) for one in getattr(turned, part)]
        assert mirrored == list(getattr(straight, part))
    assert not refusal(of(straight))


def of(flame):
    """A row with this graph alone."""
    return Why(profile="p", benchmark="b", per="I/O", flame=flame)


def many(count):
    """Stacks of many functions, each of another width."""
    return {f"c{n % 40};{'f' * 100}{n};g{n};h{n};{'<&' * 40}{n}": 1 + n for n in range(count)}


@pytest.mark.parametrize("count", [10, 300, 5000])
def test_frames_are_few_and_the_picture_is_small(count):
    """However many functions there are: tens of kilobytes, drawn inside the picture."""
    flame = flame_of(sampled(Side.BASE, many(count)), sampled(Side.HEAD, many(count // 2)))
    assert len(flame.frames) <= MOST_FRAMES
    plot = flame_plot(of(flame))
    drawn = [box for _, boxes in plot.groups for box in boxes]
    assert sum(len(box.path) + len(box.tooltip) + 40 for box in drawn) < 60_000
    for box in drawn:
        left, top, right = re.fullmatch(r"M(\d+) (\d+)h(\d+)v17H\d+z", box.path).groups()
        assert int(left) + int(right) <= 1000
        assert int(top) < plot.height


def test_colours_and_tooltips():
    """Red where the head spends more, blue where less; both values in the tooltip."""
    plot = flame_plot(sample_why())
    fills = {box.tooltip.split(":")[0]: fill for fill, boxes in plot.groups for box in boxes}
    assert fills["crc"] == "#e5705a"
    assert fills["writeback"] == "#5b93dc"
    assert fills["ext4_map"] == "#f9d3c9"
    told = [box.tooltip for _, boxes in plot.groups for box in boxes]
    assert "crc: 20.00 → 120.0 µs +500.0 %" in told
    assert "writeback: 20.00 → 0 µs gone" in told
    assert plot.rows[0][:4] == ("crc", "20.00", "120.0", "+500.0 %")


@pytest.mark.parametrize(
    "frames",
    [
        [("all", 1)],
        [("all", 0), ("b", 2)],
        [("all", 0), ("b", 0)],
        [("all", 0), ("b", -1)],
        [("all", 0)] + [("b", 1)] * MOST_FRAMES,
    ],
)
def test_a_tree_that_is_none_is_refused(frames):
    """A report from elsewhere may tell anything."""
    made = tuple(Frame(name=name, depth=depth, base=1.0, head=1.0) for name, depth in frames)
    assert refusal(of(replace(sample_flame(), frames=made)))


def test_the_svg_is_well_formed(page):
    """Inline, with a text alternative, nothing loaded, nothing run."""
    for svg in re.findall(r"<svg width=1000.*?</svg>", page, re.DOTALL):
        quoted = re.sub(r"(?<= )([a-z-]+)=([^\s\"'>]+)", r'\1="\2"', svg)
        root = ET.fromstring(quoted)
        assert root.get("role") == "img"
        assert "table" in root.get("aria-label")
        kinds = {element.tag for element in root.iter()}
        assert kinds == {"svg", "g", "path", "title", "text"}


@pytest.fixture
def page():
    """A report with a flame graph whose names are markup."""
    from report.test_diagnosis_shown import page_with

    odd = {f"{stack};<script>alert(1)</script>&\"'": n for stack, n in HEAD_STACKS.items()}
    flame = flame_of(sampled(Side.BASE, BASE_STACKS), sampled(Side.HEAD, odd))
    return page_with(replace(sample_why(), flame=flame))
