"""Command lines that are wrong: one paragraph, the right status, JSON for those who asked."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from builders import HOST_CLASS, start_gate, unchanged


def case(name, arguments, code, *words, status=2):
    return pytest.param(arguments.split("|"), code, words, status, id=name)


USAGE = [
    case("an unknown command", "chekc", "G200", "chekc", "Did you mean 'check'?"),
    case("a command in capitals", "CHECK", "G200", "CHECK"),
    case("an empty command", "", "G200"),
    case("an unknown option", "check|--alow", "G200", "--alow", "--allow"),
    case("an option without value", "check|--out", "G200", "--out"),
    case("a value for a flag", "check|--json=yes", "G200", "--json"),
    case("too many arguments", "report|a|b", "G200", "b"),
    case("no report", "report", "G200", "REPORT"),
    case("no session to accept", "baseline|accept|--reason|x", "G200", "SESSION"),
    case("no reason", "baseline|accept|s.json", "G200", "--reason"),
    case("an unknown subcommand", "baseline|acept", "G200", "acept", "Did you mean 'accept'?"),
    case("no file to import", "import", "G200", "FILE"),
    case("an alpha of 2", "check|--alpha|2", "G200", "--alpha"),
    case("an alpha of nothing", "check|--alpha|0", "G200", "--alpha"),
    case("an alpha of nan", "judge|--alpha|nan", "G200", "--alpha"),
    case("a beta of nan", "check|--beta|nan", "G200", "--beta"),
    case("a beta of minus infinity", "check|--beta|-inf", "G200", "--beta"),
    case("an alpha in per cent", "check|--alpha|1%", "G200", "--alpha"),
    case("allow something else", "check|--allow|all", "G200", "--allow", "new"),
    case("no repetitions", "run|--repeat|0", "G200", "--repeat"),
    case("negative repetitions", "run|--repeat|-1", "G200", "--repeat"),
    case("a million repetitions", "run|--repeat|1000000", "G200", "--repeat"),
    case("another side", "run|--side|middle", "G200", "--side", "base"),
    case("a side's variable without =", "run|p|--head-env|X", "G200", "--head-env", "NAME=VALUE"),
    case("a side's variable without name", "run|p|--head-env|=1", "G200", "--head-env"),
    case("a side's directory that is not", "run|p|--head|none", "G234", "none", "--head"),
    case("a side's directory that is a file", "run|p|--head|profiles/p.toml", "G234", "p.toml"),
    case("a base side that is not declared", "run|p|--side|base", "G234", "base", "--base"),
    case("a host class with a slash", "run|p|--host-class|a/b", "G200", "a/b"),
    case("a host class that climbs", "run|p|--host-class|..", "G200", ".."),
    case("an empty host class", "run|p|--host-class|", "G200", "host class"),
    case("a host class in capitals", "check|p|--host-class|Lab", "G200", "Lab"),
    case("a host class of an import", "import|x.json|--host-class|../..", "G200", "../.."),
    case("a host class to show", "host|show|--host-class|a b", "G200", "a b"),
    case("an unknown profile", "check|pp", "G211", "pp", 'Did you mean "p"?'),
    case("an unknown profile beside a known one", "check|p|quite-another", "G211", "There are: p"),
    case("a profile as a path that is not", "run|nowhere/q.toml", "G211", "nowhere/q.toml"),
    case("a profile that is the recording", "run|profiles/p.json", "G211", "p.json"),
    case("a profile with an endless name", "run|" + "x" * 3000, "G211"),
    case("no profiles there", "check|--profiles|none", "G280", "none", status=3),
    case("profiles that are a file", "check|--profiles|profiles/p.toml", "G280", "p.toml", status=3),
    case("profiles with an endless name", "check|--profiles|" + "x" * 300, "G201"),
    case("nothing to judge", "judge", "G280", "--session", status=3),
    case("an unknown code", "explain|G061x", "G200", "G061x", "G061"),
    case("a code of 5000 letters", "explain|" + "x" * 5000, "G200"),
    case("an empty code", "explain|", "G200", "code"),
    case("an unknown format", "schema|profil", "G200", "profil", "profile"),
    case("schemas that are not there", "schema|--check|none", "G201", "none"),
    case("no baseline to show", "baseline|show", "G280", "gate baseline accept"),
    case("resume without a directory", "check|p|--resume", "G200", "--out"),
    case("resume where nothing is", "check|p|--resume|--out|none", "G201", "none"),
    case("resume a session that is not", "run|--resume|none.json", "G201", "none.json"),
    case("a tolerance without per cent", "import|x.json|--tolerance|5", "G200", "--tolerance"),
    case("a tolerance of nothing", "import|x.json|--tolerance|0%", "G200", "--tolerance"),
    case("an endless tolerance", "import|x.json|--tolerance|1e999%", "G200", "--tolerance"),
    case("a tolerance of a million", "import|x.json|--tolerance|1e6%", "G200", "--tolerance"),
    case("an import called host", "import|x.json|--profile|host", "G200", "--profile"),
    case("an import that climbs", "import|x.json|--profile|../x", "G200", "--profile"),
    case("an import with a line break", "import|x.json|--profile|a\nb", "G200", "--profile"),
]  # fmt: skip
WITH_JSON = [
    one for one in USAGE if one.values[0][0] != "schema" and one.values[0][-1] not in {"--out", "--json=yes"}
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "code", "words", "status"), USAGE)
def test_usage(project, refuse, arguments, code, words, status):
    """A wrong command line is one paragraph, names what is wrong, and writes no file."""
    before = set(filter(Path.is_file, project.root.rglob("*")))
    refuse(arguments, code, *words, status=status)
    assert set(filter(Path.is_file, project.root.rglob("*"))) == before


@pytest.mark.parametrize(("arguments", "code", "words", "status"), WITH_JSON)
def test_usage_as_json(project, refuse, arguments, code, words, status):
    """With --json stdout says the same: the gate is closed, with the code and the status."""
    answer = refuse([*arguments, "--json"], code, status=status)
    told = answer.json
    assert (told["schema"], told["gate"], told["verdict"]) == (1, "closed", "error")
    assert answer.err == f"error[{code}]: {told['error']['message']}\n"


def test_help_is_no_error(tmp_path, refuse):
    """Without a command the help is shown, and the status is that of wrong usage."""
    from builders import run_gate

    answer = run_gate([], cwd=tmp_path)
    assert answer.status == 2
    assert "Commands:" in answer.err
    assert run_gate(["check", "--help"]).status == 0


def test_host_class_from_environment(project, refuse):
    """The environment's host class is held to the same rule."""
    refuse(["run", "p"], "G200", "../x", env={"GATE_HOST_CLASS": "../x"})


