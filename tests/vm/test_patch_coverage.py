"""Which changed functions a trial executed, from addresses to the sentence of a report."""

from __future__ import annotations

from dataclasses import replace

import pytest
from formats.refusal import refusal
from judge.build import at, decide, only, outcome, pair_sessions, reviewed, session
from vm.made import RELEASE, bzimage, elf, kernel, write_side

from gate.formats.profile.machines import run_in_guest
from gate.harness.guest.instructions import patch_coverage
from gate.judge.context.patch_coverage import CODE
from gate.model import Activation, Changes, Guest, Ran, SubjectKind, Touch, Untouched, Work
from gate.report.html.html import render_html
from gate.report.markdown.markdown import render_summary
from gate.report.text.text import render_text
from gate.report.wording.links import Links
from gate.review.edits_profile import profile_edits
from gate.vm.changes import NAME, changes_between, executed_functions, read_recorded, recorded_text
from gate.vm.guest_output import Interval
from gate.vm.symbols import Symbols

SYMBOLS = """ffffffff81000000 T first
ffffffff81000100 t same
ffffffff81000200 t same
ffffffff81000300 t cold.cold
ffffffff81000400 T cold
ffffffffc0000000 t null_handle_cmd\t[null_blk]
ffffffffc0000100 t null_init\t[null_blk]
ffffffffc0000100 t init_module\t[null_blk]
"""


def ran(**blocks):
    """What counted between two marks: `f81000010=40`."""
    found = {int(f"ffffff{name}", 16): count for name, count in blocks.items()}
    return Interval(kernel=sum(found.values()), programs=1, blocks=found)


def test_blocks_are_told_by_the_function_that_they_lie_in():
    """A part set apart is its function's, an alias has one place, a name may have two."""
    blocks = ran(ff81000010=5, ff81000310=7, ff81000410=2, ff81000220=3, ffc0000120=9).blocks
    wanted = dict.fromkeys(("cold", "same", "init_module [null_blk]", "gone"), "changed")
    found = executed_functions(blocks, Symbols(SYMBOLS), wanted)
    assert found == {"cold": (9, False), "same": (3, True), "init_module [null_blk]": (9, False)}


def test_a_trial_tells_what_of_the_change_ran():
    """What an operation costs, what is outside of it, and what did not run at all."""
    changes = Changes(
        dict.fromkeys(("first", "same", "null_handle_cmd [null_blk]"), "changed"), "", False
    )
    short = ran(ff81000010=40, ffc0000010=1000)
    long = ran(ff81000010=40, ffc0000010=6000)
    found = patch_coverage(changes, short, long, (10, 110), SYMBOLS)
    assert (found.count, found.executed, found.unknown) == (3, 2, "")
    assert found.ran["null_handle_cmd [null_blk]"] == Ran(instructions=6000.0, per_operation=50.0)
    assert found.ran["first"] == Ran(instructions=40.0, per_operation=0.0)
    assert list(found.functions) == ["null_handle_cmd [null_blk]", "first", "same"]
    assert not refusal(found)
    assert "no function" in patch_coverage(changes, short, long, (10, 110), "").unknown


def test_what_differs_is_bound_to_both_build_ids(tmp_path):
    """Kernels from elsewhere, or a record of others: unknown, and never a claim."""
    sides = []
    for side, byte in (("base", b"\xab"), ("head", b"\xac")):
        write_side(tmp_path / side)
        image = bzimage(kernel(build_id=byte * 20))
        (tmp_path / side / "boot" / f"vmlinuz-{RELEASE}").write_bytes(image)
        sides.append((tmp_path / side, ()))
    base, head = sides
    assert changes_between(base, base) == ({}, "", True)
    assert (
        "the kernels differ, and there is no changed-functions.json"
        in changes_between(base, head).unknown
    )
    ids = "ab" * 20, "ac" * 20
    (tmp_path / "base" / NAME).write_text(recorded_text(ids, {"null_submit_bio": "changed"}))
    assert changes_between(base, head) == ({"null_submit_bio": "changed"}, "", False)
    assert "of other kernels" in changes_between(head, base).unknown
    for text in ("", "{}", "[]", '{"schema": 1, "base": 1, "head": 2, "functions": {"a": "?"}}'):
        (tmp_path / "base" / NAME).write_text(text)
        assert read_recorded(tmp_path / "base", ids) == f"{NAME} cannot be read"


def test_modules_that_cannot_be_compared_are_unknown(tmp_path):
    """Their files differ, and nothing tells in what."""
    for side, byte in (("base", b"\xab"), ("head", b"\xac")):
        write_side(tmp_path / side, [("null_blk", "")])
        path = tmp_path / side / "lib/modules" / RELEASE / "kernel/null_blk.ko"
        path.write_bytes(elf(byte * 20, b"\0depends=\0"))
    found = changes_between((tmp_path / "base", ["null_blk"]), (tmp_path / "head", ["null_blk"]))
    assert (found.functions, found.identical) == ({}, False)
    assert "a module cannot be compared: it is no object file" in found.unknown


RAN = {"null_handle_cmd [null_blk]": Ran(instructions=5200.0, per_operation=52.0)}
NONE = Touch(count=2, functions={"null_zone_write": "changed", "null_init": "added"})
SOME = replace(NONE, functions={**NONE.functions, next(iter(RAN)): "changed"}, count=3)
EMPTY = (CODE, "inconclusive", 5)
CALLED = Ran(calls=125.0, per_operation=1.25)
LESS = Ran(instructions=250.0, per_operation=2.5)
SOME = replace(SOME, executed=1, ran=RAN)


