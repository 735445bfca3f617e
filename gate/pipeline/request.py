"""What a check is asked for: the options of the command line, in bundles that travel together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from gate.pipeline.shards import Shard
    from gate.pipeline.side_options import SideOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which profiles, in which size, and how much of them."""

    names: tuple[str, ...] = ()
    """Profiles; empty for all."""
    profiles: Path
    """Their directory."""
    size: str
    benchmarks: tuple[str, ...] = ()
    """The only ones to measure; empty for all."""
    pairs: int | None = None
    """Most pairs; None for the profile's limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyOptions:
    """What is judged by."""

    baseline: Path
    merge_base: str | None = None
    alpha: float
    """Of the whole check; a part of it spends its share."""
    beta: float
    allow: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """What the machine that measures may be used for."""

    host_class: str | None = None
    work: Path | None = None
    """Where data files are written."""
    wait: float = 0.0
    """Seconds to wait at most while another process measures here."""
    restart: bool = False
    """Whether the machine may be restarted for a trial that needs another kernel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """What is left behind, and what is printed."""

    out: Path | None = None
    resume: bool = False
    why: bool = True
    """Whether what regressed is run some more, to see what moved with it."""
    json: bool = False
    quiet: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest:
    """A check as the command line asks for it."""

    selection: Selection
    sides: SideOptions
    policy: PolicyOptions
    shard: Shard
    host: HostOptions
    output: OutputOptions
    place: Path
    """The output directory, whether somebody named it or not."""

    @property
    def work(self) -> Path:
        """Where data files are written."""
        return self.host.work or self.place / "work"
