"""The pair rule once more, for many draws at once, and the noises that it must bear.

    python -m stats.simulated        (with PYTHONPATH=tests: prints two tables of docs/evidence.md)

Every draw is a sitting of blocks: first the noise of each slot in the order of time, whatever made
it; then each block's trials get their sides by a fair random arrangement, and the head's a loss.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gate.model import Trials
from gate.model.plan import FIRST_BLOCK, NEXT_BLOCK
from gate.stats import martingale as gate  # their constants, not their functions
from gate.stats import tails
from gate.stats.costs import LossLimits
from gate.stats.martingale import PairRule
from gate.stats.noise import pair_sigma
from gate.stats.screen import SHARE
from gate.stats.tails import Tails, slow_margin, usual_share

LIMITS = LossLimits(tolerance=0.05, negligible=0.01)
ALPHA, BETA = 0.01, (1 - SHARE) * 0.025
PAIRS = Trials().confirm_pairs
SEED = 20260110


REGRESSED, SOMETIMES, PASSED, IMPROVED, SUSPECTED = 1, 2, -1, -2, 3


class Seen(NamedTuple):
    """What became of each draw."""

    verdict: np.ndarray
    """`REGRESSED` and so on; 0 is spent."""
    pairs: np.ndarray

    @property
    def proven(self) -> np.ndarray:
        """Whether a loss is, of all or of some runs."""
        return np.isin(self.verdict, (REGRESSED, SOMETIMES))

    @property
    def passes(self) -> np.ndarray:
        """Whether it passes, improved or not."""
        return np.isin(self.verdict, (PASSED, IMPROVED))


def sizes(pairs: int = PAIRS) -> list[int]:
    """Pairs of each block, as many blocks as fit."""
    return [FIRST_BLOCK, *[NEXT_BLOCK] * ((pairs - FIRST_BLOCK) // NEXT_BLOCK)]


def _drifting(dice: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    walk = np.cumsum(dice.normal(0.004, 0.01, shape), axis=1)
    return walk + dice.normal(0, 0.005, shape)


def _autocorrelated(dice: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    steps = dice.normal(0, 0.02, shape)
    steps[:, 0] /= 0.6  # the spread that AR(1) at 0.8 settles at
    for slot in range(1, shape[1]):
        steps[:, slot] += 0.8 * steps[:, slot - 1]
    return steps


_NOISES = {
    "gauss": lambda dice, shape: dice.normal(0, 0.02, shape),
    "laplace": lambda dice, shape: dice.laplace(0, 0.015, shape),
    "student": lambda dice, shape: dice.standard_t(2.5, shape) * 0.01,
    "cauchy": lambda dice, shape: dice.standard_cauchy(shape) * 0.005,
    "skewed": lambda dice, shape: dice.lognormal(0, 1, shape) * 0.012,
    "bimodal": lambda dice, shape: dice.choice([0.0, 0.05], shape) + dice.normal(0, 0.005, shape),
    "outliers": lambda dice, shape: (
        (dice.random(shape) < 0.2) * math.log(2) + dice.normal(0, 0.01, shape)
    ),
    "drift": _drifting,
    "autocorrelated": _autocorrelated,
    "slot": lambda dice, shape: dice.normal(0, 0.005, shape) + 0.05 * (np.arange(shape[1]) % 2),
}
"""Log noise of each slot of each draw, in the order in which the slots ran."""
KINDS = tuple(_NOISES)


def noise(kind: str, dice: np.random.Generator, draws: int, slots: int) -> np.ndarray:
    """Noise of a kind, one row per draw."""
    return _NOISES[kind](dice, (draws, slots))


def rule(kind: str = "gauss", **changes: Any) -> PairRule:
    """The rule with the noise that ten sessions of three trials of that kind would tell."""
    rows = [tuple(map(float, row)) for row in noise(kind, np.random.default_rng(1), 10, 3)]
    sigma = changes.get("sigma", pair_sigma(rows))
    usual = usual_share(rows, slow_margin(LIMITS.most, sigma))
    settings = {
        "negligible": LIMITS.dead,
        "tolerance": LIMITS.most,
        "sigma": sigma,
        "alpha": ALPHA,
        "beta": BETA,
        "limit": PAIRS,
        # Five clean runs pass here, as eight do with the three of a screen.
        "tails": Tails(usual=usual, stake=tails._SCREENED_STAKE, clear=0.45),
    }
    return PairRule(**(settings | changes))


def fair(dice: np.random.Generator, draws: int, pairs: int) -> np.ndarray:
    """Which slots of a block are the head's: every arrangement equally likely."""
    return dice.random((draws, 2 * pairs)).argsort(axis=1).argsort(axis=1) < pairs