OVERWRITE = [
    pytest.param(["check", "p", "--out", "out"], "G222", id="check into old results"),
    pytest.param(["check", "p", "--out", "profiles"], "G222", id="check into the profiles"),
    pytest.param(["check", "p", "--out", "a-file"], "G222", id="check into a file"),
    pytest.param(["check", "p", "--resume", "--out", "a-file"], "G201", id="resume in a file"),
    pytest.param(["demo", "--out", "profiles"], "G222", id="demo into the profiles"),
    pytest.param(["demo", "--out", "a-file"], "G222", id="demo into a file"),
    pytest.param(["run", "p", "--out", "a-file"], "G208", id="run into a file"),
    pytest.param(["run", "p", "--work", "a-file"], "G208", id="work in a file"),
    pytest.param(["init", "a-file"], "G208", id="init in a file"),
]


@pytest.mark.parametrize(("arguments", "code"), OVERWRITE)
def test_never_over_results(project, refuse, arguments, code):
    """What stands where results would go is named and stays as it is."""
    (project.root / "a-file").write_text("mine")
    (project.root / "out").mkdir()
    (project.root / "out/report.json").write_text("{}")
    refuse(arguments, code, arguments[-1])


@pytest.fixture
def partial(project):
    """A project with a session of one trial, its two others still to come."""
    path = project.session()
    data = json.loads(path.read_text())
    data |= {"state": "partial", "trials": data["trials"][:1]}
    path.write_text(json.dumps(data, indent=1))
    return project


def edit_session(change):
    def act(project):
        path = project.root / "reports/sessions/p-001.json"
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data, indent=1))

    return act


def edit_profile(old, new):
    def act(project):
        project.profile.write_text(project.profile.read_text().replace(old, new))

    return act


def confirming(data):
    data["stage"] = "confirm"


