"""Every rule, in the order in which tables show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.stats.peers.asv import ASV
from gate.stats.peers.bencher import BENCHER
from gate.stats.peers.benchstat import BENCHSTAT
from gate.stats.peers.firecracker import FIRECRACKER
from gate.stats.peers.fsperf import FSPERF
from gate.stats.peers.lkp import LKP
from gate.stats.peers.ratios import GITHUB_ACTION, PYTEST
from gate.stats.peers.rustc_perf import RUSTC_PERF

if TYPE_CHECKING:
    from gate.stats.peers.peer import Peer

PEERS: tuple[Peer, ...] = (
    *GITHUB_ACTION,
    *PYTEST,
    BENCHER,
    *BENCHSTAT,
    ASV,
    FSPERF,
    RUSTC_PERF,
    LKP,
    FIRECRACKER,
)
