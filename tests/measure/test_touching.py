"""What of a change the trials call: told by an extra run with probes, or why nobody knows."""

from __future__ import annotations

import errno
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest
from formats.refusal import refusal
from judge.build import session as made_session

from gate.errors import TrialFailed
from gate.linux import perf_event
from gate.linux.perf_event import NoCounters
from gate.measure import patch_coverage, trial
from gate.measure.process.stop import StopRequested
from gate.model import Changes, Ran, Side, Stage, TrialStatus

CHANGES = Changes(
    {"submit [d]": "changed", "setup [d]": "changed", "new [d]": "added", "old [d]": "removed"},
    "",
    identical=False,
)


TRIAL = made_session({"b": (1.0,)}).trials[0]


@pytest.fixture
def counted(monkeypatch):
    """Play what the extra run counts: calls, what has no probe, operations; or its failure."""

    def play(calls=None, missing=None, operations=50.0, failure=None):
        asked = []

        def run(_run, _side, _benchmark, functions):
            asked.extend(functions)
            if failure is not None:
                raise failure
            return calls or {}, missing or {}, operations

        monkeypatch.setattr(patch_coverage, "_count_calls", run)
        return asked

    return play


def look(side=Side.HEAD, changes=CHANGES):
    """What is told of a side; consistent in any case."""
    found = patch_coverage.measure_patch_coverage(
        changes, SimpleNamespace(), side, SimpleNamespace()
    )
    assert not refusal(found)
    return found


def test_calls_are_told_for_each_operation(counted):
    """Those that ran first; what was not called is among the functions, and not among the ran."""
    asked = counted({"submit [d]": 100, "setup [d]": 0, "new [d]": 3})
    found = look()
    assert asked == ["submit [d]", "setup [d]", "new [d]"]
    assert (found.count, found.executed, found.unknown) == (4, 2, "")
    assert list(found.functions) == ["submit [d]", "new [d]", "old [d]", "setup [d]"]
    assert found.ran["submit [d]"] == Ran(calls=100.0, per_operation=2.0)


def test_a_side_is_not_asked_for_what_it_lacks(counted):
    """Base has nothing that was added."""
    asked = counted({})
    look(Side.BASE)
    assert asked == ["submit [d]", "setup [d]", "old [d]"]


@pytest.mark.parametrize(
    ("play", "said"),
    [
        ({"failure": NoCounters("no kprobes")}, "calls were not counted: no kprobes"),
        ({"failure": TrialFailed("fio ended with 1")}, "calls were not counted: fio ended with 1"),
        ({"missing": {"setup [d]": "no such function"}}, "no probe in setup [d]: no such function"),
    ],
)
def test_what_was_not_counted_is_unknown(counted, play, said):
    """Never taken for a function that did not run: such a pass is not called empty."""
    counted(**play)
    assert look().unknown == said


def test_code_that_is_the_same_needs_no_run(counted):
    """Nothing differs: there is nothing to probe."""
    asked = counted(failure=AssertionError("nobody asked"))
    found = look(changes=Changes({}, "", identical=True))
    assert (asked, found.count, found.identical) == ([], 0, True)


def taken(monkeypatch, *, trials=(), changes=CHANGES):
    """A good trial after these, and the look at it; what stands in the session then."""
    made = TRIAL
    monkeypatch.setattr(trial, "make_trial", lambda *_, **__: made)
    kept = list(trials)
    session = SimpleNamespace(trials=trials, side=Side.HEAD, stage=Stage.CONFIRM)
    recorder = SimpleNamespace(session=session, add=kept.append)
    with suppress(StopRequested):
        benchmark = SimpleNamespace(name="b")
        trial.take_trial(SimpleNamespace(changes=changes, trees=None), recorder, benchmark)
    return kept


def test_a_session_is_looked_at_once(monkeypatch, counted):
    """After its first good trial, also where that is not its first; not again after a resume."""
    asked = counted({"submit [d]": 100})
    failed = replace(TRIAL, status=TrialStatus.FAILED, values=())
    *_, first = taken(monkeypatch, trials=(failed,))
    assert first.touch.executed == 1
    asked.clear()
    *_, second = taken(monkeypatch, trials=(failed, first))
    assert (asked, second.touch) == ([], None)


def test_a_trial_is_kept_where_the_look_at_it_is_interrupted(monkeypatch):
    """It was measured before."""

    def stopped(*_):
        raise StopRequested(2)

    monkeypatch.setattr(trial, "measure_patch_coverage", stopped)
    (kept,) = taken(monkeypatch)
    assert (kept.status, kept.touch) == (TrialStatus.OK, None)


def test_where_nothing_is_compared_nothing_is_looked_for(monkeypatch, counted):
    """One side alone changed nothing."""
    asked = counted({"submit [d]": 100})
    (kept,) = taken(monkeypatch, changes=None)
    assert (asked, kept.touch) == ([], None)


def test_a_kernel_without_probes_says_so(monkeypatch, tmp_path):
    """By the name of the option that it lacks."""
    monkeypatch.setattr(perf_event, "_KPROBE_TYPE", tmp_path / "type")
    with pytest.raises(NoCounters, match="CONFIG_KPROBE_EVENTS"):
        perf_event.CallCounts(["vfs_read"])


def test_functions_are_probed_by_name_on_every_processor(monkeypatch, tmp_path):
    """A module's by its name too, or else by its address, as Linux 6.8 finds it by that alone.

    One that has no probe on one processor has none at all.
    """
    (tmp_path / "type").write_text("9\n")
    text = "0 t submit\t[d]\n0 t submit\n0 t twice\n0 T gone\n0 t twice\n30 t late\t[e]\n"
    (tmp_path / "symbols").write_text(text)
    monkeypatch.setattr(perf_event, "_SYMBOLS", tmp_path / "symbols")
    monkeypatch.setattr(perf_event, "_KPROBE_TYPE", tmp_path / "type")
    monkeypatch.setattr(perf_event, "online", lambda: [0, 1])
    files, asked = iter(tmp_path / f"count{n}" for n in range(9)), []

    def opened(kind, cpu, *, pointer=0, address=0):
        name = perf_event.ctypes.string_at(pointer).decode() if pointer else hex(address)
        asked.append((kind, cpu, name))
        if name == "e:late":
            return -errno.ENOENT
        if name == "gone":
            return (
                -errno.ENOENT
                if cpu
                else perf_event.os.open(tmp_path / "type", perf_event.os.O_RDONLY)
            )
        path = next(files)
        path.write_bytes((21).to_bytes(8, "little"))
        return perf_event.os.open(path, perf_event.os.O_RDONLY)

    monkeypatch.setattr(perf_event, "open_counter", opened)
    counts = perf_event.CallCounts(["submit [d]", "gone", "twice", "late [e]"])
    assert counts.calls() == {"submit [d]": 42, "late [e]": 42}
    assert counts.missing == {
        "gone": "this kernel has no such function",
        "twice": "several functions have the name",
    }
    assert asked[0] == (9, 0, "d:submit")
    assert asked[-2:] == [(9, 1, "e:late"), (9, 1, "0x30")]
    counts.close()
