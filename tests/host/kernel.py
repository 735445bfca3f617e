"""A kernel made of a dictionary, for the rules; and one in a mount namespace, for the real thing.

`Kernel(files)` is a machine whose knobs can be read and turned: `kernel.use(monkeypatch)` lets the
gate turn them in this process. `Namespace(root)` starts gates that see directories of the test in
place of /var/lib and /sys/devices/system/cpu, and all else as it is.
"""

from __future__ import annotations

import errno
import os
import shlex

from recorded_machine import RecordedMachine

from gate.host.tuning import restore, sysctl_setting, tuning

CPU = "/sys/devices/system/cpu"
THP = "/sys/kernel/mm/transparent_hugepage/enabled"
NUMA = "/proc/sys/kernel/numa_balancing"
BOOT = "/proc/sys/kernel/random/boot_id"


class Kernel:
    """Knobs by path; what is written to one is what it shows, unless it refuses."""

    def __init__(self, files):
        self.files = {BOOT: "boot-1\n", f"{CPU}/online": "0-3\n", **files}
        self.refuses = {}
        """Path -> errno."""
        self.silent = set()
        """Paths that are there and cannot be read."""
        self.told = []
        """Every knob that was turned, in order."""

    def machine(self):
        machine = RecordedMachine({"files": self.files})
        read = machine.text
        machine.text = lambda path: "" if path in self.silent else read(path)
        return machine

    def value(self, setting, path):
        return sysctl_setting.value_at(self.machine(), setting, path)

    def turn(self, setting, path, value):
        if path in self.refuses:
            raise OSError(self.refuses[path], os.strerror(self.refuses[path]))
        if setting == sysctl_setting.SWAP:
            self._swap(path, value)
        elif path not in self.files:
            raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
        else:
            self.files[path] = f"{value}\n"
        self.told.append((path, value))

    def _swap(self, path, value):
        head, *rows = self.files["/proc/swaps"].splitlines()
        rows = [row for row in rows if row.split()[0] != path]
        if value != "off":
            priority = value.removeprefix("on ")
            chosen = [int(row.split()[4]) for row in rows]
            priority = str(min(-1, *chosen, 0) - 1) if priority == "auto" else priority
            rows.append(f"{path} file 1024 0 {priority}")
        self.files["/proc/swaps"] = "\n".join([head, *rows]) + "\n"

    def use(self, monkeypatch):
        for module in (tuning, restore):
            monkeypatch.setattr(module, "turn", self.turn)
            monkeypatch.setattr(module, "ThisMachine", self.machine)
        monkeypatch.setattr(restore, "is_missing", lambda path: path not in self.files)
        return self


class Namespace:
    """Gates that find a fake tree of processors and a state directory of their own."""

    def __init__(self, root):
        self.var, self.cpu = root / "var-lib", root / "cpu"
        self.var.mkdir(parents=True)
        for name, text in _FAKE.items():
            path = self.cpu / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "ascii")
        mounts = [
            f"mount --bind {shlex.quote(str(ours))} {theirs}"
            for ours, theirs in ((self.var, "/var/lib"), (self.cpu, CPU))
        ]
        script = " && ".join([*mounts, 'exec "$@"'])
        self.before = ("unshare", "-m", "--propagation", "private", "sh", "-c", script, "sh")
        """What stands before a command that is to run in there."""

    @property
    def journal(self):
        return self.var / "driftgate" / "tuning.json"

    def fake(self):
        """Every fake knob and its value; a shorter one leaves the rest of a longer one behind it."""
        texts = {name: (self.cpu / name).read_text("ascii") for name in KNOBS}
        return {name: text.partition("\n")[0] for name, text in texts.items()}


KNOBS = {
    "cpufreq/policy0/scaling_governor": "performance",
    "cpufreq/policy1/scaling_governor": "performance",
    "cpufreq/policy0/energy_performance_preference": "performance",
    "cpufreq/policy1/energy_performance_preference": "performance",
    "intel_pstate/no_turbo": "1",
}
"""The fake knobs, and what they are tuned to."""
_FAKE = {
    "online": "0-1\n",
    "possible": "0-1\n",
    "present": "0-1\n",
    "isolated": "\n",
    "cpu0/topology/thread_siblings_list": "0\n",
    "cpu1/topology/thread_siblings_list": "1\n",
    "cpu0/cpuidle/state1/latency": "2\n",
    "cpu1/cpuidle/state1/latency": "2\n",
    "intel_pstate/no_turbo": "0\n",
    **{
        f"cpufreq/policy{cpu}/{name}": text
        for cpu in (0, 1)
        for name, text in {
            "scaling_governor": "powersave\n",
            "scaling_available_governors": "performance powersave\n",
            "energy_performance_preference": f"balance_{('performance', 'power')[cpu]}\n",
            "energy_performance_available_preferences": (
                "default performance balance_performance balance_power power\n"
            ),
        }.items()
    },
}

FRESH = {name: _FAKE[name].strip() for name in KNOBS}
"""The fake knobs before anybody turns them."""
