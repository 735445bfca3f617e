"""Documentation is executed: commands, options, codes and examples of every page are real."""

import re
import tomllib

import pytest
from builders import run_gate
from docs.commands import ALL, check, examples
from docs.pages import PAGES, README, ROOT, blocks, called, read

from gate.cli.main import _COMMANDS
from gate.formats.baseline.waiver_file import read_waivers
from gate.formats.host import devices_file
from gate.formats.profile.profile_file import read_profile
from gate.model import Verdict

REFERENCE = ROOT / "docs" / "profiles.md"
VERDICT = ROOT / "docs" / "verdict.md"
PRINTED = ROOT / "docs" / "printed-figures.md"
SHOWN = [(page, text) for page in PAGES for text in blocks(page, "toml")]
"""Each TOML block of each page."""


def spans(text):
    """The commands `gate ...` in the prose of a page, as words."""
    for line in re.findall(r"`gate ([a-z][^`]*)`", re.sub(r"\s+", " ", text)):
        yield line.split()


def code(page):
    """The indented and the shell blocks of a page, where its commands stand."""
    indented = re.findall(r"^ {4,}.*$", read(page), re.MULTILINE)
    return "\n".join([*indented, *blocks(page, "sh")])


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_the_pages_show_only_commands_that_exist(page):
    """Each `gate` line of a page names a command and options that the tool has."""
    for words in examples(code(page)):
        check(words)


def test_the_pages_are_searched_for_commands():
    """None of them escapes: those that tell how to use the gate show at least so many."""
    shown = {called(page): len(list(examples(code(page)))) for page in PAGES}
    for page, least in {
        "README.md": 7, "docs/getting-started.md": 8, "docs/verdict.md": 6, "docs/machine.md": 6,
        "docs/kernels-and-drivers.md": 12, "docs/github.md": 2, "docs/evidence.md": 3,
        "docs/printed-figures.md": 2, "docs/bisect.md": 2,
    }.items():  # fmt: skip
        assert shown[page] >= least, page


@pytest.mark.parametrize("page", PAGES, ids=called)
def test_the_prose_names_only_commands_that_exist(page):
    """Each `gate ...` inside a sentence is a command, with options that it has."""
    groups = {path[0] for path in ALL if len(path) > 1}
    for words in spans(read(page)):
        if words[0] not in groups or len(words) > 1:
            check(words)


@pytest.mark.parametrize("path", ALL, ids=" ".join)
def test_every_command_has_help_with_examples_that_exist(path):
    """Each command's help has a sentence and examples, and their options are its own."""
    command = ALL[path]
    assert command.help
    found = list(examples(command.epilog or ""))
    assert found, "no example"
    for words in found:
        check(words)


def test_every_command_of_the_list_is_there():
    """The lazy list and the modules agree."""
    assert {path[0] for path in ALL} == set(_COMMANDS)


