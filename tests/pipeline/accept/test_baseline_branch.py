"""The default branch's own sessions: only what passed enters its baseline, and not without end."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import HOST_CLASS
from pipeline.accept.accepting import BASELINE, World, git
from publish.github_server import GitHubServer
from publish.server_client import REPOSITORY

from gate.formats.baseline.baseline_file import read_baseline
from gate.formats.session.session_file import write_handover
from gate.model import SCHEMA, BaselinePoint, Handover
from gate.pipeline.accept.sessions import MOST_SESSIONS, trim_baseline

CARRIER = "driftgate/baseline"
OTHER_BOOT = "00000000-0000-0000-0000-000000000001"


class Main(World):
    """A world in which main itself is measured, each time as if on another day."""

    day = 0

    def sitting(self, level=1.0, **how):
        """A session of main's present commit, of a day of its own."""
        type(self).day += 1
        one = self.session(level)
        day = f"2027-{1 + self.day // 28:02d}-{1 + self.day % 28:02d}"
        times = {"started": f"{day}T10:00:00.000Z", "ended": f"{day}T10:01:00.000Z"}
        return replace(one, **{**times, "id": f"{day}-{one.id[-6:]}", **how})

    def handed(self, *sessions, **more):
        write_handover(
            self.root / "out" / "session.json",
            Handover(schema=SCHEMA, version="1", sessions=sessions, **more),
        )

    def add(self, *words):
        return self.gate("baseline", "out", *words)

    def ids(self, revision):
        """Sessions of the baseline at a revision."""
        place = self.root.parent / "look"
        for name in (BASELINE, f"baselines/{HOST_CLASS}/host.toml"):
            path = place / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.text(revision, name))
        return [one.id for one in read_baseline(place / BASELINE).sessions]


@pytest.fixture
def main(tmp_path):
    with GitHubServer(tmp_path / "hub") as hub:
        yield Main(tmp_path, hub)


def nothing_added(main, answer, status, *words):
    assert answer.status == status, answer
    for word in words:
        assert word in answer.out + answer.err
    assert main.branches() == ["main"]
    assert (main.tip("main"), main.pulls()) == (main.main, [])


def test_what_passed_is_pushed(main):
    """--mode push: one commit on main with the one session, and nothing else."""
    one = main.sitting()
    main.handed(one)
    answer = main.add("--mode", "push")
    assert answer.status == 0, answer
    tip = main.tip("main")
    assert main.outputs() == {"pull": "", "branch": "main", "commit": tip, "run": ""}
    assert git(main.bare, "rev-parse", f"{tip}^") == main.main
    assert main.changed(main.main, tip) == [BASELINE]
    assert main.ids(tip)[-1] == one.id
    assert len(main.ids(tip)) == 6
    text = main.text(tip)
    assert 'reason = "passed on main"' in text
    assert text.count("# epoch") == 1


def test_what_passed_is_proposed_and_collected_in_one_pull_request(main):
    """Two nights before anybody looks: one branch, one request, both sessions."""
    one, two = main.sitting(), main.sitting(1.001)
    main.handed(one)
    assert main.add().status == 0
    main.handed(two)
    answer = main.add("--json")
    assert (answer.status, answer.json["action"]) == (0, "edited")
    assert main.branches() == [CARRIER, "main"]
    assert main.ids(CARRIER)[-2:] == [one.id, two.id]
    (pull,) = main.pulls()
    assert (pull["title"], pull["base"]["ref"]) == ("Baseline: sessions of p", "main")
    assert "`p b wall`: 1.000 → 1.000 s" in pull["body"]
    assert main.tip("main") == main.main


def test_the_branch_goes_on_while_main_changes_elsewhere(main):
    one, two = main.sitting(), main.sitting()
    main.handed(one)
    main.add()
    main.commit("main", tool="other\n")
    main.handed(two)
    assert main.add().status == 0
    assert main.ids(CARRIER)[-2:] == [one.id, two.id]
    assert len(main.pulls()) == 1


def test_after_a_merge_the_branch_starts_from_main(main):
    one, two = main.sitting(), main.sitting()
    main.handed(one)
    main.add()
    git(main.root, "fetch", "-q", "origin")
    git(main.root, "merge", "-q", "--no-ff", "-m", "merged", f"origin/{CARRIER}")
    merged = main.commit("main")
    main.hub.repository(REPOSITORY)["pulls"][0]["state"] = "closed"
    main.handed(two)
    assert main.add().status == 0
    assert git(main.bare, "rev-parse", f"{CARRIER}^") == merged
    assert main.ids(CARRIER)[-2:] == [one.id, two.id]


