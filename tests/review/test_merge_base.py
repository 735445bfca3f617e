"""The merge base: found, or refused with the cure; and what is written out of a commit."""

from __future__ import annotations

import subprocess

import pytest
from review.conftest import SAME

from gate import vcs, vcs_tree
from gate.errors import InputError


def refused(answer, code, *words):
    assert answer.status == 2, answer
    assert answer.err.startswith(f"error[{code}]: "), answer.err
    for word in words:
        assert word in answer.err, answer.err
    assert "Traceback" not in answer.err


def test_of_diverged_branches_it_is_the_fork(repository):
    """What main gained after the fork is not in force for the change."""
    fork = repository.git("rev-parse", "main")
    repository.commit("the change")
    repository.git("checkout", "-q", "main")
    repository.swap("profiles/p.toml", '"5%"', '"7%"')
    repository.commit("main went on")
    repository.git("checkout", "-q", "change")
    assert vcs.merge_bases(repository.root, "main", "HEAD") == (fork,)
    answer, report = repository.judge(sessions=SAME)
    assert (answer.status, report["edits"]) == (0, [])
    assert {f["tolerance"] for f in report["findings"]} == {0.05}


@pytest.mark.parametrize("revision", ["nowhere", "--help", "-x", "main..change", "", "a\nb"])
def test_what_is_no_revision_is_refused(repository, revision):
    """A revision is a name, never an option of git."""
    words = ["judge", "--session", SAME[0], f"--merge-base={revision}"]
    refused(repository.project.gate(*words), "G239", "no commit", "fetch-depth: 0")
    words = ["judge", "--session", SAME[0], "--merge-base=main", f"--proposed={revision}"]
    refused(repository.project.gate(*words), "G239", "no commit")


def test_no_repository(repository, tmp_path):
    """Without git there is no merge base, and nothing is judged instead."""
    for path in (repository.root / ".git").rglob("*"):
        if path.name == "HEAD":
            path.unlink()
    answer, _ = repository.judge(sessions=SAME)
    refused(answer, "G239", "no git repository")


def test_a_shallow_clone_shows_no_ancestor(repository, tmp_path):
    """Two tips without the history between them: the cure is named."""
    repository.commit("one")
    repository.git("checkout", "-q", "main")
    repository.commit("two")
    place = tmp_path / "clone"
    url = f"file://{repository.root}"
    words = ["git", "clone", "-q", "--depth", "1", "--no-single-branch", url, str(place)]
    subprocess.run(words, check=True, capture_output=True)
    assert vcs.merge_bases(place, "origin/main", "origin/change") == ()
    from builders import run_gate

    answer = run_gate(
        ["judge", "--session", repository.root / SAME[0], "--merge-base", "origin/change"],
        cwd=place,
    )
    refused(answer, "G239", "no common ancestor", "fetch-depth: 0")


def test_directories_of_two_repositories(repository, tmp_path):
    """Baselines of elsewhere cannot be read at this merge base."""
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    answer, _ = repository.judge("--baseline", str(other / "baselines"), sessions=SAME)
    refused(answer, "G242", "one repository")
    answer, _ = repository.judge("--baseline", ".", sessions=SAME)
    refused(answer, "G242")


def test_from_a_subdirectory_and_with_absolute_paths(repository):
    """Directories are found wherever the gate is called."""
    from builders import run_gate

    root = repository.root
    words = ["judge", "--merge-base", "main", "--json"]
    for one in SAME:
        words += ["--session", root / one]
    for profiles, baseline, cwd in (
        (root / "profiles", root / "baselines", root.parent),
        ("../profiles", "../baselines", root / "held"),
        (".", "../baselines", root / "profiles"),
    ):
        answer = run_gate([*words, "--profiles", profiles, "--baseline", baseline], cwd=cwd)
        assert answer.status == 0, answer


def test_proposed_without_a_merge_base(repository):
    """An option that would be ignored in silence is refused."""
    words = ["judge", "--session", SAME[0], "--proposed", "HEAD"]
    refused(repository.project.gate(*words), "G200", "--proposed")


