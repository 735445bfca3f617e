"""calibration.toml: canonical, mergeable, read with distrust, never half-written."""

from __future__ import annotations

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from builders import HOST_CLASS, unchanged
from hypothesis import given
from hypothesis import strategies as st

from gate.docs import PAGES
from gate.formats.baseline.calibration_file import (
    MOST_KEPT,
    append_round,
    calibration_text,
    read_rounds,
)
from gate.formats.schemas import schema_text
from gate.model import Ending, Round

REGRESSED = {Ending.CLEAR: (0, 0), Ending.ALARM: (1, 9), Ending.FOUND: (1, 9)}
PLANTED = {Ending.FOUND, Ending.MISSED}
POSITIVE = st.floats(1e-6, 1e6)
TEXT = st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=30)
LOSS = st.floats(0.001, 5)


@st.composite
def rounds(draw):
    """A round as any calibration could have ended."""
    ending = draw(st.sampled_from(Ending))
    either = ending not in {Ending.CLEAR, Ending.ALARM} | PLANTED
    planted = ending in PLANTED or (either and draw(st.booleans()))
    return Round(
        id=draw(st.from_regex(r"[0-9]{8}-[0-9a-f]{10}", fullmatch=True)),
        host_class="lab",
        profile=draw(st.sampled_from(["p", "q r", "ü"])),
        date=draw(
            st.datetimes().map(lambda moment: f"{moment.replace(microsecond=0).isoformat()}Z")
        ),
        digest=draw(TEXT),
        gate=draw(TEXT),
        rule=draw(TEXT),
        alpha=draw(st.floats(1e-6, 0.5)),
        beta=draw(st.floats(1e-6, 0.5)),
        seed=draw(st.integers(0, 2**63 - 1)),
        number=draw(st.integers(1, 10**9)),
        planted=draw(LOSS) if planted else 0.0,
        benchmark=draw(TEXT) if planted else "",
        achieved=draw(st.none() | st.floats(-0.9, 5)) if planted else None,
        tolerance=draw(st.none() | LOSS) if planted else None,
        ending=ending,
        metrics=draw(st.integers(0, 1000)),
        regressed=draw(st.integers(*REGRESSED.get(ending, (0, 9)))),
        inconclusive=draw(st.integers(0, 9)),
        trials=draw(st.integers(0, 10**6)),
        seconds=draw(POSITIVE),
    )


@given(made=st.lists(rounds(), max_size=6, unique_by=lambda one: one.id), dice=st.randoms())
def test_every_round_reads_back_as_it_was(tmp_path_factory, made, dice):
    """Writing and reading changes nothing, and the order of the rounds not one byte."""
    place = tmp_path_factory.mktemp("store")
    path = place / "lab" / "calibration.toml"
    path.parent.mkdir()
    path.write_text(calibration_text("lab", made), "utf-8")
    assert set(read_rounds(place)) == set(made)
    other = list(made)
    dice.shuffle(other)
    assert calibration_text("lab", other) == calibration_text("lab", made)


def test_the_text_is_as_agreed(make_round):
    """One short line per round, most telling first, sorted by profile and date."""
    found = make_round(2, ending=Ending.FOUND)
    text = calibration_text(HOST_CLASS, [found, make_round(1), make_round(3, profile="a b")])
    common = 'digest = "abc", gate = "0.1.0", rule = "{}", alpha = 0.01, beta = 0.025, seed = 1'
    common = common.format(found.rule)
    assert text.splitlines()[2:] == [
        "schema = 1",
        'host_class = "lab"',
        "",
        '[profile."a b"]',
        "rounds = [",
        (
            '  { id = "20260101-0000000003", date = "2026-01-01T00:03:00.000Z", planted = 0.0, '
            'ending = "clear", metrics = 1, regressed = 0, inconclusive = 0, trials = 3, '
            f"seconds = 1.0, {common}, number = 3 }},"
        ),
        "]",
        "",
        "[profile.p]",
        "rounds = [",
        (
            '  { id = "20260101-0000000001", date = "2026-01-01T00:01:00.000Z", planted = 0.0, '
            'ending = "clear", metrics = 1, regressed = 0, inconclusive = 0, trials = 3, '
            f"seconds = 1.0, {common}, number = 1 }},"
        ),
        (
            '  { id = "20260101-0000000002", date = "2026-01-01T00:02:00.000Z", planted = 0.05, '
            'ending = "found", benchmark = "b", achieved = 0.05, tolerance = 0.05, metrics = 1, '
            f"regressed = 1, inconclusive = 0, trials = 3, seconds = 1.0, {common}, number = 2 }},"
        ),
        "]",
    ]