def sides(slots: np.ndarray, is_head: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Base and head values of a block, each in the order of time."""
    order = np.argsort(is_head, axis=1, kind="stable")
    sorted_slots = np.take_along_axis(slots, order, axis=1)
    half = slots.shape[1] // 2
    return sorted_slots[:, :half], sorted_slots[:, half:]


def blocks(
    kind: str, loss: float, dice: np.random.Generator, draws: int, pairs: int = PAIRS
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Blocks of a true relative loss; one row per draw."""
    every = sizes(pairs)
    slots = noise(kind, dice, draws, 2 * sum(every))
    found, start = [], 0
    for size in every:
        base, head = sides(slots[:, start : start + 2 * size], fair(dice, draws, size))
        found.append((base, head + math.log1p(loss)))
        start += 2 * size
    return found


def evidence(base: np.ndarray, head: np.ndarray) -> np.ndarray:
    """Log E of given scores, draw by draw; in logs throughout."""
    scores = np.concatenate([base, head], axis=1)
    chosen = head.shape[1]
    sums = np.full((chosen + 1, len(scores)), -np.inf)
    sums[0] = 0.0
    for score in scores.T:
        sums[1:] = np.logaddexp(sums[1:], sums[:-1] + score)
    return head.sum(axis=1) - (sums[chosen] - math.log(math.comb(2 * chosen, chosen)))


def ranks(base: np.ndarray, head: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank scores from -1 to 1, nearly."""
    count = head.shape[1]
    places = np.concatenate([base, head], axis=1).argsort(axis=1).argsort(axis=1)
    scores = (places - (2 * count - 1) / 2) / count
    return scores[:, :count], scores[:, count:]


def slow(values: np.ndarray, margin: float) -> np.ndarray:
    """How many of each row are beyond its median by more than the margin."""
    return (values > np.median(values, axis=1, keepdims=True) + margin).sum(axis=1)


def clear(head: np.ndarray, base: np.ndarray, settings: PairRule, *, last: bool) -> np.ndarray:
    """Which draws' heads are clear of slow runs, by all their values so far."""
    tails = settings.tails
    count, runs = slow(head, settings.slow), head.shape[1]
    usual = np.maximum((slow(base, settings.slow) + 0.5) / (base.shape[1] + 1), tails.usual)
    more = np.minimum(usual + np.maximum(usual, 0.15), 0.98)
    ratio = count * np.log(more / usual) + (runs - count) * np.log((1 - more) / (1 - usual))
    return (ratio < 0) if last else (ratio < math.log(tails.clear)) & (runs >= tails.least)


def decided(every: list[tuple[np.ndarray, np.ndarray]], settings: PairRule) -> Seen:
    """The rule on many draws, nothing screened; each ends at its first proof."""
    draws = len(every[0][0])
    verdict, spent = np.zeros(draws, dtype=int), np.zeros(draws, dtype=int)
    expected, count = settings.sigma / math.sqrt(2), gate._PRIOR_GAPS
    total = np.full(draws, count * math.log(expected))
    begun = np.log([gate._STRAIGHT, 1 - gate._STRAIGHT])
    logs = np.tile(begun[None, :, None], (3, 1, draws))  # question, kind, draw
    reached = np.zeros((3, draws), dtype=bool)
    rare, odds = np.zeros(draws), np.tile([[tails._HEADS], [tails._BASES]], (1, draws))
    open_ = np.arange(draws)
    distance = settings.tolerance - settings.negligible
    aims = (
        (1, settings.negligible, distance, settings.shift_alpha),
        (-1, settings.tolerance, settings.tolerance, settings.beta),
        (-1, -settings.negligible, settings.tolerance, settings.beta),
    )
    for at, (before, after) in enumerate(every):
        base, head = before[open_], after[open_]
        spent[open_] += head.shape[1]
        scale = np.exp(total[open_] / count)
        for place, (sign, centre, distance, level) in enumerate(aims):
            low, high = sign * base, sign * (head - centre)
            steps = distance / scale
            slope = (np.minimum(steps, gate._STEEPEST) / scale)[:, None]
            steep = np.minimum(gate._RANK_SLOPE * steps, gate._STEEPEST_RANK)[:, None]
            kinds = (
                evidence(slope * low, slope * high),
                evidence(*(steep * one for one in ranks(low, high))),
            )
            for kind, gained in enumerate(kinds):
                logs[place, kind, open_] += np.logaddexp(
                    math.log(1 - gate.BET), math.log(gate.BET) + gained
                )
            reached[place, open_] |= np.logaddexp(*logs[place][:, open_]) >= -math.log(level)
        if at:
            rare[open_] += _slow_evidence(every[: at + 1], open_, settings, odds)
        verdict[open_] = _answers(every[: at + 1], open_, settings, reached, rare)
        for side in (before, after):
            for one in range(0, side.shape[1] - 1, 2):
                gap = np.abs(side[:, one] - side[:, one + 1]) / math.sqrt(2)
                total += np.log(np.maximum(gap, gate._QUIETEST * expected)) + gate._LOG_GAP
                count += 1
        open_ = open_[verdict[open_] == 0]
        if not len(open_):
            break
    verdict[open_] = np.where(reached[1, open_], SUSPECTED, 0)
    return Seen(verdict, spent)


def _slow_evidence(
    every: list[tuple[np.ndarray, np.ndarray]],
    open_: np.ndarray,
    settings: PairRule,
    odds: np.ndarray,
) -> np.ndarray:
    """Log E of the last block by slow scores; counts its slow runs into `odds`."""
    *earlier, (base, head) = [(b[open_], h[open_] - settings.negligible) for b, h in every]
    known = np.concatenate([side for both in earlier for side in both], axis=1)
    limit = np.median(known, axis=1, keepdims=True) + settings.slow
    score = np.log(np.maximum(odds[0, open_] / odds[1, open_], 1.0))[:, None]
    gained = evidence(score * (base > limit), score * (head > limit))
    odds[:, open_] += [(head > limit).sum(axis=1), (base > limit).sum(axis=1)]
    return gained


def _answers(
    every: list[tuple[np.ndarray, np.ndarray]],
    open_: np.ndarray,
    settings: PairRule,
    reached: np.ndarray,
    rare: np.ndarray,
) -> np.ndarray:
    base, head = (np.concatenate([both[side][open_] for both in every], axis=1) for side in (0, 1))
    last = base.shape[1] + NEXT_BLOCK > settings.limit
    passes = reached[1, open_] & clear(head, base, settings, last=last)
    loss = reached[0, open_]
    # What was proven by an earlier block counts; of a loss the first proof has ended the draw.
    sometimes = rare[open_] >= -math.log(settings.tails.stake * settings.alpha)
    gained = np.where(reached[2, open_], IMPROVED, PASSED)
    return np.select([loss, sometimes, passes], [REGRESSED, SOMETIMES, gained], 0)


def drawn(kind: str, loss: float, draws: int = 10_000, **changes: float) -> Seen:
    """The verdicts on seeded draws of a kind of noise and a true loss."""
    dice = np.random.default_rng([SEED, KINDS.index(kind), round(loss * 1000)])
    return decided(blocks(kind, loss, dice, draws), rule(kind, **changes))


def wald(kappa: float, error: float, other: float) -> float:
    """Wald's least mean number of pairs to tell two means of normal noise apart, `kappa` sd apart.

    Under the hypothesis that is wrongly left with chance `other`; the other one, with `error`.
    """
    information = (1 - other) * math.log((1 - other) / error) + other * math.log(
        other / (1 - error)
    )
    return information / (kappa**2 / 2)


def normal(sigma: float, loss: float, draws: int, pairs: int, seed: int) -> Seen:
    """Normal noise of known sigma of a pair difference, with as many pairs as it takes."""
    dice = np.random.default_rng([SEED, seed])
    every = []
    for size in sizes(pairs):
        base, head = dice.normal(0, sigma / math.sqrt(2), (2, draws, size))
        every.append((base, head + math.log1p(loss)))
    return decided(every, rule(sigma=sigma, limit=pairs))


def table() -> str:
    """False alarms and misses in 10,000 draws each, and the pairs spent."""
    heads = (
        "noise",
        "regressed at tau",
        "passed at T",
        "pairs at T",
        "proven at T",
        "pairs at 0",
        "passed at 0",
    )
    lines = [f"| {' | '.join(heads)} |", f"{'|---' * len(heads)}|"]
    for kind in KINDS:
        at_tau, at_most, at_none = (drawn(kind, loss) for loss in (0.01, 0.05, 0.0))
        lines.append(
            f"| {kind} | {at_tau.proven.sum()} | {at_most.passes.sum()} "
            f"| {at_most.pairs.mean():.1f} | {at_most.proven.mean():.1%} "
            f"| {at_none.pairs.mean():.1f} | {at_none.passes.mean():.1%} |"
        )
    return "\n".join(lines)


def nearness(draws: int = 6000, pairs: int = 600) -> str:
    """Mean pairs as multiples of Wald's least mean, normal noise of known sigma."""
    heads = ("kappa", "Wald at T", "ours", "ratio", "Wald at 0", "ours", "ratio",
             "Wald at tau", "ours", "ratio")  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", f"{'|---' * len(heads)}|"]
    for kappa in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.93, 0.946):
        sigma = (LIMITS.most - LIMITS.dead) / kappa
        row = [f"{kappa}"]
        for loss, least, seed in (
            (LIMITS.tolerance, wald(kappa, ALPHA, BETA), 1),
            (0.0, wald(LIMITS.most / sigma, BETA, ALPHA), 2),
            (LIMITS.negligible, wald(kappa, BETA, ALPHA), 3),
        ):
            ours = normal(sigma, loss, draws, pairs, seed).pairs.mean()
            row += [f"{least:.1f}", f"{ours:.1f}", f"{ours / least:.2f}"]
        lines.append(f"| {' | '.join(row)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(table(), nearness(), sep="\n\n")  # noqa: T201 - a script when it is run as one
