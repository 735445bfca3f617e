"""`baselines/waivers.toml`: regressions somebody accepted for a while."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from pydantic import Field

from gate.formats import disk
from gate.formats.baseline.baseline_file import WAIVER_FILE
from gate.formats.document import Document, Form, read_toml
from gate.model import Waiver
from gate.units import parse_percent

if TYPE_CHECKING:
    from pathlib import Path

    from gate.errors import InputError


_LARGEST_CEILING = 5.0
"""As the largest tolerance: whoever lets more through removes the metric from the gate."""
_LONGEST_DAYS = 366
"""From the first day to the last: what holds for longer is no exception any more."""


class WaiverForm(Form):
    """`[[waiver]]`: one row, with a ceiling, a first and a last day, an issue and a reason."""

    profile: str
    benchmark: str
    metric: str
    ceiling: str
    since: str
    expires: str
    issue: str = Field(min_length=1)
    reason: str = Field(min_length=1)


class WaiversForm(Form):
    """The whole file."""

    waiver: list[WaiverForm] = []


def read_waivers(directory: Path) -> tuple[Waiver, ...]:
    """The waivers of a baseline directory; none where there is no file."""
    path = directory / WAIVER_FILE
    if disk.is_absent(path):
        return ()
    document = read_toml(path, "profile")
    form = document.validate(WaiversForm)
    waivers = tuple(_waiver(one, i, document) for i, one in enumerate(form.waiver))
    rows = [one.row for one in waivers]
    for i, row in enumerate(rows):
        if row in rows[:i]:
            message = f"{' '.join(row)[:200]} is waived twice."
            raise document.wrong(message, "waiver", i, cure="Keep one of the two.")
    return waivers


def _waiver(form: WaiverForm, index: int, document: Document) -> Waiver:
    def wrong(key: str, error: ValueError | str) -> InputError:
        return document.wrong(f"{key}: {error}.", "waiver", index, key)

    try:
        ceiling = parse_percent(form.ceiling)
    except ValueError as error:
        raise wrong("ceiling", error) from error
    if not 0 < ceiling <= _LARGEST_CEILING:
        raise wrong("ceiling", f"must be above 0% and at most {_LARGEST_CEILING:.0%}")
    if not form.reason.strip():
        raise wrong("reason", "says nothing")
    days: dict[str, date] = {}
    for key in ("since", "expires"):
        try:
            days[key] = date.fromisoformat(getattr(form, key))
        except ValueError as error:
            raise wrong(key, error) from error
    since, expires = days["since"], days["expires"]
    if since > expires:
        raise wrong("since", f"{since} lies behind the last day, {expires}")
    if (expires - since).days > _LONGEST_DAYS:
        raise wrong("expires", f"must lie at most {_LONGEST_DAYS} days after since, {since}")
    dates = {"since": since.isoformat(), "expires": expires.isoformat()}
    return Waiver(**form.model_dump() | dates | {"ceiling": ceiling})
