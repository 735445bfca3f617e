"""What else differed: against the base side where pairs were measured, else what was accepted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from judge.build import HOST, accepted, at, baseline, decide, pairs, session
from judge.test_set_aside import with_asides

from gate.judge.context.differences import alike_of, merge_differences
from gate.model import Alike, Difference, Kernel, Subject
from gate.model.report_rows import AREAS


def told(report, *areas):
    """Area, key, base and head of the differences of these areas."""
    return [
        (one.area, one.key, one.base, one.head) for one in report.differences if one.area in areas
    ]


def count(report, area):
    return next((one.count for one in report.alike if one.area == area), 0)


def on(epoch=None, stable=None, **more):
    """A head session on a host with these facts."""
    host = replace(HOST, epoch=epoch or HOST.epoch, stable=stable or HOST.stable)
    return session(host=host, **more)


def with_pairs(base=None, head=None):
    """A flagged screen and its pairs, with fields of the two confirming sessions."""
    before, after = pairs(0.2)
    screen = session({"b": at(1.2)}, sides=True)
    return [screen, replace(before, **(base or {})), replace(after, **(head or {}))]


def test_a_fact_of_the_host_against_the_newest_accepted_session():
    """The governor is not what it was; the base names the newest session, and who differs."""
    known = baseline(
        sessions=(
            *(accepted(i, epoch_facts={"governor": "old", "smt": "on"}) for i in range(4)),
            accepted(4, epoch_facts={"governor": "powersave", "smt": "on"}),
        )
    )
    report = decide(on({"governor": "performance", "smt": "on"}), known)
    assert report.differences == (
        Difference(
            area="host",
            key="governor",
            base="powersave",
            head="performance",
            against="accepted session a04",
            profiles=("p",),
        ),
    )
    assert count(report, "host") == 2  # cpu, smt


def test_facts_with_an_area_of_their_own():
    """Kernel, command line and tuning are told where a reader looks for them, once each."""
    facts = {"kernel": "6.1", "command_line": "quiet", "tuned": "nothing", "smt": "on"}
    now = {"kernel": "6.2", "command_line": "quiet nosmt", "tuned": "turbo", "smt": "on"}
    known = baseline(sessions=tuple(accepted(i, epoch_facts=facts) for i in range(5)))
    assert told(decide(on(now), known), "host", "kernel", "command line", "tuning") == [
        ("kernel", "release", "6.1", "6.2"),
        ("command line", "command line", "quiet", "quiet nosmt"),
        ("tuning", "tuned", "nothing", "turbo"),
    ]


def test_a_kernel_that_the_session_tells_is_not_told_twice():
    """Where the session knows its kernel, the facts of the host add no row of their own."""
    kernel = Kernel(release="6.2", version="#1", build_id="ab", command_line="quiet")
    facts = {"kernel": "6.1", "command_line": "quiet"}
    known = baseline(sessions=tuple(accepted(i, epoch_facts=facts) for i in range(5)))
    report = decide(on({"kernel": "6.2", "command_line": "quiet"}, kernel=kernel), known)
    assert told(report, "kernel") == [("kernel", "release", "6.1", "6.2")]
    assert count(report, "command line") == 1


def test_pairs_are_compared_with_their_base_side():
    """Tools, tuning, subject and the trials set aside of the two confirming sessions."""
    base = {
        "tools": {"replay": "1.2", "libaio": "3"},
        "subject": Subject(description="base", commit="a" * 40, proof="sha256:1"),
    }
    head = {
        "tools": {"replay": "1.3"},
        "subject": Subject(description="head", commit="b" * 40, dirty=True, proof="sha256:2"),
        "tuned": ("turbo", "thp"),
    }
    screen, before, after = with_pairs(base, head)
    report = decide([screen, before, with_asides(after, (1.3, 1.4))])
    assert {one.against for one in report.differences} == {"base side"}
    assert told(report, *AREAS) == [
        ("tools", "libaio", "3", ""),
        ("tools", "replay", "1.2", "1.3"),
        ("tuning", "tuned", "", "turbo, thp"),
        ("subject", "commit", "a" * 40, "b" * 40),
        ("subject", "description", "base", "head"),
        ("subject", "proof", "sha256:1", "sha256:2"),
        ("subject", "uncommitted changes", "no", "yes"),
        ("disturbed", "trials set aside", "0 of 30", "2 of 32"),
    ]


def test_what_is_alike_is_counted():
    """Two equal sides: host, kernel, tools, text and harness, and that nothing was set aside."""
    report = decide(with_pairs())
    assert report.differences == ()
    assert {one.area: one.count for one in report.alike} == {
        "host": 1,
        "kernel": 1,
        "tools": 1,
        "profile": 2,
        "disturbed": 1,
    }
    assert [one.area for one in report.alike] == [area for area in AREAS if count(report, area)]


def test_another_text_and_harness():
    """Digests are told as short as rounds keep them; the harness by its name."""
    known = baseline(
        profile_digest="sha256:1",
        harness="fio",
        sessions=tuple(accepted(i, profile_digest="sha256:" + "1" * 64) for i in range(5)),
    )
    report = decide(session(profile_digest="sha256:" + "2" * 64), known)
    assert told(report, "profile") == [
        ("profile", "harness", "fio", "replay"),
        ("profile", "text", "1" * 12, "2" * 12),
    ]


@pytest.mark.parametrize(
    ("then", "now", "rows", "alike"),
    [
        ("unknown", "unknown", [], 0),
        (None, "unknown", [], 0),
        ("unknown", "on", [("host", "smt", "unknown", "on")], 0),
        (None, "on", [("host", "smt", "", "on")], 0),
        ("on", None, [("host", "smt", "on", "")], 0),
        ("on", "on", [], 1),
    ],
)
def test_what_neither_side_tells_is_neither(then, now, rows, alike):
    """Unknown on both sides is no agreement; known on one side only is a difference."""
    facts, ours = ({"smt": one} if one else {} for one in (then, now))
    known = baseline(sessions=tuple(accepted(i, epoch_facts=facts) for i in range(5)))
    head = session(host=replace(HOST, epoch=ours))
    report = decide(head, known)
    assert told(report, "host") == rows
    assert count(report, "host") == 1 + alike


def test_of_long_facts_only_what_differs_is_told():
    """Fifteen mitigations of which one moved are not told in full."""
    many = "; ".join(f"vulnerability{i} mitigated" for i in range(15))
    known = baseline(
        sessions=tuple(accepted(i, epoch_facts={"mitigations": many}) for i in range(5))
    )
    now = many.replace("vulnerability7 mitigated", "vulnerability7 open")
    (row,) = decide(on({"mitigations": now}), known).differences
    assert (row.base, row.head) == (
        "… vulnerability7 mitigated …",
        "… vulnerability7 open …",
    )


def test_profiles_that_differ_alike_share_a_row():
    """Three profiles saw the same new kernel; of another fact only one of them did."""
    names = ("p", "q", "r")
    facts = {"kernel": "6.1", "smt": "on"}
    known = [
        baseline(
            profile=name,
            sessions=tuple(
                accepted(i, id=f"{name}{i}", epoch_facts=facts | {"turbo": "on"}) for i in range(5)
            ),
        )
        for name in names
    ]
    heads = [
        on(
            {"kernel": "6.2", "smt": "on", "turbo": "off" if name == "q" else "on"},
            profile=name,
            id=f"head-{name}",
        )
        for name in names
    ]
    report = decide(heads, known)
    assert [(one.key, one.against, one.profiles) for one in report.differences] == [
        ("turbo", "accepted session q4", ("q",)),
        ("release", "accepted sessions", names),
    ]
    # smt and the processor; turbo is not alike in every profile.
    assert count(report, "host") == 2
    assert count(report, "kernel") == 0
    assert count(report, "tools") == 1


def test_without_a_base_nothing_is_compared():
    """A first run differs from nothing, and agrees with nothing."""
    report = decide(session(), [])
    assert (report.differences, report.alike) == ((), ())


def row(key, *profiles, against="base side", area="host"):
    return Difference(area=area, key=key, base="1", head="2", against=against, profiles=profiles)


def test_rows_are_merged_by_what_they_say():
    """By area, key and values; a base side and an accepted session stay apart."""
    rows = [
        row("a", "q", area="tools"),
        row("b", "q"),
        row("b", "p"),
        row("b", "r", against="accepted session x"),
    ]
    assert merge_differences(rows) == (
        row("b", "p", "q"),
        row("b", "r", against="accepted session x"),
        row("a", "q", area="tools"),
    )
    assert merge_differences(reversed(rows)) == merge_differences(rows)
    assert merge_differences(merge_differences(rows)) == merge_differences(rows)


def test_areas_without_anything_alike_are_not_told():
    """Zero of nothing says nothing; the rest stands in the order of areas."""
    assert alike_of({"tools": 2, "host": 3, "kernel": 0}) == (
        Alike(area="host", count=3),
        Alike(area="tools", count=2),
    )