RESUME = [
    pytest.param(edit_session(lambda d: d.update(boot="another")), "G221", ("boot",), id="another boot"),
    pytest.param(edit_session(lambda d: d.update(boot="")), "G221", ("boot",), id="an unknown boot"),
    pytest.param(edit_session(lambda d: d["tools"].update(x="1")), "G221", ("tools", "x 1"), id="another tool"),
    pytest.param(edit_session(lambda d: d["host"].update(fingerprint="x")), "G221", ("host",), id="another host"),
    pytest.param(edit_session(lambda d: d["host"].update(host_class="x")), "G221", ("host class",), id="another class"),
    pytest.param(edit_session(lambda d: d["subject"].update(proof="x")), "G221", ("content",), id="another subject"),
    pytest.param(edit_session(lambda d: d.update(profile_digest="x")), "G221", ("profile text",), id="another text"),
    pytest.param(edit_session(confirming), "G221", ("gate check --out DIR --resume",), id="confirming"),
    pytest.param(edit_session(lambda d: d.update(profile="q")), "G211", ("q",), id="a profile that is gone"),
    pytest.param(edit_session(lambda d: d.update(planned=[])), "G221", ("benchmarks",), id="no plan"),
    pytest.param(edit_session(lambda d: d["planned"][0].update(benchmark="x")), "G221", ("benchmarks",), id="another plan"),
    pytest.param(edit_session(lambda d: d["trials"][0].update(benchmark="x")), "G221", ("x",), id="a trial of no plan"),
    pytest.param(edit_profile('["b"]', '["b", "c"]'), "G221", ("profile text",), id="a benchmark more"),
    pytest.param(edit_profile("trials =", "x ="), "G206", ("x",), id="a broken profile"),
]  # fmt: skip


@pytest.mark.parametrize(("act", "code", "words"), RESUME)
def test_resume(partial, refuse, act, code, words):
    """What cannot be finished faithfully is refused, and the partial session stays as it is."""
    act(partial)
    place = "p-001.json" if code == "G221" else ""
    refuse(["run", "--resume", "reports/sessions/p-001.json"], code, place, *words)


def test_resume_with_another_name(partial, refuse):
    """A profile named beside --resume must be the session's own."""
    resume = ["--resume", "reports/sessions/p-001.json"]
    refuse(["run", "q", *resume], "G200", "q", "p")
    assert partial.gate("run", "p", *resume).status == 0


@pytest.mark.parametrize("extra", [["--repeat", "2"], ["--side", "base"]])
def test_resume_with_other_options(partial, refuse, extra):
    """Options that a resumed session could not honour are refused, not ignored."""
    resume = ["run", "--resume", "reports/sessions/p-001.json"]
    refuse([*resume, *extra], "G200", extra[0])


@pytest.mark.parametrize("name", ["head.json", "pairs-base.json", "pairs-head.json"])
def test_resumed_check(tmp_path, refused, name):
    """A check does not go on with a session of another boot, nor over a broken one."""
    from builders import write_replay_project

    slow = {"b": [1.2 + i / 1000 for i in range(60)]}
    project = write_replay_project(tmp_path, sides=True)
    project.accept()
    project.record(slow, {"b": [1.0 + i / 1000 for i in range(60)]})
    check = ["check", "p", "--out", "out", "--quiet"]
    assert project.gate(*check).status == 10
    path = tmp_path / "out/p" / name
    data = json.loads(path.read_text())
    path.write_text(json.dumps(data | {"boot": "another"}))
    told = (tmp_path / "out/report.json").read_text()
    with unchanged(tmp_path / "out/p"):
        answer = project.gate(*check, "--resume")
    refused(answer._replace(err=_last(answer.err)), "G221", f"out/p/{name}", "boot")
    path.write_text("{")
    with unchanged(tmp_path / "out/p"):
        answer = project.gate(*check, "--resume")
    refused(answer._replace(err=_last(answer.err)), "G205", f"out/p/{name}")
    # What the check said before is kept, under a name that nobody takes for this one's verdict.
    assert (tmp_path / "out/report.json.old").read_text() == told
    assert json.loads((tmp_path / "out/report.json").read_text())["verdict"] == "error"


def _last(err):
    """The error alone: before it stands where the earlier report is kept."""
    return err[err.index("error[") :]


def test_busy(project, refuse):
    """While another process measures, nothing is measured, and the holder is named: who the kernel
    says it is, whatever the file says."""
    import fcntl

    from builders import LOCK

    with LOCK.open("w") as holder:
        holder.write("4242\n")
        holder.flush()
        fcntl.flock(holder, fcntl.LOCK_EX)
        refuse(["run", "p"], "G240", f"process {os.getpid()} ", status=5)


@pytest.mark.parametrize("kind", ["directory", "link", "nowhere"])
def test_lock_not_usable(project, refuse, monkeypatch, tmp_path, kind):
    """A lock that cannot be taken is no internal error."""
    import builders

    place = tmp_path / "lock"
    if kind == "directory":
        place.mkdir()
    elif kind == "link":
        place.symlink_to(tmp_path / "profiles/p.toml")
    else:
        place = tmp_path / "none/lock"
    monkeypatch.setattr(builders, "LOCK", place)
    refuse(["run", "p"], "G208", str(place))


