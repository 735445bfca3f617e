"""The configuration of a kernel as text, and the short digest that names it.

The text is that of `.config` with only the options that are set, sorted. Equal options give equal
bytes, and the digest of these tells whether two kernels were configured alike.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from gate.text import NAMES_ONE, SECRET_WORD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_OPTIONS = 30_000
"""Twice what a distribution's kernel sets."""
LONGEST_NAME = 200
LONGEST_VALUE = 500
_DIGITS = 16
_PREFIX = "CONFIG_"
_PRIVATE = re.compile(
    r".*CMDLINE|DEFAULT_HOSTNAME|BUILD_SALT|BOOT_CONFIG_EMBED_FILE|"
    r"INITRAMFS_SOURCE|EXTRA_FIRMWARE_DIR|MODULE_SIG_KEY|SYSTEM_(TRUSTED|REVOCATION)_KEYS|"
    r"SYSTEM_BLACKLIST_HASH_LIST|(IMA|EVM)_X509_PATH|CFG80211_EXTRA_REGDB_KEYDIR|"
    r"UNUSED_KSYMS_WHITELIST"
)
"""Options that say where, by whom or for which machine a kernel was built, and not what it does.

A built-in command line is among the words that the kernel was booted with.
"""
_PLACE = re.compile(r"/(home|root|Users)/")
_NAME = re.compile(rf"[A-Za-z0-9_]{{1,{LONGEST_NAME}}}", re.ASCII)


def config_text(config: Mapping[str, str]) -> str:
    """`CONFIG_X=y`, one option a line, sorted by name."""
    return "".join(f"{_PREFIX}{name}={config[name]}\n" for name in sorted(config))


def config_digest(config: Mapping[str, str]) -> str:
    """16 hexadecimal digits; empty for a configuration that is not known."""
    if not config:
        return ""
    return hashlib.sha256(config_text(config).encode()).hexdigest()[:_DIGITS]


def is_option(name: str, value: str) -> bool:
    """Whether this is an option that a line of text holds, and nothing else."""
    plain = bool(value) and value.isprintable() and value == value.strip()
    return plain and len(value) <= LONGEST_VALUE and _NAME.fullmatch(name) is not None


def public_options(config: Mapping[str, str]) -> dict[str, str]:
    """The options without those that name a person, a place or a machine, or hold a secret."""
    return {name: value for name, value in config.items() if not _is_private(name, value)}


def _is_private(name: str, value: str) -> bool:
    if _PRIVATE.fullmatch(name):
        return True
    return any(pattern.search(value) for pattern in (_PLACE, NAMES_ONE, SECRET_WORD))


def options_in(lines: Iterable[str]) -> dict[str, str]:
    """The options that lines of a `.config` set, sorted; what is none, or too long, is left out."""
    found: dict[str, str] = {}
    for line in lines:
        name, equals, value = line.strip().partition("=")
        if equals and name.startswith(_PREFIX) and is_option(name[len(_PREFIX) :], value):
            found[name[len(_PREFIX) :]] = value
            if len(found) == MOST_OPTIONS:
                break
    return dict(sorted(found.items()))
