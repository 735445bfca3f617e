"""Every rule, in the order in which tables show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.calibrate.peers.asv import ASV
from gate.calibrate.peers.bencher import BENCHER
from gate.calibrate.peers.benchstat import BENCHSTAT
from gate.calibrate.peers.firecracker import FIRECRACKER
from gate.calibrate.peers.fsperf import FSPERF
from gate.calibrate.peers.lkp import LKP
from gate.calibrate.peers.ratios import GITHUB_ACTION, PYTEST
from gate.calibrate.peers.rustc_perf import RUSTC_PERF

if TYPE_CHECKING:
    from gate.calibrate.peers.peer import Peer

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
