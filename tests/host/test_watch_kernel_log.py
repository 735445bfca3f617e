"""Faults in the kernel's log: what counts, what does not, and a real one."""

from __future__ import annotations

import os
import time

import pytest
from lab import failing_device
from turns import MACHINE

from gate.linux.kernel_log import KernelLog, fault_in, kernel_text

FAULTS = {
    "a machine check": [
        "mce: [Hardware Error]: Machine check events logged",
        "{1}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 0",
        "EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0",
    ],
    "a PCIe error": [
        "pcieport 0000:00:1c.0: AER: Corrected error received: 0000:01:00.0",
        "nvme 0000:01:00.0: PCIe Bus Error: severity=Corrected, type=Physical Layer",
    ],
    "a fault of a file system": [
        "EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2: comm ls: reading directory",
        "XFS (sdb1): metadata I/O error in xfs_buf_ioend at daddr 0x1 len 1 error 5",
        "XFS (dm-0): Corruption of in-memory data detected.  Shutting down filesystem",
        "BTRFS error (device nvme0n1p2): bdev /dev/nvme0n1p2 errs: wr 1, rd 0, flush 0",
    ],
    "an I/O error": [
        "I/O error, dev loop0, sector 2048 op 0x0:(READ) flags 0x80700 phys_seg 1 prio class 2",
        "blk_update_request: I/O error, dev sda, sector 0",
        "Buffer I/O error on dev loop0, logical block 256, async page read",
        "critical medium error, dev sdb, sector 123 op 0x0:(READ)",
    ],
    "an NVMe timeout or reset": [
        "nvme nvme0: I/O 641 QID 8 timeout, aborting",
        "nvme nvme0: I/O tag 641 (c281) opcode 0x1 (I/O Cmd) QID 8 timeout, reset controller",
        "nvme nvme0: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10",
        "nvme nvme0: Abort status: 0x371",
    ],
    "a fault of a SATA link": [
        "ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen",
        "ata1.00: failed command: READ FPDMA QUEUED",
        "ata2: hard resetting link",
    ],
    "a hung task": ["INFO: task kworker/u8:1:123 blocked for more than 120 seconds."],
    "a lockup": [
        "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [cc1:4711]",
        "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
        "rcu: INFO: rcu_sched self-detected stall on CPU",
        "BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0 nice=0 stuck for 31s!",
    ],
    "that memory ran out": [
        "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0",
        "Out of memory: Killed process 4711 (python3) total-vm:1kB",
        "Memory cgroup out of memory: Killed process 4711 (python3)",
    ],
    "an unstable clock": [
        "clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as unstable because",
        "tsc: Marking TSC unstable due to clocksource watchdog",
        "Clocksource tsc unstable (delta = -95170507948 ns)",
    ],
    "a thermal limit": ["mce: CPU3: Core temperature above threshold, cpu clock throttled"],
    "a fault of its own": ["BUG: kernel NULL pointer dereference, address: 0000000000000000"],
}
HARMLESS = [
    "EXT4-fs (loop0): mounted filesystem with ordered data mode. Quota mode: none.",
    "nvme nvme0: 8/0/0 default/read/poll queues",
    "nvme nvme0: Shutdown timeout set to 8 seconds",
    "ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
    "clocksource: Switched to clocksource tsc",
    "mce: CPU0: Thermal monitoring enabled (TM1)",
    "loop0: detected capacity change from 0 to 65536",
    "rcu: Hierarchical SRCU implementation.",
    "XFS (loop0): Ending clean mount",
    "usb 1-1: reset high-speed USB device number 2 using xhci_hcd",
    "EDAC MC: Ver: 3.0.0",
]


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_known_by_the_kernels_own_words(name):
    """Lines as kernels write them are told by the name of the fault."""
    assert {fault_in(line) for line in FAULTS[name]} == {name}


@pytest.mark.parametrize("line", HARMLESS)
def test_everyday_lines_are_no_faults(line):
    """Mounting, probing, linking up and switching clocks set nothing aside."""
    assert fault_in(line) == ""


def test_only_the_kernels_own_records_count():
    """A record of facility 0 counts with its first line, made printable; others do not."""
    assert kernel_text(b"3,100,5,-;I/O error, dev loop0\n SUBSYSTEM=block\n") == (
        "I/O error, dev loop0"
    )
    assert kernel_text(b"12,100,5,-;I/O error, dev loop0\n") == ""
    assert kernel_text(b"4,1,5,-;a\\x1b[31mb\x07\n") == "a?[31mb?"
    assert kernel_text(b"") == kernel_text(b";") == kernel_text(b"x,1;y") == ""


def test_a_program_cannot_forge_a_fault():
    """What root itself writes into the log, asking for facility 0, is not the kernel's word."""
    log = KernelLog()
    if log.blind:
        assert "/dev/kmsg" in log.blind
        return
    with open("/dev/kmsg", "wb", buffering=0) as forge:  # noqa: PTH123 - a device
        forge.write(b"<0>I/O error, dev forged, sector 0\n")
    assert not [line for _, line in log.faults() if "forged" in line]


def test_a_log_that_may_not_be_read_is_told(tmp_path):
    """Without rights or file the watch goes on without the log, and says why."""
    log = KernelLog(tmp_path / "absent")
    assert log.blind == f"the kernel's log: {tmp_path}/absent: No such file or directory"
    log.skip()
    assert log.faults() == ()


def loops_can_be_made():
    """Whether this user can make loop devices; the real fault needs one."""
    return os.geteuid() == 0 and os.path.exists("/dev/loop-control")  # noqa: PTH110


@pytest.fixture
def broken_loop(tmp_path):
    """A loop device whose file has lost its end: reading there is a real I/O error."""
    with failing_device(tmp_path / "image") as device:
        yield device


def of(device, log):
    """What the kernel told of a device; what befalls others meanwhile is none of ours."""
    return tuple(one for one in log.faults() if device.rpartition("/")[2] in one[1])


@MACHINE
@pytest.mark.skipif(not loops_can_be_made(), reason="only root can make a device that fails")
def test_a_real_io_error_is_heard(broken_loop):
    """A read that the kernel fails is told once, with the kernel's line and the device's name."""
    log = KernelLog()
    log.skip()
    assert of(broken_loop, log) == ()
    handle = os.open(broken_loop, os.O_RDONLY)
    try:
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        with pytest.raises(OSError, match="Input/output error"):
            os.pread(handle, 4096, 6 << 20)
    finally:
        os.close(handle)
    until = time.monotonic() + 10
    found = ()
    while not found and time.monotonic() < until:
        found = of(broken_loop, log)
        time.sleep(0.01)
    assert found[0][0] == "an I/O error"
    assert of(broken_loop, log) == ()