def test_the_newest_rounds_of_each_profile_are_kept(tmp_path, make_round):
    """Beyond the limit the oldest go, of their own profile only."""
    many = [make_round(number) for number in range(1, MOST_KEPT + 1)]
    path = tmp_path / HOST_CLASS / "calibration.toml"
    path.parent.mkdir()
    path.write_text(
        calibration_text(HOST_CLASS, [*many, make_round(1, id="other-profile", profile="q")])
    )
    append_round(tmp_path, make_round(MOST_KEPT + 1))
    stored = read_rounds(tmp_path)
    own = [one.number for one in stored if one.profile == "p"]
    assert own == list(range(2, MOST_KEPT + 2))
    assert [one.number for one in stored if one.profile == "q"] == [1]


def test_a_round_stored_twice_counts_once(tmp_path, make_round):
    """A round that was stored just before a power cut is stored again, not added."""
    append_round(tmp_path, make_round(1))
    append_round(tmp_path, make_round(1, trials=4))
    assert [one.trials for one in read_rounds(tmp_path)] == [4]


def test_rounds_that_end_at_one_moment_are_both_kept(tmp_path, make_round):
    """Commands that write side by side lose nothing."""
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda number: append_round(tmp_path, make_round(number)), range(1, 25)))
    assert {one.number for one in read_rounds(tmp_path)} == set(range(1, 25))
    assert [path.name for path in (tmp_path / HOST_CLASS).iterdir()] == ["calibration.toml"]


def git(root, *words):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    command = ["git", *identity, "-C", str(root), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_branches_that_calibrate_different_profiles_merge(tmp_path, make_round):
    """Lines of two profiles on two branches merge without a conflict."""
    git(tmp_path, "init", "-q", "-b", "main")
    for name in ("p", "q"):
        for number in (1, 2):
            append_round(tmp_path, make_round(number, id=f"first-{name}-{number}", profile=name))
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "both")
    git(tmp_path, "checkout", "-qb", "other")
    append_round(tmp_path, make_round(3, id="on-the-branch", profile="p"))
    git(tmp_path, "commit", "-qam", "p")
    git(tmp_path, "checkout", "-q", "main")
    append_round(tmp_path, make_round(3, id="on-the-main-line", profile="q"))
    git(tmp_path, "commit", "-qam", "q")
    merged = git(tmp_path, "merge", "other")
    assert merged.returncode == 0, merged
    assert len(read_rounds(tmp_path)) == 6


def test_both_sides_of_a_conflict_may_be_kept_in_any_order(tmp_path, make_round):
    """A reader that finds lines out of order sorts them; the next round writes them sorted."""
    one, two, three = (make_round(number) for number in (1, 2, 3))
    append_round(tmp_path, two)
    path = append_round(tmp_path, one)
    lines = path.read_text("utf-8").splitlines()
    lines[-3], lines[-2] = lines[-2], lines[-3]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    assert read_rounds(tmp_path) == (one, two)
    append_round(tmp_path, three)
    assert path.read_text("utf-8") == calibration_text(HOST_CLASS, [one, two, three])


def swap(old, new):
    def edit(text):
        assert old in text, old
        return text.replace(old, new, 1)

    return edit


def again(text):
    line = next(one for one in text.splitlines() if "{ id" in one)
    return text.replace(line, f"{line}\n{line}", 1)


