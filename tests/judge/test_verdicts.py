"""Every verdict and code of the judge, with the exit status it leads to."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from judge import build
from judge.build import (
    WALL,
    at,
    baseline,
    decide,
    only,
    outcome,
    pair_sessions,
    series,
    session,
    strikes,
)

from gate.codes import PAGES
from gate.errors import InputError, NothingCompared
from gate.model import Better, Host, Planned, Role, Side, Stage, State, Verdict


def test_g001_screen_passes():
    """A head at the accepted level passes by the screen, status 0."""
    report = decide(session())
    assert outcome(report) == ("G001", "passed", 0)
    assert (report.gate, report.verdict) == ("open", "passed")
    assert only(report).method == "screen"
    assert report.promise.metrics_flagged == 0


def test_g002_pairs_pass():
    """A flagged metric whose pairs show no loss passes by confirmation, status 0."""
    report = decide([session({"b": at(1.06)}, sides=True), *build.pairs(0.0)])
    assert outcome(report) == ("G002", "passed", 0)
    found = only(report)
    assert found.method == "pairs"
    assert found.loss_high < 0.04
    assert found.confidence == pytest.approx(1 - 0.01 - 0.025)


def test_g003_improved():
    """A head clearly better than what was accepted is improved and leaves the gate open."""
    report = decide(session({"b": at(0.9)}))
    assert outcome(report) == ("G003", "improved", 0)
    assert report.gate == "open"


def test_g010_new_is_closed():
    """A benchmark without a baseline is new: closed with status 5, open with --allow new."""
    head = session({"b": at(1), "c": at(1)})
    report = decide(head)
    assert outcome(report, "c") == ("G010", "new", 5)
    assert report.gate == "closed"
    allowed = decide(head, allow_new=True)
    assert (allowed.gate, allowed.exit_status, allowed.verdict) == ("open", 0, "new")
    assert any("nothing was compared" in note for note in allowed.notes)


def test_allow_new_allows_nothing_else():
    """--allow new does not open a gate that anything worse than new has closed."""
    slow = [session({"b": at(1.2), "c": at(1)}, sides=True)]
    report = decide(slow, allow_new=True)
    assert (report.gate, report.exit_status) == ("closed", 5)


def test_no_baseline_at_all_is_new():
    """Without any baseline nothing passes."""
    assert outcome(decide(session(), [])) == ("G010", "new", 5)


def test_a_series_without_points_is_new():
    """A baseline series that holds no session compares nothing."""
    empty = replace(series(), points=())
    assert outcome(decide(session(), baseline(empty, sessions=()))) == ("G010", "new", 5)


def test_g020_pairs_spent():
    """Pairs that prove neither loss nor its absence end inconclusive, status 5."""
    report = decide([session({"b": at(1.06)}, sides=True), *build.pairs(0.023, noise=0.05)])
    assert outcome(report) == ("G020", "inconclusive", 5)


def test_g021_flagged_and_not_confirmed():
    """A flagged metric without a confirmation is inconclusive, whatever it lost."""
    assert outcome(decide(session({"b": at(1.5)}, sides=True))) == ("G021", "inconclusive", 5)
    assert outcome(decide(session({"b": at(1.5)}))) == ("G021", "inconclusive", 5)


@pytest.mark.parametrize("count", [1, 4])
def test_g022_too_few_sessions(count):
    """With fewer than five accepted sessions and no base side nothing is cleared."""
    few = baseline(series(levels=build.LEVELS[:count]))
    assert outcome(decide(session(), few)) == ("G022", "inconclusive", 5)


def test_few_sessions_with_sides_are_confirmed_unscreened():
    """With both sides, too few accepted sessions only mean that everything is confirmed."""
    few = baseline(series(levels=build.LEVELS[:1]))
    head = session(sides=True)
    assert outcome(decide(head, few)) == ("G021", "inconclusive", 5)
    assert outcome(decide([head, *build.pairs(0.0)], few)) == ("G002", "passed", 0)
    assert outcome(decide([head, *build.pairs(0.2)], few)) == ("G060", "regressed", 10)


def slide(step: float, count: int = 12) -> tuple[float, ...]:
    """Levels that get worse by a step each."""
    return tuple(math.exp(step * i) for i in range(count))


def test_g023_slide_since_the_anchor():
    """Small steps that add up to more than the tolerance since the anchor close the gate."""
    sliding = baseline(series(levels=slide(0.003, 20)))
    assert outcome(decide(session({"b": at(1.064)}), sliding)) == ("G023", "inconclusive", 5)


def test_a_slide_does_not_buy_itself_tolerance():
    """A slide makes the accepted sessions look loud; the anchor is held to the asked tolerance."""
    found = only(decide(session({"b": at(1.064)}), baseline(series(levels=slide(0.003, 20)))))
    assert found.tolerance_used > 0.1
    assert "too loud" in found.warnings[0]
    assert found.code == "G023"


def test_a_slide_is_told_beside_pairs_that_pass():
    """Where base and head both stand at the end of a slide, the pairs pass and the slide is told."""
    levels = [1.0, 1.03, 1.06, 1.09, 1.09, 1.09, 1.09, 1.09, 1.09]
    head = session({"b": at(1.15)}, sides=True)
    found = only(decide([head, *build.pairs(0.0)], baseline(series(levels=levels))))
    assert found.code == "G002"
    assert any("slid" in warning for warning in found.warnings)


def test_a_new_epoch_ends_the_slide():
    """Accepting the level as a new epoch makes its first session the anchor."""
    levels = [*slide(0.008), *(math.exp(0.008 * 11) * level for level in build.LEVELS)]
    known = baseline(series(levels=levels, epochs=[1] * 12 + [2] * 5))
    report = decide(session({"b": at(math.exp(0.008 * 11))}), known)
    assert outcome(report) == ("G001", "passed", 0)
    assert only(report).sessions_base == 5


LOUD = (1.0, 1.012, 0.99, 1.01, 0.986, 1.004)
"""Too loud for 5 %, not for three times that."""


def test_g024_loud_refused():
    """loud = "refuse" judges no metric at a tolerance that its noise cannot bear."""
    report = decide(session(loud="refuse"), baseline(series(levels=LOUD)))
    assert outcome(report) == ("G024", "inconclusive", 5)
    sides = decide(session(sides=True, loud="refuse"), baseline(series(trials=(0.9, 1.0, 1.1))))
    assert outcome(sides) == ("G024", "inconclusive", 5)


def test_g024_too_loud_to_be_raised():
    """A tolerance is not raised beyond all use: from three times the asked one on it is refused."""
    wild = baseline(series(levels=(1.0, 1.06, 0.95, 1.05, 0.93, 1.02)))
    assert outcome(decide(session(), wild)) == ("G024", "inconclusive", 5)


def test_loud_raised_and_said():
    """loud = "raise" judges at the smallest provable loss, and says so beside the number."""
    found = only(decide(session(), baseline(series(levels=LOUD))))
    assert (found.verdict, found.tolerance) == (Verdict.PASSED, 0.05)
    assert 0.06 < found.tolerance_used < 0.15
    assert "too loud" in found.warnings[0]


def test_g025_flag_not_borne_out_nor_cleared():
    """Strikes of which one does not exceed the worst session, yet slow together, stay closed."""
    head = session({"b": at(1.2)})
    report = decide([head, *strikes([1.2, 1.2, 1.2, 1.0])])
    assert outcome(report) == ("G025", "inconclusive", 5)


def test_strikes_clear_a_flag():
    """Further sessions at the accepted level clear a metric that one session had flagged."""
    report = decide([session({"b": at(1.06)}), *strikes([1.0, 0.999, 1.001, 1.0])])
    assert outcome(report) == ("G001", "passed", 0)
    assert only(report).method == "strikes"


def test_g061_strikes_prove():
    """Enough fresh sessions beyond the worst accepted one prove a regression, status 10."""
    report = decide([session({"b": at(1.2)}), *strikes([1.2, 1.19, 1.21, 1.2])])
    assert outcome(report) == ("G061", "regressed", 10)
    assert any("steady" in warning for warning in only(report).warnings)


def test_too_few_strikes_prove_nothing():
    """With fewer strikes than the bound needs the verdict stays open to doubt: closed, 5."""
    report = decide([session({"b": at(1.2)}), *strikes([1.2, 1.2, 1.2])])
    assert outcome(report) == ("G025", "inconclusive", 5)


def test_strikes_need_more_when_more_is_judged():
    """Each judged metric spends its own part of alpha: four strikes do for one, not for ten."""
    names = [f"b{i}" for i in range(10)]
    known = baseline(*(series(name) for name in names))
    head = session({name: at(1.2 if name == "b0" else 1) for name in names})
    four = decide([head, *strikes([1.2] * 4, "b0")], known)
    assert outcome(four, "b0") == ("G025", "inconclusive", 5)
    eight = decide([head, *strikes([1.2] * 8, "b0")], known)
    assert outcome(eight, "b0") == ("G061", "regressed", 10)


def test_a_strike_that_lacks_trials_is_broken():
    """A partial strike is no session like the accepted ones: broken, never a proof."""
    cut = strikes([1.2] * 4)
    cut[3] = replace(cut[3], trials=cut[3].trials[:1], state=State.PARTIAL)
    assert outcome(decide([session({"b": at(1.2)}), *cut])) == ("G053", "broken", 4)


def test_strikes_of_another_benchmark_confirm_nothing():
    """Strikes that did not plan a benchmark leave its flag unconfirmed."""
    known = baseline(series("b"), series("c"))
    report = decide([session({"b": at(1.2), "c": at(1.2)}), *strikes([1.2] * 5)], known)
    assert outcome(report, "c") == ("G021", "inconclusive", 10)
    assert outcome(report, "b") == ("G061", "regressed", 10)


def test_g030_another_host_class():
    """A baseline of another kind of machine is not compared with."""
    report = decide(session(), baseline(host_class="other"))
    assert outcome(report) == ("G030", "incomparable", 5)


def test_g031_a_stable_fact_differs():
    """The same class name does not help when a fact that must agree does not, or is unknown."""
    other = Host(host_class="lab", fingerprint="f", stable={"cpu": "y"}, epoch={})
    assert outcome(decide(session(host=other))) == ("G031", "incomparable", 5)
    silent = replace(other, stable={})
    assert outcome(decide(session(host=silent))) == ("G031", "incomparable", 5)


def test_g032_the_profile_runs_something_else():
    """A session of another profile text is not compared."""
    assert outcome(decide(session(profile_digest="sha256:2"))) == ("G032", "incomparable", 5)


def test_g033_another_unit_or_direction():
    """Neither unit nor direction may differ from what was accepted."""
    for metric in (replace(WALL, unit="1"), replace(WALL, better=Better.HIGHER)):
        assert outcome(decide(session(metrics=(metric,)))) == ("G033", "incomparable", 5)


def test_g033_the_session_contradicts_the_profile():
    """Where the reviewed profile says seconds and the session something else, nothing is judged."""
    head = session(metrics=(replace(WALL, unit="op/s"),))
    assert outcome(decide(head, profile=build.reviewed())) == ("G033", "incomparable", 5)


@pytest.mark.parametrize("version", ["2.0", "unknown", ""])
def test_g034_another_major_version(version):
    """Another major version of a tool, or one that is not known, is not compared."""
    assert outcome(decide(session(tools={"replay": version}))) == ("G034", "incomparable", 5)


def test_g034_minor_versions_are_compared():
    """A minor version is the same tool; a further tool or another harness is not."""
    assert outcome(decide(session(tools={"replay": "1.99"}))) == ("G001", "passed", 0)
    more = session(tools={"replay": "1.2", "python": "3.11"})
    assert outcome(decide(more)) == ("G034", "incomparable", 5)
    assert outcome(decide(session(harness="fio"))) == ("G034", "incomparable", 5)


def test_g035_a_moved_control_makes_incomparable():
    """When the control moved, slow metrics beside it are incomparable and never regressed."""
    known = baseline(series("b"), series("calm"))
    head = session({"b": at(1.2), "calm": at(1.2)}, controls=("calm",))
    report = decide([head, *strikes([1.2] * 5)], known)
    assert outcome(report, "b") == ("G035", "incomparable", 5)
    still = session({"b": at(1.2), "calm": at(1.005)}, controls=("calm",))
    assert outcome(decide([still, *strikes([1.2] * 5)], known), "b") == ("G061", "regressed", 10)


def test_g035_a_faster_control_counts_too():
    """A control that got faster moved as well."""
    known = baseline(series("b"), series("calm"))
    head = session({"b": at(1), "calm": at(0.8)}, controls=("calm",))
    assert outcome(decide(head, known), "b") == ("G035", "incomparable", 5)


def test_g036_disturbed():
    """A disturbed sitting is not judged, even one that looks fine, nor one disturbed later."""
    report = decide(session(disturbances=("the machine slept",)))
    assert outcome(report) == ("G036", "incomparable", 5)
    late = pair_sessions({"b": [1.0] * 30}, {"b": [1.0] * 30}, disturbances=("it slept",))
    assert outcome(decide([session({"b": at(1.2)}, sides=True), *late]))[0] == "G036"


@pytest.mark.parametrize(
    "change",
    [
        {"boot": "another"},
        {"host": replace(build.HOST, fingerprint="g")},
        {"profile_digest": "sha256:2"},
        {"tools": {"replay": "1.3"}},
        {"harness": "fio"},
        {"metrics": (replace(WALL, unit="1"),)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_g037_the_sides_were_not_measured_alike(change):
    """Pairs of another host, boot, profile, tool or unit prove nothing."""
    base, head = build.pairs(0.2)
    report = decide([session({"b": at(1.2)}, sides=True), base, replace(head, **change)])
    assert outcome(report) == ("G037", "incomparable", 5)


@pytest.mark.parametrize("kept", [0, 1])
def test_g037_half_the_pairs(kept):
    """One side of the pairs alone is incomparable."""
    report = decide([session({"b": at(1.2)}, sides=True), build.pairs(0.2)[kept]])
    assert outcome(report) == ("G037", "incomparable", 5)


def test_g038_judged_against_itself():
    """A session that was accepted into the baseline is not compared with that baseline."""
    assert outcome(decide(session(id="a03"))) == ("G038", "incomparable", 5)


def test_g040_missing_benchmark_and_metric():
    """What was accepted and is not measured any more is missing, status 4, not passed."""
    known = baseline(series("b"), series("gone"))
    assert outcome(decide(session(), known), "gone") == ("G040", "missing", 4)
    cpu = replace(WALL, name="cpu")
    known = baseline(series("b"), series("b", metric=cpu))
    assert outcome(decide(session(), known), "b", "cpu") == ("G040", "missing", 4)


def test_missing_beats_incomparable():
    """A refusal does not hide that a benchmark is missing."""
    known = baseline(series("b"), series("gone"), host_class="lab", profile_digest="sha256:9")
    report = decide(session(), known)
    assert {f.code for f in report.findings} == {"G032", "G040"}
    assert report.exit_status == 4


def test_g050_a_failed_trial_is_broken():
    """One failed trial breaks the benchmark, however good the others are."""
    report = decide(session({"b": (1.0, None, 0.99)}))
    assert outcome(report) == ("G050", "broken", 4)
    assert "it fell over" in only(report).headline


def test_g050_a_failed_confirmation_is_broken():
    """A trial that failed while confirming breaks the finding."""
    base, _ = build.pairs(0.2)
    _, head = pair_sessions({"b": [1.0] * 30}, {"b": [1.2, None, *[1.2] * 28]})
    report = decide([session({"b": at(1.2)}, sides=True), base, head])
    assert outcome(report) == ("G050", "broken", 4)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("place", ["head", "baseline", "pair", "strike"])
def test_g051_no_positive_finite_number(bad, place):
    """Zero, negative, NaN and infinite values are broken wherever they stand."""
    slow = session({"b": at(1.2)}, sides=place == "pair")
    if place == "head":
        report = decide(session({"b": (1.0, bad, 1.001)}))
    elif place == "baseline":
        report = decide(session(), baseline(series(trials=(1.0, bad, 1.001))))
    elif place == "pair":
        report = decide([slow, *pair_sessions({"b": [1.0] * 9}, {"b": [1.2] * 8 + [bad]})])
    else:
        *three, last = strikes([1.2] * 4)
        values = {"b": (1.2, bad, 1.21)}
        report = decide([slow, *three, session(values, id=last.id, started=last.started)])
    assert outcome(report) == ("G051", "broken", 4)


def test_g052_constant_values():
    """A number that never varies, where real ones do, is canned."""
    assert outcome(decide(session({"b": (1.0, 1.0, 1.0)}))) == ("G052", "broken", 4)
    canned = baseline(series(levels=[1.0] * 5, trials=(1.0, 1.0, 1.0)))
    assert outcome(decide(session({"b": (1.0, 1.0, 1.0)}), canned)) == ("G052", "broken", 4)


def test_g052_single_trials():
    """One trial a session cannot repeat itself, but five sessions can hold its very number."""
    canned = baseline(series(levels=[1.0] * 5, trials=(1.0,)))
    assert outcome(decide(session({"b": (1.0,)}), canned)) == ("G052", "broken", 4)
    real = baseline(series(trials=(1.0,)))
    assert outcome(decide(session({"b": (1.0,)}), real)) == ("G001", "passed", 0)


def test_g052_pairs_that_never_vary():
    """Pairs in which both sides give one and the same number are no measurement."""
    still = pair_sessions({"b": [1.0] * 20}, {"b": [1.0] * 20})
    report = decide([session({"b": at(1.2)}, sides=True), *still])
    assert outcome(report) == ("G052", "broken", 4)


def test_a_coarse_clock_is_no_canned_value():
    """A clock that repeats values here and there is judged on."""
    coarse = baseline(series(levels=[1.0, 1.01, 1.0, 0.99, 1.0], trials=(1.0, 1.0, 1.01)))
    assert outcome(decide(session({"b": (1.0, 1.0, 1.0)}), coarse)) == ("G001", "passed", 0)


def test_g053_partial():
    """A session that holds fewer trials than planned is broken, not judged on the rest."""
    head = session(planned=(Planned(benchmark="b", trials=5),), state=State.PARTIAL)
    assert outcome(decide(head)) == ("G053", "broken", 4)
    nothing = session({"b": ()}, planned=(Planned(benchmark="b", trials=3),))
    assert outcome(decide(nothing)) == ("G053", "broken", 4)


def test_g053_no_trial_planned():
    """A plan of zero trials is no measurement of what was accepted."""
    nothing = session({"b": ()}, planned=(Planned(benchmark="b", trials=0),))
    assert decide(nothing).exit_status == 4


def test_g053_pairs_that_lack_the_metric():
    """Complete pairs without a value of the metric are not quietly left out."""
    base = {"b": {"wall": [1.0, 1.001] * 15, "other": [1.0] * 30}}
    kept = [1.0, 1.001] * 7
    head = {"b": {"other": [1.0] * 30, "wall": kept}}
    report = decide([session({"b": at(1.2)}, sides=True), *pair_sessions(base, head)])
    assert outcome(report) == ("G053", "broken", 4)


def test_g060_pairs_prove():
    """Pairs with a clear loss prove a regression, status 10, with its evidence."""
    report = decide([session({"b": at(1.2)}, sides=True), *build.pairs(0.2)])
    assert outcome(report) == ("G060", "regressed", 10)
    found = only(report)
    assert found.loss == pytest.approx(0.2, abs=0.01)
    assert found.loss_low > found.negligible
    assert found.trials_base == found.trials_head == 8
    assert len(found.evidence.pairs_base) == 30


def test_higher_is_better():
    """Where higher is better a falling value is the loss."""
    rate = replace(WALL, name="rate", unit="op/s", better=Better.HIGHER)
    known = baseline(series(metric=rate))

    def head(level):
        return session({"b": at(level)}, metrics=(rate,))

    assert outcome(decide(head(1.2), known), "b", "rate") == ("G003", "improved", 0)
    assert outcome(decide(head(0.8), known), "b", "rate")[0] == "G021"


def test_watch_metrics_never_close():
    """A watched metric is shown with its verdict and closes nothing, whatever happened to it."""
    watch = replace(WALL, name="eye", role=Role.WATCH)
    known = baseline(series("b"), series("b", metric=watch))
    for values in (at(1.5), (0.0, 1.0, 1.1), (math.nan,) * 3, ()):
        head = session({"b": {"wall": at(1), "eye": values}}, metrics=(WALL, watch))
        report = decide(head, known)
        assert (report.gate, report.exit_status) == ("open", 0)
        assert only(report, "b", "eye").role is Role.WATCH
        assert not only(report, "b", "eye").verdict.opens


def test_only_watch_metrics_is_nothing_compared():
    """A suite in which nothing may close the gate has compared nothing: status 3."""
    watch = replace(WALL, role=Role.WATCH)
    with pytest.raises(NothingCompared) as error:
        decide(session(metrics=(watch,)))
    assert error.value.status == 3


def test_no_session_is_nothing_compared():
    """No session, or none of the head side, is status 3."""
    with pytest.raises(NothingCompared):
        decide([])
    with pytest.raises(NothingCompared):
        decide(session(side=Side.BASE))
    with pytest.raises(NothingCompared):
        decide(session(stage=Stage.CONFIRM))


def test_an_empty_session_is_nothing_compared():
    """A session that planned nothing against no baseline is status 3, against one it is missing."""
    with pytest.raises(NothingCompared):
        decide(session({}), [])
    assert outcome(decide(session({}))) == ("G040", "missing", 4)


def test_one_measurement_counts_once():
    """The same session twice, or two sittings of one side's pairs, are refused."""
    with pytest.raises(InputError, match="2 times"):
        decide([session(), session()])
    first, second = build.pairs(0.2), build.pairs(0.0)
    second = [replace(one, id=f"{one.id}-2") for one in second]
    with pytest.raises(InputError, match="2 times"):
        decide([session(), *first, *second])


