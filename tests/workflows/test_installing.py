"""Once without DRIFTGATE_GATE: the actions install the gate, as on a runner that has none."""

import os

import pytest
from workflows import events
from workflows.acting import World
from workflows.users import User

_PACKAGES = ("PIP_", "UV_", "SSL_CERT", "REQUESTS_CA", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@pytest.mark.night
@pytest.mark.parametrize("user", ["one-stage"], indirect=True)
def test_the_gate_is_installed_from_its_lock_file(user, driftgate):
    """The whole of it where it measures and judges, click alone where a job is only asked."""
    how = {  # how this machine reaches packages, as a user's runner has its own way
        name: value for name, value in os.environ.items() if name.upper().startswith(_PACKAGES)
    }
    world = World(user.world.place, driftgate, {"GATE_HOST_CLASS": "lab", **how})
    pull = user.pull({"notes.md": "x\n"})
    acted = world.act("pull_request", events.pull_request(pull), User(world).clone, run=101)
    assert "gate, version " in acted.logs["gate"], acted.log
    # The baseline was accepted on a played machine, of which this one is none: pairs decide.
    assert acted.outputs["gate"]["verdict"] in {"passed", "inconclusive"}, acted.log
    assert "not screened: architecture: baseline unknown, this host" in acted.logs["gate"]
    acted.expect(gate="failure", driftgate="failure")
    assert acted.outputs["gate"]["gate"] == "closed"
    assert "the gate is closed" in acted.summaries["driftgate"]
