"""A made-up machine's looks."""

from __future__ import annotations

import pytest
from measure.cpu.made import stat_text

from gate.harness.base import Usage
from gate.linux.proc_stat import Raw
from gate.measure.cpu.samples import CpuSample, Meter, Sources


@pytest.fixture
def seen():
    """Builder of a meter whose looks found these rows: (seconds, [row of each processor])."""

    def make(looks, *, switches=lambda at: int(1000 * at), sources=None, **used):
        meter = Meter(sources or Sources(stat=None))
        for at, rows in looks:
            head, _, tail = stat_text(rows, switches(at)).partition("\nintr")
            count = tail.partition("ctxt ")[2].partition("\n")[0]
            raw = Raw(at=at, processors=head.encode(), switches=count.encode())
            meter.looks.append(CpuSample(stat=raw, energy=(), counters=()))
        meter.wall = 1e9
        meter.used = Usage(
            **{"user": 0.0, "system": 0.0, "memory": 0.0, "voluntary": 0, "involuntary": 0} | used
        )
        return meter

    return make
