"""What the kernel counts, read of recorded machines."""

from __future__ import annotations

import pytest
from judge.diagnosis.sample import machine
from recorded_machine import RecordedMachine

from gate.linux.kernel_counters import growth, read_counts


def test_every_source_is_read_in_base_units():
    """Events, seconds and bytes; figures of the moment are none of them."""
    counts = read_counts(machine())
    assert counts["vmstat: pgfault"] == 1000
    assert counts["vmstat: nr_dirtied"] == 1000
    assert counts["softirq: BLOCK"] == 1100
    assert counts["interrupts: virtio1-req.0"] == 1000 + 5 + 7 + 5
    assert counts["interrupts: Rescheduling interrupts"] == 30
    assert counts["stat: context switches"] == 1000
    assert counts["schedstat: schedule calls"] == 1010
    assert counts["schedstat: waiting time"] == pytest.approx(14.0)
    assert counts["block vda: read bytes"] == 512_000
    assert counts["block vda: busy time"] == pytest.approx(2.476)
    assert counts["pressure: some io time"] == pytest.approx(0.001)
    assert counts["net Tcp: InSegs"] == 10
    momentary = {"nr_free_pages", "workingset_nodes", "CurrEstab", "MaxConn", "Forwarding"}
    assert not [name for name in counts if name.rpartition(" ")[2] in momentary]
    assert "block vda: " not in counts


def test_only_what_grew_is_told():
    """The difference of two looks; a counter that began anew tells nothing."""
    before = read_counts(machine(packets=5000))
    after = read_counts(machine(faults=1500, switches=4000, packets=10))
    assert growth(before, after) == {"vmstat: pgfault": 500, "stat: context switches": 3000}


def test_a_kernel_without_any_of_it_counts_nothing():
    """Files that are missing, empty or of another shape are left out."""
    assert read_counts(RecordedMachine({})) == {}
    odd = {
        "/proc/vmstat": "pgfault\npgfault x\n\n",
        "/proc/interrupts": "\n",
        "/proc/net/snmp": "Ip:",
        "/proc/stat": "ctxt\nintr",
        "/sys/block/vda/stat": "",
    }
    assert read_counts(RecordedMachine({"files": odd})) == {}
