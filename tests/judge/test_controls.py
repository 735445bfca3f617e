"""The built-in controls: when they say that the host moved, and when they say nothing."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge.build import (
    HOST,
    TRIALS,
    WALL,
    accepted,
    at,
    baseline,
    decide,
    only,
    outcome,
    pairs,
    series,
    session,
    strikes,
)

from gate.judge.accept import Acceptance, accept
from gate.judge.host_stability.controls import (
    KEPT,
    blind_builtins,
    moved_meanwhile,
    shorten_series,
    standings,
)
from gate.judge.verdict.interim_analysis import plan_second_stage
from gate.judge.verdict.suite import Policy, arrange
from gate.model import Disturbance, LevelState, Role, Source, TrialStatus

RUNS = (0.0400, 0.0401, 0.0399)
"""Seconds of three runs of a steady control."""
LEVELS = (1.0, 1.002, 0.998, 1.001, 0.999)


def runs(level: float = 1.0, count: int = 3) -> tuple[float, ...]:
    """Runs of a control in one session at a level."""
    return tuple(level * RUNS[i % 3] for i in range(count))


def both(spin: float = 1.0, copy: float = 1.0, count: int = 3) -> dict[str, tuple[float, ...]]:
    """What a session holds of both controls."""
    return {"cpu-spin": runs(spin, count), "memory-copy": runs(copy, count)}


def known(levels=LEVELS, **more):
    """A baseline of one quiet benchmark whose sessions, a day apart, hold both controls."""
    rows = series(levels=LEVELS * (len(levels) // 5 + 1))
    sessions = tuple(accepted(i, controls=both(level, level)) for i, level in enumerate(levels))
    points = rows.points[: len(levels)]
    return replace(baseline(replace(rows, points=points)), sessions=sessions, **more)


def test_a_moved_control_makes_everything_incomparable():
    """9 % longer than in five accepted sessions: G035, with the figure, the count and the host."""
    found = only(decide(session(builtin=both(1.09)), known()))
    assert (found.code, found.verdict.value) == ("G035", "incomparable")
    assert found.headline == (
        "the built-in control cpu-spin takes 9.0 % longer around the screen than in 5 accepted "
        "sessions: the host moved"
    )


def test_a_faster_host_moved_too():
    """A memory that copies in 8 % less time is not the one that was accepted."""
    found = only(decide(session(builtin=both(1.0, 0.92)), known()))
    assert found.code == "G035"
    assert "memory-copy takes 8.0 % less around the screen" in found.headline


def test_nothing_is_regressed_where_the_host_moved():
    """Strikes that would prove a loss prove nothing beside a control that moved."""
    further = strikes([1.2] * 10)
    assert outcome(decide([session({"b": at(1.2)}), *further], known()))[0] == "G061"
    head = session({"b": at(1.2)}, builtin=both(1.2))
    assert outcome(decide([head, *further], known())) == ("G035", "incomparable", 5)


def test_the_further_sessions_are_looked_at_together():
    """The host moved where most of the strikes ran: told; where a few did, they prove nothing."""
    head = session({"b": at(1.2)}, builtin=both())

    def ten(moved):
        return [
            replace(one, controls=both(1.2 if i < moved else 1.0))
            for i, one in enumerate(strikes([1.2] * 10))
        ]

    found = only(decide([head, *ten(8)], known()))
    assert found.code == "G035"
    assert "longer around the further sessions" in found.headline
    assert only(decide([head, *ten(2)], known())).code == "G061"


@pytest.mark.parametrize("around", ["the screen", "the pairs"])
@pytest.mark.parametrize(("loss", "code"), [(0.0, "G002"), (0.2, "G060")])
def test_pairs_bear_a_control_that_left_what_was_accepted(around, loss, code):
    """Both sides had the host as it was: the change is judged, whenever the control moved."""
    screen, meanwhile = (both(1.4 if around == one else 1.0) for one in ("the screen", "the pairs"))
    head = session({"b": at(1.2)}, sides=True, builtin=screen)
    moved = [replace(one, controls=meanwhile) for one in pairs(loss)]
    found = only(decide([head, *moved], known()))
    assert found.code == code
    if around == "the screen":
        assert found.level.state is LevelState.MOVED
        assert "cpu-spin takes 40.0 % longer around the screen" in found.level.text


@pytest.mark.parametrize("level", [0.2, 1.0, 1.4])
def test_a_control_that_moved_leaves_it_to_pairs(level):
    """Whatever the head looks like against what was accepted, and whichever way the control went."""

    def tasks(control):
        head = session({"b": at(level)}, sides=True, builtin=both(control))
        return plan_second_stage(arrange([head], [known()], {}), Policy())

    assert [task.benchmark for task in tasks(1.2)] == ["b"]
    assert [task.benchmark for task in tasks(0.2)] == ["b"]


def test_a_control_that_differs_between_the_sides_refuses():
    """What the change cannot reach is slower on its side too: something else is, and nothing is judged."""
    head = session({"b": at(1.2), "c": at(1.2)}, sides=True, controls=("c",))
    b, c = pairs(0.2), pairs(0.1, name="c")
    sides = [
        replace(
            one,
            planned=(*one.planned, *other.planned),
            trials=(*one.trials, *(replace(t, sequence=t.sequence + 30) for t in other.trials)),
        )
        for one, other in zip(b, c, strict=True)
    ]
    report = decide([head, *sides], baseline(series("b"), series("c")))
    assert {one.benchmark: one.code for one in report.findings} == {"b": "G035", "c": "G035"}
    assert "the control c wall differs between the sides by +" in report.findings[0].headline


@pytest.mark.parametrize(("level", "code"), [(1.029, "G001"), (1.032, "G035"), (0.97, "G035")])
def test_three_per_cent_is_borne(level, code):
    """However quiet the control was, a move within 3 % condemns no host."""
    assert only(decide(session(builtin=both(level)), known())).code == code


@pytest.mark.parametrize(("level", "code"), [(1.14, "G001"), (1.16, "G035")])
def test_sessions_of_few_sittings_bear_more(level, code):
    """Five sessions of one hour do not know what other hours do: up to 15 % is borne."""
    row = tuple(
        replace(one, boot="one", started=f"2026-01-02T10:{10 * i:02}:00Z")
        for i, one in enumerate(known().sessions)
    )
    report = decide(session(builtin=both(level)), replace(known(), sessions=row))
    assert only(report).code == code


def test_a_control_that_always_scatters_bears_more():
    """Where the accepted sessions lie 5 % apart, 9 % is nothing: six standard errors are borne."""
    shaky = known((1.0, 1.06, 0.95, 1.04, 0.97))
    assert only(decide(session(builtin=both(1.09)), shaky)).code == "G001"
    assert only(decide(session(builtin=both(1.6)), shaky)).code == "G035"


@pytest.mark.parametrize(
    "less",
    [
        known(LEVELS[:4]),
        replace(known(), sessions=tuple(replace(s, controls={}) for s in known().sessions)),
        replace(
            known(),
            sessions=tuple(
                replace(s, epoch_facts={"kernel": "5.10"} if i < 2 else s.epoch_facts)
                for i, s in enumerate(known().sessions)
            ),
        ),
    ],
    ids=["four sessions", "none holds them", "two of another epoch"],
)
def test_fewer_than_five_sessions_say_nothing(less):
    """Of fewer than five accepted sessions of the host as it is now the controls are not judged."""
    (case,) = arrange([session(builtin=both(1.5))], [less], {})
    assert standings(case) == ()
    assert "G035" not in {f.code for f in decide(session(builtin=both(1.5)), less).findings}


def test_the_ten_newest_sessions_tell():
    """A host that stays moved is itself again after some acceptances: older sessions are out."""
    old_and_new = known((1.0,) * 5 + tuple(1.2 * one for one in LEVELS * 2))
    (case,) = arrange([session(builtin=both(1.2, 1.2))], [old_and_new], {})
    assert {one.sessions for one in standings(case)} == {10}
    assert not any(one.gross for one in standings(case))


def test_a_session_without_them_is_told():
    """Where the baseline knows the controls and the session lacks them, a note says so."""
    (note,) = (n for n in decide(session(), known()).notes if "built-in" in n)
    assert note == (
        "p: no built-in control says whether the host moved: the session lacks cpu-spin, "
        "memory-copy"
    )
    replayed = decide(session(source=Source.REPLAYED), known())
    assert not any("built-in" in n for n in replayed.notes)


def test_the_report_says_where_they_stand():
    """One line: the move of each control, and what it bears."""
    report = decide(session(builtin=both(1.02, 0.98)), known())
    (line,) = report.conditions
    assert line == (
        "built-in controls against 5 accepted sessions: cpu-spin +2.0 % (up to 3.0 % allowed), "
        "memory-copy -2.0 % (up to 3.0 % allowed)"
    )
    first = decide(session(builtin=both()), known(LEVELS[:3]))
    assert first.conditions == ("built-in controls ran; 5 accepted sessions with them say more",)
    assert decide(session()).conditions == ()


def test_agreeing_controls_change_no_verdict():
    """With controls that agree, every finding is what it is without them, in 200 random cases."""
    dice = random.Random(6)
    for _ in range(200):
        head = session({"b": at(dice.uniform(0.9, 1.2))}, sides=dice.random() < 0.5)
        rest = dice.choice([[], strikes([dice.uniform(1.0, 1.2)] * 10), pairs(0.03)])
        bare = [head, *rest]
        with_them = [replace(one, controls=both(dice.uniform(0.995, 1.005), 1.0)) for one in bare]
        assert decide(with_them, known()).findings == decide(bare, known()).findings


def test_nothing_worse_is_hidden():
    """A benchmark that is broken or missing stays so on a host that moved."""
    rows = replace(known(), series=(*known().series, series("gone")))
    head = session({"b": (1.0, None, 1.0)}, builtin=both(1.5))
    report = decide(head, rows)
    assert {f.code for f in report.findings} == {"G050", "G040"}


def drifting(first: float, second: float, count: int = 8):
    half = count // 2
    return {"cpu-spin": (*runs(first, half), *runs(second, count - half))}


def test_a_host_that_moved_inside_the_session_is_told():
    """Four runs and four more, 12 % apart: the finding that the screen made says so."""
    head = session(builtin=drifting(1.0, 1.12))
    assert moved_meanwhile(head) == (
        "the built-in control cpu-spin took +12.0 % in the second half of the session: the host "
        "moved meanwhile"
    )
    found = only(decide(head))
    assert found.code == "G001"
    assert moved_meanwhile(head) in found.warnings


def test_pairs_are_not_qualified_by_it():
    """Both sides of a pair had the same host, so a finding by pairs has no such warning."""
    head = session({"b": at(1.2)}, sides=True, builtin=drifting(1.0, 1.12))
    found = only(decide([head, *pairs(0.2)]))
    assert (found.method, found.code) == ("pairs", "G060")
    assert not any("meanwhile" in warning for warning in found.warnings)


@pytest.mark.parametrize(
    "controls",
    [
        drifting(1.0, 1.04),
        drifting(1.0, 1.5, count=7),
        {"cpu-spin": (0.04, 0.06, 0.05, 0.045, 0.07, 0.05, 0.06, 0.05)},
        {"cpu-spin": (0.04, float("nan"), 0.04, 0.04, 0.08, 0.08, 0.08, 0.08)},
    ],
    ids=["within 5 %", "three runs tell nothing", "its own scatter", "no number"],
)
def test_what_is_no_move_inside_a_session(controls):
    """A small move, too few runs, their own scatter, or no number: nothing is told."""
    assert moved_meanwhile(session(builtin=controls)) == ""


def test_a_session_is_stood_for_by_five_values():
    """The medians of five parts in order, four digits each; fewer runs stand for themselves."""
    assert shorten_series((0.0123456, 0.02, 3.0)) == (0.01235, 0.02, 3.0)
    assert shorten_series([float(i) for i in range(1, 16)]) == (2.0, 5.0, 8.0, 11.0, 14.0)


@given(st.lists(st.floats(1e-3, 10), min_size=1, max_size=300))
def test_what_stands_for_a_session_lies_within_it(values):
    """Never more than five values, never outside the runs but for rounding."""
    short = shorten_series(values)
    assert 1 <= len(short) <= KEPT
    assert min(values) * 0.999 <= min(short) <= max(short) <= max(values) * 1.001


def test_accepting_keeps_them():
    """An accepted session holds each control's runs, in four digits; unusable ones are left out."""
    fresh = session(id="n", builtin={"cpu-spin": (0.0345678, 0.034), "memory-copy": (0.02, 0.0)})
    why = Acceptance(by="me", reason="first", accepted="2026-02-02T00:00:00Z")
    (kept,) = accept(None, [fresh], why).baseline.sessions
    assert kept.controls == {"cpu-spin": (0.03457, 0.034)}


