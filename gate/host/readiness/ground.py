"""What every readiness check stands on: the machine, its processors, and how an answer is made.

A file that is absent answers `unknown`, never `ok`. In a virtual machine the hardware's own
settings are the hypervisor's: what a guest sees of them, it was shown.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from gate.linux.cpu_list import CPU, cpu_numbers
from gate.linux.machine import line
from gate.model.disturbance import Answer, Readiness

if TYPE_CHECKING:
    from gate.linux.machine import LinuxMachine

_MARKS = {"/.dockerenv": "docker", "/run/.containerenv": "podman"}
_CLOCK = "the hypervisor decides: ask its owner to hold the clock and to pin the virtual processors"
_HIDDEN = "the hypervisor hides it: ask its owner"


class MachineUnderCheck:
    """One machine under check; what is asked of it often is asked once."""

    def __init__(self, machine: LinuxMachine, measured: str = "") -> None:
        self.machine = machine
        self.measured = cpu_numbers(measured)
        """Processors that measure; none where nobody named them."""

    @cached_property
    def cpus(self) -> tuple[int, ...]:
        """Processors that are online."""
        return cpu_numbers(line(self.machine, f"{CPU}/online"))

    @cached_property
    def virtual(self) -> str:
        """The hypervisor, as far as it gives itself away; empty on bare metal."""
        answer = self.machine.ask("systemd-detect-virt", "--vm").strip()
        if answer and answer != "none":
            return answer
        flags = re.search(r"^flags\s*:.*$", self.machine.text("/proc/cpuinfo"), re.MULTILINE)
        if flags and " hypervisor" in flags[0]:
            return "virtual machine"
        return line(self.machine, "/sys/hypervisor/type")

    @cached_property
    def alone(self) -> bool:
        """Whether we see the kernel's own threads, as no container does.

        What an image left behind, such as /.dockerenv, is no proof of one: virtual machines are
        made of images too.
        """
        return self.line("/proc/2/comm") == "kthreadd"

    @cached_property
    def container(self) -> str:
        """The kind of container that we are in; empty where none is seen."""
        if self.alone:
            return ""
        answer = line(self.machine, "/run/systemd/container")
        return answer or next((n for path, n in _MARKS.items() if self.machine.real(path)), "")

    def line(self, path: str) -> str:
        """A file's first line; empty where there is none."""
        return line(self.machine, path)

    def of_cpus(self, file: str) -> dict[int, str]:
        """What each processor that is online says in a file of its own; the silent ones lack."""
        found = {cpu: line(self.machine, f"{CPU}/cpu{cpu}/{file}") for cpu in self.cpus}
        return {cpu: text for cpu, text in found.items() if text}

    def clock(self, missing: str) -> str:
        """What to do about a setting of the processors."""
        return _CLOCK if self.virtual else self.system(missing)

    def hidden(self, missing: str) -> str:
        """What to do about other hardware that a virtual machine does not have."""
        return _HIDDEN if self.virtual else self.system(missing)

    def system(self, cure: str) -> str:
        """What to do about the whole system, which a container must leave alone."""
        return f"on the container's host: {cure}" if self.container else cure


class ReadinessCheck:
    """One question of the list: what is wanted, why, and the three answers to it."""

    def __init__(self, name: str, wanted: str, why: str) -> None:
        self._name, self._wanted, self._why = name, wanted, why

    def ok(self, value: str) -> Readiness:
        """As it should be."""
        return self._answer(Answer.OK, value, "")

    def off(self, value: str, cure: str) -> Readiness:
        """Not as it should be."""
        return self._answer(Answer.OFF, value, cure)

    def unknown(self, value: str, cure: str) -> Readiness:
        """The machine does not report it."""
        return self._answer(Answer.UNKNOWN, value, cure)

    def unreported(self, cure: str) -> Readiness:
        """The machine has no such file, or nothing in it."""
        return self.unknown("not reported", cure)

    def _answer(self, answer: Answer, value: str, cure: str) -> Readiness:
        return Readiness(
            name=self._name,
            answer=answer,
            value=printable(value),
            wanted=self._wanted,
            why=self._why,
            cure=printable(cure),
        )


def printable(text: str, longest: int = 300) -> str:
    """One printable line: names of processes and disks are whatever somebody made them."""
    return "".join(c if c.isprintable() else "?" for c in text)[:longest]


def cpu_count_text(texts: dict[int, str], count: int) -> str:
    """What processors say, most frequent first: `powersave on 6 of 8 processors, ...`."""
    kinds = sorted(set(texts.values()), key=lambda one: (-list(texts.values()).count(one), one))
    shown = [f"{kind} on {list(texts.values()).count(kind)}" for kind in kinds[:3]]
    return f"{', '.join(shown)} of {count} processors"


def number(text: str) -> int | None:
    """A whole number as the kernel writes it; None where it is none."""
    try:
        return int(text)
    except ValueError:
        return None
