"""Projects whose gate is open as they stand; each test takes one thing away."""

from __future__ import annotations

import shutil

import pytest
from builders import QUIET, run_gate, write_replay_project
from silent.passes import OUT, Fake, check


@pytest.fixture
def project(tmp_path):
    """Two quiet benchmarks with an accepted baseline."""
    made = write_replay_project(tmp_path, head={"b": QUIET, "c": QUIET})
    made.accept()
    return made


@pytest.fixture
def single(tmp_path):
    """One quiet benchmark with an accepted baseline."""
    made = write_replay_project(tmp_path)
    made.accept()
    return made


@pytest.fixture
def fake(tmp_path, monkeypatch):
    return Fake(tmp_path, monkeypatch)


@pytest.fixture
def measured(tmp_path, fake):
    """A hyperfine profile whose tool is ours, with an accepted baseline of five sessions."""
    fake.hyperfine()
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "h.toml").write_text(
        'harness = "hyperfine"\ncommand = "true"\n[metric.wall]\n', encoding="utf-8"
    )
    answer = run_gate(["run", "h", "--repeat", "5", "--quiet"], cwd=tmp_path)
    assert answer.status == 0, answer
    sessions = sorted((tmp_path / "reports" / "sessions").glob("*.json"))
    answer = run_gate(["baseline", "accept", *sessions, "--reason", "first"], cwd=tmp_path)
    assert answer.status == 0, answer

    class Measured:
        root = tmp_path

        def gate(self, *arguments, env=None):
            return run_gate(arguments, cwd=tmp_path, env=env)

    one = Measured()
    answer = check(one, "h")
    assert answer.status == 0, answer
    return one


@pytest.fixture
def disk(tmp_path, fake):
    """A fio profile whose fio is ours: it copies a recorded output."""
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "f.toml").write_text(
        'harness = "fio"\njob = "f.fio"\n[metric.iops]\n', encoding="utf-8"
    )
    (tmp_path / "profiles" / "f.fio").write_text(
        "[one]\nfilename=data\nsize=1m\nrw=randread\n", encoding="utf-8"
    )

    def plays(recorded, end=0):
        fake.write(
            "fio",
            f"""if [ "$1" = --version ]; then echo fio-3.33; exit 0; fi
for word in "$@"; do case $word in --output=*) out=${{word#--output=}};; esac; done
cat {recorded} > "$out"
exit {end}""",
        )
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        return run_gate(["check", "f", *OUT], cwd=tmp_path)

    plays.root = tmp_path
    return plays
