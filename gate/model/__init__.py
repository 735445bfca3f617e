"""The nouns of the project: frozen values, standard library only.

Every quantity is in base units (seconds, bytes, operations per second, ratio 1);
scaling happens once, when something is shown (`gate.units`).
"""

from gate.model.activation import (
    DEVICE_DISK,
    Activation,
    Guest,
    Machine,
    Metal,
    OneShot,
    Side,
    SubjectKind,
)
from gate.model.baseline import (
    AcceptedSession,
    Baseline,
    BaselinePoint,
    BaselineSeries,
    Lineage,
    UnearnedLevel,
    Waiver,
)
from gate.model.calibration import (
    Calibration,
    Ending,
    Plant,
    PlantedShare,
    Round,
    RoundPlan,
    Schedule,
    short_digest,
)
from gate.model.cpu import Contexts, Counters, CpuBill, IdleReference, Owners
from gate.model.disturbance import KINDS, UNSTEADY, Disturbance, Limits
from gate.model.host import UNKNOWN, EpochPolicy, Host, KnownHost, counted_host, without_kernel
from gate.model.metric import Better, Derived, Leeway, Metric, Role, Take
from gate.model.patch_coverage import (
    MOST_CHANGED,
    MOST_READ,
    Changes,
    FileReads,
    Ran,
    ReviewedTrees,
    Touch,
    Touched,
    TouchedFunction,
    Untouched,
)
from gate.model.plan import BACKGROUND_RATE, applies, is_loaded, parameters_of, plan_of
from gate.model.profile import (
    ALONE,
    ALWAYS_INHERITED,
    BY_INSTRUCTIONS,
    CLOCK,
    LOADED,
    RESERVED,
    UNTIMED,
    WORK_DONE,
    AllowedDevice,
    Background,
    Benchmark,
    Expectation,
    Need,
    Output,
    Profile,
    SideSpec,
    Steady,
    Storage,
    Trials,
    Work,
    is_untimed,
)
from gate.model.report import (
    BudgetStanding,
    Edit,
    Evidence,
    Finding,
    MoreTime,
    Paid,
    Report,
    SuitePromise,
)
from gate.model.report_rows import (
    Accepted,
    Alike,
    Bill,
    Difference,
    Latency,
    Level,
    LevelStanding,
    LevelState,
    Origin,
    Quantile,
    SetAside,
    Share,
    Sweep,
    SweepPoint,
    TextChange,
)
from gate.model.session import (
    MOST_FUNCTIONS,
    SCHEMA,
    Handover,
    Kernel,
    Percentiles,
    Planned,
    Session,
    Source,
    Stage,
    State,
    Subject,
    TimeBudget,
    Trial,
    TrialStatus,
    Value,
)
from gate.model.summary import Figures, MeanKind, Summary, SummaryRow
from gate.model.verdict import Verdict, join
