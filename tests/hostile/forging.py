"""Handovers forged of a real one, by a fixed seed: edited so that the change looks faster, or mutated.

The real one holds a loss of 30 % that pairs prove, so whatever opens the gate was forged.
"""

from __future__ import annotations

import copy
import json
import random
from typing import TYPE_CHECKING, Any, NamedTuple

from hostile.identity import ASIDE, of, swap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hostile.making import Data

    Change = Callable[[Data, random.Random], None]

SEED = 18
FASTER, EVERY = 120, 300
"""How many are edited to look faster, and how many there are in all."""


class Forged(NamedTuple):
    """One handover that nobody measured."""

    name: str
    data: Data


def forged(real: Data) -> Iterator[Forged]:
    """All of them, always the same."""
    dice = random.Random(SEED)
    names = sorted(LOOKS)
    known = {json.dumps(real)}
    for number in range(EVERY):
        text, name = json.dumps(real), names[number % len(names)]
        while text in known:
            data = copy.deepcopy(real)
            if number < FASTER:
                scale(trials(data), 1.0, dice)
                LOOKS[name](data, dice)
            else:
                name = mutate(data, dice)
            text = json.dumps(data)
        known.add(text)
        yield Forged(name, data)


def sessions(data: Data, side: str = "", stage: str = "") -> list[Any]:
    """Sessions of the slow profile."""
    return [one for one in of("q", stage or None)(data) if side in {"", one["side"]}]


def trials(data: Data, side: str = "", stage: str = "") -> list[Any]:
    return [trial for one in sessions(data, side, stage) for trial in one["trials"]]


def scale(found: list[Any], factor: float, dice: random.Random) -> None:
    """Other values, each with a little noise, as somebody would who knows what is looked for."""
    for trial in found:
        for value in trial["values"]:
            value["value"] *= factor * dice.gauss(1.0, 0.002)


def _values(side: str, stage: str, low: float, high: float) -> Change:
    return lambda data, dice: scale(trials(data, side, stage), dice.uniform(low, high), dice)


def _slow_first(found: list[Any]) -> list[Any]:
    return sorted(found, key=lambda one: -max((v["value"] for v in one["values"]), default=0))


def _without_the_slow(data: Data, dice: random.Random) -> None:
    for one in sessions(data, "head"):
        left = _slow_first(one["trials"])[dice.randrange(1, len(one["trials"])) :]
        one["trials"] = [trial for trial in one["trials"] if trial in left]


def _the_slow_set_aside(data: Data, dice: random.Random) -> None:
    for one in sessions(data, "head"):
        for trial in _slow_first(one["trials"])[: dice.randrange(1, len(one["trials"]) + 1)]:
            trial.update(copy.deepcopy(ASIDE))


def _the_slow_failed(data: Data, dice: random.Random) -> None:
    for trial in dice.sample(trials(data, "head"), 2):
        trial.update(status=dice.choice(["failed", "timeout"]), values=[])


def _base_in_place_of_head(data: Data, dice: random.Random) -> None:
    base = trials(data, "base", "confirm")
    for trial in trials(data, "head", "confirm"):
        trial["values"] = copy.deepcopy(dice.choice(base)["values"])
    scale(trials(data, "head"), 0.9, dice)


def _another_unit(data: Data, dice: random.Random) -> None:
    for one in sessions(data, "head"):
        for metric in one["metrics"]:
            metric["unit"] = dice.choice(["ms", "op/s", "B", "1"])


def _better_is_higher(data: Data, dice: random.Random) -> None:
    for one in sessions(data, dice.choice(["", "head"])):
        for metric in one["metrics"]:
            metric["better"] = "higher"


def _watched(data: Data, dice: random.Random) -> None:
    scale(trials(data, "head"), dice.uniform(0.55, 0.7), dice)
    for one in sessions(data):
        for metric in one["metrics"]:
            metric.update(role="watch", tolerance=dice.uniform(0.5, 5))


def _one_trial(data: Data, dice: random.Random) -> None:
    for one in sessions(data, "head"):
        one["trials"] = one["trials"][:1]
        scale(one["trials"], 0.5, dice)


def _the_pairs_shorter(data: Data, dice: random.Random) -> None:
    count = dice.randrange(1, 4)
    for one in sessions(data, stage="confirm"):
        one["trials"] = one["trials"][:count]
    scale(trials(data, "head"), dice.uniform(0.6, 0.75), dice)


