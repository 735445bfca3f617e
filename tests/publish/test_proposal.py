"""What is read of a proposed baseline, and the command that asks for one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import InputError
from gate.publish.accept_command import check_login, check_reason, parse_command
from gate.publish.proposal import (
    Proposal,
    answer_proposed,
    answer_refused,
    commit_message,
    describe_proposal,
    title_of,
)

SHA = "0123456789abcdef0123456789abcdef01234567"
PROPOSAL = Proposal(
    rows=(
        ("db db[iodepth=32] iops", "712.0 -> 641.0 k op/s (-10.0 %), epoch 2"),
        ("db db[iodepth=1] iops", "22.10 -> 22.05 k op/s (-0.23 %), appended"),
    ),
    reason="checksums are on by default (#12)",
    by="alice",
    commit=SHA,
    host_classes=("bm-epyc-9454p",),
    verdict="regressed: Gate closed: 1 regressed, 1 passed on host class bm-epyc-9454p",
    pull=17,
    run="https://github.com/owner/name/actions/runs/900",
    notes=("the tree that was measured had uncommitted changes",),
)
GOLDEN = """\
The level that was measured for #17 becomes the baseline of host class `bm-epyc-9454p`.

**Reason:** checksums are on by default (`#12`)

- `db db[iodepth=32] iops`: 712.0 → 641.0 k op/s (-10.0\u00a0%), epoch 2
- `db db[iodepth=1] iops`: 22.10 → 22.05 k op/s (-0.23\u00a0%), appended

| | |
|---|---|
| Asked for by | `alice` |
| Measured commit | `0123456789abcdef0123456789abcdef01234567` |
| Verdict so far | regressed: Gate closed: 1 regressed, 1 passed on host class `bm-epyc-9454p` |
| Measured by | [the run](https://github.com/owner/name/actions/runs/900) |

- the tree that was measured had uncommitted changes

It counts once it is on the branch that pull requests are compared with: the gate reads baselines \
at the merge base, never from the pull request that it judges.

When it is merged, update the branch of #17; it is then measured and judged against this level, \
and more than that still closes.
"""


def test_the_pull_request_reads_so():
    assert title_of(PROPOSAL) == "Accept the level of #17 as the new baseline"
    assert describe_proposal(PROPOSAL) == GOLDEN


def test_the_commit_says_what_why_and_who():
    assert commit_message(PROPOSAL) == (
        "Accept the level of #17 as the new baseline\n\nchecksums are on by default (#12)\n\n"
        f"Accepted on the word of alice.\nMeasured commit: {SHA}"
    )


def test_the_answer_reads_so():
    page = "https://github.com/owner/name/pull/18"
    text = answer_proposed(PROPOSAL, page=page, number=18, branch="b", commit=SHA)
    assert text.startswith(
        "<!-- driftgate:accept -->\n**driftgate: this level is proposed as the new baseline.** "
        f"#18 carries it; [review it]({page}) and merge it.\n"
    )
    refused = answer_refused("disturbed: @team <b>", "alice")
    assert refused == (
        "<!-- driftgate:accept -->\n**driftgate: nothing was accepted** (asked for by `alice`). "
        "disturbed: `@team <b>`\n"
    )


def test_sessions_of_the_branch_itself_read_so():
    own = replace(PROPOSAL, pull=None, by="", reason="passed on main", notes=(), run="")
    assert title_of(own) == "Baseline: sessions of db"
    text = describe_proposal(own)
    assert text.startswith("Sessions of this branch that passed are added to the baseline of host")
    assert "| Asked for by | nobody in particular |" in text
    assert "#17" not in text
    assert "Added because it passed." in commit_message(own)


def test_many_rows_are_folded_and_counted():
    rows = tuple((f"p b[n={i}] wall", "1.000 -> 2.000 s (+100.0 %), epoch 2") for i in range(5000))
    text = describe_proposal(replace(PROPOSAL, rows=rows))
    assert len(text) < 60_000
    before, _, folded = text.partition("<details><summary>4980 more</summary>")
    assert before.count("\n- `") == 20
    assert folded.count("\n- `") == 280
    assert "- and 4700 more, in the changed files" in folded
    assert text.count("<details>") == text.count("</details>") == 1


@given(name=st.text(max_size=60), reason=st.text(max_size=60))
def test_no_name_or_reason_leaves_its_place(name, reason):
    """Whatever they hold: the same lines, no mention, no tag, no link of theirs."""
    text = describe_proposal(replace(PROPOSAL, rows=((name, "new at 1 s"),), reason=reason))
    assert len(text.split("\n")) == len(GOLDEN.split("\n")) - 1
    for line in text.split("\n"):
        assert line == "" or line.isprintable() or "\u00a0" in line


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("/driftgate accept new allocator", "new allocator"),
        (
            "/driftgate  accept\tnew  allocator  \r\nThank you\n/driftgate accept other",
            "new  allocator",
        ),
        ("/driftgate accept", ""),
        ("/driftgate accept `rm -rf /` $(id) ; \"'", "`rm -rf /` $(id) ; \"'"),
    ],
)
def test_commands(body, reason):
    found = parse_command(body)
    assert (found.word, found.commit, found.reason) == ("accept", "", reason)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "accept x",
        " /driftgate accept x",
        "\n/driftgate accept x",
        "> /driftgate accept x",
        "    /driftgate accept x",
        "`/driftgate accept x`",
        "/Driftgate accept x",
        "/driftgate\u00a0accept x",
        "/driftgated accept x",
        "/driftgate\u200b accept x",
        "/driftgateaccept x",
        "please /driftgate accept x",
    ],
)
def test_no_commands(body):
    assert parse_command(body) is None


@pytest.mark.parametrize("word", ["acceptx", "accepted", "reject", "\u200b"])
def test_another_word_is_a_command_too_and_is_answered(word):
    assert parse_command(f"/driftgate {word} x").word == word


@given(st.text(max_size=300))
def test_parsing_never_fails_and_reasons_are_one_line(body):
    """Any text is a command or none, and a reason that is checked is one plain short line."""
    found = parse_command(f"/driftgate accept {body}")
    if found is None:
        return
    try:
        reason = check_reason(found.reason)
    except InputError:
        return
    assert reason.isprintable()
    assert 0 < len(reason) <= 500


def test_a_long_first_line_is_cut_and_refused():
    found = parse_command("/driftgate accept " + "x" * 10**6)
    assert found is not None
    assert len(found.reason) < 5000
    with pytest.raises(InputError):
        check_reason(found.reason)


@pytest.mark.parametrize("login", ["alice", "a-b-c", "octo_corp", "dependabot[bot]"])
def test_logins(login):
    assert check_login(login) == login
