"""pytest-benchmark's JSON -> one value per metric and test: the summary of one process."""

from __future__ import annotations

from dataclasses import dataclass

from gate.harness.base import TrialFailed
from gate.harness.kinds import metric_kinds
from gate.harness.strict import count, document, finite, items, mapping, quote, text_of
from gate.model import Value

PYTEST_KINDS = metric_kinds(
    ("median", "s", "lower", "median of the rounds of one process"),
    ("mean", "s", "lower", "mean of the rounds of one process"),
    ("minimum", "s", "lower", "fastest round of one process"),
)
"""Every metric that pytest-benchmark can give."""

_FIELDS = {"median": "median", "mean": "mean", "minimum": "min"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PytestDocument:
    """One JSON file: one pytest process."""

    version: str
    benchmarks: tuple[tuple[str, tuple[Value, ...]], ...]
    """Node id and values of each test that was measured."""


def parse(text: str) -> PytestDocument:
    """Read the file.

    Raises:
        TrialFailed: it is broken, a test is there twice or failed, or a figure is no time.
    """
    what = "pytest-benchmark's JSON"
    raw = mapping(document(text, what), what)
    version = quote(text_of(raw.get("version"), f"the version in {what}"))
    found: dict[str, tuple[Value, ...]] = {}
    for entry in items(raw.get("benchmarks"), f"benchmarks in {what}"):
        test = mapping(entry, f"a benchmark in {what}")
        name = text_of(test.get("fullname"), f"a test's fullname in {what}")
        if name in found:
            raise TrialFailed(f"{quote(name)} is there twice in {what}")
        found[name] = _values(test, quote(name))
    return PytestDocument(version=version, benchmarks=tuple(found.items()))


def _values(test: dict[str, object], name: str) -> tuple[Value, ...]:
    if test.get("has_error"):
        raise TrialFailed(f"{name} failed")
    stats = mapping(test.get("stats"), f"stats of {name}")
    rounds = count(stats.get("rounds"), f"rounds of {name}")
    if rounds == 0:
        raise TrialFailed(f"{name} ran no round")
    values = []
    for metric, field in _FIELDS.items():
        value = finite(stats.get(field), f"{field} of {name}")
        if value <= 0:
            raise TrialFailed(f"{field} of {name} is {value:g} s: that is no time")
        values.append(Value(metric=metric, value=value, samples=rounds))
    return tuple(values)
