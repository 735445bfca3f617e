"""fio's job file as text: its lines as fio reads them, and the matrix written into it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.harness.fio.options import ALIASES, KNOWN
from gate.model import RESERVED
from gate.model.plan import parameters_of
from gate.model.profile import names_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gate.model import Benchmark, Profile

VARIABLE = re.compile(r"\$\{([^}]*)\}")
"""What fio replaces by a variable of the environment."""
_COMMENT = re.compile(r"[;#].*", re.DOTALL)
_BLANK = " \t\r"


@dataclass(frozen=True, slots=True, kw_only=True)
class JobLine:
    """One line of a job file that is neither blank nor a comment."""

    number: int
    """From 1."""
    content: str
    """Without comment and surrounding blanks."""

    @property
    def section(self) -> str | None:
        """The section that this line opens; None for an option."""
        return self.content[1:-1] if self.content.startswith("[") else None

    @property
    def opens_job(self) -> bool:
        """Whether it opens a job: a section whose first six letters are `global` is of defaults."""
        return self.section is not None and not self.section.startswith("global")

    @property
    def option(self) -> tuple[str, str]:
        """Name (the usual one, where fio knows two) and value of an option; values may lack."""
        return split_option(self.content)


def split_option(content: str) -> tuple[str, str]:
    """`bs = 4k` as (`bs`, `4k`)."""
    name, _, value = content.partition("=")
    name = name.strip(_BLANK)
    return ALIASES.get(name, name), value.strip(_BLANK)


def lines_of(text: str) -> list[JobLine]:
    """Find the lines that count, as fio's own reader finds them."""
    # fio ends a line at either comment sign wherever it stands; there is no quoting.
    contents = (_COMMENT.sub("", raw).strip(_BLANK) for raw in text.split("\n"))
    numbered = enumerate(contents, start=1)
    return [JobLine(number=number, content=content) for number, content in numbered if content]


def job_options(profile: Profile, benchmark: Benchmark) -> dict[str, str]:
    """The parameters that are options of the job: no other part of the trial uses them."""
    elsewhere = {*RESERVED, *_used_elsewhere(profile)}
    every = parameters_of(profile, benchmark)
    return {name: value for name, value in every.items() if name not in elsewhere}


def torn_options(profile: Profile, benchmark: Benchmark) -> list[str]:
    """Parameters that another part of the trial uses, and that are options of fio by their name.

    They would stop being options in silence: whoever swept them would measure one point many times.
    """
    lines = lines_of(profile.work.job_text or "")
    in_job = {line.option[0] for line in lines if line.section is None}
    used = _used_elsewhere(profile) - {*RESERVED}
    return [
        name
        for name in parameters_of(profile, benchmark)
        if name in used and ALIASES.get(name, name) in KNOWN | in_job
    ]


def _used_elsewhere(profile: Profile) -> set[str]:
    texts = [*profile.work.environment.values()]
    if profile.background is not None:
        texts.append(profile.background.command or "")
    return {name for text in texts for name in names_in(text)}


def effective_job(text: str, overrides: Mapping[str, str]) -> str:
    """Write the matrix values into the job.

    A value replaces the option wherever it stands, in every section. One that stands nowhere
    becomes a default for all jobs, in [global], which is made where there is none.
    """
    return "\n".join(row for _, row in numbered_job(text, overrides))


def numbered_job(text: str, overrides: Mapping[str, str]) -> list[tuple[int, str]]:
    """Give the lines of the effective job, each with its number in `text`; 0 for a new line."""
    wanted = {ALIASES.get(name, name): (name, value) for name, value in overrides.items()}
    rows = list(enumerate(text.split("\n"), start=1))
    met: set[str] = set()
    lines = lines_of(text)
    for line in lines:
        name = line.option[0]
        if line.section is None and name in wanted:
            rows[line.number - 1] = (line.number, "=".join(wanted[name]))
            met.add(name)
    new = [(0, "=".join(pair)) for name, pair in wanted.items() if name not in met]
    if new:
        # Defaults hold for the jobs below them only, so they must stand above the first job.
        first = lines[0] if lines else None
        if first is not None and first.section is not None and not first.opens_job:
            rows[first.number : first.number] = new
        else:
            rows[:0] = [(0, "[global]"), *new]
    return rows
