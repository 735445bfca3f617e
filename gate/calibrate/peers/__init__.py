"""Decision rules of other tools, so that one calibration can run them and ours on the same data.

Each rule is written anew from its published formula; the file of a tool says where that is, and
what the tool does with empty, single and constant values. "Closes" counts only losses, also
where the tool itself reports gains. What a tool repairs by hand (bisecting, triage, re-runs of
a job) is not modelled.
"""

from gate.calibrate.peers.peer import Comparison, Peer
from gate.calibrate.peers.registry import PEERS

__all__ = ["PEERS", "Comparison", "Peer"]