REVISIONS = ["none", "--output=x", "HEAD~99", "a..b", "", "x" * 3000, "\x1b[31m"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_revision(accepted, refuse, revision):
    """A revision that git does not know, or no git at all, is refused."""
    refuse(["baseline", "diff", "--", revision], "G200", "revision")


def test_import_of_nothing_known(tmp_path, refuse):
    """An import of JSON that no tool wrote names the file and what is in it."""
    (tmp_path / "x.json").write_text('{"a": 1}')
    refuse(["import", "x.json"], "G235", "x.json", "a")


RECORDED = [
    ("fio-3.33-failed.json", "G236", 4),
    ("hyperfine-1.20.0-failing.json", "G236", 4),
]


@pytest.mark.parametrize(("name", "code", "status"), RECORDED)
def test_import_of_failures(tmp_path, refuse, request, name, code, status):
    """The export of a failed run is no measurement."""
    source = request.config.rootpath / "tests/data/tool-output" / name
    shutil.copy(source, tmp_path / "x.json")
    refuse(["import", "x.json", "--out", "s.json"], code, "x.json", status=status)
    assert not (tmp_path / "s.json").exists()


@pytest.mark.parametrize("cut", [1, 100, 3000])
@pytest.mark.parametrize(
    "name", ["fio-3.33-several.json", "hyperfine-1.20.0.json", "pytest-benchmark-5.3.1.json"]
)
def test_import_of_a_part(tmp_path, refuse, request, name, cut):
    """The first part of an export is refused, wherever it ends."""
    text = (request.config.rootpath / "tests/data/tool-output" / name).read_text().rstrip()
    (tmp_path / "x.json").write_text(text[: -min(cut, len(text) // 2)])
    refuse(["import", "x.json", "--out", "s.json"], "G235", "x.json")


def test_import_of_two_harnesses(tmp_path, refuse, request):
    """Exports of different harnesses do not make one session."""
    source = request.config.rootpath / "tests/data/tool-output"
    for name in ("hyperfine-1.20.0.json", "pytest-benchmark-5.3.1.json"):
        shutil.copy(source / name, tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    refuse(["import", *names, "--out", "s.json"], "G235", "different harnesses")


REAL = [
    pytest.param(["chekc"], 2, "G200", id="an unknown command"),
    pytest.param(["check", "q", "--json"], 2, "G211", id="an unknown profile"),
    pytest.param(["judge"], 3, "G280", id="nothing to judge"),
    pytest.param(["run", "p", "--work", "/proc"], 2, "G208", id="work in proc"),
    pytest.param(["report", "/dev/zero"], 2, "G201", id="a report from dev zero"),
]


@pytest.mark.parametrize(("arguments", "status", "code"), REAL)
def test_real_process(project, refused, arguments, status, code):
    """A real process says the same and ends with the same status."""
    from builders import Answer

    with unchanged(project.root):
        process = start_gate(arguments, cwd=project.root)
        out, err = process.communicate(timeout=60)
    refused(Answer(process.returncode, out, err), code, status=status)


def test_working_directory_gone(tmp_path, refused):
    """A working directory that was removed is named, not an internal error."""
    from builders import Answer

    gone = tmp_path / "gone"
    gone.mkdir()
    process = start_gate(["host", "show"], cwd=gone, preexec_fn=gone.rmdir)
    out, err = process.communicate(timeout=60)
    refused(Answer(process.returncode, out, err), "G201", "directory")


def test_arguments_that_are_no_text(project, refused):
    """Bytes that are no UTF-8 in a name are shown safely."""
    from builders import Answer

    process = start_gate(["check", os.fsdecode(b"\xff\xfe")], cwd=project.root)
    out, err = process.communicate(timeout=60)
    refused(Answer(process.returncode, out, err), "G211")


def test_directory_names_that_are_no_text(project):
    """Results in a directory whose name is no UTF-8 are written, and said without a crash."""
    out = os.fsdecode(b"out-\xff")
    process = start_gate(["run", "p", "--out", out], cwd=project.root, errors="surrogateescape")
    said, err = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in err) == (0, False), err
    assert "3 trials" in said
    assert (project.root / out / "p-001.json").is_file()


def test_host_class_constant():
    """The class that the builders use is itself a plain name."""
    from gate.formats.names import is_plain

    assert is_plain(HOST_CLASS)