def test_a_branch_that_would_conflict_is_left_for_a_dated_one(main):
    """Main accepted something else meanwhile: the old branch stays as it is."""
    main.handed(main.sitting())
    main.add()
    old = main.tip(CARRIER)
    other = main.project.session({"b": [1.2, 1.2004, 1.1996]})
    words = ("--reason", "meanwhile", "--by", "me")
    assert main.project.gate("baseline", "accept", other, *words).status == 0
    main.commit("main")
    main.handed(main.sitting(1.2))
    answer = main.add()
    assert answer.status == 0, answer
    (fresh,) = [one for one in main.branches() if one not in {CARRIER, "main"}]
    assert fresh.startswith(f"{CARRIER}-20")
    assert main.tip(CARRIER) == old


@pytest.mark.parametrize(
    ("level", "how", "status", "why"),
    [
        (1.2, {}, 5, "inconclusive"),
        (0.8, {}, 0, "left out: p: improved"),
        (1.0, {"disturbances": ("steal 12 %",)}, 5, "incomparable"),
        (1.0, {"trials": ()}, 4, "broken"),
        (1.0, {"profile_digest": "sha256:other"}, 6, "a profile text that is not in profiles"),
    ],
)
def test_what_did_not_pass_never_enters(main, level, how, status, why):
    """Each is told with its verdict, and the exit status is that of the verdict."""
    main.handed(main.sitting(level, **how))
    nothing_added(main, main.add("--mode", "push"), status, why, "nothing was added")


def test_a_report_that_says_open_is_not_believed(main):
    """report.json beside the sessions is not looked at."""
    main.handed(main.sitting(1.2))
    (main.root / "out" / "report.json").write_text('{"gate": "open"}')
    nothing_added(main, main.add("--mode", "push"), 5, "left out: p: inconclusive")


def test_a_check_that_ended_early_adds_nothing(main):
    main.handed(main.sitting(), error="G262: stopped")
    nothing_added(main, main.add("--mode", "push"), 4, "measuring ended early")


def test_a_session_of_another_branch_is_refused(main):
    git(main.root, "checkout", "-q", "-b", "side")
    side = main.commit("main-not", tool="side\n")
    git(main.bare, "update-ref", "-d", "refs/heads/main-not")
    one = main.sitting()
    assert one.subject.commit == side
    git(main.root, "checkout", "-q", "main")
    main.handed(one)
    nothing_added(main, main.add("--mode", "push"), 6, f"its commit {side} is not on main")


@pytest.mark.parametrize("commit", ["", "f" * 40, "../../secrets", "main"])
def test_a_session_of_no_known_commit_is_refused(main, commit):
    one = main.sitting()
    main.handed(replace(one, subject=replace(one.subject, commit=commit)))
    nothing_added(main, main.add("--mode", "push"), 6, "left out: p: ")


def test_a_session_of_changed_files_is_refused(main):
    one = main.sitting()
    main.handed(replace(one, subject=replace(one.subject, dirty=True)))
    nothing_added(main, main.add("--mode", "push"), 6, "the tree had changes that are not in")


def test_an_older_commit_of_the_branch_is_of_the_branch(main):
    """Main moved while it was measured."""
    one = main.sitting()
    newer = main.commit("main", tool="newer\n")
    main.handed(one)
    assert main.add("--mode", "push").status == 0
    assert git(main.bare, "rev-parse", "main^") == newer


def test_one_session_of_a_day_and_boot_is_enough(main):
    """The second of a day is left out; after a reboot it counts while the baseline is small."""
    one = main.sitting()
    main.handed(one)
    main.add("--mode", "push")
    git(main.root, "pull", "-q", "origin", "main")
    again = replace(main.sitting(), started=one.started[:11] + "12:00:00.000Z")
    main.handed(again)
    before = main.tip("main")
    answer = main.add("--mode", "push")
    assert (answer.status, main.tip("main")) == (0, before)
    assert f"left out: p: a session of {one.started[:10]} was accepted already" in answer.out
    main.handed(replace(again, boot=OTHER_BOOT))
    assert main.add("--mode", "push").status == 0
    assert main.tip("main") != before


def test_the_same_handover_twice_is_added_once(main):
    main.handed(main.sitting())
    main.add()
    before = main.tip(CARRIER)
    answer = main.add()
    assert (answer.status, main.tip(CARRIER)) == (0, before)
    assert "it was accepted before" in answer.out


def test_main_moves_in_the_last_moment(main):
    """A push in between is not lost, and not overwritten."""
    main.handed(main.sitting())
    pushed = main.commit("later", tool="pushed\n")
    main.hub.when(
        "PATCH", "/git/refs/", lambda: git(main.bare, "update-ref", "refs/heads/main", pushed)
    )
    answer = main.add("--mode", "push")
    assert answer.status == 6
    assert "error[G274]" in answer.err
    assert main.tip("main") == pushed


