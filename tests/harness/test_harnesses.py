"""The programs that measure, by their names."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gate.harness import HARNESSES, load_harness

_LOADED = """
import json, sys
from gate.harness import load_harness
load_harness(sys.argv[1])
print(json.dumps([name for name in sys.modules if name.startswith("gate.")]))
"""


@pytest.mark.parametrize("name", HARNESSES)
def test_a_harness_has_the_name_by_which_it_is_asked_for(name):
    """One of each, however often it is asked for."""
    assert load_harness(name).name == name
    assert load_harness(name) is load_harness(name)


@pytest.mark.parametrize("name", HARNESSES)
def test_a_harness_loads_no_other(name):
    """The measuring process holds the one that it runs, and an emulator's rooms only for that."""
    words = (sys.executable, "-c", _LOADED, name)
    loaded = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    others = {f"gate.harness.{HARNESSES[one][0]}" for one in HARNESSES if one != name}
    assert not others & {*loaded}
    assert any(one.startswith("gate.vm.") for one in loaded) is (name == "instructions")
