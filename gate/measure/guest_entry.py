"""The gate inside a guest that the gate booted.

`python -m gate.measure.guest_entry SHARED-DIRECTORY`.

It takes the trials that it is asked for, through the same rooms as `gate run`, and leaves their
session in the shared directory. A guest may be emulated, and slow: nothing is imported or looked
at that the trials do not need.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from gate.errors import GateError
from gate.formats.session.session_file import read_request
from gate.harness import load_harness
from gate.harness.guest.booted import REQUEST, SESSION
from gate.measure.cpu.account import make_accountant
from gate.measure.new_session import new_session
from gate.measure.process.stop import Stop
from gate.measure.recorder import SessionRecorder
from gate.measure.run_context import RunContext
from gate.measure.trial import take_trial
from gate.model import Host, Stage, Subject
from gate.scratch import scratch_directory
from gate.subject.command import ActiveSide


def inside(share: Path) -> None:
    """Measure what the request asks for."""
    request = read_request(share / REQUEST)
    profile, side = request.profile, request.side
    with scratch_directory("any") as work:
        run = RunContext(
            profile=profile,
            harness=load_harness(profile.harness),
            sides={
                side: ActiveSide(
                    side=side,
                    directory=request.directory,
                    environment=request.environment,
                    subject=Subject(),
                )
            },
            # Which machine it is, and what disturbs it, the gate around it tells.
            host=Host(host_class="guest", fingerprint="", stable={}, epoch={}),
            boot="",
            tools=request.tools,
            work=Path(work),
            stop=Stop(),
            tell=lambda _: None,
            paired=False,
            accountant=make_accountant(profile),
            changes=request.changes,
        )
        (benchmark,) = profile.benchmarks
        session = new_session(run, side, Stage.SCREEN, (benchmark,), profile.trials.screen)
        recorder = SessionRecorder(run, session, share / SESSION)
        recorder.begin()
        for _ in range(request.trials):
            take_trial(run, recorder, benchmark)
        recorder.complete()


if __name__ == "__main__":
    os.umask(0o022)
    try:
        inside(Path(sys.argv[1]))
    except GateError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(1)
