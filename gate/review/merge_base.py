"""What the gate judges by, taken from the merge base; what the tree judged says, as edits.

A change does not judge itself: tolerances, baselines, waivers, host files and calibrations are
those of the newest commit that the change and its target have in common. The tree of the change
is read as hostile data, and only to say what it edits.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gate import vcs, vcs_tree
from gate.errors import GateError, InputError
from gate.formats.host.host_file import HOST_FILE
from gate.review.edits import edits_of
from gate.review.policy_reader import Reader
from gate.review.profile_diff import changed_profiles
from gate.review.repository_layout import copy_plain, files_of_inputs, layout_of, named_files
from gate.review.terms import Terms
from gate.scratch import scratch_directory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from gate.model import Baseline, Edit, Profile, TextChange
    from gate.review.repository_layout import Layout

    Write = Callable[[Sequence[str], Path], Sequence[str]]
    """Writes paths of a tree below a directory; returns those that are no plain files."""

OWNED = (
    ".github/workflows",
    ".github/actions",
    ".github/CODEOWNERS",
    "CODEOWNERS",
    "docs/CODEOWNERS",
    ".gitea/workflows",
    ".gitea/CODEOWNERS",
    ".gitlab/CODEOWNERS",
    ".gitlab-ci.yml",
    "Jenkinsfile",
)
"""Files that run the gate, or say who must review it."""
_NAMED = 5
"""Merge bases that an error names."""
_HOST = f"/{HOST_FILE}"
_PROPOSAL = "proposed"
"""Where the tree judged is written out, beside the merge base."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeBase:
    """What may be judged by, for as long as the context lasts."""

    commit: str = ""
    """The merge base; empty where none was asked for."""
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    """Those of the merge base by name. They are for judging only: nothing can be run there."""
    baseline: Path
    """Where baselines, waivers, host files and calibrations are read from."""
    edits: tuple[Edit, ...] = ()
    changes: tuple[TextChange, ...] = ()
    """Texts of profiles, and of what they name, that the tree judged edits."""
    proposed: str = ""
    """The commit that is judged; empty for the working tree."""
    terms: Terms = field(default_factory=Terms)
    """What the tree judged says itself: shown, compared with, and never obeyed."""
    layout: Layout | None = None
    """The repository and its folders; None where no merge base was asked for."""
    ground: Path | None = None
    """Where the merge base's files are written out; None where no merge base was asked for."""
    head: str = ""
    """The commit that is judged, or that the working tree has checked out."""
    accepted: tuple[str, ...] = ()
    """Files of baselines that are in force as that commit has them, accepted for this change."""

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits whose dates cannot be later than today."""
        return (self.commit, self.head) if self.commit else ("HEAD",)

    def removes(self, baseline: Baseline) -> bool:
        """Whether the tree judged, which can be read, has not this baseline any more."""
        key = baseline.host_class, baseline.profile
        unread = self.terms.unread
        there = {(one.host_class, one.profile) for one in self.terms.baselines}
        return key not in there and ("tree",) not in unread and ("baseline", *key) not in unread


@contextmanager
def open_merge_base(
    target: str | None,
    proposed: str | None = None,
    *,
    profiles: Path,
    baseline: Path,
    size: str,
    accepted: Collection[str] = (),
) -> Iterator[MergeBase]:
    """Profiles and baselines of the merge base of a revision and what is proposed.

    `target` is that revision, such as `origin/main`; `proposed` the commit judged, or None for
    the working tree. Without a target the directories are used as they stand, with no edits.
    Files of baselines whose content, by git's hash, is `accepted` are those of the commit judged.
    Raises G200, G239, G241, G242, or what is wrong with a file of the merge base.
    """
    if target is None:
        for name, given in (("--proposed", proposed is not None), ("--accepted", bool(accepted))):
            if given:
                cure = "Say with --merge-base what it is compared with."
                raise InputError("G200", f"{name} means nothing without --merge-base.", cure=cure)
        yield MergeBase(baseline=baseline)
        return
    layout = layout_of(profiles, baseline)
    commit, head = _common(layout.top, target, "HEAD" if proposed is None else proposed)
    judged = "" if proposed is None else head
    with scratch_directory("any") as scratch:
        ground = Path(scratch).resolve() / commit[:12]
        try:
            own = _accepted_files(layout, head, accepted)
            before = _strict(layout, commit, ground, size, own)
            after, changed = _proposed(layout, commit, judged, ground, size)
            trees = (ground, before), (ground.with_name(_PROPOSAL), after)
            yield MergeBase(
                commit=commit,
                profiles=before.profiles,
                baseline=ground / layout.baseline,
                edits=edits_of(before, after, changed),
                changes=changed_profiles(layout, *trees),
                proposed=judged,
                terms=after,
                layout=layout,
                ground=ground,
                head=head,
                accepted=tuple(one.path for one in own),
            )
        except GateError as error:
            # As git writes it: the scratch directory is gone when somebody reads this.
            error.place = error.place.replace(f"{ground}/", f"{commit[:12]}:")
            error.message = error.message.replace(f"{ground}/", f"{commit[:12]}:")
            raise


def _common(top: Path, target: str, head: str) -> tuple[str, str]:
    """The commit that two revisions have in common, and that of the head."""
    theirs, mine = (_commit(top, revision) for revision in (target, head))
    common = vcs.merge_bases(top, theirs, mine)
    if len(common) > 1:
        raise InputError(
            "G239",
            f"{target[:80]!r} and {head[:80]!r} were merged crosswise: they have {len(common)} "
            f"merge bases, {', '.join(one[:12] for one in common[:_NAMED])}.",
            cure="Merge the target into the change, or rebase it: then there is one.",
        )
    if not common:
        raise InputError(
            "G239",
            f"{target[:80]!r} and {head[:80]!r} have no common ancestor in this clone.",
            cure="Check out with the whole history: `fetch-depth: 0`.",
        )
    return common[0], mine


def _commit(top: Path, revision: str) -> str:
    commit = vcs.commit_of(top, revision)
    if commit is None:
        raise InputError(
            "G239",
            f"git knows no commit {revision[:80]!r} here.",
            cure="Fetch it, with its history (`fetch-depth: 0`), or name another.",
        )
    return commit


def _accepted_files(layout: Layout, head: str, accepted: Collection[str]) -> list[vcs_tree.Entry]:
    """Plain files below the baselines' folder at a commit whose content was accepted."""
    found = vcs_tree.entries(layout.top, head, (layout.baseline,)) if accepted else ()
    below = f"{layout.baseline}/"
    return [
        one
        for one in found or ()
        if one.regular
        and one.content in accepted
        and one.path.startswith(below)
        and ".." not in one.path.split("/")
    ]


