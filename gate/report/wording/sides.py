"""How a check is started again: what its sides were, and which files it is judged by."""

from __future__ import annotations

import posixpath
import re
import shlex
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.model import Origin

COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
OPTIONS = frozenset(
    {
        *("--base", "--base-env", "--head", "--head-env", "--profiles", "--baseline", "--size"),
        *("--subject", "--host-class", "--work"),
    }
)
"""What an origin may say; all of them take one value."""


class Sides:
    """The options of an origin, and the base side that is gone with its job."""

    def __init__(self, origin: Origin) -> None:
        self._origin = origin
        pairs = zip(origin.options[::2], origin.options[1::2], strict=False)
        self._pairs = tuple((name, value) for name, value in pairs if name in OPTIONS)
        known = COMMIT.fullmatch(origin.base_commit) is not None
        self.gone = origin.checkout and known and not self.value_of("--base")
        """Whether the base side has to be made again, as a checkout of the base commit."""

    def value_of(self, *names: str) -> str:
        """The last value of an option; empty where it was not given."""
        return next((value for name, value in reversed(self._pairs) if name in names), "")

    def words(self, *, without: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The sides and all options but some."""
        again = ("--restart",) if self._origin.restarts else ()
        head = () if self.value_of("--head") else ("--head", ".")
        both = ("--base", self._base(), *head) if self.gone else ()
        kept = (word for pair in self._pairs if pair[0] not in without for word in pair)
        return (*both, *kept, *again)

    def in_force(self, *, own_text: bool) -> tuple[str, ...]:
        """The same, judged by what a base side that is gone has.

        The change itself may loosen a tolerance or accept the level that it brings. `own_text`
        says that the finding is on the head's own profile, of which only the level is the base's.
        """
        if not self.gone:
            return self.words()
        profiles = () if own_text else (("--profiles", posixpath.normpath(self._origin.profiles)),)
        inside = [one for one in (*profiles, ("--baseline", self._store())) if _leads_down(one[1])]
        there = [posixpath.join(self._base(), folder) for _, folder in inside]
        names = tuple(name for name, _ in inside)
        return (*self.words(without=names), *chain(*zip(names, there, strict=True)))

    def made(self) -> str:
        """The beginning of a line that needs the base side; empty where nothing is to be made."""
        if not self.gone:
            return ""
        base = self._base()
        make = ["git", "worktree", "add", "--detach", base, self._origin.base_commit]
        # As there is one already once the first of these commands ran.
        return f"{{ test -e {base} || {shlex.join(make)}; }} && "

    def at_top(self) -> bool:
        """Whether the check ran at the top of its repository, as far as the profiles show."""
        return self._profiles_folder() == posixpath.normpath(self._origin.profiles)

    def _base(self) -> str:
        return f"../base-{self._origin.base_commit[:12]}"

    def _profiles_folder(self) -> str:
        return posixpath.normpath(self.value_of("--profiles") or "profiles")

    def _store(self) -> str:
        """The baselines as the repository names them: beside the profiles where nobody said."""
        named, inside = self._profiles_folder(), posixpath.normpath(self._origin.profiles)
        given = self.value_of("--baseline")
        if given and f"/{inside}".endswith(f"/{named}"):
            return posixpath.normpath(posixpath.join(inside.removesuffix(named), given))
        return posixpath.join(posixpath.dirname(inside), "baselines")


def _leads_down(folder: str) -> bool:
    """Whether a normal path stays in its repository."""
    return folder.split("/", maxsplit=1)[0] not in {"", ".."}
