"""`loud`: how far above its own tolerance a metric may be judged, and that no raise is unbounded."""

from __future__ import annotations

import pytest
from builders import write_replay_project

from gate.errors import InputError
from gate.formats.profile.profile_file import load_profiles
from gate.model import Leeway


def loud_in(root, top):
    """What a profile with this line says."""
    write_replay_project(root, top=top)
    return load_profiles(("p",), root / "profiles")[0].loud


@pytest.mark.parametrize(
    ("top", "most"),
    [
        ("", 0.075),
        ('loud = "refuse"', 0.05),
        ('loud = "raise"\nloud_ceiling = "40%"', 0.4),
        ('loud = "raise"\nloud_ceiling = "2%"', 0.05),
    ],
)
def test_what_a_tolerance_of_five_per_cent_may_become(tmp_path, top, most):
    """Half more where nothing is said, nothing, or the stated ceiling; never less than asked."""
    assert loud_in(tmp_path, top).most(0.05) == pytest.approx(most)


def test_nothing_said_is_half_more(tmp_path):
    """The default is the model's own."""
    assert loud_in(tmp_path, "") == Leeway()


@pytest.mark.parametrize(
    ("top", "says", "cure"),
    [
        ('loud = "raise"', "nothing is raised without a bound", 'loud_ceiling = "40%"'),
        ('loud_ceiling = "40%"', 'only beside loud = "raise"', 'loud = "raise"'),
        ('loud = "refuse"\nloud_ceiling = "40%"', 'only beside loud = "raise"', 'loud = "raise"'),
        ('loud = "raise"\nloud_ceiling = "900%"', "between 0.1% and 500%", ""),
    ],
)
def test_a_raise_needs_its_ceiling_and_a_ceiling_its_raise(tmp_path, top, says, cure):
    """Refused with the line and the cure."""
    with pytest.raises(InputError) as refused:
        loud_in(tmp_path, top)
    assert refused.value.code == "G210"
    assert says in refused.value.message
    assert cure in refused.value.cure
    assert "p.toml:" in refused.value.place
