"""The switch of a profile's subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.model import SubjectKind
from gate.subject.custom import Custom
from gate.subject.metal import Metals
from gate.subject.module import Modules

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from gate.model import Profile, Side
    from gate.subject.command import ActiveSide
    from gate.subject.switch import Run, Switch


def switch_of(
    profile: Profile, sides: Mapping[Side, ActiveSide], run: Run, state: Path
) -> Switch | None:
    """What brings a side into force; None where there is nothing to activate.

    `state` is the directory that outlives a killed gate.

    Raises:
        InputError: G265 or G267, a side can never be activated here.
    """
    match profile.subject.kind:
        case SubjectKind.MODULE:
            modules = Modules(profile.subject, run, state)
            modules.check(sides, profile.path)
            return modules
        case SubjectKind.KERNEL if profile.subject.metal is not None:
            metals = Metals(profile, state)
            metals.check(sides)
            return metals
        case SubjectKind.CUSTOM:
            return Custom(profile.subject, run)
        case _:
            return None
