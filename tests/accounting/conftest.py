"""A made-up machine's looks, and a wait for a quiet moment of the real one."""

from __future__ import annotations

import time

import pytest
from accounting.made import stat_text

from gate.harness.base import Usage
from gate.host.accounting import Raw, StatFile, idle, parsed
from gate.measure.accounting import Look, Meter, Sources


@pytest.fixture
def seen():
    """Builder of a meter whose looks found these rows: (seconds, [row of each processor])."""

    def make(looks, *, switches=lambda at: int(1000 * at), sources=None, **used):
        meter = Meter(sources or Sources(stat=None))
        for at, rows in looks:
            head, _, tail = stat_text(rows, switches(at)).partition("\nintr")
            count = tail.partition("ctxt ")[2].partition("\n")[0]
            raw = Raw(at=at, processors=head.encode(), switches=count.encode())
            meter.looks.append(Look(stat=raw, energy=(), counters=()))
        meter.wall = 1e9
        meter.used = Usage(
            **{"user": 0.0, "system": 0.0, "memory": 0.0, "voluntary": 0, "involuntary": 0} | used
        )
        return meter

    return make


@pytest.fixture
def quiet():
    """Wait for a moment in which nobody else uses the processors; tests share the machine."""

    def wait(most=0.1, patience=45.0):
        source, until = StatFile(), time.monotonic() + patience
        while True:
            before = parsed(source.look())
            time.sleep(0.5)
            after = parsed(source.look())
            whole = (after.at - before.at) * len(after.each)
            used = 1 - (idle(after.total) - idle(before.total)) / whole
            if used < most or time.monotonic() > until:
                return

    return wait
