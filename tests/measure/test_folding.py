"""Recorded output of perf becomes stacks; whatever a workload calls itself, it makes no other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from judge.diagnosis.sample import SCRIPT, sampled

from gate.formats.session.session_file import folded_text
from gate.measure.perf import counted_in, folded_stacks, join_runs, rate_for
from gate.model import Side
from gate.model.diagnosis import DEEPEST


def test_samples_are_folded():
    """Outermost first; unknown callers once; rest left out; what ran before stands apart."""
    assert folded_stacks(SCRIPT.splitlines(keepends=True), frozenset({"99", "311"})) == {
        "fio;[unknown];__mmap;do_syscall_64;do_mmap;__mmap_region": 2,
        "kworker/0:1-eve;ret_from_fork_asm;loop_process_work": 1,
        "swapper;do_idle;handle_irq_event;virtblk_done": 1,
        "other processes;cc1;c_parser": 1,
        "odd name  [31m<b>;std::map<int, char>::at(int)": 1,
    }


def test_a_last_sample_without_an_end_counts():
    """The empty line after it may be missing."""
    assert folded_stacks(["dd  5 \n", "\t  fff  write\n"]) == {"dd;write": 1}


@given(st.text(max_size=200), st.text(max_size=50))
def test_whatever_is_printed_gives_plain_stacks(text, command):
    """No control character, no separator of its own, no stack deeper than allowed."""
    lines = [f"{command}  7 \n", *text.splitlines(keepends=True)]
    for stack, count in folded_stacks(lines).items():
        assert count > 0
        assert stack.isprintable()
        assert 0 < len(stack.split(";")) <= DEEPEST


def test_deep_stacks_lose_their_innermost_frames():
    """Recursion without an end is cut."""
    lines = ["dd  5 \n", *(f"\t fff f{n}\n" for n in range(500)), "\n"]
    (stack,) = folded_stacks(lines)
    assert stack.split(";")[:2] == ["dd", "f499"]
    assert len(stack.split(";")) == DEEPEST


def test_two_runs_of_a_side_are_added():
    """Samples, operations and seconds."""
    one, other = sampled(Side.HEAD, {"a;b": 2, "c": 1}), sampled(Side.HEAD, {"a;b": 3})
    both = join_runs(one, other)
    assert both.stacks == {"a;b": 5, "c": 1}
    assert (both.run.operations, both.run.seconds) == (2000, 4)
    assert join_runs(one, sampled(Side.HEAD, {}, None)).run.operations is None


def test_counters_of_perf(tmp_path):
    """What the machine does not count is left out."""
    file = tmp_path / "stat"
    file.write_text(
        "# started on Sun Nov 22 11:19:38 2026\n\n"
        "<not supported>;;cycles;0;100.00;;\n"
        "123456;;instructions;10;100.00;;\n"
        "<not counted>;;cache-misses;0;0.00;;\n"
        "3;;cpu-migrations;13650768;100.00;;\n7;;rm -rf;1;1;;\n²;;cycles;1;1;;\n"
    )
    assert counted_in(file) == {"perf: instructions": 123456, "perf: cpu-migrations": 3}
    assert counted_in(tmp_path / "absent") == {}


def test_a_long_run_is_looked_at_less_often():
    """Samples stay few enough to be read."""
    assert rate_for(0.0) == 997
    assert rate_for(1e6) == 49


def test_the_folded_format():
    """As other tools read it, most samples first."""
    assert folded_text(sampled(Side.BASE, {"a;b": 1, "c;d e": 7})) == "c;d e 7\na;b 1\n"
