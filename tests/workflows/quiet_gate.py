"""The real gate, as the program that a runner's owner names in DRIFTGATE_GATE: `quiet_gate.py ...`.

It measures for real. But other tests, and whoever else works on this machine, would set trials
aside, move its controls and hold its lock, so none of these is looked at here, and the facts of the
machine are those of a played one (tests/builders.py does the same, and says why).
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def play() -> None:
    """What a command that measures is to find."""
    import played

    import gate.host.identity.identity
    import gate.host.lock
    import gate.measure.order
    import gate.measure.setup

    gate.measure.setup.make_watch = lambda *_: None
    gate.measure.order.CONTROLS = {}
    gate.host.identity.identity.ThisMachine = played.machine
    gate.host.lock.lock_path = lambda: Path(os.environ["HOME"], "lock")


if {"check", "run", "calibrate"} & set(sys.argv[1:2]):
    play()

from gate.__main__ import main  # noqa: E402 - after what it is to find changed

main()