def test_another_baseline_on_main_is_not_overwritten(main):
    one = main.sitting()
    text = (main.root / BASELINE).read_text()
    (main.root / BASELINE).write_text(text.replace("first baseline", "another reason"))
    moved = main.commit("main")
    git(main.root, "checkout", "-q", main.main)
    main.handed(one)
    answer = main.add("--mode", "push")
    assert (answer.status, main.tip("main")) == (6, moved)
    assert "error[G274]" in answer.err


# A first baseline.


@pytest.fixture
def bare(tmp_path):
    with GitHubServer(tmp_path / "hub") as hub:
        yield Main(tmp_path, hub, baseline=False)


def test_without_first_nothing_becomes_a_baseline_by_itself(bare):
    bare.handed(bare.sitting())
    nothing_added(bare, bare.add("--mode", "push"), 5, "left out: p: new")


def test_a_first_baseline_of_several_sittings(bare):
    """All that are whole and undisturbed, with the host's file; it says what is still wanted."""
    good = [bare.sitting(level) for level in (1.0, 1.001, 0.999)]
    bad = bare.sitting(1.0, disturbances=("steal 12 %",))
    bare.handed(*good, bad)
    answer = bare.add("--mode", "push", "--first", "--reason", "first baseline")
    assert answer.status == 0, answer
    assert f"left out: p, session {bad.id}: it was disturbed: steal 12 %" in answer.out
    assert "p: 7 more sessions are wanted, of other days or boots" in answer.out
    assert bare.changed(bare.main, bare.tip("main")) == [
        f"baselines/{HOST_CLASS}/host.toml",
        BASELINE,
    ]
    assert bare.ids("main") == [one.id for one in good]
    assert 'reason = "first baseline"' in bare.text("main")
    assert 'by = "github-actions[bot]"' in bare.text("main")


def test_a_first_baseline_grows_until_it_can_be_judged_by(bare):
    """With three sessions it takes more; with five the gate decides, also with --first."""
    words = ("--mode", "push", "--first", "--reason", "first baseline")
    for levels in ((1.0, 1.001, 0.999), (1.0005, 0.9995)):
        bare.handed(*(bare.sitting(level) for level in levels))
        assert bare.add(*words).status == 0
        git(bare.root, "pull", "-q", "origin", "main")
    before = bare.tip("main")
    bare.handed(bare.sitting(1.3))
    answer = bare.add(*words)
    assert (answer.status, bare.tip("main")) == (5, before)


def test_only_disturbed_sittings_make_no_first_baseline(bare):
    bare.handed(bare.sitting(1.0, disturbances=("steal 12 %",)))
    answer = bare.add("--first", "--reason", "first baseline")
    nothing_added(bare, answer, 5, "it was disturbed")


@pytest.mark.parametrize("words", [(), ("--first", "--reason", "first baseline")])
@pytest.mark.parametrize("how", [{"profile": "q"}, {"profile_digest": "sha256:other"}])
def test_a_session_needs_a_profile_of_the_branch(bare, how, words):
    """Nothing enters by its own word of what was measured, and at which tolerance."""
    bare.handed(bare.sitting(1.0, **how))
    answer = bare.add("--mode", "push", *words)
    nothing_added(bare, answer, 6, "was made with a profile text that is not in profiles")


@pytest.mark.parametrize("words", [("--first",), ("--first", "--reason", " "), ("--reason", "x")])
def test_a_first_baseline_has_a_reason_and_no_other_needs_one(bare, words):
    bare.handed(bare.sitting())
    nothing_added(bare, bare.add(*words), 2)


# Not without end.


def test_old_sessions_go_and_the_anchor_stays(main):
    """Forty sessions in an epoch become thirty: the first three and the newest 27."""
    known = read_baseline(main.root / BASELINE)
    (series,) = known.series
    template = known.sessions[0]
    ids = [f"s{n:02d}" for n in range(40)]
    old = BaselinePoint(session="older", epoch=1, values=(2.0,))
    points = tuple(BaselinePoint(session=one, epoch=2, values=(1.0,)) for one in ids)
    sessions = tuple(replace(template, id=one) for one in ("older", *ids))
    grown = replace(known, series=(replace(series, points=(old, *points)),), sessions=sessions)
    kept = [point.session for point in trim_baseline(grown).series[0].points]
    assert kept == ["older", "s00", "s01", "s02", *ids[-27:]]
    assert [one.id for one in trim_baseline(grown).sessions] == kept
    assert len(kept) - 1 == MOST_SESSIONS
    assert trim_baseline(known) == known