def test_floor():
    """A move below the absolute floor never closes the gate; one above it does."""
    floored = replace(WALL, floor=0.25)
    head = session({"b": at(1.2)}, metrics=(floored,), sides=True)
    report = decide([head, *(replace(s, metrics=(floored,)) for s in build.pairs(0.2))])
    assert outcome(report) == ("G001", "passed", 0)
    assert only(report).negligible == pytest.approx(0.25, rel=0.01)
    head = session({"b": at(1.6)}, metrics=(floored,), sides=True)
    report = decide([head, *(replace(s, metrics=(floored,)) for s in build.pairs(0.6))])
    assert outcome(report) == ("G060", "regressed", 10)


def test_negligible_beyond_the_tolerance_raises_it():
    """T_d stays clear of tau even where a file says otherwise, and the report says so."""
    odd = replace(WALL, negligible=0.2)
    found = only(decide(session(metrics=(odd,))))
    assert found.tolerance_used == pytest.approx(0.3125)


def test_alpha_is_shared_by_the_flagged():
    """A proof needs m / alpha: eight pairs suffice for one flagged metric, ten for three."""
    names = ["b0", "b1", "b2"]
    known = baseline(*(series(name) for name in names))
    head = session({name: at(1.2) for name in names}, sides=True)
    base = {name: [1 + 0.001 * (i % 3) for i in range(30)] for name in names}
    slow = {name: [1.2 + 0.001 * (i % 4) for i in range(30)] for name in names}
    report = decide([head, *pair_sessions(base, slow)], known)
    assert {f.trials_head for f in report.findings} == {10}
    assert {f.confidence for f in report.findings} == {1 - 0.01 / 3 - 0.025}
    assert report.promise.metrics_flagged == 3
    one = session({"b0": at(1.2), "b1": at(1), "b2": at(1)}, sides=True)
    alone = decide([one, *pair_sessions({"b0": base["b0"]}, {"b0": slow["b0"]})], known)
    assert only(alone, "b0").trials_head == 8
    assert alone.promise.metrics_flagged == 1