BAD = [
    ("a misspelt key", swap("ending =", "endign ="), "G206", 'did you mean "ending"?'),
    ("an unknown ending", swap('"clear"', '"fine"'), "G206", "ending"),
    ("a key of nobody", swap("seed = 1,", "seed = 1, x = 1,"), "G206", "x: unknown key"),
    ("no date", swap('date = "2026-01-01T00:01:00.000Z", ', ""), "G206", "date: is required"),
    ("a date of words", swap("2026-01-01T00:01:00.000Z", "yesterday"), "G206", "date"),
    ("nan", swap("seconds = 1.0", "seconds = nan"), "G206", "seconds"),
    ("infinite", swap("seconds = 1.0", "seconds = inf"), "G206", "seconds"),
    ("negative", swap("trials = 3", "trials = -3"), "G206", "trials"),
    ("a count of true", swap("trials = 3", "trials = true"), "G206", "trials"),
    ("an alpha of 1", swap("alpha = 0.01", "alpha = 1.0"), "G206", "alpha"),
    ("an id of blanks", swap("20260101-0000000001", "        "), "G206", "id"),
    ("a line twice", again, "G206", "calibration.toml:9: round 20260101-0000000001 of p stands there twice"),
    ("clear though planted", swap("planted = 0.0", "planted = 0.1"), "G206", "calibration.toml:8: round 20260101-0000000001 of p cannot have ended clear with 0.1 planted"),
    ("clear though regressed", swap("regressed = 0", "regressed = 1"), "G206", "cannot have ended clear with 1 regressed"),
    ("found though unchanged", swap('"clear"', '"found"'), "G206", "cannot have ended found with 0 planted"),
    ("alarm without regressed", swap('"clear"', '"alarm"'), "G206", "cannot have ended alarm with 0 regressed"),
    ("another class", swap('host_class = "lab"', 'host_class = "den"'), "G206", "calibration.toml:4: host_class is 'den'"),
    ("a profile that climbs out", swap("[profile.p]", '[profile."../p"]'), "G206", "'../p' is no profile"),
    ("the next schema", swap("schema = 1", "schema = 2"), "G207", "schema number 2"),
    ("no schema", swap("schema = 1\n", ""), "G206", "schema"),
    ("no TOML", lambda _: "{}", "G204", "not TOML"),
    ("cut in half", lambda text: text[: len(text) // 2], "G204", "not TOML"),
    ("binary", lambda _: "\x00\x01", "G204", "not TOML"),
    ("20 MB", lambda text: text + "#" * (20 << 20), "G202", "16 MiB, the cap for a calibration"),
    ("1001 rounds", lambda text: calibration_of(1001), "G206", "profile.p.rounds"),
]  # fmt: skip


def calibration_of(count):
    line = '  {{ id = "20260101-{:010d}", {} }},'
    rest = (
        'date = "2026-01-01T00:00:00Z", planted = 0.0, ending = "clear", metrics = 1, regressed = 0, '
        'inconclusive = 0, trials = 3, seconds = 1.0, digest = "a", gate = "1", rule = "1", '
        "alpha = 0.01, beta = 0.025, seed = 1, number = 1"
    )
    rows = [line.format(number, rest) for number in range(count)]
    return "\n".join(
        ["schema = 1", 'host_class = "lab"', "[profile.p]", "rounds = [", *rows, "]\n"]
    )


@pytest.mark.parametrize(
    ("edit", "code", "words"), [row[1:] for row in BAD], ids=[r[0] for r in BAD]
)
def test_a_bad_file_is_refused_and_left_alone(project, make_round, edit, code, words):
    """A calibration edited by hand is refused by file, line and key, by everyone who reads it."""
    path = append_round(project.baselines, make_round(1))
    path.write_text(edit(path.read_text("utf-8")), "utf-8")
    commands = [
        ["check", "p", "--out", "out"],
        ["judge", "--session", "reports/sessions/p-001.json"],
        ["calibrate", "p", "--rounds", "1"],
        ["host", "show"],
    ]
    for command in commands:
        with unchanged(project.root):
            answer = project.gate(*command)
        assert answer.status == 2, answer
        assert answer.err.startswith(f"error[{code}]: baselines/lab/calibration.toml"), answer.err
        assert words in answer.err
        assert answer.err.count("\n") == 1
    assert code in PAGES
    assert not (project.root / "out/p").exists(), "something was measured"


def test_a_profile_may_not_be_called_calibration(project):
    """Its baseline would stand where the calibration does."""
    project.profile.rename(project.profile.with_name("calibration.toml"))
    answer = project.gate("run", "calibration")
    assert answer.status == 2
    assert "not calibration or host" in answer.err


def test_the_schema_is_published():
    """The format is one of `gate schema`, and strict."""
    schema = json.loads(schema_text("calibration"))
    assert schema["title"] == "driftgate calibration"
    assert schema["additionalProperties"] is False
    assert set(schema["$defs"]["RoundForm"]["properties"]) == set(Round.__dataclass_fields__) - {
        "host_class",
        "profile",
    }


def test_baselines_beside_a_calibration_are_read_as_before(project, make_round):
    """The file of rounds is no baseline, and `baseline show` and `diff` do not take it for one."""
    before = project.gate("baseline", "show").out
    append_round(project.baselines, replace(make_round(1), profile="p"))
    assert project.gate("baseline", "show") == (0, before, "")