def test_false_alarms_on_a_steady_host_are_rare():
    """Of 2000 normal sessions at 1 % between and inside, fewer than 0.5 % are called moved."""
    dice = random.Random(3)

    def one():
        level = math.exp(dice.gauss(0, 0.01))
        return {"cpu-spin": tuple(level * math.exp(dice.gauss(0, 0.01)) for _ in range(3))}

    alarms = 0
    for _ in range(2000):
        rows = tuple(replace(s, controls=one()) for s in known().sessions)
        (case,) = arrange([session(builtin=one())], [replace(known(), sessions=rows)], {})
        alarms += any(standing.gross for standing in standings(case))
    assert alarms < 10


def calm(level: float = 1.0, **more):
    """A session of a profile whose only benchmark is a control, and its baseline."""
    head = session({"c": at(level)}, profile="calm", controls=("c",), id="calm-1", **more)
    return head, replace(baseline(series("c")), profile="calm")


def test_a_control_profile_speaks_for_the_whole_suite():
    """One moved series of it makes the findings of the other profile incomparable, by its name."""
    head, rows = calm(1.2)
    report = decide([session({"b": at(1.2)}), *strikes([1.2] * 10), head], [known(), rows])
    assert {f.code for f in report.findings} == {"G035"}
    assert report.exit_status == 5
    assert only(report).headline == (
        "the host moved: the control c wall moved by +20.0 % (control profile calm)"
    )