def _strict(
    layout: Layout, commit: str, ground: Path, size: str, accepted: Sequence[vcs_tree.Entry]
) -> Terms:
    """The terms of the merge base, and what a change had accepted, written out below `ground`."""
    odd = _fill(partial(_write_commit, layout.top, commit), layout, ground, commit)
    if odd:
        raise InputError(
            "G241",
            "this is a link or the like, which is not followed at the merge base.",
            cure="Put the file itself there.",
            place=f"{ground}/{odd[0]}",
        )
    # A baseline says itself where it belongs; what a host's file says is not moved to another's.
    own = [
        one for one in accepted if not one.path.endswith(_HOST) or not (ground / one.path).exists()
    ]
    for one in own:
        (ground / one.path).unlink(missing_ok=True)
    if not vcs_tree.write_entries(layout.top, own, ground):
        cure = "Fetch the commit that is judged, whole."
        raise InputError("G239", "git cannot read the baselines that were accepted.", cure=cure)
    return Reader(ground, layout, size, strict=True).read()


def _proposed(
    layout: Layout, commit: str, judged: str, ground: Path, size: str
) -> tuple[Terms, tuple[tuple[str, str], ...]]:
    """The terms of the tree judged, and what it does to the files that run the gate."""
    top, root = layout.top, ground.with_name(_PROPOSAL)
    changed = vcs.changed_paths(top, commit, judged, OWNED)
    if changed is None:
        changed = (("M", "a workflow (git cannot tell which)"),)
    reader = Reader(root, layout, size, strict=False)
    write = partial(_write_commit, top, judged) if judged else partial(copy_plain, top)
    try:
        reader.refuse(_fill(write, layout, root, judged))
    except InputError as error:
        return Terms(unread={("tree",): f"profiles or baselines: {error.message}"}), changed
    return reader.read(), changed


def _fill(write: Write, layout: Layout, target: Path, commit: str) -> tuple[str, ...]:
    """Write the folders and the files beside them that profiles name; returns what is not plain.

    `commit` is the tree's; empty for the working tree.
    """
    odd = write(layout.folders, target)
    folders = tuple(f"{one}/" for one in layout.folders)
    files = vcs_tree.files_in(layout.top, commit) or ()
    names = {*named_files(target, layout), *files_of_inputs(target, layout, files)}
    beside = sorted(one for one in names if not one.startswith(folders))
    return (*odd, *(write(beside, target) if beside else ()))


def _write_commit(top: Path, commit: str, paths: Sequence[str], target: Path) -> Sequence[str]:
    found = vcs_tree.entries(top, commit, paths)
    if found is None or not vcs_tree.write_entries(top, found, target):
        cure = "`git fsck` there tells what is wrong; fetch the commit whole."
        raise InputError("G239", f"git cannot read the tree of {commit[:12]}.", cure=cure)
    return [one.path for one in found if not one.regular]
