"""The tree of a stranger: it is read to say what it edits, and can do nothing but that."""

from __future__ import annotations

import json
import os

import pytest
from review.conftest import SAME

SECRET = "tolerance-of-the-secret-file"


def write(path, text):
    def act(root):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        (root / path).write_bytes(content)

    return act


def link(path, target):
    def act(root):
        place = root / path
        if place.is_dir():
            place.rename(root / "held" / "moved")
        place.unlink(missing_ok=True)
        place.symlink_to(target)

    return act


DEEP = "x = " + "[" * 100_000 + "]" * 100_000
HOSTILE = {
    "binary": (write("profiles/p.toml", bytes(range(256))), "profiles/p.toml cannot be read"),
    "deep": (write("profiles/p.toml", DEEP), "nested too deep"),
    "deep baseline": (write("baselines/lab/p.toml", DEEP), "nested too deep"),
    "deep waivers": (write("baselines/waivers.toml", DEEP), "nested too deep"),
    "deep recording": (write("profiles/p.json", "[" * 100_000), "profiles/p.toml cannot be read"),
    "link out": (link("profiles/p.toml", "../../secret.toml"), "no plain file"),
    "link to the machine": (link("profiles/p.toml", "/etc/passwd"), "no plain file"),
    "recording is a link": (link("profiles/p.json", "../../secret.toml"), "no plain file"),
    "folder is a link": (link("profiles", "../elsewhere"), "profiles cannot be read"),
    "baselines are a link": (link("baselines", "../elsewhere"), "baselines cannot be read"),
    "class is a link": (link("baselines/lab", "../../elsewhere"), "no plain file"),
    "link to itself": (link("profiles/p.toml", "p.toml"), "no plain file"),
    "job leads out": (
        write("profiles/p.toml", 'harness = "fio"\njob = "../../secret.toml"\n[metric.iops]\n'),
        "must stay inside the project",
    ),
    "job is the machine's": (
        write("profiles/p.toml", 'harness = "fio"\njob = "/etc/passwd"\n[metric.iops]\n'),
        "must stay inside the project",
    ),
    "huge number": (write("profiles/p.toml", "x = " + "9" * 100_000), "too many digits"),
    "megabytes": (write("profiles/p.toml", "#" * (3 << 20)), "larger than 1 MiB"),
    "control characters": (
        write("profiles/p.toml", '"\\u001b[31m::error::<img src=x>@team" = 1\n'),
        "cannot be read",
    ),
    "misnamed class": (write("baselines/lab/host.toml", "schema = 9\n"), "schema number 9"),
}


@pytest.mark.parametrize("proposed", ["HEAD", None], ids=["commit", "working tree"])
@pytest.mark.parametrize(("act", "words"), HOSTILE.values(), ids=list(HOSTILE))
def test_what_cannot_be_read_is_an_edit(repository, act, words, proposed):
    """The verdict is the merge base's; the edit says what cannot be read, and nothing of it leaks."""
    (repository.root.parent / "secret.toml").write_text(f"{SECRET} = [\n")
    (repository.root.parent / "elsewhere").mkdir()
    (repository.root.parent / "elsewhere" / "x.toml").write_text(f"{SECRET} = [\n")
    held = {name: (repository.root / name).read_bytes() for name in SAME}
    act(repository.root)
    for name, content in held.items():
        assert (repository.root / name).read_bytes() == content
    if proposed:
        repository.commit()
    answer, report = repository.judge(sessions=SAME, proposed=proposed)
    assert (answer.status, report["gate"]) == (0, "open"), answer
    said = [e["headline"] for e in report["edits"]]
    assert any(words in one for one in said), said
    assert all(e["loosens"] for e in report["edits"] if e["code"] == "G082")
    whole = answer.out + answer.err
    assert SECRET not in whole
    assert "root:" not in whole
    assert "/tmp/gate-" not in whole
    assert "\x1b" not in whole


def test_a_huge_file_is_one_edit(repository, monkeypatch):
    """A tree above the caps is told as a whole, and nothing of it is written out."""
    with (repository.root / "profiles/big").open("wb") as stream:
        stream.truncate(65 << 20)
    answer, report = repository.judge(sessions=SAME, proposed=None)
    assert answer.status == 0
    assert [e["headline"] for e in report["edits"]] == [
        "profiles or baselines: this tree is not read: 'profiles/big' is larger than 64 MiB."
    ]
    repository.commit()
    answer, report = repository.judge(sessions=SAME)
    assert [e["code"] for e in report["edits"]] == ["G082"]


def test_a_pipe_in_the_working_tree_is_not_waited_for(repository):
    """What is no file is told, and never opened."""
    os.mkfifo(repository.root / "profiles/pipe.toml")
    answer, report = repository.judge(sessions=SAME, proposed=None)
    assert answer.status == 0
    assert [e["headline"] for e in report["edits"]] == [
        "profiles/pipe.toml cannot be read: it is no plain file"
    ]


def test_a_thousand_profiles_are_capped_and_the_loosening_ones_come_first(repository):
    """However many edits there are, the report holds 500, and the last counts the rest."""
    text = (repository.root / "profiles/p.toml").read_text()
    for number in range(600):
        (repository.root / f"profiles/x{number}.toml").write_text(text)
    (repository.root / "profiles/q.toml").unlink()
    repository.commit()
    _, report = repository.judge(sessions=SAME)
    assert len(report["edits"]) == 500
    assert report["edits"][0]["headline"] == "profile removed"
    assert report["edits"][-1]["headline"] == "102 further edits are not shown"


def test_names_of_any_length_are_cut(repository):
    """A report stays small and readable, whatever a profile calls its benchmarks."""
    name = "b" * 4000
    repository.swap("profiles/p.toml", '["b"]', json.dumps(["b", name]))
    recording = repository.root / "profiles/p.json"
    data = json.loads(recording.read_text())
    data["benchmarks"][name] = data["benchmarks"]["b"]
    recording.write_text(json.dumps(data))
    repository.commit()
    _, report = repository.judge(sessions=SAME)
    assert report["edits"]
    for edit in report["edits"]:
        assert max(len(edit[key]) for key in ("profile", "benchmark", "metric")) <= 200
        assert len(edit["headline"]) <= 400


def test_a_file_name_that_is_no_text(repository):
    """Bytes that are not UTF-8 in a name neither stop the gate nor reach the report."""
    place = os.fsencode(repository.root) + b"/profiles/\xff\xfe.toml"
    with open(place, "wb") as stream:  # noqa: PTH123 - a name of bytes
        stream.write(b"x")
    answer, report = repository.judge(sessions=SAME, proposed=None)
    assert (answer.status, len(report["edits"])) == (0, 1)
    repository.commit()
    answer, report = repository.judge(sessions=SAME)
    assert (answer.status, len(report["edits"])) == (0, 1)
