"""`gate calibrate PROFILE`: rounds of known truth on this host, and what they show."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from gate.cli.answer import print_answer
from gate.errors import CannotJudge, Interrupted
from gate.formats.baseline.calibration_file import CALIBRATION_FILE, read_rounds
from gate.formats.baseline.round_files import alone_in
from gate.judge.calibration_rounds import counts
from gate.measure.process.stop import Stop, StopRequested
from gate.model import Ending
from gate.pipeline.calibrate import Calibrating, Course, known_rounds, wanted_rounds
from gate.pipeline.idle_wait import SpareTime, TimeIsUp
from gate.pipeline.progress import ProgressDisplay
from gate.report.wording import calibration_record
from gate.report.wording.words import plain_percent
from gate.units import show_duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gate.model import Round
    from gate.pipeline.calibrate import Wish
    from gate.pipeline.request import OutputOptions, RoundOptions

_UNFIT = 5
_ENDINGS = {
    Ending.CLEAR: "nothing called regressed, as it should be",
    Ending.ALARM: "called regressed: a false alarm",
    Ending.FOUND: "found",
    Ending.MISSED: "passed: the loss was missed",
    Ending.INCONCLUSIVE: "inconclusive",
    Ending.VOID: "no comparable numbers",
}


def refuse_without_baseline(wish: Wish) -> None:
    """A round is a check, and a check needs accepted sessions of this profile text and class.

    Raises:
        CannotJudge: G246.
    """
    for profile in wish.profiles:
        own = [b for b in wish.baselines if b.profile == profile.name]
        mine = [b for b in own if b.host_class == wish.host_class]
        if mine and mine[0].profile_digest == profile.digest:
            continue
        why = (
            "was accepted with another profile text"
            if mine
            else f"is of host class {', '.join(b.host_class for b in own)}"
            if own
            else "is not there"
        )
        raise CannotJudge(
            "G246",
            f"nothing can be calibrated: the baseline of {profile.name} {why}; this host is of "
            f"class {wish.host_class}.",
            cure=f"Take one: gate run {profile.name} --repeat 5, then gate baseline accept.",
            place=profile.path,
        )


def calibrate(wish: Wish, rounds: RoundOptions, output: OutputOptions) -> int:
    """Measure rounds until the number or the time is reached; say what all rounds show.

    Raises:
        Interrupted: a signal came; finished rounds are stored.
    """
    teller = ProgressDisplay(quiet=output.quiet)
    # Where nobody watches, a line per round is enough.
    trials = teller if sys.stderr.isatty() else ProgressDisplay(quiet=True)
    fresh: list[Round] = []
    try:
        with ExitStack() as stack:
            for profile in wish.profiles:
                stack.enter_context(alone_in(wish.out / profile.name))
            stop = stack.enter_context(Stop().listening())
            spare = SpareTime(
                rounds.seconds, stop, teller.say, when_idle=rounds.when_idle, wait=rounds.wait
            )
            _measure(Calibrating(wish, teller.say, trials, spare, stop), fresh)
    except StopRequested as request:
        raise Interrupted(
            request.number,
            f"interrupted; {len(fresh)} rounds were finished and are stored.",
            cure="The same command goes on.",
        ) from None
    return _conclude(wish, fresh, json_=output.json)


def _measure(calibrating: Calibrating, fresh: list[Round]) -> None:
    """Round after round, the profiles in turn, until all are done or time is up."""
    wish, spare, say = calibrating.wish, calibrating.spare, calibrating.say
    courses = [Course(profile, wish) for profile in wish.profiles]
    for course in courses:
        course.keep()
        if course.refusal and wish.plants:
            say(f"{course.profile.name}: {course.refusal}")
    try:
        while waiting := [course for course in courses if course.left != 0]:
            for course in waiting:
                spare.demand(course.expected(known_rounds(wish)) or 0.0)
                spare.wait_until_idle()
                fresh.append(_measure_round(calibrating, course))
    except TimeIsUp:
        say("time is up; the same command goes on")


def _measure_round(calibrating: Calibrating, course: Course) -> Round:
    """One round, with a line before it and two after it."""
    say, schedule = calibrating.say, course.schedule
    plan = course.plan(course.done + 1)
    of = f" of {schedule.rounds}" if schedule.rounds else ""
    where = f"{course.profile.name} round {plan.number - schedule.begun + 1}{of}"
    loss = plan.plant.loss
    what = f"{plain_percent(loss)} planted into {plan.plant.benchmark}" if loss else "unchanged"
    say(f"{where}: {what}")
    done = calibrating.round(course, plan)
    grown = f", achieved {plain_percent(done.achieved)}" if done.achieved is not None else ""
    took = f"{done.trials} trials in {show_duration(done.seconds)}"
    say(f"{where}: {_ENDINGS[done.ending]}{grown}; {took}")
    wish = calibrating.wish
    say(f"so far {calibration_record.line(counts(known_rounds(wish), wanted_rounds(wish)))}")
    return done


def _conclude(wish: Wish, fresh: Sequence[Round], *, json_: bool) -> int:
    """Print what is known now; the exit status is that of a host that keeps the promise or not."""
    from gate.judge.host_fitness import class_record  # noqa: PLC0415 - after measuring

    record = class_record(read_rounds(wish.store), wanted_rounds(wish))
    path = wish.store / wish.host_class / CALIBRATION_FILE
    shown, unfit = calibration_record.line(record), calibration_record.unfit(record)
    details = calibration_record.details(record)
    print_answer(
        [
            f"host class {wish.host_class}, {', '.join(p.name for p in wish.profiles)}",
            *filter(None, (shown, details)),
            f"{len(fresh)} new rounds in {path}: review and commit it.",
        ],
        json_=json_,
        path=str(path),
        rounds=[asdict(one) for one in fresh],
        calibration=None if record is None else asdict(record),
        record=shown,
        unfit=unfit,
    )
    if unfit:
        cure = f"Look at the rounds in {wish.out}, quieten the host, see gate explain G245."
        error = CannotJudge("G245", f"{unfit}.", cure=cure)
        click.echo(f"error[G245]: {error}", err=True)
        return _UNFIT
    return 0


def show_plan(wish: Wish, rounds: RoundOptions, *, json_: bool) -> int:
    """Say what would be measured and how long it would take, and measure nothing."""
    known = known_rounds(wish)
    rows = [_row(Course(profile, wish), known, rounds.seconds) for profile in wish.profiles]
    print_answer((str(row["text"]) for row in rows), json_=json_, plan=rows)
    return 0


def _row(course: Course, rounds: Sequence[Round], seconds: float | None) -> dict[str, object]:
    each, first = course.expected(rounds), course.done + 1
    count = course.left
    if count is None:
        count = int(seconds / each) if seconds and each else 0
    losses = [course.plan(number).plant.loss for number in range(first, first + count)]
    planted = {plain_percent(loss): losses.count(loss) for loss in course.schedule.plants}
    parts = [f"{losses.count(0.0)} unchanged", *(f"{n} with {p}" for p, n in planted.items())]
    lasts = (
        f"about {show_duration(each)} each, {show_duration(each * count)} together"
        if each is not None
        else "how long a round takes is known after the first"
    )
    number = f"{count} rounds, {', '.join(parts)}" if count else "rounds as time allows"
    text = f"{course.profile.name}: {number}; {lasts}"
    return {
        "profile": course.profile.name,
        "first": first,
        "rounds": count,
        "unchanged": losses.count(0.0),
        "planted": planted,
        "seconds_each": each,
        "not_planted": course.refusal,
        "text": f"{text}. {course.refusal}." if course.refusal else text,
    }