def test_a_control_profile_that_stands_still_changes_nothing():
    """The other profile is judged as without it, and no note is made of it."""
    head, rows = calm()
    report = decide([session({"b": at(1.2)}), *strikes([1.2] * 10), head], [known(), rows])
    assert only(report).code == "G061"
    assert not any("control profile" in note for note in report.notes)


def test_a_control_profile_of_another_host_condemns_nothing():
    """It speaks for the machine that it was measured on."""
    other = replace(HOST, fingerprint="g")
    head, rows = calm(1.2, host=other)
    report = decide([session(), head], [known(), rows])
    assert only(report).code == "G001"
    assert only(report, "c").code == "G035"


def test_a_listed_control_beside_others_condemns_its_profile_alone():
    """A profile with a benchmark that the change can reach is no control profile."""
    head = session({"c": at(1.2), "d": at(1)}, profile="calm", controls=("c",), id="calm-1")
    rows = replace(baseline(series("c"), series("d")), profile="calm")
    report = decide([session(), head], [known(), rows])
    assert only(report).code == "G001"
    assert {f.code for f in report.findings if f.profile == "calm"} == {"G035"}


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"rows": None}, "1 of 1 metrics say nothing of the host; c wall: no accepted session"),
        ({"rows": series("c", LEVELS[:4])}, "; c wall: 4 accepted sessions, 5 are needed"),
        ({"head": {"c": (1.0, None, 1.0)}}, "; c wall: trial 2: it fell over"),
        ({"digest": "sha256:9"}, "it says nothing of the host, the profile's text changed"),
    ],
    ids=["new", "few", "broken", "refused"],
)
def test_a_control_profile_that_cannot_compare_is_told(change, why):
    """A guard never falls silent: a note of the report says what is wrong with it."""
    head, rows = calm()
    if "head" in change:
        head = session(change["head"], profile="calm", controls=("c",), id="calm-1")
    if "digest" in change:
        head = replace(head, profile_digest=change["digest"])
    if "rows" in change:
        rows = replace(baseline(change["rows"]), profile="calm") if change["rows"] else None
    report = decide([session(), head], [known(), *([rows] if rows else [])])
    (note,) = (n for n in report.notes if n.startswith("control profile calm: "))
    assert why in note
    assert only(report).code == "G001"


