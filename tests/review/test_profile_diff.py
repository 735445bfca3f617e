"""What a change does to the texts of profiles is shown as a diff; it changes no verdict."""

from __future__ import annotations

import os
import time

import pytest
from review.conftest import SAME, SLOW

from gate.review.profile_diff import (
    COMPARED_IN_ALL,
    LINES_IN_ALL,
    LONGEST_LINE,
    MOST_FILES,
    MOST_LINES,
    changed_profiles,
)
from gate.review.repository_layout import Layout
from gate.review.terms import Terms

P = "profiles/p.toml"


def changes(report):
    """Name -> lines of each changed text."""
    return {one["name"]: one["lines"] for one in report["changes"]}


@pytest.mark.parametrize("proposed", ["HEAD", None], ids=["commit", "working tree"])
def test_an_edited_profile_is_shown_as_a_diff(repository, proposed):
    """One line was replaced: the report holds it as it was and as it is, with three around it."""
    before = (repository.root / P).read_text().splitlines()
    repository.swap(P, '"5%"', '"50%"')
    if proposed:
        repository.commit()
    _, report = repository.judge(sessions=SLOW, proposed=proposed)
    lines = changes(report)[P]
    at = next(n for n, line in enumerate(before) if '"5%"' in line)
    assert lines[0].startswith("@@ -")
    assert f"-{before[at]}" in lines
    assert "+" + before[at].replace('"5%"', '"50%"') in lines
    assert [line for line in lines if line[0] == " "] == [
        f" {line}" for line in (*before[max(0, at - 3) : at], *before[at + 1 : at + 4])
    ]
    assert list(changes(report)) == [P]


def test_an_unchanged_tree_shows_none(repository):
    """Nothing was edited, so no text is shown; without a merge base nothing is compared."""
    assert repository.judge(sessions=SAME)[1]["changes"] == []
    repository.swap(P, "harness", "# a word\nharness")
    told = repository.project.gate(
        "judge", *(word for one in SAME for word in ("--session", one)), "--json"
    )
    assert '"changes": []' in told.out


def test_a_word_that_nothing_is_judged_by_is_shown_too(repository):
    """A comment is no edit, and still what the change does to the profile's text."""
    repository.swap(P, "harness", "# a word\nharness")
    repository.commit()
    _, report = repository.judge(sessions=SAME)
    assert report["edits"] == []
    assert "+# a word" in changes(report)[P]


def test_jobs_and_scripts_that_profiles_name_are_shown(repository):
    """A fio job and a script: with their paths, whether they were there before or not."""
    root = repository.root
    repository.git("checkout", "-q", "main")
    (root / "profiles/jobs").mkdir()
    (root / "profiles/jobs/a.fio").write_text("[a]\nrw=read\nbs=4k\n")
    (root / "profiles/f.toml").write_text(
        'harness = "fio"\njob = "jobs/a.fio"\n[metric.iops]\ntolerance = "5%"\n'
    )
    (root / "profiles/work.sh").write_text("true\n")
    (root / "profiles/h.toml").write_text(
        'harness = "hyperfine"\ncommand = "sh profiles/work.sh"\n[metric.wall]\ntolerance = "5%"\n'
    )
    repository.commit()
    repository.git("checkout", "-q", "-B", "change")
    repository.swap("profiles/jobs/a.fio", "4k", "8k")
    repository.swap("profiles/work.sh", "true", "sleep 1")
    (root / "profiles/jobs/unused.fio").write_text("[b]\n")
    repository.commit()
    _, report = repository.judge("--only", "p", "--only", "q", sessions=SAME)
    assert changes(report) == {
        "profiles/jobs/a.fio": ["@@ -1,3 +1,3 @@", " [a]", " rw=read", "-bs=4k", "+bs=8k"],
        "profiles/work.sh": ["@@ -1 +1 @@", "-true", "+sleep 1"],
    }


def test_a_profile_that_goes_is_shown_with_every_line(repository):
    """Removed as a whole: each of its lines is told as taken away."""
    text = (repository.root / "profiles/q.toml").read_text().splitlines()
    repository.git("rm", "-q", "profiles/q.toml")
    repository.commit()
    _, report = repository.judge(sessions=SAME[:1])
    assert changes(report)["profiles/q.toml"][1:] == [f"-{line}" for line in text]


class Trees:
    """Two trees of profiles, written out side by side."""

    def __init__(self, place):
        self.roots = place / "before", place / "after"
        self.layout = Layout(place, "profiles", "baselines")
        for root in self.roots:
            (root / "profiles").mkdir(parents=True)

    def write(self, name, before, after):
        for root, raw in zip(self.roots, (before, after), strict=True):
            if raw is not None:
                (root / "profiles" / name).write_bytes(raw)

    def changes(self):
        return changed_profiles(self.layout, *((root, Terms()) for root in self.roots))