def test_a_broken_file_of_the_merge_base_is_named_as_git_does(repository):
    """The place is COMMIT:PATH:LINE, for the scratch directory is gone."""
    repository.swap("profiles/p.toml", "harness", "harnes")
    commit = repository.commit()
    repository.git("branch", "-f", "main")
    answer, _ = repository.judge(sessions=SAME)
    refused(answer, "G206", f"{commit[:12]}:profiles/p.toml:1: ")


def test_a_link_at_the_merge_base_is_refused(repository):
    """Where a link stands, nobody knows what would be read."""
    (repository.root / "profiles/link.toml").symlink_to("p.toml")
    commit = repository.commit()
    repository.git("branch", "-f", "main")
    answer, _ = repository.judge(sessions=SAME)
    refused(answer, "G241", f"{commit[:12]}:profiles/link.toml")


def test_a_job_outside_the_profiles_is_there_too(repository):
    """A profile may name its job or recording anywhere in the project."""
    root = repository.root
    (root / "bench").mkdir()
    (root / "profiles/p.json").rename(root / "bench/p.json")
    repository.swap("profiles/p.toml", '"p.json"', '"../bench/p.json"')
    repository.commit()
    repository.git("branch", "-f", "main")
    answer, report = repository.judge(sessions=SAME)
    assert (answer.status, report["edits"]) == (0, [])


def test_whole_folders_are_written_as_they_were(repository, tmp_path):
    """Bytes, empty files, odd names and folders; links and submodules are left out."""
    root = repository.root / "profiles"
    (root / "work").mkdir()
    (root / "work/raw.bin").write_bytes(bytes(range(256)) * 5000)
    (root / "work/empty").write_bytes(b"")
    (root / "work/a b\nc*?").write_text("odd")
    (root / "work/run.sh").write_text("#!/bin/sh\n")
    (root / "work/run.sh").chmod(0o755)
    (root / "work/up").symlink_to("../../..")
    commit = repository.commit()
    target = tmp_path / "out"
    entries = vcs_tree.entries(repository.root, commit, ["profiles", "nowhere"])
    assert vcs_tree.write_entries(repository.root, entries, target)
    found = {p.relative_to(target).as_posix() for p in target.rglob("*") if p.is_file()}
    assert found == {
        "profiles/p.toml", "profiles/p.json", "profiles/q.toml", "profiles/q.json",
        "profiles/work/raw.bin", "profiles/work/empty", "profiles/work/a b\nc*?",
        "profiles/work/run.sh",
    }  # fmt: skip
    for name in found:
        assert (target / name).read_bytes() == (repository.root / name).read_bytes()
    assert not any(path.is_symlink() for path in target.rglob("*"))
    assert vcs_tree.entries(repository.root, "f" * 40, ["profiles"]) is None


@pytest.mark.parametrize(
    ("cap", "value"), [("MOST_FILES", 1), ("LARGEST_FILE", 50), ("MOST_BYTES", 90)]
)
def test_caps(repository, tmp_path, monkeypatch, cap, value):
    """Too many files, too large a file, too much together: refused before a byte is written."""
    monkeypatch.setattr(vcs_tree, cap, value)
    commit = repository.git("rev-parse", "HEAD")
    entries = vcs_tree.entries(repository.root, commit, ["profiles"])
    with pytest.raises(InputError) as caught:
        vcs_tree.write_entries(repository.root, entries, tmp_path / "out")
    assert caught.value.code == "G241"
    assert not (tmp_path / "out").exists()
    answer, _ = repository.judge(sessions=SAME)
    refused(answer, "G241")


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "a//x", "."])
def test_paths_that_lead_out_are_refused(tmp_path, repository, path):
    """Git's own checks may be off in the repository that a tree came from."""
    content = repository.git("rev-parse", "HEAD:profiles/p.toml")
    entry = vcs_tree.Entry("100644", content, 10, path)
    with pytest.raises(InputError) as caught:
        vcs_tree.write_entries(repository.root, [entry], tmp_path / "out")
    assert caught.value.code == "G241"
    assert not (tmp_path / "x").exists()
