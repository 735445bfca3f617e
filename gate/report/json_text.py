"""`report.json`: the report as it is, for programs. Field names are those of the model."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gate.model import Report

_UNSAFE = re.compile(r"[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")


def render_json(report: Report) -> str:
    r"""The whole report, nothing rounded, nothing left out.

    Characters that could steer a terminal are written as `\u` escapes: the same string to a
    parser, harmless to `cat`.

    Raises:
        ValueError: a number is not finite; the judge never lets one through.

    """
    text = json.dumps(asdict(report), allow_nan=False, indent=2, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n"
