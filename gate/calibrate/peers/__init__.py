"""Decision rules of other tools, so that one calibration can run them and ours on the same data.

Each rule is written anew from its published formula; its file says where that is, and what the
tool does with empty, single and constant values. "Closes" counts only losses, also where the tool
itself reports gains. What a tool repairs by hand (bisecting, triage, re-runs of a job) is not
modelled.
"""

from gate.calibrate.peers.asv import ASV
from gate.calibrate.peers.benchstat import BENCHSTAT
from gate.calibrate.peers.firecracker import FIRECRACKER
from gate.calibrate.peers.lkp import LKP
from gate.calibrate.peers.peer import Peer
from gate.calibrate.peers.ratios import GITHUB_ACTION, PYTEST
from gate.calibrate.peers.stored_spread import BENCHER, FSPERF, RUSTC_PERF

PEERS: tuple[Peer, ...] = (
    *(*GITHUB_ACTION, *PYTEST, BENCHER, *BENCHSTAT),
    *(ASV, FSPERF, RUSTC_PERF, LKP, FIRECRACKER),
)
"""Every rule, in the order in which tables show them."""
