"""What the kernel reported meanwhile: faults of the machine, from /dev/kmsg.

Only records of facility 0 count: the kernel gives another one to whatever a program writes there.
"""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from pathlib import Path

from gate.text import printable

_LARGEST = 8192
"""Bytes: more than the kernel makes of one record (LOG_LINE_MAX and its dictionary)."""
_MOST = 100_000
"""Records read at once: a kernel that writes faster than we read must not keep us."""
_LONGEST = 200
_ESCAPED = re.compile(r"\\x[0-9a-f]{2}")
_FAULTS = {
    "a machine check": (
        r"\[Hardware Error\]",
        r"\bmce: .*Machine check",
        r"\bMachine check (events|exception)",
        r"\bEDAC .*\b[CU]E\b",
    ),
    "a PCIe error": (r"\bAER: ", r"\bPCIe Bus Error\b", r"\bpcieport .*\bDPC: "),
    "a fault of a file system": (
        r"\bEXT4-fs error\b",
        r"\bEXT4-fs .*(Remounting filesystem read-only|previous I/O error)",
        r"\bXFS .*(I/O [Ee]rror|[Cc]orruption|[Ss]hutdown|shut down)",
        r"\bBTRFS (error|critical|alert|emergency)\b",
    ),
    "an I/O error": (
        r"\bI/O error\b",
        r"\bcritical (medium|target|space allocation|nexus) error\b",
        r"\b[Mm]edium [Ee]rror\b",
        r"\blost (a?sync )?page write\b",
    ),
    "an NVMe timeout or reset": (
        r"\bnvme.*\btimeout\b(?! set)",
        r"\bnvme.*(\breset(ting)?\b|\bis down\b|\bAbort )",
    ),
    "a fault of a SATA link": (
        r"\bata\d+(\.\d+)?: .*(exception Emask|failed command|SError: |COMRESET failed)",
        r"\bata\d+(\.\d+)?: .*((hard|soft) resetting link|limiting SATA)",
    ),
    "a hung task": (r"\bblocked (in I/O wait )?for more than \d+ seconds\b",),
    "a lockup": (
        r"\b([Ss]oft|[Hh]ard|workqueue) (lockup|LOCKUP)\b",
        r"\brcu.*\bstall(s|ed)?\b",
    ),
    "that memory ran out": (
        r"\boom-kill:|\binvoked oom-killer\b|\b[Oo]ut of memory: Kill",
        r"\bpage allocation failure\b",
    ),
    "an unstable clock": (r"\bTSC .*\bunstable\b", r"\b[Cc]locksource .*\b(unstable|skew)"),
    "a thermal limit": (
        r"\btemperature( is)? above threshold\b",
        r"\bcritical temperature reached\b",
    ),
    "a fault of its own": (r"^BUG: ", r"\bOops: ", r"\bkernel BUG at\b"),
}
"""What a fault is called, and how the kernel writes it: drivers/{block,nvme,ata,pci,edac}, mm, fs,
kernel/{hung_task,watchdog,rcu}, time/clocksource of Linux 4.19 to 6.18."""
_PATTERNS = tuple((name, re.compile("|".join(patterns))) for name, patterns in _FAULTS.items())


class KernelLog:
    """The kernel's log from now on."""

    def __init__(self, path: Path = Path("/dev/kmsg")) -> None:
        """Open it at its end; where that may not be, `blind` says why."""
        self.blind = ""
        self._file = -1
        try:
            self._file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
            os.lseek(self._file, 0, os.SEEK_END)
        except OSError as error:
            self.close()
            self.blind = f"the kernel's log: {path}: {error.strerror}"

    def close(self) -> None:
        """Give the file back."""
        if self._file >= 0:
            with suppress(OSError):
                os.close(self._file)
        self._file = -1

    def __del__(self) -> None:
        self.close()

    def skip(self) -> None:
        """Forget what was written so far."""
        if self._file >= 0:
            with suppress(OSError):
                os.lseek(self._file, 0, os.SEEK_END)

    def faults(self) -> tuple[tuple[str, str], ...]:
        """What the kernel reported since the last call or `skip`: a fault's name, and its line.

        Of each kind the first one.
        """
        found: dict[str, str] = {}
        for _ in range(_MOST if self._file >= 0 else 0):
            try:
                record = os.read(self._file, _LARGEST)
            except OSError as error:
                if error.errno == errno.EPIPE:
                    continue  # older records were overwritten meanwhile; the next read goes on
                break
            if not record:
                break
            text = kernel_text(record)
            if name := fault_in(text):
                found.setdefault(name, text[:_LONGEST])
        return tuple(found.items())


def kernel_text(record: bytes) -> str:
    """The line of a record of /dev/kmsg, if the kernel itself wrote it; else nothing.

    A record is `PRIORITY,SEQUENCE,MICROSECONDS,FLAGS;TEXT` and further lines of properties; the
    priority is facility * 8 + level.
    """
    head, _, text = record.partition(b";")
    priority = head.partition(b",")[0]
    if not priority.isdigit() or int(priority) >= 8:
        return ""
    shown = text.partition(b"\n")[0].decode("utf-8", "replace")
    return printable(_ESCAPED.sub("?", shown), "?")


def fault_in(text: str) -> str:
    """The kind of fault that a line of the kernel's reports; empty for none."""
    return next((name for name, pattern in _PATTERNS if pattern.search(text)), "")
