"""Reading what a tree says the gate shall judge by, from folders that were written out of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from gate import vcs_history
from gate.errors import GateError, InputError
from gate.formats.baseline.baseline_file import WAIVER_FILE, read_baseline
from gate.formats.baseline.calibration_file import CALIBRATION_FILE, read_rounds
from gate.formats.baseline.waiver_file import read_waivers
from gate.formats.host.host_file import HOST_FILE, read_host_file
from gate.formats.profile.profile_file import read_profile
from gate.judge.verdict.suite import Policy
from gate.review.terms import Terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeVar

    from gate.model import Baseline
    from gate.review.repository_layout import Layout

    T = TypeVar("T")


class Reader:
    """Reads one tree: strictly, or telling what cannot be read and going on."""

    def __init__(self, root: Path, layout: Layout, size: str, *, strict: bool) -> None:
        self.root, self.layout, self.size, self.strict = root, layout, size, strict
        self.unread: dict[tuple[str, ...], str] = {}

    def read(self) -> Terms:
        """Everything that the folders say; for a strict reader a file that is wrong is an error."""
        folder, store = self.root / self.layout.profiles, self.root / self.layout.baseline
        every = self._each(folder.glob("*.toml"), partial(read_profile, size=self.size))
        profiles = {one.name: one for one in every}
        files = [path for path in store.glob("*/*.toml") if path.name != CALIBRATION_FILE]
        baselines = self._each((one for one in files if one.name != HOST_FILE), read_baseline)
        hosts = self._each((one for one in files if one.name == HOST_FILE), read_host_file)
        waivers = self._try(store / WAIVER_FILE, partial(read_waivers, store))
        rounds = self._try(store / "*" / CALIBRATION_FILE, partial(read_rounds, store))
        return Terms(
            profiles=profiles,
            baselines=tuple(baselines),
            waivers=waivers or (),
            hosts=tuple(hosts),
            rounds=rounds or (),
            unread=self.unread,
        )

    def refuse(self, paths: Sequence[str]) -> None:
        """Tell what is no plain file, and so was not written out: it counts as not read."""
        for path in paths:
            self.unread[self._key(path)] = f"{path} cannot be read: it is no plain file"

    def _each(self, paths: Iterable[Path], read: Callable[[Path], T]) -> list[T]:
        found = [self._try(path, partial(read, path)) for path in sorted(paths)]
        return [one for one in found if one is not None]

    def _try(self, path: Path, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except GateError as error:
            if self.strict:
                raise
            name, why = (text.replace(f"{self.root}/", "") for text in (str(path), error.message))
            self.unread[self._key(name)] = f"{name} cannot be read: {why}"
        return None

    def _key(self, path: str) -> tuple[str, ...]:
        """What a file of the folders is."""
        inside = path.removeprefix(f"{self.layout.baseline}/").split("/")
        if path == f"{self.layout.baseline}/{WAIVER_FILE}":
            return ("waivers",)
        if path in self.layout.folders:
            return ("tree",)
        if path.startswith(f"{self.layout.baseline}/") and len(inside) == 2:
            kinds = {HOST_FILE: ("host", inside[0]), CALIBRATION_FILE: ("calibration",)}
            return kinds.get(inside[1], ("baseline", inside[0], inside[1].removesuffix(".toml")))
        name = path.removeprefix(f"{self.layout.profiles}/")
        if name != path and "/" not in name and name.endswith(".toml"):
            return ("profile", name.removesuffix(".toml"))
        return ("file", path)


def make_policy(alpha: float, beta: float, allow: tuple[str, ...], baseline: Path) -> Policy:
    """The policy, with the waivers that stand beside the baselines.

    That new benchmarks pass is refused without a directory, which is rather a wrong path (G201).
    """
    if "new" in allow and not baseline.is_dir():
        raise InputError(
            "G201",
            "there is no such directory, so --allow new would let everything through.",
            cure="Name the baselines with --baseline, or make the directory.",
            place=str(baseline),
        )
    return Policy(
        alpha=alpha,
        beta=beta,
        allow_new="new" in allow,
        waivers=read_waivers(baseline),
        accepted=frozenset(path.stem for path in baseline.glob("*/*.toml")),
        today=datetime.now(UTC).date().isoformat(),
    )


def not_before(policy: Policy, baselines: Iterable[Baseline], commits: Iterable[str]) -> Policy:
    """The policy that knows which day it is at least, whatever the clock of this machine says.

    That of the newest accepted session, or of the newest of some commits of the repository here. A
    clock set back revives no waiver; a date that is too late only ends one.
    """
    if not policy.waivers:
        return policy
    sessions = (one for known in baselines for one in known.sessions)
    days = [day for one in sessions for text in (one.accepted, one.started) if (day := _day(text))]
    newest = max(*days, "", vcs_history.newest_day(Path(), commits))
    return replace(policy, not_before=newest)


def _day(text: str) -> str:
    """The date of a time; empty where it is none."""
    try:
        return date.fromisoformat(text[:10]).isoformat()
    except ValueError:
        return ""
