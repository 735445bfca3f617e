"""fio options by what they can do, as `options.toml` lists them; what is in no list is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path

_LISTS = tomllib.loads(Path(__file__).with_name("options.toml").read_text(encoding="utf-8"))


def _words(name: str) -> frozenset[str]:
    return frozenset(_LISTS[name].split())


def _reasons(name: str) -> dict[str, str]:
    return {option: why for why, options in _LISTS[name].items() for option in options.split()}


ENGINES = _words("engines")
DEVICE_ENGINES = ENGINES - _words("engines_for_files")
MEMORY = _words("memory")
ALIASES: dict[str, str] = _LISTS["aliases"]
HARMLESS, PATHS, CHECKED = _words("harmless"), _words("paths"), _words("checked")
REFUSED, NOT_ON_DEVICES = _reasons("refused"), _reasons("not_on_devices")
KNOWN = HARMLESS | PATHS | CHECKED | REFUSED.keys()
"""Every option that is known here, by its usual name."""
