"""Modules as a subject: loaded, proven and unloaded around each trial, and never somebody's."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from subject.played_kernel import PlayedKernel, is_written, write_module

from gate.errors import InputError
from gate.model import Activation, Side, Subject, SubjectKind
from gate.subject.command import ActiveSide
from gate.subject.module import Modules
from gate.subject.module_journal import JOURNAL, unload_left
from gate.subject.switch import NotActive

BASE, HEAD = b"\x01" * 20, b"\x02" * 20
SUBJECT = Activation(kind=SubjectKind.MODULE, modules=("driver queue=2",))


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    return PlayedKernel(tmp_path / "kernel", monkeypatch)


@pytest.fixture
def sides(tmp_path):
    found = {}
    for side, build_id in ((Side.BASE, BASE), (Side.HEAD, HEAD)):
        place = tmp_path / side.value
        write_module(place, "driver", build_id, depends="helper")
        write_module(place, "helper", b"\x09" * 20)
        found[side] = ActiveSide(side=side, directory=place, subject=Subject())
    return found


@pytest.fixture
def modules(kernel, sides, tmp_path):
    made = Modules(SUBJECT, kernel.run, tmp_path / "state")
    made.check(sides, "p.toml")
    return made


def test_a_side_is_loaded_proven_and_unloaded(kernel, modules, sides):
    """With what it needs, in order; at the end nothing is loaded and no journal is left."""
    proof = modules.activate(sides[Side.HEAD])
    assert proof == f"build-id of helper {'09' * 8}, driver {HEAD.hex()[:16]}"
    assert kernel.names() == ["driver", "helper"]
    modules.prove(sides[Side.HEAD])
    modules.deactivate()
    assert kernel.names() == []
    assert kernel.calls == ["insmod", "insmod", "rmmod", "rmmod"]


def test_a_module_is_closed_before_it_is_loaded(kernel, modules, sides):
    """Its file is whole and open to nobody for writing: else kernels answer "Text file busy"."""
    written = []
    run = kernel.run
    modules._run = lambda words, *_: (written.append(is_written(words[1])), run(words))[1]
    modules.activate(sides[Side.HEAD])
    assert written == [False, False]


def test_the_journal_is_there_before_anything_is_loaded(kernel, modules, sides, tmp_path):
    """It names what will be loaded, and goes when all of it is unloaded."""
    journal = tmp_path / "state" / JOURNAL
    seen = []
    run = kernel.run
    modules._run = lambda words, *_: (seen.append(json.loads(journal.read_text())), run(words))[1]
    modules.activate(sides[Side.BASE])
    assert [one[0] for one in seen[0]["modules"]] == ["helper", "driver"]
    modules.deactivate()
    assert not journal.exists()


def test_another_module_of_that_name_is_not_proven(kernel, modules, sides):
    """The loaded one says another build-id than the file: no number comes of it."""
    kernel.lies["driver"] = BASE
    with pytest.raises(NotActive, match="is not the head side's: build-id 0101010101010101"):
        modules.activate(sides[Side.HEAD])
    modules.deactivate()
    assert kernel.names() == []


def test_a_module_that_was_loaded_again_meanwhile(kernel, modules, sides):
    """The same file, and yet not the module that was measured."""
    modules.activate(sides[Side.HEAD])
    kernel.unload("driver")
    kernel.load("driver", HEAD)
    with pytest.raises(NotActive, match="loaded again by somebody else"):
        modules.prove(sides[Side.HEAD])


def test_a_module_that_is_gone_meanwhile(kernel, modules, sides):
    """It is told before anything else."""
    modules.activate(sides[Side.HEAD])
    kernel.unload("driver")
    with pytest.raises(NotActive, match="not loaded any more"):
        modules.prove(sides[Side.HEAD])


def test_an_oops_while_it_was_loaded(kernel, modules, sides):
    """The trial does not count, and no further one begins."""
    modules.activate(sides[Side.HEAD])
    kernel.died = True
    with pytest.raises(NotActive, match="had an oops while the module was loaded"):
        modules.prove(sides[Side.HEAD])
    modules.deactivate()
    with pytest.raises(NotActive, match="restart the machine"):
        modules.activate(sides[Side.BASE])


def test_a_module_that_does_not_load(kernel, modules, sides):
    """It is quoted, what it needs is unloaded again, and the next side works."""
    kernel.refuses.add("driver")
    with pytest.raises(NotActive, match=r"driver does not load: .*driver\.ko: Invalid parameters"):
        modules.activate(sides[Side.HEAD])
    modules.deactivate()
    assert kernel.names() == []
    kernel.refuses.clear()
    modules.activate(sides[Side.BASE])
    assert kernel.names() == ["driver", "helper"]


def test_a_module_that_stays_in_use(kernel, modules, sides):
    """It cannot be unloaded: told, and kept in the journal."""
    modules.activate(sides[Side.HEAD])
    kernel.busy.add("driver")
    with pytest.raises(NotActive, match=r"driver cannot be unloaded: .*is in use"):
        modules.deactivate()
    kernel.busy.clear()
    modules.deactivate()
    assert kernel.names() == []


def test_somebodys_module_is_refused(kernel, sides, tmp_path):
    """One that is loaded already is not ours to unload, and nothing is loaded beside it."""
    kernel.load("driver", BASE)
    with pytest.raises(InputError, match="driver is loaded already") as caught:
        Modules(SUBJECT, kernel.run, tmp_path / "state").check(sides, "p.toml")
    assert caught.value.code == "G267"
    assert kernel.calls == []


def test_somebody_loads_it_between_two_trials(kernel, modules, sides):
    """It is left alone."""
    kernel.load("driver", BASE)
    with pytest.raises(NotActive, match="driver was loaded by somebody else meanwhile"):
        modules.activate(sides[Side.HEAD])
    assert kernel.calls == []


def test_what_a_module_needs_may_be_there_already(kernel, sides, tmp_path):
    """What only the kernel beside has is used as it is loaded, and not unloaded at the end."""
    for side in sides.values():
        (side.directory / "helper.ko").unlink()
    kernel.load("helper", b"\x07" * 20)
    modules = Modules(SUBJECT, kernel.run, tmp_path / "state")
    modules.check(sides, "p.toml")
    modules.activate(sides[Side.HEAD])
    modules.deactivate()
    assert kernel.names() == ["helper"]


def test_what_a_side_brings_along_must_be_its_own(kernel, sides, tmp_path):
    """A helper of the side that is loaded already is not the side's: its change would be lost."""
    kernel.load("helper", b"\x07" * 20)
    with pytest.raises(InputError, match="helper is loaded already"):
        Modules(SUBJECT, kernel.run, tmp_path / "state").check(sides, "p.toml")


