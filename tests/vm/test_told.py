"""From what a guest told and the plugin counted to values, or to why there are none."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from vm.made import RELEASE, VERSION, module, write_side

from gate.errors import TrialFailed, TrialTimeout
from gate.harness.base import Outcome
from gate.harness.guest.instructions import answers_of_guest, functions, runs, values
from gate.harness.guest.side_boot import demand_proof
from gate.vm.build import GuestFiles
from gate.vm.guest_output import fault_of, read_answers, read_counts
from gate.vm.image import find_image, read_image
from gate.vm.modules import ModuleTree
from gate.vm.symbols import Symbols, by_function

RECORDED = Path(__file__).parent / "recorded"
ENDED = Outcome(status=0, output="", errors="", timed_out=False, duration=9.0)
COUNTS = """begin
block ffffffff81000010 40
block ffffffff81000080 60
end 100 7
begin
block ffffffff81000010 340
block ffffffff81000080 560
end 900 27
"""


def recorded(name):
    """The answers or the console of a boot of Debian's 6.1 kernel."""
    return (RECORDED / name).read_text()


def test_a_boot_that_went_well_is_told_in_full():
    """Proof twice, both modules, three steps, and the modules' symbols."""
    answers = answers_of_guest(recorded("base.answers"), recorded("base.console"), ENDED)
    assert answers.releases == ["6.1.0-56-cloud-amd64"] * 2
    assert answers.build_ids == ["3b43fad5034874490492495d552c0af6a5fab235"] * 2
    assert [*answers.modules] == ["configfs", "null_blk"]
    assert {name: status for name, (status, _) in answers.steps.items()} == {
        "warm": 0,
        "short": 0,
        "long": 0,
    }
    assert "null_handle_cmd" in answers.symbols


def test_a_module_that_does_not_load_is_quoted():
    """By the first that insmod said."""
    with pytest.raises(TrialFailed, match=r"the module null_blk does not load: .*insmod"):
        answers_of_guest(recorded("noload.answers"), "", ENDED)


def test_a_panic_is_quoted():
    """With the lines that follow, without their time stamps."""
    with pytest.raises(TrialFailed) as caught:
        answers_of_guest(recorded("panics.answers"), recorded("panics.console"), ENDED)
    assert str(caught.value).startswith(
        "the kernel panicked: Kernel panic - not syncing: null_blk: planted panic / CPU: 0 PID: "
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("BUG: KASAN: use-after-free in null_handle_cmd", "found a fault of memory"),
        ("BUG: KFENCE: use-after-free read in null_queue_rq", "found a fault of memory"),
        ("BUG: sleeping function called from invalid context", "found a fault of locking"),
        ("BUG: unable to handle page fault for address: 0", "has a fault of its own"),
        ("WARNING: possible circular locking dependency detected", "found a fault of locking"),
        ("rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:", "stalled"),
        ("INFO: task dd:99 blocked for more than 120 seconds.", "stalled"),
        ("WARNING: CPU: 0 PID: 1 at block/blk-mq.c:300", "warned"),
    ],
)
def test_a_kernel_that_complains_gives_no_value(line, words):
    """Also where the guest came to its end and everything was counted."""
    console = f"[    1.000000] early line\n[   11.5{words[:0]}] {line}\n"
    assert fault_of(console) == f"the kernel {words}: {line}"
    with pytest.raises(TrialFailed, match=words):
        answers_of_guest(recorded("base.answers"), console, ENDED)


def test_a_calm_console_tells_of_no_fault():
    """The recorded console of a good boot."""
    assert fault_of(recorded("base.console")) == ""


@pytest.mark.parametrize("at", range(0, 2800, 200))
def test_answers_that_end_early_are_no_trial(at):
    """Wherever the guest stopped talking, there is no value."""
    with pytest.raises(TrialFailed):
        answers_of_guest(recorded("base.answers")[:at], "", ENDED)


def test_a_step_that_failed_says_what_it_said():
    """Its status, and the last line of its output."""
    text = "begin 1\nrelease x\nstep short=3 Z29uZQo=\nend 1\n"
    with pytest.raises(TrialFailed, match="the short run ended with 3: gone"):
        answers_of_guest(text, "", ENDED)


def test_a_status_that_is_no_number_is_no_end_of_a_step():
    """A guest may say what it likes: a digit that is not decimal ends nothing, and breaks nothing."""
    assert read_answers("begin 1\nstep short=² Z29uZQo=\n").steps == {}


