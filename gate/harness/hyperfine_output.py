"""hyperfine's JSON export, of 1.x and of 2.x -> runs, each with the values it has."""

from __future__ import annotations

from dataclasses import dataclass

from gate.errors import TrialFailed
from gate.formats.profile.metric_kinds import HYPERFINE_KINDS
from gate.formats.strict import document, finite, items, mapping, quote, safe_text, text_of
from gate.model import Value

_MEASURED = {
    "time_wall_clock": ("wall", "second"),
    "time_user": ("user", "second"),
    "time_system": ("system", "second"),
    "memory_peak_resident": ("memory", "byte"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperfineRun:
    """One execution of a command."""

    exit_code: int | None
    """None where a signal ended it."""
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All executions of one command, in the order in which they ran."""

    name: str
    """Its name, or the command where it has none, with its parameters; not made safe to show."""
    runs: tuple[HyperfineRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperfineDocument:
    """One export."""

    version: str
    """As exact as the export tells: 1.x exports name no version."""
    results: tuple[Result, ...]


def parse(text: str) -> HyperfineDocument:
    """Read an export of either schema.

    Raises:
        TrialFailed: it is broken, partial, of an unknown schema, or its counts disagree.
    """
    raw = mapping(document(text, "hyperfine's export"), "hyperfine's export")
    entries = [mapping(one, "a result") for one in items(raw.get("results"), "results")]
    if not entries:
        raise TrialFailed("hyperfine's export holds no result")
    if "schema_version" not in raw:
        return HyperfineDocument(version="1", results=tuple(_result_1(one) for one in entries))
    schema = raw["schema_version"]
    if schema != 2 or isinstance(schema, bool):
        raise TrialFailed(
            f"hyperfine's export has schema_version {safe_text(schema)}; "
            "known are 2 and the exports of hyperfine 1, which have none"
        )
    metadata = mapping(raw.get("metadata"), "metadata")
    version = quote(text_of(metadata.get("hyperfine_version"), "hyperfine_version"))
    return HyperfineDocument(version=version, results=tuple(_result_2(one) for one in entries))


def _result_1(entry: dict[str, object]) -> Result:
    full = _name(entry, entry.get("command"))
    name = quote(full)
    times = items(entry.get("times"), f"times of {name}")
    codes = items(entry.get("exit_codes"), f"exit_codes of {name}")
    memory = entry.get("memory_usage_byte")
    sizes = [None] * len(times) if memory is None else items(memory, f"memory of {name}")
    if not times or not len(times) == len(codes) == len(sizes):
        raise TrialFailed(
            f"hyperfine's export is partial: {len(times)} times, {len(codes)} exit codes "
            f"and {len(sizes)} memory figures for {name}"
        )
    # 1.x exports only the means of user and system: they are a run's own where it is the only
    # one, and no replicate of anything otherwise.
    single = {key: entry.get(key) for key in ("user", "system")} if len(times) == 1 else {}
    runs = [
        _run(code, {"wall": time, "memory": size, **single}, name)
        for time, code, size in zip(times, codes, sizes, strict=True)
    ]
    return Result(name=full, runs=tuple(runs))


def _result_2(entry: dict[str, object]) -> Result:
    full = _name(entry, entry.get("name") or entry.get("command"))
    name = quote(full)
    rows = [
        mapping(row, f"a measurement of {name}")
        for row in items(entry.get("measurements"), f"measurements of {name}")
    ]
    if not rows:
        raise TrialFailed(f"hyperfine's export holds no run of {name}")
    runs = []
    for row in rows:
        raw: dict[str, object] = {}
        for key, (metric, unit) in _MEASURED.items():
            if key in row:
                quantity = mapping(row[key], f"{key} of {name}")
                if quantity.get("unit") != unit:
                    raise TrialFailed(f"{key} of {name} is not in the unit {unit}")
                raw[metric] = finite(quantity.get("value"), f"{key} of {name}")
        if "exit_code" not in row:
            raise TrialFailed(f"a run of {name} has no exit code")
        runs.append(_run(row["exit_code"], raw, name))
    return Result(name=full, runs=tuple(runs))


def _name(entry: dict[str, object], label: object) -> str:
    name = text_of(label, "a command")
    given = mapping(entry.get("parameters") or {}, f"parameters of {quote(name)}")
    pairs = []
    for key, raw in given.items():
        value = raw.get("value") if isinstance(raw, dict) else raw
        pairs.append(f"{key}={safe_text(value)}")
    return f"{name}[{','.join(pairs)}]" if pairs else name


def _run(code: object, raw: dict[str, object], name: str) -> HyperfineRun:
    exit_code = None if code is None else int(finite(code, f"an exit code of {name}"))
    found = {
        metric: finite(value, f"{metric} of {name}")
        for metric, value in raw.items()
        if value is not None
    }
    if "wall" not in found:
        raise TrialFailed(f"a run of {name} has no wall-clock time")
    if min(found.values()) < 0:
        raise TrialFailed(f"a run of {name} has a negative figure")
    if "user" in found and "system" in found:
        found["cpu"] = found["user"] + found["system"]
    values = tuple(Value(metric=key, value=found[key]) for key in HYPERFINE_KINDS if key in found)
    return HyperfineRun(exit_code=exit_code, values=values)
