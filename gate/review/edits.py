"""Edits: what the tree under judgement changes of that by which it is judged. Shown, not obeyed.

Edits never open or close the gate. Whoever reviews the change sees them in the report, beside what
they would have hidden.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model.report import FILE_EDITED, FILE_VERBS
from gate.review.edits_baseline import baseline_edits, calibration_edits, host_edits, waiver_edits
from gate.review.edits_profile import profile_edits
from gate.review.terms import differences, edit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gate.model import Edit
    from gate.review.terms import Terms

MOST_EDITS = 500
"""Edits that a report holds; a stranger's tree may have any number."""


def edits_of(
    before: Terms, after: Terms, changed: Sequence[tuple[str, str]] = ()
) -> tuple[Edit, ...]:
    """What `after` changes of what `before` says, loosening first.

    `changed` are files that run the gate or say who reviews it: `A`, `D`, `M` or `T`, and the path.
    Empty exactly where nothing that the gate judges by differs.
    """
    parts = (_profiles, _baselines, _store) if ("tree",) not in after.unread else ()
    found = [one for part in parts for one in part(before, after)]
    found += _unread(after)
    found += [_file(kind, path) for kind, path in changed]
    found.sort(key=importance)
    if len(found) <= MOST_EDITS:
        return tuple(found)
    rest = found[MOST_EDITS - 1 :]
    said = f"{len(rest)} further edits are not shown"
    more = edit("G082", said, loosens=any(one.loosens for one in rest), after=str(len(rest)))
    return (*found[: MOST_EDITS - 1], more)


def importance(one: Edit) -> tuple[bool, str, str, str, str, str]:
    """Loosening first, then by profile, benchmark and metric."""
    return not one.loosens, one.profile, one.benchmark, one.metric, one.code, one.headline


def _profiles(before: Terms, after: Terms) -> Iterator[Edit]:
    for name in sorted(before.profiles.keys() | after.profiles.keys()):
        was, now = before.profiles.get(name), after.profiles.get(name)
        if was is not None and now is not None:
            yield from profile_edits(was, now)
        elif was is None:
            yield edit("G075", "profile added", loosens=False, profile=name, after="there")
        elif ("profile", name) not in after.unread:
            yield edit("G075", "profile removed", loosens=True, profile=name, before="there")


def _baselines(before: Terms, after: Terms) -> Iterator[Edit]:
    old, new = ({(b.host_class, b.profile): b for b in t.baselines} for t in (before, after))
    for key, was, now in differences(old, new):
        if now is not None or ("baseline", *key) not in after.unread:
            yield from baseline_edits(was, now)


def _store(before: Terms, after: Terms) -> Iterator[Edit]:
    if ("waivers",) not in after.unread:
        yield from waiver_edits(before.waivers, after.waivers)
    old, new = ({one.host_class: one for one in t.hosts} for t in (before, after))
    for name, was, now in differences(old, new):
        if now is not None or ("host", name) not in after.unread:
            yield from host_edits(was, now)
    if ("calibration",) not in after.unread:
        yield from calibration_edits(before.rounds, after.rounds)


def _unread(after: Terms) -> Iterator[Edit]:
    for what, why in sorted(after.unread.items()):
        profile = what[-1] if what[0] in {"profile", "baseline"} else ""
        yield edit("G082", why, loosens=True, profile=profile, after="cannot be read")


def _file(kind: str, path: str) -> Edit:
    verb = FILE_VERBS.get(kind, FILE_EDITED)
    what = "who reviews it" if path.endswith("CODEOWNERS") else "a workflow that may run the gate"
    before, after = "" if kind == "A" else "there", "" if kind == "D" else verb
    said = f"{path} was {verb}: {what}"
    return edit("G082", said, loosens=True, before=before, after=after)
