"""Names in braces: what a command of a profile leaves to be filled in."""

from __future__ import annotations

import re

TOKEN = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
"""A doubled brace, a name in braces (the group), or a brace without a partner."""


def names_in(template: str) -> frozenset[str]:
    """Every name in braces; doubled braces are plain ones and hold none."""
    return frozenset(match[1] for match in TOKEN.finditer(template) if match[1] is not None)
