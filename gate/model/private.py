"""What is nobody's business but its owner's: names of one machine, and what looks like a secret.

Sessions, baselines and reports are read by everybody who may read a repository.
"""

from __future__ import annotations

import re

_PATTERNS = {
    "uuid": r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    "mac": r"\b[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}\b",
    "id": r"\b(?:0x)?[0-9a-f]{32,}\b",
}
NAMES_ONE = re.compile("|".join(_PATTERNS.values()), re.IGNORECASE)
"""What names one machine or one part of it, and not a kind: UUIDs, MAC addresses, long ids."""
_LOGIN = r"://[^/\s@]*@"
"""A user, mostly with a password, in an address."""
SECRET_WORD = re.compile(
    r"password|passwd|passphrase|token|secret|credential|"
    r"(?<![a-z])(?:pwd|creds?|(?:auth|api|access|private)?[_-]?keys?|pin-(?:value|source))(?![a-z])|"
    + _LOGIN,
    re.IGNORECASE,
)
"""What tells a secret among words that programs chose: `iommu.passthrough` is none."""
_SECRET_VARIABLE = re.compile(r"pass|token|secret|key|auth|cred|pwd", re.IGNORECASE)
"""The same in a name that somebody chose freely, where too much is better than too little."""


def shown_variable(setting: str) -> str:
    """`NAME=VALUE` for everybody's eyes: `NAME=...` where it looks like a secret."""
    name, equals, value = setting.partition("=")
    secret = _SECRET_VARIABLE.search(name) or re.search(_LOGIN, value)
    return f"{name}=..." if equals and secret else setting
