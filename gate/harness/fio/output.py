"""fio's JSON output -> one checked document. No numbers are judged here, only their presence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from gate.errors import TrialFailed
from gate.formats.profile.metric_kinds import FIO_SIDES
from gate.formats.strict import (
    DECODER,
    count,
    finite,
    items,
    mapping,
    name_of,
    quote,
    safe_text,
    text_of,
)

MIXED = "mixed"
"""What fio reports in place of the sides when unified_rw_reporting=1."""

_OPENING = re.compile(r"^\{", re.MULTILINE)
_NOT_A_NUMBER = re.compile(r":\s*-?(nan|inf)", re.IGNORECASE)
_MOST_OPENINGS = 1000


class JobFailed(TrialFailed):
    """The document is whole, and says that a job failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FioSide:
    """One direction of one entry of `jobs`, which did I/O, in base units.

    An entry is a job, or a whole group when group_reporting is on.
    """

    job: str
    side: str
    ios: int
    """I/Os completed."""
    transferred: int
    """Bytes read, written or trimmed."""
    runtime: float
    """Seconds measured: without the ramp."""
    iops: float
    bandwidth: float
    """Bytes per second."""
    clat_count: int
    """I/Os whose completion latency was taken."""
    clat_mean: float
    """Seconds."""
    percentiles: dict[str, float]
    """Completion latency in seconds by fio's own key, such as `99.000000`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FioDocument:
    """A fio run whose jobs all ended without error and all did I/O."""

    version: str
    sides: tuple[FioSide, ...]
    """Those of every job, at least one of each."""
    notes: tuple[str, ...]
    ended: float | None
    """Unix time at which all jobs had ended; absent where fio does not tell, or where a job was
    told to start late, so that its runtime says nothing of when it ran."""


def parse(text: str) -> FioDocument:
    """Read fio's output; text around the document is tolerated and noted.

    Raises:
        TrialFailed: there is not exactly one usable document.
    """
    raw, around = _only_document(text)
    version = text_of(raw.get("fio version"), "fio's version")
    entries = [mapping(entry, "a job entry") for entry in items(raw.get("jobs"), "fio's jobs")]
    if not entries:
        raise TrialFailed("fio reported no job: nothing was measured")
    for entry in entries:
        _refuse_errors(entry)
    _refuse_sequence(entries)
    return FioDocument(
        version=quote(version.removeprefix("fio-")),
        sides=tuple(side for entry in entries for side in _sides(entry)),
        notes=tuple(f"fio said beside its JSON: {quote(line)}" for line in around[:5]),
        ended=_ended(raw, entries),
    )


def _ended(raw: dict[str, object], entries: list[dict[str, object]]) -> float | None:
    stamp = finite(raw.get("timestamp_ms", 0), "fio's timestamp_ms") / 1e3
    return None if stamp <= 0 or _has_option([raw, *entries], "startdelay") else stamp


def _has_option(entries: list[dict[str, object]], name: str) -> bool:
    """Whether a job, or the whole document, was given an option of this name."""
    given = [entry.get(key) for entry in entries for key in ("global options", "job options")]
    return any(isinstance(options, dict) and name in options for options in given)


def _only_document(text: str) -> tuple[dict[str, object], list[str]]:
    """Find the single fio document in `text`, and the lines around it."""
    found: list[dict[str, object]] = []
    around: list[str] = []
    end = 0
    for tried, opening in enumerate(_OPENING.finditer(text)):
        if opening.start() < end:
            continue  # inside a document that was read already
        if tried > _MOST_OPENINGS:
            raise TrialFailed("fio's output is not JSON")
        value, stop = _decode(text, opening.start())
        if isinstance(value, dict) and "fio version" in value:
            around += text[end : opening.start()].splitlines()
            found.append(value)
            end = stop
    if not found:
        said = next((quote(line) for line in text.splitlines() if line.strip()), "nothing")
        raise TrialFailed(f"fio's output holds no JSON document; it begins: {said}")
    if len(found) > 1:
        raise TrialFailed(
            f"fio's output holds {len(found)} documents, as with --status-interval: "
            "it is not clear which of them is the result"
        )
    around += text[end:].splitlines()
    return found[0], [line for line in around if line.strip()]


def _decode(text: str, start: int) -> tuple[object, int]:
    try:
        return DECODER.raw_decode(text, start)
    except TrialFailed as error:
        raise TrialFailed(f"fio's output cannot be used: {error}") from None
    except (ValueError, RecursionError) as error:
        if '"fio version"' not in text[start : start + 200]:
            return None, start  # some other text that begins with a brace
        if _NOT_A_NUMBER.search(text, start):
            raise TrialFailed("fio's output holds nan or inf in place of a number") from None
        why = quote(str(error))
        raise TrialFailed(f"fio's output is cut off or broken: {why}") from None


def _refuse_errors(entry: dict[str, object]) -> None:
    """Refuse a failed job: fio prints numbers for it too."""
    name = safe_text(entry.get("jobname", "?"))
    error = finite(entry.get("error"), f"the error field of fio job {name}")
    # total_err is there with continue_on_error and ignore_error only.
    total = finite(entry.get("total_err", 0), f"the error count of fio job {name}")
    if error:
        raise JobFailed(f"fio job {name} failed with error {error:.0f}")
    if total:
        raise JobFailed(f"fio job {name} went on after {total:.0f} I/O errors")


def _refuse_sequence(entries: list[dict[str, object]]) -> None:
    """Rates add up only for jobs that ran at the same time."""
    groups = {count(entry.get("groupid", 0), "fio's groupid") for entry in entries}
    waits = len(entries) > 1 and _has_option(entries, "wait_for")
    if len(groups) > 1 or waits:
        raise TrialFailed(
            "the fio jobs ran one after another (stonewall, new_group or wait_for), so that "
            "their rates do not add up: use one profile per group"
        )


def _sides(entry: dict[str, object]) -> list[FioSide]:
    name = name_of(entry.get("jobname"), "a fio job's name")
    present = [side for side in FIO_SIDES if side in entry] or [MIXED] * (MIXED in entry)
    if not present:
        raise TrialFailed(f"fio job {name} has neither read, write nor trim figures")
    sides = [side for side in (_side(entry, key, name) for key in present) if side.ios]
    if not sides:
        raise TrialFailed(f"fio job {name} did no I/O at all")
    return sides


def _side(entry: dict[str, object], key: str, name: str) -> FioSide:
    what = f"{key} of fio job {name}"
    raw = mapping(entry[key], what)
    clat = mapping(raw.get("clat_ns", {}), f"clat_ns, {what}")
    points = mapping(clat.get("percentile", {}), f"percentile, {what}")
    rates = {field: finite(raw.get(field), f"{field}, {what}") for field in ("iops", "bw_bytes")}
    if min(rates.values()) < 0:
        raise TrialFailed(f"{what} has a negative rate")
    return FioSide(
        job=name,
        side=key,
        ios=count(raw.get("total_ios"), f"total_ios, {what}"),
        transferred=count(raw.get("io_bytes", 0), f"io_bytes, {what}"),
        runtime=finite(raw.get("runtime", 0), f"runtime, {what}") / 1e3,
        iops=rates["iops"],
        bandwidth=rates["bw_bytes"],
        clat_count=count(clat.get("N", 0), f"clat N, {what}"),
        clat_mean=finite(clat.get("mean", 0.0), f"clat mean, {what}") / 1e9,
        percentiles={
            at: finite(value, f"clat percentile, {what}") / 1e9 for at, value in points.items()
        },
    )
