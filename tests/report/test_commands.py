"""What can be done about a finding: the lines as they are printed, and why there is none."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from gate.model import Edit, Evidence, Origin, Role, Verdict
from gate.report.wording.advice import next_steps
from gate.report.wording.commands import ACCEPT, BISECT, LONGER, REPRODUCE, commands_for
from gate.report.wording.links import profile_address
from tests.report.build import finding
from tests.report.hostile import HOSTILE
from tests.report.sample import sample_report

GOOD, BAD = "1" * 40, "2" * 40
ORIGIN = Origin(
    base_commit=GOOD,
    head_commit=BAD,
    options=("--base", "../base", "--base-env", "A=b c", "--head", "."),
    out="reports/pr-17",
)
PLACE = f"../base-{GOOD[:12]}"
MADE = f"{{ test -e {PLACE} || git worktree add --detach {PLACE} {GOOD}; }} && "
GONE = Origin(base_commit=GOOD, head_commit=BAD, checkout=True)
"""As a job of CI tells it."""
SIDES = "--base ../base --base-env 'A=b c' --head ."
ALONE = "iometer --benchmark 'iometer-database[iodepth=32]'"


def commands(origin=ORIGIN, *others, **changes):
    changes = {
        "verdict": Verdict.REGRESSED,
        "method": "pairs",
        "pairs": 14,
        "code": "G060",
    } | changes
    made = finding(**changes)
    report = sample_report(findings=(made, *others), origin=origin)
    return {one.label: one for one in commands_for(made, report)}


def lines(*given, **changes):
    return {label: one.line for label, one in commands(*given, **changes).items()}


def test_a_proven_loss_has_all_four():
    """Alone, longer, by commit, and accepted: one line each, options and names quoted."""
    assert lines() == {
        REPRODUCE: f"gate check {ALONE} {SIDES}",
        LONGER: f"gate check {ALONE} --pairs 200 {SIDES}",
        BISECT: f"git bisect start {BAD} {GOOD} && git bisect run gate bisect-run {ALONE} {SIDES}",
        ACCEPT: "gate baseline accept reports/pr-17/iometer/head.json "
        "--reason 'why this level is right'",
    }


@pytest.mark.parametrize(("used", "pairs"), [(5, 60), (29, 60), (99, 198), (700, 1000)])
def test_undecided_pairs_are_doubled(used, pairs):
    """Twice what was spent, 60 at least and 1000 at most; of 1000 there is no more."""
    changes = {"verdict": Verdict.INCONCLUSIVE, "code": "G020", "pairs": used}
    assert f"--pairs {pairs} " in lines(**changes)[LONGER]
    spent = commands(**(changes | {"pairs": 999}))[LONGER]
    assert (spent.line, spent.why) == ("", "1000 pairs are the maximum; a quieter host helps.")


def test_what_is_missing_goes_with_another_text_or_its_metric_alone():
    """A curve of an unchanged profile cannot be accepted away, and the reason says what can be done."""
    missing = {"verdict": Verdict.MISSING, "code": "G040", "method": "none"}
    text = finding("other", verdict=Verdict.INCOMPARABLE, code="G032")
    metric = finding(metric="throughput")
    assert [bool(lines(ORIGIN, one, **missing)[ACCEPT]) for one in (text, metric)] == [True, True]
    curve = commands(ORIGIN, finding("other"), **missing)[ACCEPT]
    assert (curve.line, "remove its series from the baseline" in curve.why) == ("", True)


@pytest.mark.parametrize(
    ("verdict", "code", "labels"),
    [
        (Verdict.PASSED, "G002", [REPRODUCE]),
        (Verdict.IMPROVED, "G003", [REPRODUCE, ACCEPT]),
        (Verdict.WAIVED, "G004", [REPRODUCE, LONGER, ACCEPT]),
        (Verdict.NEW, "G010", [ACCEPT]),
        (Verdict.INCONCLUSIVE, "G020", [REPRODUCE, LONGER]),
        (Verdict.INCONCLUSIVE, "G023", [REPRODUCE]),
        (Verdict.INCONCLUSIVE, "G043", [REPRODUCE]),
        (Verdict.INCOMPARABLE, "G031", [REPRODUCE]),
        (Verdict.INCOMPARABLE, "G041", [REPRODUCE, ACCEPT]),
        (Verdict.MISSING, "G040", [ACCEPT]),
        (Verdict.BROKEN, "G050", [REPRODUCE]),
        (Verdict.REGRESSED, "G060", [REPRODUCE, LONGER, BISECT, ACCEPT]),
    ],
)
def test_each_verdict_has_what_fits_it(verdict, code, labels):
    """In the order of the work, each with a line; what is only watched can be looked at alone."""
    metric = finding(metric="throughput")
    known = lines(ORIGIN, metric, verdict=verdict, code=code)
    assert list(known) == labels
    assert all(known.values())
    watched = lines(verdict=verdict, code=code, role=Role.WATCH)
    assert list(watched) == [one for one in labels if one == REPRODUCE]


def test_a_first_baseline_is_measured_and_accepted():
    """New: five sessions of the base side, in a directory of their own, then those files."""
    origin = replace(ORIGIN, options=(*ORIGIN.options, "--baseline", "kept here"))
    assert lines(origin, verdict=Verdict.NEW, code="G010")[ACCEPT] == (
        f"gate run iometer --repeat 5 --side base --out reports/first/iometer {SIDES} && "
        "gate baseline accept reports/first/iometer/*.json --reason 'why this level is right' "
        "--baseline 'kept here'"
    )
    alone = lines(replace(ORIGIN, options=()), verdict=Verdict.NEW, code="G010")[ACCEPT]
    assert alone.startswith("gate run iometer --repeat 5 --out reports/first/iometer && ")
    gone = lines(GONE, verdict=Verdict.NEW, code="G010")[ACCEPT]
    assert gone.startswith(
        f"{MADE}gate run iometer --repeat 5 --side base --out reports/first/iometer "
        f"--base {PLACE} --head . && gate baseline accept reports/first/iometer/*.json "
    )


def test_a_head_elsewhere_is_bisected_where_it_is():
    """git bisects at the top of the head's tree, and the options are seen from where one stands."""
    origin = replace(ORIGIN, options=("--base", "../base", "--head", "../he ad"))
    top = """"$(git -C '../he ad' rev-parse --show-toplevel)\""""
    assert lines(origin)[BISECT] == (
        f"git -C {top} bisect start {BAD} {GOOD} && git -C {top} bisect run "
        f"""env -C "$PWD" gate bisect-run {ALONE} --base ../base --head '../he ad'"""
    )


