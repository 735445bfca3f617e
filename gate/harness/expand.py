"""`{side}` and `{param}` in the commands of a profile."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from gate.errors import InputError
from gate.model.braces import TOKEN
from gate.model.plan import parameters_of

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping

    from gate.harness.base import TrialContext


def expand(
    template: str,
    context: TrialContext,
    *,
    quoted: bool = True,
    more: Mapping[str, str] | None = None,
) -> str:
    """`template` with each name replaced; `{{` and `}}` stand for plain braces.

    With `quoted` each value is one word to a shell, whatever it holds. `more` are names beside
    the parameters of the profile and its benchmark.

    Raises:
        InputError: a name is unknown (`G233`), or there is no side directory (`G234`).
    """
    guard: Callable[[str], str] = shlex.quote if quoted else str
    values = {**parameters_of(context.profile, context.benchmark), **(more or {})}

    def filled(match: re.Match[str]) -> str:
        token, name = match[0], match[1]
        if token in ("{{", "}}"):
            return token[0]
        if name == "side":
            return guard(_side(context))
        if name in values:
            return guard(values[name])
        allowed = ", ".join(f"{{{known}}}" for known in ("side", *values))
        raise InputError(
            "G233",
            f"{token} in “{template}” stands for nothing.",
            place=context.profile.path,
            cure=f"Write one of {allowed}; a plain brace is written twice: {{{{ or }}}}.",
        )

    return TOKEN.sub(filled, template)


def own_environment(context: TrialContext) -> dict[str, str]:
    """The variables that the profile sets for this benchmark and side.

    Raises:
        InputError: as `expand`.
    """
    given = context.profile.work.environment.items()
    return {name: expand(text, context, quoted=False) for name, text in given}


def _side(context: TrialContext) -> str:
    if context.side_directory is not None:
        return str(context.side_directory)
    side = context.side.value
    raise InputError(
        "G234",
        f"{{side}} is used, but the {side} side has no directory.",
        place=context.profile.path,
        cure=f"Pass --{side} DIR, or declare [side.{side}] with a directory in the profile.",
    )
