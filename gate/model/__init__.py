"""The nouns of the project: frozen values, standard library only.

Every quantity is in base units (seconds, bytes, operations per second, ratio 1);
scaling happens once, when something is shown (`gate.units`).
"""

from gate.model.baseline import AcceptedSession, Baseline, BaselinePoint, BaselineSeries, Waiver
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
from gate.model.host import UNKNOWN, EpochPolicy, Host, KnownHost
from gate.model.metric import Better, Derived, Metric, Role, Take
from gate.model.plan import BACKGROUND_RATE, applies, is_loaded, parameters_of, plan_of
from gate.model.profile import (
    ALONE,
    LOADED,
    RESERVED,
    Background,
    Benchmark,
    Need,
    Output,
    Profile,
    SideSpec,
    Trials,
    Work,
)
from gate.model.readiness import Answer, Readiness
from gate.model.report import Evidence, Finding, Paid, Report, SuitePromise
from gate.model.session import (
    SCHEMA,
    Planned,
    Session,
    Side,
    Source,
    Stage,
    State,
    Subject,
    Trial,
    TrialStatus,
    Value,
)
from gate.model.storage import PRECONDITIONS, PREPARATIONS, AllowedDevice, Steady, Storage
from gate.model.summary import Figures, MeanKind, Summary, SummaryRow
from gate.model.verdict import Verdict, join

__all__ = [
    "ALONE",
    "BACKGROUND_RATE",
    "KINDS",
    "LOADED",
    "PRECONDITIONS",
    "PREPARATIONS",
    "RESERVED",
    "SCHEMA",
    "UNKNOWN",
    "UNSTEADY",
    "AcceptedSession",
    "AllowedDevice",
    "Answer",
    "Background",
    "Baseline",
    "BaselinePoint",
    "BaselineSeries",
    "Benchmark",
    "Better",
    "Calibration",
    "Contexts",
    "Counters",
    "CpuBill",
    "Derived",
    "Disturbance",
    "Ending",
    "EpochPolicy",
    "Evidence",
    "Figures",
    "Finding",
    "Host",
    "IdleReference",
    "KnownHost",
    "Limits",
    "MeanKind",
    "Metric",
    "Need",
    "Output",
    "Owners",
    "Paid",
    "Planned",
    "Plant",
    "PlantedShare",
    "Profile",
    "Readiness",
    "Report",
    "Role",
    "Round",
    "RoundPlan",
    "Schedule",
    "Session",
    "Side",
    "SideSpec",
    "Source",
    "Stage",
    "State",
    "Steady",
    "Storage",
    "Subject",
    "SuitePromise",
    "Summary",
    "SummaryRow",
    "Take",
    "Trial",
    "TrialStatus",
    "Trials",
    "Value",
    "Verdict",
    "Waiver",
    "Work",
    "applies",
    "is_loaded",
    "join",
    "parameters_of",
    "plan_of",
    "short_digest",
]