def test_a_base_side_that_is_gone_is_made_again():
    """One checkout of the base commit, made by the first line that needs it."""
    known = lines(GONE)
    sides = f"--base {PLACE} --head . --profiles {PLACE}/profiles --baseline {PLACE}/baselines"
    assert known[REPRODUCE] == f"{MADE}gate check {ALONE} {sides}"
    assert known[BISECT] == (
        f"{MADE}git bisect start {BAD} {GOOD} && git bisect run gate bisect-run {ALONE} {sides}"
    )


@pytest.mark.parametrize(
    ("folder", "options", "judged"),
    [
        ("perf/profiles", (), "--profiles {0}/perf/profiles --baseline {0}/perf/baselines"),
        ("perf/p", ("--profiles", "perf/p", "--baseline", "kept"),
         "--profiles {0}/perf/p --baseline {0}/kept"),
        ("perf/p", ("--profiles", "p", "--baseline", "../kept"),
         "--profiles {0}/perf/p --baseline {0}/kept"),
        ("p", ("--profiles", "p", "--baseline", "../kept"),
         "--baseline ../kept --profiles {0}/p"),
        ("../../x", (), ""),
        ("/x", (), ""),
    ],
)  # fmt: skip
def test_a_change_is_judged_again_by_what_its_base_has(folder, options, judged):
    """Whatever the folders are called; a path that leaves the checkout is not followed."""
    known = lines(replace(GONE, profiles=folder, options=options))
    said = f"--base {PLACE} --head . {judged.format(PLACE)}".rstrip()
    assert known[REPRODUCE].removeprefix(MADE) == f"gate check {ALONE} {said}"


def test_another_text_is_the_heads_own():
    """Measured again as the head has it, against the levels of the base."""
    known = lines(GONE, verdict=Verdict.INCOMPARABLE, code="G032")[REPRODUCE]
    assert known.endswith(f" --base {PLACE} --head . --baseline {PLACE}/baselines")