def written(text, tmp_path):
    """A profile of a page as a file in a project that has the job and the scripts it names."""
    path = tmp_path / "profiles" / "chat.toml"
    (path.parent / "jobs").mkdir(parents=True)
    for job in re.findall(r'"(jobs/[a-z-]+\.fio)"', text):
        shown = "[reads]\nrw=randread\nfilename=${GATE_DEVICE}\n"
        (path.parent / job).write_text(shown, encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    return path


def reads_as_profile(text, tmp_path):
    assert read_profile(written(text, tmp_path)).metrics


def reads_as_subject(text, tmp_path):
    """A table as `--subject` takes it: beside a profile that has none."""
    rest = 'harness = "fio"\njob = "jobs/read.fio"\n'
    reads_as_profile(f"{rest}{text}\n[metric.cpu_per_io]\n", tmp_path)


def reads_as_waivers(text, tmp_path):
    (tmp_path / "waivers.toml").write_text(text, encoding="utf-8")
    assert len(read_waivers(tmp_path)) == 1


def reads_as_devices(text, tmp_path):
    assert devices_file.DevicesForm.model_validate(tomllib.loads(text))


def reads_as_summary(text, tmp_path):
    """A whole summary is judged; a part of one stands so in a published comparison of ours."""
    shown = tomllib.loads(text)
    if "source" in shown:
        path = tmp_path / "article.toml"
        path.write_text(text, encoding="utf-8")
        answer = run_gate(["judge", "--summary", path, "--json"])
        assert [f["code"] for f in answer.json["findings"]] == ["G009"]
        return
    whole = tomllib.loads(read(ROOT / "tests" / "data" / "published" / "p2-kernel-2.6.toml"))
    assert shown["metric"].items() <= whole["metric"].items()
    assert [row for row in shown["row"] if row not in whole["row"]] == []


READERS = {
    r"^harness = ": reads_as_profile,
    r"^\[subject\]": reads_as_subject,
    r"^\[\[waiver\]\]": reads_as_waivers,
    r"^\[device\.": reads_as_devices,
    r"^\[\[row\]\]": reads_as_summary,
}


@pytest.mark.parametrize(
    ("page", "text"), SHOWN, ids=lambda one: called(one) if one in PAGES else ""
)
def test_every_file_that_a_page_shows_reads(page, text, tmp_path):
    """Each TOML block of each page is a file, or a part of one, that the gate takes as it stands."""
    read_it = next(read for key, read in READERS.items() if re.search(key, text, re.MULTILINE))
    read_it(text, tmp_path)


def test_the_shown_profile_is_a_profile(tmp_path):
    """The first profile that the reference shows gives three benchmarks, with its limits."""
    path = written(blocks(REFERENCE, "toml")[0], tmp_path)
    profile = read_profile(path)
    assert [b.name for b in profile.benchmarks] == [f"chat[level={n}]" for n in (1, 6, 9)]
    assert (profile.metrics[0].tolerance, profile.metrics[0].floor) == (0.05, 0.002)


def test_the_readme_profile_is_a_profile(tmp_path):
    """So does the one in the README, which closes the gate on one metric."""
    profile = read_profile(written(blocks(README, "toml")[0], tmp_path))
    assert len(profile.benchmarks) == 3
    assert [(m.name, m.tolerance) for m in profile.metrics if m.role == "gate"] == [("cpu", 0.05)]


@pytest.mark.parametrize("page", ["README.md", "docs/getting-started.md"])
def test_the_first_commands_are_those_that_init_prints(page, tmp_path):
    """What `gate init` says comes next stands in the README and in the first page, word by word."""
    printed = run_gate(["init", tmp_path, "--command", "{side}/tool --bench"]).out
    following = list(examples(printed.partition("Next:")[2]))
    assert [words[0] for words in following] == ["run", "baseline", "check"]
    shown = list(examples(code(ROOT / page)))
    assert [words for words in following if words not in shown] == []


def test_the_shown_summaries_are_shown():
    """Printed figures are explained by a whole file and by a part of one."""
    assert ["source" in text for text in blocks(PRINTED, "toml")] == [True, False]


@pytest.mark.parametrize("size", ["full", "small"])
def test_the_reference_of_profiles_reads(size, tmp_path):
    """The profile that shows every key reads as it stands, in both of its sizes."""
    path = written(blocks(REFERENCE, "toml")[1], tmp_path)
    names = [one.name for one in read_profile(path, size).benchmarks]
    rooms = (20, 30, 40) if size == "full" else (20, 30)
    assert names == [
        *(f"chat[rooms={r},cpus={c}]" for r in rooms for c in (1, 2)),
        *(f"chat[rooms={r},cpus=*]" for r in rooms),
    ]


def test_the_list_of_profiles_is_whole():
    """Every shipped workload stands in the list, and nothing that is not shipped."""
    listed = set(
        re.findall(r"^\| `([a-z-]+)` \|", read(ROOT / "profiles" / "README.md"), re.MULTILINE)
    )
    shipped = {path.stem for path in (ROOT / "profiles").glob("*.toml")}
    assert listed == {name for name in shipped if not name.startswith("smoke-")}


@pytest.mark.parametrize("path", sorted((ROOT / "profiles").glob("*.toml")), ids=lambda p: p.stem)
def test_every_shipped_profile_reads_and_says_what_it_is_about(path):
    """Each profile in profiles/ is valid, has an about, and runs as it is: one head side.

    But for one whose sides are kernels: it takes them where `gate build-kernel` leaves them.
    """
    profile = read_profile(path)
    assert profile.about
    if profile.harness == "instructions":
        assert {one.directory for one in profile.sides.values()} == {"kernels/base", "kernels/head"}
    else:
        assert set(profile.sides) <= {"head"}


def rows(page, title):
    """The rows of the table whose head begins with a title, without head and rule."""
    found = re.search(rf"^\| {title} \|.*\n\|[-|]+\n((?:\|.*\n)+)", read(page), re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")[1:-1]] for row in found[1].splitlines()]


@pytest.mark.parametrize("page", [README, VERDICT], ids=called)
def test_the_pages_name_every_exit_status(page):
    """The exit statuses of the design are there, and 0 alone is open."""
    found = rows(page, "(?:exit )?status")
    assert [row[0] for row in found] == [
        "`0`", "`1`", "`2`", "`3`", "`4`", "`5`", "`6`", "`10`", "`130`, `143`",
    ]  # fmt: skip
    assert [row[1] for row in found] == ["open"] + ["closed"] * 8


@pytest.mark.parametrize("page", [README, VERDICT], ids=called)
def test_the_pages_name_every_verdict(page):
    """Each verdict stands in its order, and is called open or closed as the gate decides."""
    found = [(one, row[1]) for row in rows(page, "verdict") for one in row[0].split(", ")]
    assert [one for one, _ in found] == [verdict.value for verdict in Verdict]
    for verdict, gate_is in found:
        assert gate_is.startswith("open" if Verdict(verdict).opens else "closed")
