"""The plots of a page: frozen places and texts; templates draw them, nothing is computed there."""

from gate.report.plots.costs import CostsPlot, costs_plot
from gate.report.plots.flame import FlamePlot, flame_plot
from gate.report.plots.history import HistoryPlot, history_plot
from gate.report.plots.interval import IntervalPlot, interval_plot
from gate.report.plots.latency import LatencyPlot, latency_plot
from gate.report.plots.numbers import Numbers, numbers
from gate.report.plots.pairs import PairsPlot, pairs_plot
from gate.report.plots.sweep import SweepPlot, sweep_plot
from gate.report.plots.trials import TrialsPlot, trials_plot

__all__ = [
    "CostsPlot",
    "FlamePlot",
    "HistoryPlot",
    "IntervalPlot",
    "LatencyPlot",
    "Numbers",
    "PairsPlot",
    "SweepPlot",
    "TrialsPlot",
    "costs_plot",
    "flame_plot",
    "history_plot",
    "interval_plot",
    "latency_plot",
    "numbers",
    "pairs_plot",
    "sweep_plot",
    "trials_plot",
]