def test_what_a_line_is_not_judged_by_is_said():
    """A bisection goes through trees that edit profiles; a change with edits is told of them."""
    assert commands()[BISECT].why == (
        "`git bisect reset` ends it. Name `--profiles` and `--baseline` if commits edit theirs."
    )
    assert commands(GONE)[BISECT].why == "`git bisect reset` ends it."
    made = finding(verdict=Verdict.REGRESSED, method="pairs", pairs=14, code="G060")
    edit = Edit(
        code="G070",
        profile="iometer",
        before="5 %",
        after="90 %",
        headline="looser",
        advice="",
        loosens=True,
    )
    said = "The change loosens its rules: give the merge base's `--profiles` and `--baseline`."
    for one, why in (
        (edit, said),
        (replace(edit, profile="x"), ""),
        (replace(edit, benchmark="x"), ""),
        (replace(edit, loosens=False), ""),
    ):
        report = sample_report(findings=(made,), origin=ORIGIN, edits=(one,))
        assert commands_for(made, report)[0][::2] == (REPRODUCE, why)


def test_a_narrowed_check_is_not_accepted():
    """Its session would be refused, so that no line says to try."""
    made = finding(verdict=Verdict.REGRESSED, method="pairs", pairs=14, code="G060")
    note = "only 1 of 5 benchmarks of db was measured and judged (--benchmark): no verdict"
    report = sample_report(findings=(made,), origin=ORIGIN, notes=(note,))
    (accept,) = (one for one in commands_for(made, report) if one.label == ACCEPT)
    assert accept[1:] == (
        "",
        "Only some benchmarks were measured; check the whole profile, then accept that.",
    )


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"base_commit": ""}, "The commits of both sides are not known."),
        ({"head_commit": "2; rm -rf ."}, "The commits of both sides are not known."),
        ({"head_commit": GOOD}, "Both sides are of the same commit."),
        ({"dirty": True}, "The head side had uncommitted changes."),
    ],
)
def test_no_commit_to_be_found(changes, why):
    """Without two commits that hold what was measured there is nothing to bisect, and it says so."""
    assert commands(replace(ORIGIN, **changes))[BISECT][1:] == ("", why)


def test_why_nothing_can_be_accepted():
    """A session that is not here, or that holds something broken."""
    gone = commands(replace(ORIGIN, out=""))[ACCEPT]
    assert (gone.line, "`/driftgate accept REASON`" in gone.why) == ("", True)
    other = finding("other", verdict=Verdict.BROKEN, code="G050")
    broken = commands(ORIGIN, other)[ACCEPT]
    assert (broken.line, "is broken" in broken.why) == ("", True)


def test_a_report_that_tells_no_origin():
    """Alone with a word on what is lacking; nothing that would be refused as it stands."""
    known = commands(None)
    assert known[REPRODUCE][1:] == (
        f"gate check {ALONE}",
        "Name the base side with `--base DIR`: this report does not say where it was.",
    )
    assert [known[label].line for label in (LONGER, BISECT, ACCEPT)] == ["", "", ""]


@pytest.mark.parametrize(
    "name", [*HOSTILE, "a\nb", "x" * 301, "-rf", "\u202eabc", "a\x1b[2Jb", "a\u200bb"]
)
@pytest.mark.parametrize("where", ["benchmark", "profile"])
def test_hostile_names_are_one_word_or_no_command(name, where):
    """Split as a shell does, the name is one word as it stands; what cannot be shown is refused."""
    for one in commands(**{where: name}).values():
        assert one.line.isprintable() or not one.line
        if one.label == REPRODUCE and one.line:
            words = shlex.split(one.line)
            assert words[2 if where == "profile" else 4] == name
        if "\n" in name or len(name) > 300:
            assert (one.label, one.line) == (REPRODUCE, "")
            assert one.why


def test_an_origin_can_only_say_what_a_check_has_said():
    """Words that are no option of ours are left out; a line break in one leaves no line at all."""
    told = ("--base", "$(touch x)", "rm", "everything")
    assert lines(replace(ORIGIN, options=told))[REPRODUCE] == (
        f"gate check {ALONE} --base '$(touch x)'"
    )
    other = lines(replace(ORIGIN, options=("--out", "/etc")))
    assert other == {REPRODUCE: ""}
    broken = lines(replace(ORIGIN, options=("--base", "a\nb")))
    assert broken == {REPRODUCE: ""}