def _coarse(data: Data, dice: random.Random) -> None:
    for trial in trials(data, "head"):
        for value in trial["values"]:
            value["resolution"] = dice.uniform(0.5, 2.0)


def _another_stage(data: Data, dice: random.Random) -> None:
    for trial in trials(data, "head", "confirm"):
        trial["stage"] = "screen"
    scale(trials(data, "head"), dice.uniform(0.5, 0.75), dice)


def _a_screen_as_pairs(data: Data, dice: random.Random) -> None:
    for one in sessions(data, "head", "confirm"):
        one["trials"] = []
    scale(trials(data, "head"), dice.uniform(0.6, 0.75), dice)


def _planted(data: Data, dice: random.Random) -> None:
    scale(trials(data, "head"), dice.uniform(0.6, 0.72), dice)
    for one in sessions(data):
        one["planted"] = -dice.random()


def _another_harness(data: Data, dice: random.Random) -> None:
    name = dice.choice(["instructions", "hyperfine", "fio", "pytest-benchmark"])
    scale(trials(data, "head"), dice.uniform(0.77, 0.771), dice)
    for one in sessions(data):
        one["harness"] = name


LOOKS: dict[str, Change] = {
    "all of the head a little faster than the base": _values("head", "", 0.60, 0.70),
    "all of the head much faster": _values("head", "", 0.05, 0.45),
    "all of the head as fast as no machine is": _values("head", "", 1e-9, 1e-6),
    "the screen faster, the pairs as they were": _values("head", "screen", 0.55, 0.72),
    "the pairs faster, the screen as it was": _values("head", "confirm", 0.55, 0.74),
    "the base slower": _values("base", "", 1.45, 3.0),
    "both sides faster": _values("", "", 0.3, 0.7),
    "the sides changed places": lambda data, _: swap(data),
    "the slow trials left out": _without_the_slow,
    "the slow trials set aside": _the_slow_set_aside,
    "the slow trials failed": _the_slow_failed,
    "the base's values in place of the head's": _base_in_place_of_head,
    "another unit": _another_unit,
    "better is higher": _better_is_higher,
    "faster, and only watched": _watched,
    "one trial, and a fast one": _one_trial,
    "a few pairs, and fast ones": _the_pairs_shorter,
    "a clock too coarse to see it": _coarse,
    "pairs that call themselves a screen": _another_stage,
    "a fast screen without pairs": _a_screen_as_pairs,
    "faster, with a planted gain": _planted,
    "as fast, by another harness": _another_harness,
}
"""How a loss is made to look like a gain."""


def mutate(data: Data, dice: random.Random) -> str:
    """Change up to four places of it at random; returns what was done."""
    return "; ".join(_mutate_once(data, dice) for _ in range(dice.randint(1, 4)))


def _mutate_once(data: Data, dice: random.Random) -> str:
    holder: Any = data
    path: list[Any] = []
    while True:
        keys = sorted(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = dice.choice(keys)
        path.append(key)
        inner = holder[key]
        if not (isinstance(inner, dict | list) and inner) or dice.random() < 0.1:
            break
        holder = inner
    if dice.random() < 0.25:
        del holder[key]
        done = "gone"
    else:
        holder[key], done = _other(inner, dice)
    return f"{'.'.join(map(str, path))} {done}"


def _other(value: Any, dice: random.Random) -> tuple[Any, str]:
    """Another value of the same kind, mostly."""
    odd = [None, "", 0, -1, 1e308, [], {}, True, "x" * 300]
    if dice.random() < 0.2:
        chosen = dice.choice(odd)
        return chosen, f"= {str(chosen)[:20]!r}"
    match value:
        case bool():
            return not value, "turned"
        case int() | float():
            factor = dice.choice([0, -1, 0.5, 0.75, 1.5, 2, 1e6])
            return type(value)(value * factor), f"times {factor}"
        case str():
            words = [
                "base",
                "head",
                "screen",
                "confirm",
                "ok",
                "failed",
                "aside",
                "q",
                "p",
                "k",
                "b",
            ]
            return dice.choice([*words, value + "x", value[:-1]]), "another word"
        case list():
            some = dice.choice([value * 2, value[::-1], value[1:], value[:-1]])
            return copy.deepcopy(some), "another list"
        case None:
            return dice.choice(odd), "something"
    return {**value, "more": 1}, "more in it"