def test_a_control_profile_that_is_only_watched_is_told():
    """Where none of its metrics may close the gate, it guards nothing, and the note says so."""
    eye = replace(WALL, role=Role.WATCH)
    head = session({"c": at(1)}, profile="calm", controls=("c",), id="calm-1", metrics=(eye,))
    report = decide([session(), head], [known(), replace(baseline(series("c")), profile="calm")])
    assert (
        "control profile calm: it says nothing of the host, none of its metrics may close the gate"
        in report.notes
    )


def test_what_was_tuned_and_set_aside_is_told():
    """One line each: settings of all sessions, and trials with their kinds and the last reason."""
    head = session({"b": TRIALS * 2}, tuned=("governor", "turbo"), planned=())
    aside = tuple(
        replace(
            trial,
            status=TrialStatus.ASIDE,
            aside=(Disturbance(kind=kind, text=f"{kind} by somebody"),),
        )
        for trial, kind in zip(head.trials, ("steal", "foreign_cpu", "steal"), strict=False)
    )
    head = replace(head, trials=(*aside, *head.trials[3:]), planned=session().planned)
    report = decide(head)
    assert report.conditions == (
        "tuned while it measured: governor, turbo",
        "3 of 6 trials set aside: foreign_cpu 1, steal 2; the last: steal by somebody",
    )
    assert only(report).code == "G001"


def test_controls_that_scatter_too_much_to_tell_are_named():
    """Accepted beside a neighbour that doubles them, they bear any host: said when it is accepted."""
    assert blind_builtins(known()) == ()
    wild = known((1.0, 1.9, 0.8, 2.2, 1.2))
    assert [one.partition(" scatters")[0] for one in blind_builtins(wild)] == [
        "the built-in control cpu-spin",
        "the built-in control memory-copy",
    ]
    assert "over 5 accepted sessions that a host" in blind_builtins(wild)[0]
