"""Reports: the judgement of one suite, complete enough that a renderer looks nothing up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import MaxLen

from gate.model.bounds import Amount, Natural, Strict
from gate.model.calibration import Calibration
from gate.model.diagnosis import MOST_WHYS, Why
from gate.model.host import Host
from gate.model.metric import Better, Role
from gate.model.patch_coverage import Touched
from gate.model.report_rows import (
    Accepted,
    Alike,
    Bill,
    Difference,
    Latency,
    Level,
    LevelStanding,
    Origin,
    SetAside,
    Sweep,
    TextChange,
)
from gate.model.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Strict):
    """The numbers behind a finding, in the metric's base unit, for plots and tables."""

    baseline: tuple[tuple[float, ...], ...] = ()
    """Accepted sessions of the current epoch, oldest first, each its values in trial order."""
    baseline_sessions: tuple[str, ...] = ()
    """Names of those sessions, aligned with `baseline`."""
    head: tuple[float, ...] = ()
    """Screen trials of the head side in run order."""
    pairs_base: tuple[float, ...] = ()
    """Base values of the complete pairs, in the order in which the pairs ran."""
    pairs_head: tuple[float, ...] = ()
    """Head values, aligned with `pairs_base`."""
    strikes: tuple[tuple[float, ...], ...] = ()
    """Further head sessions, where the base side could not be run."""
    earlier: tuple[Level, ...] = ()
    """Accepted sessions of earlier epochs, oldest first."""
    epoch: Natural = 0
    """Number of the current epoch; the first session of `baseline` is its anchor. 0 without one."""
    aside: tuple[float, ...] = ()
    """Head values of trials that were set aside: shown, never counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paid(Strict):
    """What one payer of a cost paid on each side of an operation."""

    context: str
    """Whose tasks, or what the processors did: `kernel threads (loop)`, `soft interrupts`."""
    base: float
    """Median of the base trials of the pairs."""
    head: float
    unit: str = "s"
    """CPU-seconds, or `1` for instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreTime(Strict):
    """What a metric that the time budget left open is likely to need until it is decided."""

    pairs: Natural = 0
    """None where only the head can run."""
    seconds: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetStanding(Strict):
    """Where the time budget of a check stood at its end."""

    seconds: Amount
    """What the whole check might take."""
    spent: Amount
    """When the last session was done; judging comes after."""
    left_open: Natural
    """Metrics that it left open."""
    more: Amount
    """Seconds more that are likely to decide them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding(Strict):
    """The judgement of one metric with its evidence and advice."""

    code: str
    """`G060`; `gate explain CODE` prints its page."""
    profile: str
    benchmark: str
    metric: str
    verdict: Verdict
    role: Role
    headline: str
    """One sentence: what moved, by how much, how sure."""
    advice: str
    """What to do about it."""
    unit: str
    better: Better
    loss: float | None = None
    """Relative worsening, positive = worse whichever way is better; absent when undefined."""
    loss_low: float | None = None
    """Lower end of the interval of the loss; absent when the data give none."""
    loss_high: float | None = None
    base_value: float | None = None
    """Centre of the base side in the metric's unit."""
    head_value: float | None = None
    trials_base: int = 0
    """Independent trials of the base side that entered (baseline and pairs)."""
    trials_head: int = 0
    sessions_base: int = 0
    """Baseline sessions that entered."""
    method: str = "none"
    """`screen`, `pairs`, `strikes`, `summary` or `none`."""
    confidence: float | None = None
    """Level of the interval, e.g. 0.99."""
    tolerance: float = 0.0
    """The tolerance asked for."""
    tolerance_used: float = 0.0
    """The tolerance judged by; larger than `tolerance` when the metric is too noisy for it."""
    ceiling: float | None = None
    """The largest tolerance that anything is judged at, where the profile states one."""
    negligible: float = 0.0
    can_detect: float | None = None
    """Smallest tolerance that the metric can hold here; never above what was just proven."""
    path: tuple[str, ...] = ()
    """The decision, step by step, in sentences."""
    warnings: tuple[str, ...] = ()
    """What qualifies the numbers of this finding."""
    evidence: Evidence = Evidence()
    level: LevelStanding | None = None
    """Absent where only the head can run: then the verdict itself is about the level."""
    paid: tuple[Paid, ...] = ()
    """Who paid more or less, largest move first; for a CPU cost that pairs were taken of."""
    more_time: MoreTime | None = None
    """What would decide it; only where the time budget left it open."""


