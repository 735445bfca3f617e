"""The form of `profiles/<name>.toml`, as a person writes it and as its JSON Schema shows it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from gate.formats.document import Form
from gate.formats.profile.machines import GuestForm
from gate.formats.profile.subject import SubjectForm

Disturbing = Literal[
    "steal", "foreign_cpu", "foreign_io", "memory_pressure", "throttling", "kernel_log", "asleep"
]
"""The kinds of disturbance of the model."""


class MetricForm(Form):
    """`[metric.NAME]`: what a metric may lose."""

    role: Literal["gate", "watch"] = "gate"
    """`gate` may close the gate, `watch` is shown only."""
    tolerance: str = "5%"
    """The smallest loss that must not get in, e.g. "5%"."""
    negligible: str | None = None
    """A loss nobody should be blocked for; default a fifth of the tolerance."""
    floor: str | None = None
    """Absolute change that never closes the gate, e.g. "200 ns"."""
    of: str | None = None
    """A group's metric: the metric of the points that it is made of."""
    over: str | None = None
    """A group's metric: the matrix key whose values make the curve."""
    take: Literal["geomean", "scaling", "knee"] | None = None
    """A group's metric: geometric mean, last point over first, or where 9/10 are reached."""


class OutputForm(Form):
    """`[output.NAME]`: a figure that the command prints, and a metric of that name."""

    pattern: str
    """Regular expression with one group, the number; ^ and $ are ends of lines; fits once."""
    unit: str
    """As printed: "MB/s", "ms", "op/s"; "1" for a plain number."""
    better: Literal["lower", "higher"]
    """Which way is better."""


class ExpectForm(Form):
    """`[expect]`: how the command tells that it did its work; a trial that does not is broken."""

    status: int = Field(default=0, ge=0, le=255)
    """What the command ends with."""
    stdout: str | None = None
    """Regular expression that its output matches; ^ and $ are ends of lines."""
    figure: str | None = None
    """Regular expression with one group, a number that must not shrink: records, bytes, tests."""
    least: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    """What that number must be at least."""


class NeedForm(Form):
    """`[needs.PROGRAM]`: a program that the workload runs."""

    install: str
    """How it is installed: "apt install dbench"."""
    version: str | None = None
    """Command that prints its version first; without one a hash of the program stands in."""


class BackgroundForm(Form):
    """`[background]`: a load that runs during the trials."""

    command: str | None = None
    """A shell command, run again and again; `{side}` and parameters are expanded."""
    job: str | None = None
    """Or a native fio job file, relative to the profile, run until it is stopped."""
    least: str | None = None
    """Rounds or I/Os per second below which it does not count as running: "0.1 op/s"."""


class SteadyForm(Form):
    """`steady = { ... }`: when the storage counts as steady, by the trials' own values."""

    metric: str
    """The metric whose series is looked at."""
    window: int = Field(default=5, ge=3, le=100)
    """Trials looked at together."""
    range: str = "20%"
    """Largest spread of the window about its mean."""
    slope: str = "10%"
    """Largest move of the best line through the window."""
    limit: int = Field(default=25, ge=3, le=1000)
    """Trials after which a benchmark that is not steady fails."""


class StorageForm(Form):
    """`[storage]`: what state the storage must be in before a trial counts."""

    device: str | None = None
    """A device by its name in this machine's own allow-list, /etc/driftgate/devices.toml."""
    filesystem: Literal["ext4", "xfs", "btrfs"] | None = None
    """Made on the device and mounted as the work directory."""
    precondition: list[Literal["fill", "random"]] = []
    """Once, by capacity: write everything in order, then overwrite at random offsets."""
    prepare: list[Literal["fresh", "fstrim", "blkdiscard", "drop_caches", "remount", "mkfs"]] = []
    """Before every trial, not measured."""
    steady: SteadyForm | None = None
    """Trials are set aside until the storage is steady."""
    write_budget: str | None = None
    """Most that a check or run of the profile may write: "50 GiB"."""


class TrialsForm(Form):
    """`trials = { ... }`: how often a benchmark is measured."""

    screen: int = Field(default=3, ge=2, le=1000)
    """Trials of the head side in the screen."""
    confirm_pairs: int = Field(default=100, ge=9, le=1000)
    """Most pairs the confirmation may spend."""


