"""Readiness of real machines: those that were recorded, and the one that runs the tests."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from host.readiness_machines import NAMES, answers, said

from gate.host.readiness.readiness import check_readiness, no_counter
from gate.linux.machine import ThisMachine, line
from gate.model.disturbance import Answer

RECORDED = Path(__file__).parents[1] / "data/machines"
REAL = {
    ("epyc-7451-2s", "governor"): (
        "unknown",
        "performance on 1 of 96 processors, the others do not report it",
    ),
    ("epyc-7451-2s", "cstates"): ("off", "enabled: C2 100 µs"),
    ("epyc-7451-2s", "smt"): ("off", "on (on)"),
    ("laptop-i7-1165g7", "governor"): ("off", "powersave on 8 of 8 processors"),
    ("laptop-i7-1165g7", "epp"): ("off", "balance_power on 8 of 8 processors"),
    ("laptop-i7-1165g7", "throttling"): ("ok", "1560 times since boot, none while looking"),
    ("dell-latitude-e6410", "governor"): ("off", "ondemand on 4 of 4 processors"),
    ("huawei-xa320-arm", "smt"): ("ok", "off (notimplemented)"),
}


def test_this_machine_answers_all_questions():
    """Of the machine that runs the tests every question has an answer; what is unfit has a cure."""
    found = check_readiness(
        ThisMachine(), Path.cwd(), sample=0.05, own=os.getpid(), count=no_counter
    )
    assert [one.name for one in found] == NAMES
    for one in found:
        assert one.value
        assert bool(one.cure) == (one.answer is not Answer.OK)
    aslr = Path("/proc/sys/kernel/randomize_va_space").read_text("ascii").strip()
    assert {one.name: one.value for one in found}["aslr"] == aslr


def test_a_setting_below_proc_sys_is_read():
    """The kernel refuses reads of 4 MiB below /proc/sys: settings are read in smaller pieces."""
    assert line(ThisMachine(), "/proc/sys/kernel/ostype") == "Linux"


def test_recorded_machines_answer():
    """Every recorded machine answers all questions, and what is not ok has a cure."""
    for path in sorted(RECORDED.glob("*.json")):
        found = answers(json.loads(path.read_text("utf-8")))
        assert list(found) == NAMES, path.name
        assert all(bool(f.cure) == (f.answer is not Answer.OK) for f in found.values()), path.name


@pytest.mark.parametrize("what", REAL, ids="-".join)
def test_real_machines_say_what_they_are(what):
    """Recorded machines of five kinds answer with the figures that stand in their files."""
    machine, name = what
    recording = json.loads((RECORDED / f"{machine}.json").read_text("utf-8"))
    assert said(answers(recording)[name]) == REAL[what]