FILE_VERBS = {"A": "added", "D": "removed"}
"""What became of a file that runs the gate, by the letter that git gives it."""
FILE_EDITED = "edited"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit(Strict):
    """A change to what the gate judges by, made in the tree that is judged: not in force here."""

    code: str
    """`G070`; `gate explain CODE` prints its page."""
    profile: str
    benchmark: str = ""
    """Empty where the edit concerns the whole profile, or no profile at all."""
    metric: str = ""
    before: str
    """As a reader would write it: `5 %`; empty where there was none."""
    after: str
    """Empty where it was taken away."""
    headline: str
    """One sentence: `tolerance of iops 5 % -> 50 %`."""
    advice: str
    loosens: bool
    """Whether more would get in, once it is merged; True where that is not known."""

    @property
    def is_of_file(self) -> bool:
        """Whether it is of a file that may run the gate and is still there."""
        still_there = {FILE_VERBS["A"], FILE_EDITED, ""}
        return self.code == "G082" and not self.profile and self.after in still_there


@dataclass(frozen=True, slots=True, kw_only=True)
class SuitePromise(Strict):
    """What the verdicts of this report hold to."""

    alpha: float
    """Bound on the chance that an unchanged suite is called regressed."""
    beta: float
    """Bound on the chance that a loss of the tolerance passes."""
    metrics_judged: int
    """Gate metrics that were compared."""
    metrics_flagged: int
    """Of these, the ones that the screen could not clear."""
    replayed: int = 0
    """Accepted sessions that were replayed as if they were a head's; none where pairs decide."""
    replayed_regressed: int = 0
    """Of these, the ones that would have been called regressed, though nothing was changed."""
    replayed_limit: float = 1.0
    """Upper limit of the true share of such sessions, 95 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Strict):
    """The judgement of one suite on one host."""

    schema: int
    gate: str
    """`open` or `closed`."""
    verdict: str
    """The worst verdict of the gate metrics."""
    exit_status: int
    headline: str
    """The first line of every rendering: counts, host, confidence."""
    created: str
    """UTC, ISO 8601."""
    profiles: tuple[str, ...]
    findings: tuple[Finding, ...]
    """Worst first, then by profile, benchmark and metric."""
    host: Host | None
    tools: dict[str, str]
    """Tools of the sessions judged, and the gate's own version."""
    notes: tuple[str, ...]
    """What a reader must know of the whole: filters, imports, missing promises."""
    promise: SuitePromise
    subjects: dict[str, str] = field(default_factory=dict)
    """What was under test, by profile and side: `build head`."""
    conditions: tuple[str, ...] = ()
    """How the host was while it measured: tuned, disturbed, and where its controls stand."""
    edits: tuple[Edit, ...] = ()
    """What the tree judged changes of profiles, baselines, waivers and host files; loosening first.
    Empty where the tree was not compared with its merge base."""
    accepted: tuple[Accepted, ...] = ()
    """The accepted sessions that the findings' histories name, by profile, oldest first."""
    bills: tuple[Bill, ...] = ()
    """CPU cost of each benchmark that keeps one, by profile and benchmark."""
    latencies: tuple[Latency, ...] = ()
    """By profile, benchmark and kind."""
    sweeps: tuple[Sweep, ...] = ()
    """By profile, group and metric."""
    differences: tuple[Difference, ...] = ()
    """What else was not alike on both sides, by area."""
    alike: tuple[Alike, ...] = ()
    """What was compared and did not differ, so that no difference means something."""
    changes: tuple[TextChange, ...] = ()
    """Profiles that the change edits; only where the tree was compared with its merge base."""
    aside: tuple[SetAside, ...] = ()
    """Every trial that was set aside."""
    origin: Origin | None = None
    """Absent where it is not known where the change comes from."""
    calibration: Calibration | None = None
    """How often the gate was right on this host class; absent where it was never calibrated."""
    why: Annotated[tuple[Why, ...], MaxLen(MOST_WHYS)] = ()
    """What moved with a regression, in extra runs that no verdict uses; worst first."""
    touched: Annotated[tuple[Touched, ...], MaxLen(1000)] = ()
    """Whether the workload executed what was changed, by profile; where that was looked for."""
    budget: BudgetStanding | None = None
    """Absent where the check might take as long as it needed."""