class SideForm(Form):
    """`[side.base]` and `[side.head]`: how a side is activated."""

    dir: str | None = None
    """What `{side}` stands for, relative to the project root."""
    env: dict[str, str] = {}
    """Environment variables of this side."""


class SidesForm(Form):
    """`[side]`: the two sides of the subject."""

    base: SideForm | None = None
    """What was accepted before."""
    head: SideForm | None = None
    """The change."""


class ProfileForm(Form):
    """A driftgate profile: which harness runs what, and how much each metric may lose."""

    harness: Literal["fio", "hyperfine", "pytest-benchmark", "instructions", "replay"]
    """The program that measures."""
    about: str = ""
    """One sentence on what is measured."""
    job: str | None = None
    """fio: the native job file, relative to the profile."""
    command: str | None = None
    """hyperfine: the command; `{side}`, parameters and matrix keys in braces are expanded.
    instructions: a shell command in the guest, with `{operations}`."""
    shell: str = "none"
    """hyperfine: `none` runs the command directly, else the shell's name."""
    prepare: str | None = None
    """hyperfine: a shell command before every trial, not measured."""
    warmup: int = Field(default=0, ge=0, le=1000)
    """hyperfine: unmeasured executions before every trial."""
    output: dict[str, OutputForm] = {}
    """hyperfine: figures that the command prints."""
    expect: ExpectForm | None = None
    """hyperfine: how the command tells that it did its work."""
    operations: str | None = None
    """hyperfine: the output that counts the operations of a run; without one a run is one."""
    transferred: str | None = None
    """hyperfine: the output that counts the bytes of a run."""
    tests: list[str] | None = None
    """pytest-benchmark: test ids, each a benchmark: "bench/test_codec.py::test_encode"."""
    python: str | None = None
    """pytest-benchmark: the interpreter, relative to the project root if it has a slash."""
    directory: str | None = None
    """pytest-benchmark: where pytest starts; `{side}` is expanded."""
    arguments: list[str] = []
    """pytest-benchmark: further arguments."""
    replay: str | None = None
    """replay: the file of recorded values, relative to the profile."""
    benchmarks: list[str] | None = None
    """replay: the names in that file to play; a matrix makes them too."""
    parameters: dict[str, str | int | float] = {}
    """Fixed parameters: options of a fio job, names in braces; no part of a benchmark's name."""
    environment: dict[str, str] = {}
    """Variables for the harness and what it runs; `{side}` and parameters are expanded."""
    inputs: list[str] = []
    """Files of the project that make the benchmark and are not under test: "data/**"."""
    inherits: list[str] = []
    """Variables of the gate's own environment that the workload gets: "AMOUNT"."""
    matrix: dict[str, list[str | int | float]] = {}
    """Parameters to sweep; each combination is a benchmark. `load` and `cpus` are the gate's."""
    control: bool | list[str] = False
    """Benchmarks that the change cannot reach, or true for all: if one moves, the host moved."""
    trials: TrialsForm = TrialsForm()
    """How often each benchmark is measured."""
    timeout: str = "10 min"
    """After which a trial is killed and counts as failed."""
    loud: Literal["raise", "refuse"] | None = None
    """A metric too noisy for its tolerance is judged at up to 1.5 times that; "refuse" judges it
    at no other one, "raise" at up to `loud_ceiling`."""
    loud_ceiling: str | None = None
    """With `loud = "raise"`: the largest tolerance that any metric is judged at, e.g. "40%"."""
    needs: dict[str, NeedForm] = {}
    """Programs that the workload runs, by name or absolute path."""
    background: BackgroundForm | None = None
    """A load beside the trials: all of them, or those with `load` "loaded"."""
    companions: list[str] = []
    """Names of processes beside the trials that belong to the workload, such as a server."""
    expects: list[Disturbing] = []
    """Kinds of disturbance that the workload makes itself: they set no trial aside."""
    guest: GuestForm | None = None
    """instructions: the machine that runs the command."""
    subject: SubjectForm = SubjectForm()
    """What is under test: a directory, modules, a kernel, or what your own commands activate."""
    storage: StorageForm | None = None
    """What state the storage must be in, and how much may be written."""
    side: SidesForm = SidesForm()
    """The two sides of the subject, where both can run on this host."""
    metric: dict[str, MetricForm] = {}
    """The metrics to judge and watch."""
    size: dict[str, dict[str, Any]] = {}
    """Smaller sizes, for `--size NAME`: keys that replace those of the whole file."""
