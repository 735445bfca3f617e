"""What is made once for all tests of this folder: it takes seconds each time."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest
from workflows import events
from workflows.acting import HERE, ROOT, World, export_of
from workflows.hub import Hub
from workflows.users import MACHINE, PROFILE, SHAPES, SOURCE, TOOL, Pull, User

if TYPE_CHECKING:
    from pathlib import Path


class Sent(NamedTuple):
    """A pull request without any fault, measured by the run 101 of the first of two stages."""

    place: Path
    pull: Pull


@pytest.fixture(scope="session")
def driftgate(tmp_path_factory):
    """This tree, as a checkout of it would be."""
    return export_of(ROOT, tmp_path_factory.mktemp("driftgate"))


@pytest.fixture(scope="session")
def gate(tmp_path_factory):
    """The program that a runner's owner would name in DRIFTGATE_GATE."""
    program = tmp_path_factory.mktemp("program") / "gate"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {HERE / "quiet_gate.py"} "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture
def world(tmp_path, driftgate, gate):
    """A GitHub with nothing in it."""
    return World(tmp_path, driftgate, {"DRIFTGATE_GATE": str(gate), "GATE_HOST_CLASS": "lab"})


@pytest.fixture(scope="session")
def measured(tmp_path_factory, driftgate, gate):
    """Shape -> a place with acme/tool, its workflows and its accepted baseline; to be copied.

    The baseline is really measured, once for both shapes.
    """
    plain = tmp_path_factory.mktemp("measured") / "plain"
    env = {"DRIFTGATE_GATE": str(gate), "GATE_HOST_CLASS": "lab"}
    user = User(World(plain, driftgate, env))
    user.commit({"tool.py": TOOL, "profiles/first.toml": PROFILE})
    user.gate("run", "first", "--repeat", "5", "--quiet")
    sessions = sorted(str(one) for one in (user.clone / "reports/sessions").glob("*.json"))
    user.gate("baseline", "accept", *sessions, "--reason", "first baseline", "--by", "me")
    shutil.rmtree(user.clone / "reports")
    places = {}
    for shape in SHAPES:
        places[shape] = shutil.copytree(plain, plain.parent / shape, symlinks=True)
        user = User(World(places[shape], driftgate, env))
        user.gate("init", "--github", shape, "--machine", MACHINE, "--source", SOURCE)
        user.commit({}, "the gate")
        user.push()
    return places


@pytest.fixture
def user(world, measured, request):
    """acme/tool with a baseline, on GitHub and in a clone; the shape is the test's parameter."""
    shape = getattr(request, "param", SHAPES[0])
    shutil.copytree(measured[shape], world.place, dirs_exist_ok=True, symlinks=True)
    return User(world)


@pytest.fixture(scope="session")
def sent(measured, driftgate, gate):
    """What the second stage is tried on, measured once; to be copied."""
    place = shutil.copytree(
        measured["two-stages"], measured["two-stages"].parent / "sent", symlinks=True
    )
    world = World(place, driftgate, {"DRIFTGATE_GATE": str(gate), "GATE_HOST_CLASS": "lab"})
    user = User(world)
    pull = user.pull({"notes.md": "Nothing that is measured.\n"})
    acted = world.act("pull_request", events.pull_request(pull), user.clone, run=101)
    acted.expect(measure="success")
    world.checkouts.unlink()
    return Sent(place, pull)


@pytest.fixture
def judge(world, sent):
    """acme/tool after its pull request was measured: a clone that the second stage runs in."""
    shutil.copytree(sent.place, world.place, dirs_exist_ok=True, symlinks=True)
    return User(world)


@pytest.fixture
def hub(world):
    """GitHub's API for acme/tool, over real HTTP."""
    with Hub(world) as running:
        yield running
