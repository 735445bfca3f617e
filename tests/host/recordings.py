"""Real machines that were recorded, to be read again, whole or with one thing changed."""

from __future__ import annotations

import copy
import functools
import json
from pathlib import Path

from recorded_machine import RecordedMachine

from gate.host.identity.identity import read_host
from gate.host.identity.recording import WORK

PLACE = Path(__file__).parents[1] / "data/machines"
EXPECTED = PLACE / "expected.toml"
MACHINES = sorted(path.stem for path in PLACE.glob("*.json"))
LARGEST = 60 << 10
"""Bytes of a recording."""


@functools.cache
def _read(name):
    return json.loads((PLACE / f"{name}.json").read_text())


def recording(name):
    """A recording of one's own, to be changed."""
    return copy.deepcopy(_read(name))


def facts(data):
    """What a recording tells of its machine."""
    return read_host(WORK, machine=RecordedMachine(data))


@functools.cache
def play(name):
    """What a recorded machine is."""
    return facts(_read(name))