def test_pairs_and_strikes_share_one_alpha():
    """In a suite with both, the pairs leave the strikes their part: neither spends alpha alone."""
    other = replace(baseline(series("b")), profile="q")
    paired = [session({"b": at(1.2)}, sides=True), *build.pairs(0.2)]
    alone = decide(paired)
    struck = session({"b": at(1)}, profile="q", id="q-head")
    both = decide([*paired, struck], [baseline(), other])
    confidence = {f.profile: f.confidence for f in both.findings}
    assert alone.findings[0].confidence == pytest.approx(0.965)
    assert confidence["p"] == pytest.approx(1 - 0.01 / 2 - 0.025)


def test_findings_are_ordered_worst_first():
    """Gate before watch; in both the worst verdict first, then by benchmark and metric."""
    watch = replace(WALL, name="eye", role=Role.WATCH)
    rows = {
        "z-slow": {"wall": at(1.2), "eye": at(1)},
        "a-fine": {"wall": at(1), "eye": at(1)},
        "c-fine": {"wall": at(1), "eye": at(1)},
        "m-bad": {"wall": (0.0, 1, 1), "eye": at(1)},
        "k-new": {"wall": at(1), "eye": at(1)},
    }
    known = baseline(
        *(series(name, metric=m) for name in rows if name != "k-new" for m in (WALL, watch)),
        series("gone"),
    )
    head = session(rows, metrics=(WALL, watch))
    report = decide([head, *strikes([1.2] * 8, "z-slow", metrics=(WALL, watch))], known)
    assert [f.role for f in report.findings] == sorted(f.role for f in report.findings)
    for role in Role:
        ranks = [f.verdict.rank for f in report.findings if f.role is role]
        assert ranks == sorted(ranks, reverse=True)
    assert [f.benchmark for f in report.findings if f.role is Role.GATE] == [
        "z-slow", "m-bad", "gone", "k-new", "a-fine", "c-fine",
    ]  # fmt: skip


def test_exit_status_of_every_verdict():
    """Every verdict has its status, and the three that open are the only ones with 0."""
    opening = {verdict for verdict in Verdict if verdict.exit_status == 0}
    assert opening == {verdict for verdict in Verdict if verdict.opens}
    assert {verdict.exit_status for verdict in Verdict} == {0, 4, 5, 10}


def test_the_worst_rules():
    """The report's verdict is the worst of its findings, whatever their number."""
    names = [f"b{i}" for i in range(20)]
    known = baseline(*(series(name) for name in names))
    head = session({name: at(1.3 if name == "b7" else 0.9) for name in names})
    report = decide([head, *strikes([1.3] * 9, "b7")], known)
    assert (report.verdict, report.exit_status, report.gate) == ("regressed", 10, "closed")


def test_every_finding_of_this_file_has_a_page():
    """Every code that the judge can give has a page for `gate explain`."""
    import inspect

    from gate.judge import comparable, confirming, screening, waive

    source = "".join(inspect.getsource(m) for m in (comparable, confirming, screening, waive))
    import re

    used = set(re.findall(r"G0\d\d", source))
    assert used <= PAGES.keys()
    assert len(used) >= 24