RESTARTS = replace(ORIGIN, restarts=True)
"""A check of this machine's own kernels."""


def test_where_trials_are_restarts_every_line_allows_them():
    """The lines of a check do; git, which cannot go on after one, is not asked to bisect."""
    known = commands(RESTARTS)
    assert known[REPRODUCE].line == f"gate check {ALONE} {SIDES} --restart"
    assert known[LONGER].line == f"gate check {ALONE} --pairs 200 {SIDES} --restart"
    assert known[BISECT].line == ""
    assert "git bisect cannot restart the machine" in known[BISECT].why


def test_where_trials_are_restarts_the_first_level_is_measured_session_by_session():
    """What accepts it is told beside the line: nothing that follows in a line outlives a restart."""
    new = commands(RESTARTS, verdict=Verdict.NEW, code="G010")[ACCEPT]
    place = "reports/first/iometer"
    assert new.line == f"gate run iometer --side base --out {place} {SIDES} --restart"
    assert new.why == (
        f"Then: gate baseline accept {place}/*.json --reason 'why this level is right'"
    )


def test_how_sides_are_activated_is_part_of_each_line():
    """A check with --subject is started again with it."""
    origin = replace(ORIGIN, options=("--base", "b", "--subject", "lab.toml"))
    assert lines(origin)[REPRODUCE] == f"gate check {ALONE} --base b --subject lab.toml"


@pytest.mark.parametrize(
    "changes", [{"code": "G044", "verdict": Verdict.MISSING}, {"benchmark": "*"}]
)
def test_what_was_not_measured_has_no_line(changes):
    """Nothing of it is there to be run again: the reason is."""
    known = commands(**changes)
    assert [(one.line, bool(one.why)) for one in known.values()] == [("", True)]


def test_a_summary_is_measured_and_not_accepted():
    """Printed means have no profile here."""
    known = commands(method="summary")
    assert [(one.label, one.line) for one in known.values()] == [(LONGER, "")]


def test_the_next_steps_print_the_commands_of_the_worst_finding():
    """After the code's page: the lines of the first finding of each verdict, in its words."""
    worst = finding(verdict=Verdict.REGRESSED, method="pairs", pairs=14, code="G060")
    new = finding("x", verdict=Verdict.NEW, code="G010", method="none", evidence=Evidence())
    report = sample_report(findings=(worst, new), origin=ORIGIN)
    first, second = next_steps(report)
    assert first.commands == ("gate explain G060", *lines().values())
    assert second.commands[-1] == f"gate check --allow new {SIDES}"
    assert not any("SESSION" in line or "PROFILE" in line for line in first.commands)


FILES = "https://github.com/o/r/blob/" + BAD


@pytest.mark.parametrize(
    ("files", "folder", "profile", "address"),
    [
        (FILES, "profiles", "db", f"{FILES}/profiles/db.toml"),
        (FILES, "perf/profiles", "d b?#é", f"{FILES}/perf/profiles/d%20b%3F%23%C3%A9.toml"),
        ("https://git.example.org:8443/o/r/src/commit/1", "p", "x",
         "https://git.example.org:8443/o/r/src/commit/1/p/x.toml"),
        ("", "profiles", "db", ""),
        ("http://github.com/o/r", "profiles", "db", ""),
        ("javascript:alert(1)", "profiles", "db", ""),
        ("https://user@github.com/o/r", "profiles", "db", ""),
        ("https://github.com/o/r?x=", "profiles", "db", ""),
        ("https://github.com/o/../r", "profiles", "db", ""),
        ("https://github.com", "profiles", "db", ""),
        (FILES, "../../..", "db", ""),
        (FILES, "profiles", "../../x", ""),
        (FILES, "profiles", "a\nb", ""),
        (FILES, "profiles", "x" * 500, ""),
    ],
)  # fmt: skip
def test_the_address_of_a_profile(files, folder, profile, address):
    """Below the address that the origin tells, quoted; nothing where that is no plain https one."""
    report = sample_report(origin=Origin(files=files, profiles=folder))
    assert profile_address(report, profile) == address
    assert profile_address(sample_report(origin=None), profile) == ""