def trials_with(one, touched):
    """The session, all of whose trials executed so much of the change."""
    return replace(one, trials=tuple(replace(trial, touch=touched) for trial in one.trials))


def judged(touched, policy=Untouched.NOTE):
    """A report by a profile of that policy."""
    profile = reviewed(work=Work(guest=Guest(untouched=policy)))
    return decide(trials_with(session(), touched), profile=profile)


@pytest.mark.parametrize(
    ("touched", "said"),
    [
        (NONE, "0 of 2 changed functions executed: this pass is empty (only the head was run)"),
        (
            SOME,
            (
                "1 of 3 changed functions executed: null_handle_cmd [null_blk] "
                "(52 instructions per operation) (only the head was run)"
            ),
        ),
        (
            replace(SOME, ran={"null_handle_cmd [null_blk]": CALLED}),
            (
                "1 of 3 changed functions executed: null_handle_cmd [null_blk] "
                "(1.25 calls per operation) (only the head was run)"
            ),
        ),
        (Touch(count=0), "base and head are the same code: no function differs"),
        (
            Touch(count=0, identical=True),
            "base and head are the same code: kernel and modules have the same build-ids",
        ),
        (
            Touch(count=0, unknown="nobody told"),
            "whether the workload executed the change is unknown, because nobody told",
        ),
        (
            replace(NONE, unknown="the kernels differ"),
            (
                "0 of 2 functions known to have changed executed (only the head was run); more may "
                "differ, because the kernels differ"
            ),
        ),
    ],
)
def test_a_report_says_what_of_the_change_was_executed(touched, said):
    """As a sentence of its own; a pass stays a pass, and nothing unknown is claimed."""
    report = judged(touched)
    assert [one.headline for one in report.touched] == [said]
    assert outcome(report) == ("G001", "passed", 0)
    assert not refusal(report)
    assert said in " ".join(render_text(report).split())
    assert "**Patch coverage.**" in render_summary(report, Links())
    assert "<dt>coverage</dt>" in render_html(report)


def test_an_empty_pass_closes_where_the_profile_wants_that():
    """Inconclusive, with a code of its own; neither what ran, nor the same code."""
    report = judged(NONE, Untouched.CLOSE)
    assert outcome(report) == (CODE, "inconclusive", 5)
    assert "0 of 2 changed functions executed" in only(report).headline
    for touched in (SOME, Touch(count=0), replace(SOME, unknown="x")):
        assert outcome(judged(touched, Untouched.CLOSE)) == ("G001", "passed", 0)


@pytest.mark.parametrize("kind", [SubjectKind.MODULE, SubjectKind.KERNEL])
def test_an_empty_pass_of_a_subject_closes_where_it_wants_that(kind):
    """The policy stands in [subject] there, for calls that an extra run has counted."""
    for policy, end in ((Untouched.NOTE, ("G001", "passed", 0)), (Untouched.CLOSE, EMPTY)):
        profile = reviewed(subject=Activation(kind=kind, untouched=policy))
        assert outcome(decide(trials_with(session(), NONE), profile=profile)) == end


def test_a_pass_of_which_nobody_knows_closes_likewise():
    """Unknown is no proof that the change ran; without a base nothing could be compared at all."""
    for touched, said in (
        (replace(NONE, unknown="x"), "0 of 2 functions known to have changed executed"),
        (Touch(count=0, unknown="x"), "whether the workload executed the change is unknown"),
        (None, "unknown, because no base was compared"),
    ):
        report = judged(touched, Untouched.CLOSE)
        assert outcome(report) == (CODE, "inconclusive", 5)
        assert said in only(report).headline


def test_both_sides_of_pairs_are_told():
    """The medians of base and head, and what only one of them executed."""
    base = replace(SOME, ran={"null_handle_cmd [null_blk]": LESS})
    pairs = pair_sessions({"b": at(1.0)}, {"b": at(1.0)})
    sessions = [
        trials_with(replace(session({"b": at(1.2)}), sides=True), SOME),
        trials_with(pairs[0], base),
        trials_with(pairs[1], SOME),
    ]
    (told,) = decide(sessions).touched
    assert told.headline == (
        "1 of 3 changed functions executed: null_handle_cmd [null_blk] "
        "(2.5 -> 52 instructions per operation)"
    )
    assert [one.executed for one in told.functions] == [True, False, False]


def test_a_session_that_contradicts_itself_is_refused():
    """It crosses from another machine."""
    for wrong in (
        replace(SOME, executed=4),
        replace(SOME, executed=0),
        replace(SOME, functions={"x": "exploded"}),
        replace(SOME, functions={"x" * 400: "changed"}),
        replace(SOME, ran={"x": Ran(instructions=0.0, per_operation=0.0)}),
        replace(SOME, ran={"x": Ran(instructions=1.0, calls=1.0, per_operation=0.0)}),
        replace(SOME, count=1000, functions={str(n): "changed" for n in range(300)}),
    ):
        assert refusal(wrong)


def test_the_policy_is_no_part_of_what_is_run_and_its_edit_is_told():
    """Baselines hold when it changes; whoever loosens it is seen."""
    assert run_in_guest(Guest()) == run_in_guest(Guest(untouched=Untouched.CLOSE))
    was = reviewed(work=Work(guest=Guest(untouched=Untouched.CLOSE)))
    (edit,) = profile_edits(was, reviewed(work=Work(guest=Guest())))
    assert edit.loosens
    assert "guest" in edit.headline
