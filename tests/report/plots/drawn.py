"""Plots as a page prints them, and every place that is in them."""

from __future__ import annotations

import re
from functools import cache
from itertools import count
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from gate.report.html.html import _environment
from gate.report.plots.cpu_time import costs_plot
from gate.report.plots.curves import history_plot, latency_plot, sweep_plot
from gate.report.plots.losses import interval_plot, pairs_plot
from gate.report.plots.numbers import numbers
from gate.report.plots.trials import trials_plot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gate.model import Accepted, Bill, Finding, Latency, Sweep
    from gate.report.plots.picture import Plot

_SVG = re.compile(r"<svg\b(?:(?!<svg\b|</svg>).|<svg\b(?:(?!</svg>).)*</svg>)*</svg>", re.DOTALL)
_PIECE = re.compile(r"([MLHVmlhvZz])([^MLHVmlhvZz]*)")
_NUMBER = re.compile(r"-?[^\s-]+(?:e-\d+)?")
_BARE = re.compile(r"""(\s[\w-]+)=([^\s"'=<>`]+?)(?=\s|/?>)""")
"""An attribute without quotes, which HTML lets out and XML does not."""
_HIGHEST = 201.0
"""Pixels of the highest picture, as plots.css has it."""
_IDS = count(1)
_FILES = {"plain": "chart"}
"""The template of a macro that has not its name."""


@cache
def _macro(kind: str):
    file = _FILES.get(kind, kind)
    words = "plot" if kind == "numbers" else "plot, id"
    source = f'{{% from "plots/{file}.html.j2" import {kind} %}}{{{{ {kind}({words}) }}}}'
    return _environment().from_string(source)


def printed(kind: str, plot: object) -> str:
    """One plot as it stands in a page."""
    return _macro(kind).render(plot=plot, id=f"p{next(_IDS)}")


def of_finding(finding: Finding, accepted: Mapping[tuple[str, str], Accepted] = {}) -> str:
    """All plots of a finding that there are."""
    plots = (
        ("plain", trials_plot(finding)),
        ("plain", pairs_plot(finding)),
        ("interval", interval_plot(finding)),
        ("chart", history_plot(finding, accepted)),
        ("numbers", numbers(finding)),
    )
    return "".join(printed(kind, plot) for kind, plot in plots if plot)


def of_bill(bill: Bill) -> str:
    """A bill as it is printed."""
    return printed("costs", costs_plot(bill))


def of_latency(latency: Latency) -> str:
    """A latency curve as it is printed; empty where there is none."""
    plot = latency_plot(latency)
    return printed("chart", plot) if plot else ""


def of_sweep(sweep: Sweep) -> str:
    """A sweep as it is printed; empty where there is none."""
    plot = sweep_plot(sweep)
    return printed("chart", plot) if plot else ""


def path_of(plot: Plot, look: str) -> str:
    """The path data of all strokes of a look; empty where none is drawn."""
    return "".join(path for one, path in plot.strokes if one == look)


def marks_of(plot: Plot, *looks: str) -> int:
    """How many marks of these looks are drawn."""
    return sum(len(re.findall("[Mm]", path_of(plot, look))) for look in looks)


def texts_at(plot: Plot, down: int) -> list[str]:
    """The texts that stand so far down."""
    return [f"{one.text} {one.noun}".rstrip() for one in plot.texts if one.down == down]


def outside(html: str) -> list[str]:
    """Places of paths and texts that are no numbers, or lie outside of their picture."""
    return [fault for svg in _SVG.findall(html) for fault in _faults(_parsed(svg))]


def _parsed(svg: str) -> ET.Element:
    return ET.fromstring(_BARE.sub(r'\1="\2"', svg))


def _faults(svg: ET.Element) -> Iterator[str]:
    for one in svg.iter("svg"):
        if "viewBox" not in one.attrib:
            continue
        _, _, wide, high = map(float, one.attrib["viewBox"].split())
        for path in one.iter("path"):
            for x, y in walked(path.attrib["d"]):
                if not (0 <= x <= wide and 0 <= y <= high):
                    yield f"({x}, {y}) in {path.attrib}"
    for text in svg.iter("text"):
        x, y = text.get("x", "0"), float(text.attrib["y"])
        across = float(x.rstrip("%"))
        if not 0 <= y <= float(svg.get("height", _HIGHEST)):
            yield f"{text.text} at {y}"
        if x.endswith("%") and not 0 <= across <= 100:
            yield f"{text.text} at {x}"


def walked(path: str) -> Iterator[tuple[float, float]]:
    """Every place that a pen comes to."""
    at = start = (0.0, 0.0)
    for verb, figures in _PIECE.findall(path):
        numbers = [float(n) for n in _NUMBER.findall(figures)]
        near = at if verb.islower() else (0.0, 0.0)
        if verb in "MLml":
            at = (near[0] + numbers[0], near[1] + numbers[1])
            start = at if verb in "Mm" else start
        elif verb in "Hh":
            at = (near[0] + numbers[0], at[1])
        elif verb in "Vv":
            at = (at[0], near[1] + numbers[0])
        else:
            at = start
        yield at
