"""Sessions accepted into the baselines of a directory, and what became of each series.

`gate baseline accept` writes the result into the directory itself, the publishing commands into a
commit; the rows are the same for a terminal, a commit and a pull request.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.clock import now
from gate.errors import InputError, PublishError
from gate.formats.baseline.baseline_file import is_config_name, read_baselines, write_baseline
from gate.formats.host.host_file import HOST_FILE, read_known_host
from gate.judge.accept import Acceptance, accept
from gate.review.lineage import earned_by
from gate.review.terms import differences
from gate.scratch import scratch_directory
from gate.units import percent, show, show_pair

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gate.judge.accept import NewBaseline
    from gate.model import Baseline, BaselineSeries, Session


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesChange:
    """What became of one series."""

    host_class: str
    profile: str
    benchmark: str
    metric: str
    before: float | None
    """Median of the epoch's medians, in the base unit; absent where there was none."""
    after: float | None
    what: str
    """`712.0 -> 641.0 k op/s (-10.0 %), epoch 2`."""
    reason: str

    @property
    def name(self) -> str:
        """The series as a reader calls it."""
        return f"{self.profile} {self.benchmark} {self.metric}"

    @property
    def text(self) -> str:
        """One line with the reason."""
        because = f", because: {self.reason}" if self.after is not None else ""
        return f"{self.name}: {self.what}{because}"


def changes_between(before: Sequence[Baseline], after: Sequence[Baseline]) -> list[SeriesChange]:
    """What became of each series that differs, sorted by name."""
    old, new = (
        {(b.host_class, b.profile, s.benchmark, s.metric): s for b in every for s in b.series}
        for every in (before, after)
    )
    reasons = {(b.host_class, b.profile): b.sessions[-1].reason for b in after if b.sessions}
    return [
        _change(key, was, now, reasons.get(key[:2], "") if now else "")
        for key, was, now in differences(old, new)
    ]


def as_json(rows: Sequence[SeriesChange]) -> list[dict[str, object]]:
    """Changes for machines."""
    names = ("host_class", "profile", "benchmark", "metric", "before", "after", "reason", "text")
    return [{name: getattr(row, name) for name in names} for row in rows]


def _change(
    key: tuple[str, str, str, str],
    before: BaselineSeries | None,
    after: BaselineSeries | None,
    reason: str,
) -> SeriesChange:
    """One row: from, to, how much, whether an epoch opened, and why."""
    was, is_ = (one.level if one else None for one in (before, after))
    if after is None:
        what = f"removed (was {show(was, before.unit if before else '1')})"
    elif before is None:
        what = f"new at {show(is_, after.unit)}"
    else:
        opened = after.current[0].epoch > before.current[0].epoch
        kind = f"epoch {after.current[0].epoch}" if opened else "appended"
        moved = percent(is_ / was - 1) if was and is_ else "?"
        what = f"{show_pair(was, is_, after.unit)} ({moved}), {kind}"
    host_class, profile, benchmark, metric = key
    return SeriesChange(
        host_class=host_class,
        profile=profile,
        benchmark=benchmark,
        metric=metric,
        before=was,
        after=is_,
        what=what,
        reason=reason,
    )


MOST_SESSIONS = 30
"""Sessions of an epoch, its anchor included, to which an automatic baseline is trimmed."""
_ANCHOR = 3
"""First sessions of an epoch, which are its anchor and never removed."""


def accept_all(
    store: Path,
    sessions: Sequence[Session],
    *,
    by: str,
    reason: str,
    places: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> list[NewBaseline]:
    """The sessions accepted into the baselines of a directory; nothing is written.

    `places` tells where a session came from, by its id, for messages; `folder` where the repository
    has the baselines, if that is not the directory. One that may not become a
    baseline is an error (G220).
    """
    acceptance = Acceptance(by=by, reason=reason, accepted=now())
    known = {(b.host_class, b.profile): b for b in read_baselines(store)}
    results = []
    for key, own in sorted(group_sessions(sessions).items()):
        before, host = known.get(key), read_known_host(store, key[0])
        found = [before] if before is not None else []
        commit = own[0].subject.commit
        standing = next(iter(earned_by(found, folder or store, commit, strict=False)), None)
        grown = accept(before, own, acceptance, host=host, places=places, standing=standing)
        results.append(grown)
    return results


def group_sessions(sessions: Sequence[Session]) -> dict[tuple[str, str], list[Session]]:
    """Sessions by host class and profile, oldest first."""
    groups: dict[tuple[str, str], list[Session]] = {}
    for one in sorted(sessions, key=lambda session: (session.started, session.id)):
        groups.setdefault((one.host.host_class, one.profile), []).append(one)
    return groups


def texts(store: Path, results: Sequence[NewBaseline]) -> dict[str, str]:
    """The files that hold these baselines: path below the directory -> text.

    With a class's first baseline comes its host file, and with a kernel's first session its
    configuration, unless the directory has them. They are read again before anything else sees
    them; characters that no reviewer would see are refused (G277).
    """
    found: dict[str, str] = {}
    with scratch_directory("any") as scratch:
        for result in results:
            write_baseline(Path(scratch), result.baseline)
        read_baselines(Path(scratch))
        for path in sorted(Path(scratch).glob("*/*")):
            name = path.relative_to(scratch).as_posix()
            once = path.name == HOST_FILE or is_config_name(path.name)
            if not once or not (store / name).exists():
                found[name] = path.read_text(encoding="utf-8")
    for name, text in found.items():
        if any(not (char.isprintable() or char == "\n") for char in text):
            what = f"the session would write characters that nobody can see into {name}."
            raise PublishError("G277", what)
    return found


def notes_on(files: Mapping[str, str]) -> list[str]:
    """What a reviewer must know of files that hold no levels."""
    return [
        f"`{name}` is how the kernel of these sessions was configured ({text.count(chr(10))} "
        "options): it tells what differs, and decides nothing"
        for name, text in files.items()
        if is_config_name(name.rpartition("/")[2])
    ]


def trim_baseline(baseline: Baseline) -> Baseline:
    """The baseline with at most 30 sessions of each series' current epoch, its anchor among them.

    What goes are the oldest but the anchor; earlier epochs stay. A session that no series holds
    any more goes with them.
    """
    series = tuple(_shortened(one) for one in baseline.series)
    held = {point.session for one in series for point in one.points}
    sessions = tuple(one for one in baseline.sessions if one.id in held)
    return replace(baseline, series=series, sessions=sessions)


def _shortened(series: BaselineSeries) -> BaselineSeries:
    current = series.current
    kept = (*current[:_ANCHOR], *current[_ANCHOR:][-(MOST_SESSIONS - _ANCHOR) :])
    earlier = series.points[: len(series.points) - len(current)]
    return replace(series, points=(*earlier, *kept)) if len(current) > MOST_SESSIONS else series


def inside(directory: Path) -> str:
    """A directory as the repository names it, seen from its top, the working directory (G200)."""
    try:
        path = directory.resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        path = Path()
    if not path.parts:
        cure = "Start in the top of the checkout, and name a directory below it."
        raise InputError("G200", "the baselines do not lie in it.", cure=cure, place=str(directory))
    return path.as_posix()


def changes_of(store: Path, results: Sequence[NewBaseline]) -> list[SeriesChange]:
    """What these results change in the baselines of a directory."""
    made = {(one.baseline.host_class, one.baseline.profile) for one in results}
    before = [one for one in read_baselines(store) if (one.host_class, one.profile) in made]
    return changes_between(before, [one.baseline for one in results])
