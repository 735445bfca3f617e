"""What a session or report, or a part of one, is refused with where it is read back from a file."""

from __future__ import annotations

import json
from dataclasses import asdict

from gate.errors import InputError
from gate.formats.document import Document
from gate.formats.session.consistency import (
    curve_complaints,
    session_complaints,
    touch_complaints,
    why_complaints,
)
from gate.formats.session.report_consistency import report_complaints
from gate.model import Report, Session, Touch, Trial
from gate.model.diagnosis import Why

COMPLAINTS = {
    Report: report_complaints,
    Session: session_complaints,
    Trial: lambda trial: ((("latencies",), what) for what in curve_complaints(trial.latencies)),
    Touch: lambda touch: (((), what) for what in touch_complaints(touch)),
    Why: lambda row: why_complaints((row,)),
}


def refusal(value):
    """The sentences of the refusal; none where it is read."""
    text = json.dumps(asdict(value))
    document = Document(json.loads(text), text, "file", "json")
    try:
        document.refuse_any(COMPLAINTS[type(value)](document.validate(type(value))))
    except InputError as error:
        return error.message.removesuffix(".").split("; ")
    return []
