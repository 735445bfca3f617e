"""A gain that is too large to be believed closes the gate until somebody accepts the level."""

import pytest
from judge.build import LEVELS, at, baseline, decide, only, outcome, pairs, series, session

from gate.model import Better, Metric, Role, Verdict
from gate.model.verdict import join


def accepted(*levels):
    """Five sessions at level 1, and one more for each further level that was accepted."""
    epochs = [1] * 5 + [number + 2 for number in range(len(levels))]
    return baseline(series(levels=[*LEVELS, *levels], epochs=epochs))


@pytest.mark.parametrize(("level", "verdict"), [(0.6, "improved"), (0.49, "suspicious")])
def test_the_screen_believes_what_is_up_to_twice_as_fast(level, verdict):
    """A head at 60 % of the accepted time improved; one at 49 % is suspicious, with status 5."""
    code, said, status = outcome(decide(session({"b": at(level)}), baseline()))
    assert (said, status) == (verdict, 5 if verdict == "suspicious" else 0)
    assert (code == "G046") is (verdict == "suspicious")


@pytest.mark.parametrize("level", [2.1, 1.0 / 0.49])
def test_throughput_more_than_doubled_is_suspicious(level):
    """Where more is better, the loss of what doubled is -50 % as well."""
    rate = Metric(name="wall", unit="op/s", better=Better.HIGHER)
    known = baseline(series(metric=rate))
    report = decide(session({"b": at(level)}, metrics=(rate,)), known)
    assert outcome(report)[:2] == ("G046", "suspicious")


def test_pairs_do_not_make_a_gain_plausible():
    """A head whose pairs are a tenth of the base's passes no stage: what did it not do?"""
    head = session({"b": at(1.2)}, sides=True)
    report = decide([head, *pairs(-0.9)], baseline())
    assert outcome(report) == ("G046", "suspicious", 5)
    assert only(report).headline == (
        "90.0 % better, which is beyond what is plausible (50.0 %): does it do its work?"
    )


def test_a_watched_metric_is_not_doubted():
    """What closes nothing is shown as it is."""
    watched = Metric(name="wall", unit="s", better=Better.LOWER, role=Role.WATCH)
    other = Metric(name="user", unit="s", better=Better.LOWER)
    known = baseline(series(), series(metric=other))
    rows = {"b": {"wall": at(0.1), "user": at(1.0)}}
    report = decide(session(rows, metrics=(watched, other)), known)
    assert {f.metric: f.verdict.value for f in report.findings} == {
        "wall": "improved",
        "user": "passed",
    }


def test_an_accepted_gain_passes_also_against_the_old_base():
    """After the gain is accepted the head passes the screen, and pairs with the base of before."""
    assert outcome(decide(session({"b": at(0.2)}), accepted(0.2)))[1:] == ("passed", 0)
    head = session({"b": at(0.22)}, sides=True)
    report = decide([head, *pairs(-0.8)], accepted(0.2))
    assert outcome(report) == ("G002", "passed", 0)


@pytest.mark.parametrize(
    ("before", "level", "verdict"),
    [
        (0.9, 0.44, "suspicious"),  # 10 % was accepted: three times that is less than half
        (0.7, 0.7 * 0.35, "improved"),  # after 30 %, 65.7 % are believed
        (0.7, 0.7 * 0.34, "suspicious"),
    ],
)
def test_three_times_the_largest_accepted_gain_is_believed(before, level, verdict):
    """1 - 0.7^3 = 65.7 % after a gain of 30 % was accepted; a loss accepted since changes nothing."""
    assert outcome(decide(session({"b": at(level)}), accepted(before)))[1] == verdict


def test_an_accepted_loss_makes_no_gain_plausible():
    """Only steps to a better level count."""
    assert outcome(decide(session({"b": at(0.45)}), accepted(1.3)))[1] == "suspicious"


def test_its_place_among_the_verdicts():
    """Worse than what is inconclusive, better than what was not measured or lost."""
    assert join([Verdict.INCONCLUSIVE, Verdict.SUSPICIOUS]) is Verdict.SUSPICIOUS
    for worse in (Verdict.INCOMPARABLE, Verdict.MISSING, Verdict.BROKEN, Verdict.REGRESSED):
        assert join([worse, Verdict.SUSPICIOUS]) is worse
    assert (Verdict.SUSPICIOUS.opens, Verdict.SUSPICIOUS.exit_status) == (False, 5)


def doing(*figures, level=1.0, **more):
    """A session whose trials did so much each."""
    rows = {"wall": at(level), "work_done": figures}
    return session({"b": rows}, **more)


WORK = Metric(name="work_done", unit="1", better=Better.HIGHER, role=Role.WATCH)


@pytest.mark.parametrize(
    ("figures", "code"), [((1000.0,) * 3, "G001"), ((1000.0, 999.0, 1000.0), "G055")]
)
def test_no_trial_may_do_less_than_was_accepted(figures, code):
    """One of three trials that did 999 of 1000 breaks the benchmark; the same thousand passes, and
    that it never varies is no matter."""
    known = baseline(series(), series(metric=WORK, trials=(1000.0,) * 3, levels=[1.0] * 5))
    report = decide(doing(*figures), known)
    assert only(report).code == code
    if code == "G055":
        assert only(report).headline == (
            "did less work: 999 by expect.figure, and 1000 was accepted"
        )


def test_another_profile_text_accepts_no_figure():
    """What was accepted of another text is no measure of what is run now."""
    known = baseline(series(), series(metric=WORK, trials=(1000.0,) * 3, levels=[1.0] * 5))
    report = decide(doing(*(500.0,) * 3, profile_digest="sha256:other"), known)
    assert only(report).code != "G055"


def test_an_accepted_figure_is_the_measure_from_then_on():
    """After 400 was accepted 400 passes, and 399 does not."""
    work = series(metric=WORK, trials=(1000.0,) * 3, levels=[1.0] * 5 + [0.4], epochs=[1] * 5 + [2])
    known = baseline(series(levels=[*LEVELS, 1.0]), work)
    assert only(decide(doing(*(400.0,) * 3), known)).code == "G001"
    assert only(decide(doing(*(399.0,) * 3), known)).code == "G055"