@pytest.mark.parametrize("how", ["built in", "among the kernel's own modules"])
def test_the_running_kernels_own_module_stands_for_no_side(
    kernel, sides, tmp_path, monkeypatch, how
):
    """A side without the file would measure what the kernel has, on both sides the same."""
    beside = tmp_path / "machine"
    root = beside / "lib" / "modules" / os.uname().release
    (root / "kernel").mkdir(parents=True)
    if how == "built in":
        (root / "modules.builtin").write_text("kernel/drivers/driver.ko\n")
    else:
        write_module(root / "kernel", "driver", BASE)
    plain = Path
    monkeypatch.setattr("gate.subject.module.Path", lambda p: beside if p == "/" else plain(p))
    (sides[Side.HEAD].directory / "driver.ko").unlink()
    with pytest.raises(InputError, match="the head side holds no module driver") as caught:
        Modules(SUBJECT, kernel.run, tmp_path / "state").check(sides, "p.toml")
    assert caught.value.code == "G265"
    assert kernel.calls == []


def test_a_device_that_was_there_before_is_refused(kernel, sides, tmp_path):
    """Only a device that the module itself makes may be written to."""
    there = tmp_path / "nullb0"
    there.write_text("somebody's")
    modules = Modules(SUBJECT, kernel.run, tmp_path / "state")
    modules._device = there
    with pytest.raises(InputError, match="is there before the module is loaded"):
        modules.check(sides, "p.toml")


def test_a_side_without_a_directory_or_the_module(kernel, sides, tmp_path):
    """G265 before anything is loaded."""
    bare = replace(sides[Side.HEAD], directory=None)
    empty = tmp_path / "empty"
    empty.mkdir()
    for side in (bare, replace(sides[Side.HEAD], directory=empty)):
        with pytest.raises(InputError) as caught:
            Modules(SUBJECT, kernel.run, tmp_path / "state").check({Side.HEAD: side}, "p.toml")
        assert caught.value.code == "G265"


def test_only_root_loads_modules(kernel, sides, tmp_path, monkeypatch):
    """Told at once, with what to do."""
    monkeypatch.setattr("gate.subject.module.os.geteuid", lambda: 1000)
    with pytest.raises(InputError, match="only root"):
        Modules(SUBJECT, kernel.run, tmp_path / "state").check(sides, "p.toml")


def test_what_a_killed_gate_left_is_unloaded(kernel, modules, sides, tmp_path, monkeypatch):
    """Only what is still proven to be what the journal names, the last first."""
    modules.activate(sides[Side.HEAD])
    unloaded = []

    def rmmod(words, **_):
        unloaded.append(words[-1])
        kernel.unload(words[-1])
        return type("Done", (), {"returncode": 0, "stdout": "", "stderr": ""})()

    monkeypatch.setattr("gate.subject.module_journal.subprocess.run", rmmod)
    assert unload_left(tmp_path / "state") == ("unloaded driver", "unloaded helper")
    assert unloaded == ["driver", "helper"]
    assert unload_left(tmp_path / "state") == ()


def test_somebody_elses_module_is_not_unloaded_after_a_kill(kernel, modules, sides, tmp_path):
    """Another build-id under that name is another module."""
    modules.activate(sides[Side.HEAD])
    kernel.unload("driver")
    kernel.load("driver", BASE)
    kernel.unload("helper")
    assert unload_left(tmp_path / "state") == ()
    assert kernel.names() == ["driver"]


def test_a_journal_of_another_boot_means_nothing(kernel, modules, sides, tmp_path):
    """The restart has unloaded everything; what is there now is somebody's."""
    modules.activate(sides[Side.HEAD])
    path = tmp_path / "state" / JOURNAL
    path.write_text(json.dumps(json.loads(path.read_text()) | {"boot": "another"}))
    assert unload_left(tmp_path / "state") == ()
    assert kernel.names() == ["driver", "helper"]


@pytest.mark.parametrize(
    ("text", "told"),
    [("", 1), ("{", 1), ("[]", 1), ('{"boot": 1}', 0), ('{"boot": "x", "modules": 3}', 0)],
)
def test_a_damaged_journal_is_told_and_unloads_nothing(kernel, tmp_path, text, told):
    """Nobody knows what was loaded; the next check refuses what still is. Another boot's is void."""
    state = tmp_path / "state"
    state.mkdir()
    kernel.load("driver", BASE)
    (state / JOURNAL).write_text(text)
    lines = unload_left(state)
    assert len(lines) == told
    assert all("cannot be read" in line for line in lines)
    assert kernel.names() == ["driver"]
