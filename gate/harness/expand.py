"""The text around a profile's command: `{side}` and `{param}` before it, its figures after it.

A figure in what a command prints is found by a pattern that must match exactly once.
"""

from __future__ import annotations

import math
import re
import shlex
import signal
from itertools import islice
from typing import TYPE_CHECKING, NoReturn

from gate.errors import TrialFailed
from gate.formats.strict import last_line, quote
from gate.harness.base import WorkDone
from gate.model import WORK_DONE, Expectation, Output, Value, Work
from gate.model.plan import parameters_of
from gate.model.profile import TOKEN
from gate.units import in_base

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from gate.harness.base import TrialContext


def expand(
    template: str,
    context: TrialContext,
    *,
    quoted: bool = True,
    more: Mapping[str, str] | None = None,
) -> str:
    """`template` with each name replaced; `{{` and `}}` stand for plain braces.

    With `quoted` each value is one word to a shell, whatever it holds. `more` are names beside
    the parameters of the profile and its benchmark.

    Raises:
        InputError: a name is unknown (`G233`), or there is no side directory (`G234`).
    """
    guard: Callable[[str], str] = shlex.quote if quoted else str
    own = {"side": str(context.side_directory)}
    values = own | parameters_of(context.profile, context.benchmark) | dict(more or {})

    def filled(match: re.Match[str]) -> str:
        token, name = match[0], match[1]
        if token in ("{{", "}}"):
            return token[0]
        if name == "side" and context.side_directory is None:
            side = context.side.value
            why = f"{{side}} is used, but the {side} side has no directory."
            cure = f"Pass --{side} DIR, or declare [side.{side}] with a directory in the profile."
            raise context.error("G234", why, cure)
        if name in values:
            return guard(values[name])
        allowed = ", ".join(f"{{{known}}}" for known in values)
        cure = f"Write one of {allowed}; a plain brace is written twice: {{{{ or }}}}."
        raise context.error("G233", f"{token} in “{template}” stands for nothing.", cure)

    return TOKEN.sub(filled, template)


def own_environment(context: TrialContext) -> dict[str, str]:
    """The variables that the profile sets for this benchmark and side."""
    given = context.profile.work.environment.items()
    return {name: expand(text, context, quoted=False) for name, text in given}


_MOST_SHOWN = 3
_LONGEST_FIGURE = 100
_PATIENCE = 5.0
"""Seconds that a pattern may be looked for."""
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def output_values(text: str, outputs: Iterable[Output]) -> tuple[Value, ...]:
    """The figure of each output in its base unit, as far as `text`, what was printed, tells.

    Raises:
        TrialFailed: a pattern matches nothing or twice, or what it finds is no number above 0.
    """
    return tuple(Value(metric=one.name, value=_figure(text, one)) for one in outputs)


def work_done(text: str, expect: Expectation) -> tuple[Value, ...]:
    """How much was done by the figure that is expected in `text`, where one is.

    Raises:
        TrialFailed: what was printed is not what was expected.
    """
    if expect.stdout and not _matches(expect.stdout, text, "expect.stdout", 1):
        said = (
            f"it printed last: {quote(last_line(text))}" if text.strip() else "it printed nothing"
        )
        raise TrialFailed(f"expected output that matches “{quote(expect.stdout)}”: {said}")
    if not expect.figure:
        return ()
    number = _number_in(text, expect.figure, "expect.figure")
    if number < expect.least:
        raise TrialFailed(f"expected at least {expect.least:g} by expect.figure, got {number:g}")
    return (Value(metric=WORK_DONE, value=number),)


def completed_count(work: Work, figures: Iterable[Value]) -> WorkDone:
    """What one run of a command completed; a run is one operation where no output counts them."""
    by_name = {value.metric: value.value for value in figures}
    return WorkDone(
        operations=by_name[work.operations] if work.operations else 1.0,
        transferred=by_name[work.transferred] if work.transferred else 0.0,
    )


def _figure(text: str, output: Output) -> float:
    number = _number_in(text, output.pattern, f"output {output.name}")
    value = number * in_base(output.unit)[1]
    if not 0 < value < math.inf:
        raise TrialFailed(f"output {output.name}: {number:g} {output.unit} is out of range")
    return value


def _number_in(text: str, pattern: str, what: str) -> float:
    """The number above 0 in the one match of a pattern with one group."""
    found = _matches(pattern, text, what)
    if len(found) != 1:
        got = ": the command printed nothing"
        if found:
            some = "; ".join(_place(text, match) for match in found[:_MOST_SHOWN])
            got = f", got {len(found)}: {some}"
        elif text.strip():
            lines = text.count("\n") + (not text.endswith("\n"))
            got = f": none of the {lines} lines printed"
        raise TrialFailed(f"{what}: expected one match of “{quote(pattern)}”{got}")
    figure = found[0][1]
    number = _number(figure)
    if not 0 < number < math.inf:
        shown = "nothing" if figure is None else f"“{quote(figure[:_LONGEST_FIGURE])}”"
        raise TrialFailed(
            f"{what}: expected a number above 0, got {shown} in {_place(text, found[0])}"
        )
    return number


def _matches(pattern: str, text: str, what: str, most: int | None = None) -> list[re.Match[str]]:
    """The matches of a pattern, or a failure where looking for them takes for ever."""

    def give_up(*_: object) -> NoReturn:
        raise TrialFailed(f"{what}: “{quote(pattern)}” took over {_PATIENCE:g} s to be looked for")

    before = signal.signal(signal.SIGALRM, give_up)  # which `re` asks for while it matches
    # Again and again: an exception that falls into another handler is lost.
    signal.setitimer(signal.ITIMER_REAL, _PATIENCE, _PATIENCE)
    try:
        return list(islice(re.finditer(pattern, text, re.MULTILINE), most))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _number(figure: str | None) -> float:
    """A plain decimal number, else nan; Python's own spellings (1_000, inf, ٣) are none."""
    return float(figure) if figure and _NUMBER.fullmatch(figure.strip()) else math.nan


def _place(text: str, match: re.Match[str]) -> str:
    """The line in which a match begins, with its number."""
    number = text.count("\n", 0, match.start()) + 1
    line = text[text.rfind("\n", 0, match.start()) + 1 :].partition("\n")[0]
    return f"line {number}: “{quote(line[:_LONGEST_FIGURE])}”"
