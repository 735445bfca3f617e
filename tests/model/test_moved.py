"""Facts that moved: which they are, and the one line that says so."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from recorded_machine import RecordedMachine

from gate.formats.host.host_file import about, facts_of
from gate.host.identity.identity import read_host
from gate.model.disturbance import TUNABLE, TUNED_FACTS, facts_tuned
from gate.model.host import Moved, changed_facts, describe_changed

tables = st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["1", "2", "unknown"]))


def test_what_one_side_lacks_is_unknown():
    """Absent and `unknown` are the same, so neither side can hide a fact by leaving it out."""
    assert changed_facts({"a": "1", "b": "unknown"}, {"c": "3"}) == (
        Moved("a", "1", "unknown"),
        Moved("c", "unknown", "3"),
    )


@given(tables, tables)
def test_either_way(theirs, ours):
    """Nothing moved between equal facts, and what moved one way moved the other way too."""
    assert changed_facts(ours, ours) == ()
    there = {(one.key, one.theirs, one.ours) for one in changed_facts(theirs, ours)}
    assert there == {(one.key, one.ours, one.theirs) for one in changed_facts(ours, theirs)}


def test_one_line():
    """Each fact is named with both values."""
    line = describe_changed(
        changed_facts({"kernel": "6.1", "microcode": "0x1"}, {"kernel": "6.8", "microcode": "0x2"})
    )
    assert line == "kernel 6.1 -> 6.8; microcode 0x1 -> 0x2"


def test_of_long_values_only_what_differs():
    """A command line of many words, and mitigations, show the part that moved."""
    before = "ro quiet mitigations=auto isolcpus=2,3 nohz_full=2,3 intel_idle.max_cstate=1"
    assert describe_changed(
        changed_facts({"line": before}, {"line": before.replace("=auto", "=off")})
    ) == ("line … mitigations=auto … -> … mitigations=off …")
    assert (
        describe_changed(changed_facts({"line": before}, {"line": f"{before} nosmt"}))
        == "line … -> … nosmt …"
    )
    states = "meltdown: PTI; retbleed: Untrained return thunk, SMT vulnerable; spectre_v1: swapgs"
    assert describe_changed(
        changed_facts({"m": states}, {"m": states.replace("meltdown: PTI; ", "")})
    ) == ("m … meltdown: PTI … -> …")


def test_a_word_more_often_and_another_order():
    """Words that stand twice are counted; the same words in another order are told as that."""
    long = "console=a quiet isolcpus=2,3 nohz_full=2,3 processor.max_cstate=1"
    assert (
        describe_changed(changed_facts({"l": long}, {"l": f"{long} quiet"})) == "l … -> … quiet …"
    )
    swapped = " ".join(reversed(long.split()))
    assert (
        describe_changed(changed_facts({"l": long}, {"l": swapped}))
        == "l one order -> another order"
    )


def test_a_line_stays_short():
    """A value of any length takes 120 characters at most."""
    (one,) = changed_facts({"a": "x" * 5000}, {"a": "y" * 5000})
    assert max(map(len, one.shown)) == 120


def test_every_fact_is_explained():
    """What the gate reads of a machine is what the table of reasons explains, tier by tier."""
    host = read_host(Path("/nowhere"), machine=RecordedMachine({}))
    assert host.stable.keys() == facts_of("stable").keys()
    assert host.epoch.keys() == facts_of("epoch").keys()
    assert "does not read" in about("something")


def test_tunings_name_facts_that_there_are():
    """What a tuning moves is an epoch fact, and each belongs to a tuning that there is."""
    assert TUNED_FACTS.keys() <= TUNABLE.keys()
    assert facts_tuned(tuple(TUNABLE)) <= facts_of("epoch").keys()
    assert facts_tuned(("governor",)) == {"governor", "epp", "tuned"}
    assert facts_tuned(()) == frozenset()