def test_a_killed_guest_says_what_it_was_at():
    """A hang tells in which step, or that the kernel never came up."""
    late = replace(ENDED, timed_out=True, duration=60.04)
    with pytest.raises(TrialTimeout) as hung:
        answers_of_guest("begin 1\nat long\n", "[ 1.0] last words\n", late)
    assert str(hung.value) == (
        "the guest was killed after 60.0 s, while it was at long: its time was up; "
        "it said last: last words"
    )
    with pytest.raises(TrialTimeout, match="before its kernel had booted"):
        answers_of_guest("", "", late)


@pytest.fixture
def guest(tmp_path):
    """A side that was laid out, with one module."""
    write_side(tmp_path, [("made", "")])
    image, _ = read_image(find_image(tmp_path))
    modules = ModuleTree(tmp_path, image.release).loaded(["made"])
    return GuestFiles(image=image, modules=modules, kernel=tmp_path, archive=tmp_path)


def right(guest):
    """What that side would tell."""
    answers = read_answers("")
    answers.releases, answers.versions = [RELEASE] * 2, [VERSION] * 2
    answers.build_ids, answers.modules = ["ab" * 20] * 2, {"made": "cd" * 20}
    return answers


def test_a_side_is_proven_before_and_after(guest):
    """The right one passes; each single difference, at either time, refuses it."""
    demand_proof(right(guest), guest)
    for name in ("releases", "versions", "build_ids"):
        for at in (0, 1):
            answers = right(guest)
            getattr(answers, name)[at] = "other"
            with pytest.raises(TrialFailed, match=r"the side is not proven: .* is other"):
                demand_proof(answers, guest)
        answers = right(guest)
        getattr(answers, name).pop()
        with pytest.raises(TrialFailed, match=r"reported its .* 1 times"):
            demand_proof(answers, guest)


def test_a_module_is_proven_by_its_build_id(guest):
    """Another module of that name, or none, is not the side."""
    answers = right(guest)
    answers.modules = {"made": "ee" * 20}
    with pytest.raises(TrialFailed, match="the loaded module made has the build-id"):
        demand_proof(answers, guest)
    answers.modules = {}
    with pytest.raises(TrialFailed, match="made was not loaded"):
        demand_proof(answers, guest)
    assert module() == guest.modules[0].content


def test_what_one_operation_costs_is_the_slope():
    """Starting the command is in both runs, so that it costs nothing."""
    found = {one.metric: one.value for one in values(*runs(COUNTS), (10, 50))}
    assert found == {
        "kernel_instructions_per_io": 20.0,
        "user_instructions_per_io": 0.5,
        "kernel_instructions": 900.0,
        "user_instructions": 27.0,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "counted 0 runs"),
        (COUNTS[:60], "counted 1 runs|cannot be read"),
        (COUNTS * 2, "counted 4 runs"),
        ("begin\nend 5 5\nbegin\nend 5 6\n", "does not do more of them"),
        ("begin\nend 5 5\nbegin\nend 6 5\n", "does not do more of them"),
        ("nonsense\n", "cannot be read"),
        ("begin\nend x y\n", "cannot be read"),
    ],
)
def test_counts_that_are_no_measurement_give_no_value(text, words):
    """Missing, double, flat and unreadable ones."""
    with pytest.raises(TrialFailed, match=words):
        values(*runs(text), (10, 50))


def test_instructions_are_told_by_function():
    """An address belongs to the last function that begins at or before it."""
    symbols = Symbols("ffffffff81000000 T one\nffffffff81000080 t two [mod]\n0 A none\n")
    (_, long) = read_counts(COUNTS)
    assert by_function(long.blocks, symbols) == {"one": 340, "two [mod]": 560}
    assert symbols.name(5) == "unknown"


def test_functions_take_what_an_operation_costs():
    """Their sum is the metric; what has no name is told as such, and few are kept."""
    symbols = "ffffffff81000000 T one\nffffffff81000080 t two [mod]\n"
    found = functions(*runs(COUNTS), (10, 50), symbols)
    assert found == {"two [mod]": 12.5, "one": 7.5}
    assert functions(*runs(COUNTS), (10, 50), "") == {"unknown": 20.0}
    begin, end = 0xFFFFFFFF81000000, 300
    blocks = "".join(f"block {begin + 16 * n:x} {4 * (n + 1)}\n" for n in range(end))
    many = "begin\nend 0 0\nbegin\n" + blocks + f"end {4 * 300 * 301 // 2} 9\n"
    names = "".join(f"{begin + 16 * n:x} t f{n}\n" for n in range(end))
    kept = functions(*runs(many), (1, 5), names)
    assert len(kept) == 100
    assert kept["f299"] == 300.0
    assert sum(kept.values()) == 300 * 301 / 2