@pytest.fixture
def trees(tmp_path):
    """Two trees without a file."""
    return Trees(tmp_path)


def test_nothing_in_a_text_steers_a_terminal(trees):
    """Control codes, marks of direction and bytes that are no text are shown as replaced."""
    trees.write("a.toml", b"", b"\x1b[31m red\r\n\xe2\x80\xae back\n\xff\n\ttab\n")
    (one,) = trees.changes()
    mark = "\N{REPLACEMENT CHARACTER}"
    assert one.lines[1:] == (f"+{mark}[31m red{mark}", f"+{mark} back", f"+{mark}", "+   tab")


def test_a_diff_is_cut_and_says_by_how_much(trees):
    """At most 200 lines of 300 characters; what was left out is counted."""
    text = b"".join(b"%d %s\n" % (n, b"x" * 400) for n in range(250))
    trees.write("a.toml", None, text)
    (one,) = trees.changes()
    assert (len(one.lines), one.more) == (MOST_LINES, 51)
    assert max(map(len, one.lines)) == LONGEST_LINE


def test_only_the_end_of_the_last_line_is_a_change_too(trees):
    """A text that lost its last newline differs, and the diff says in what."""
    trees.write("a.toml", b"a\n", b"a")
    assert trees.changes()[0].lines[1:] == (" a", "+\\ the last line has no end")


def test_a_text_too_large_is_named_and_not_compared(trees):
    """More than 256 KiB: one line says so, and nothing is spent on it."""
    trees.write("a.toml", b"a\n", b"b\n" * (1 << 18))
    (one,) = trees.changes()
    assert one.lines == ("@ too large to be compared here: more than 256 KiB",)


def test_of_many_files_the_first_are_shown_and_the_others_counted(trees):
    """103 profiles were edited: 100 diffs, and how many there are more."""
    for n in range(MOST_FILES + 3):
        trees.write(f"{n:03}.toml", b"a\n", b"b\n")
    found = trees.changes()
    assert len(found) == MOST_FILES + 1
    assert (found[-1].name, found[-1].lines) == ("3 further files", ())


def test_a_hundred_long_texts_do_not_hide_a_short_one(trees):
    """4,000 lines in all: a short text with a late name first, then a long one; the others wait."""
    kept = b"".join(b"%d\n" % n for n in range(1999))
    for n in range(MOST_FILES - 1):
        trees.write(f"{n:03}.toml", b"a\n" + kept, b"b\n" + kept)
    trees.write("z.toml", b"a\n", b"b\n")
    found = {one.name.removeprefix("profiles/"): one.lines for one in trees.changes()}
    unseen = (f"@ not compared here: texts of {COMPARED_IN_ALL} lines were",)
    assert found.pop("z.toml") == ("@@ -1 +1 @@", "-a", "+b")
    assert found.pop("000.toml") == ("@@ -1,4 +1,4 @@", "-a", "+b", " 0", " 1", " 2")
    # The short one took a line, so that of two whole long ones the second waits as all others do.
    assert set(found.values()) == {unseen}
    assert len(found) == MOST_FILES - 2


def test_texts_that_are_made_to_be_slow_end_soon(trees):
    """100 files of few words in another order each: seconds for two of them, not for all."""
    old = b"".join(b"%d\n" % (n % 100) for n in range(2000))
    new = b"".join(b"%d\n" % (n // 20) for n in range(2000))
    for n in range(MOST_FILES):
        trees.write(f"{n:03}.toml", old, new)
    began = time.process_time()
    found = trees.changes()
    assert time.process_time() - began < 30
    assert sum(one.lines[0].startswith("@ not compared") for one in found) == MOST_FILES - 2


def test_all_diffs_together_are_cut_and_counted(trees):
    """20 texts of 100 new lines each: 1,000 lines are shown, and of each how many are not."""
    text = b"".join(b"%d\n" % n for n in range(100))
    for n in range(20):
        trees.write(f"{n:03}.toml", None, text)
    found = trees.changes()
    assert sum(len(one.lines) for one in found) == LINES_IN_ALL
    assert {len(one.lines) + one.more for one in found} == {101}
    assert [len(one.lines) for one in found[8:11]] == [101, 91, 0]


def test_what_is_no_plain_file_is_not_read(trees):
    """A directory called like a profile tells nothing, and is no error."""
    os.mkdir(trees.roots[1] / "profiles/a.toml")  # noqa: PTH102 - plainly
    assert trees.changes() == ()
