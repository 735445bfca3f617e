"""E-values and wealth by other means than the gate's: every assignment is written out."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from scipy.special import logsumexp

from gate.stats import martingale as gate  # its constants, not its functions


def assignments(block):
    """Every way to choose, from a block's values, as many for the head as it has base values."""
    base, head = block
    values = (*base, *head)
    for chosen in combinations(range(len(values)), len(head)):
        rest = [j for j in range(len(values)) if j not in chosen]
        yield tuple(values[j] for j in rest), tuple(values[j] for j in chosen)


def log_evidence(base, head):
    """Log of exp(sum of the head's scores) over its mean over all choices."""
    every = [math.fsum(chosen) for _, chosen in assignments((base, head))]
    return math.fsum(head) - (float(logsumexp(every)) - math.log(len(every)))


def linear(base, head, slope):
    return log_evidence([slope * x for x in base], [slope * x for x in head])


def ranked(base, head, slope):
    """Scores from -slope to slope by rank; a head value counts below the base values it equals."""
    count = len(head)
    ordered = sorted([*((x, "b") for x in head), *((x, "c") for x in base)], key=by_value)
    places = {"b": [], "c": []}
    for place, (_, side) in enumerate(ordered):
        places[side].append(slope * (2 * place + 1 - 2 * count) / (2 * count))
    return log_evidence(places["c"], places["b"])


def by_value(item):
    value, side = item
    return value, side


def noises(blocks, rule):
    """Standard deviation of a trial expected for each block: a geometric mean of what is known."""
    expected = rule.sigma / math.sqrt(2)
    logs = [math.log(expected)] * gate._PRIOR_GAPS
    found = []
    for block in blocks:
        found.append(float(np.exp(np.mean(logs))))
        for side in block:
            for i in range(0, len(side) - 1, 2):
                gap = abs(side[i] - side[i + 1]) / math.sqrt(2)
                logs.append(math.log(max(gap, gate._QUIETEST * expected)) + gate._LOG_GAP)
    return found


def wealth(blocks, rule, centre, sign):
    """Both wealths together after each block, plain numbers."""
    distance = rule.tolerance - (rule.negligible if sign > 0 else 0)
    straight, by_rank = gate._STRAIGHT, 1 - gate._STRAIGHT
    grown = []
    for (base, head), noise in zip(blocks, noises(blocks, rule), strict=True):
        before, after = [sign * x for x in base], [sign * (x - centre) for x in head]
        slope = min(distance / noise, gate._STEEPEST) / noise
        steep = min(gate._RANK_SLOPE * distance / noise, gate._STEEPEST_RANK)
        straight *= 1 - gate.BET + gate.BET * math.exp(linear(before, after, slope))
        by_rank *= 1 - gate.BET + gate.BET * math.exp(ranked(before, after, steep))
        grown.append(straight + by_rank)
    return grown
