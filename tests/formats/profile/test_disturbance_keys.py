"""`companions` and `expects`: what belongs to the workload and disturbs no trial."""

from __future__ import annotations

from typing import get_args

import pytest

from gate.errors import InputError
from gate.formats.profile.profile_form import Disturbing
from gate.model import KINDS

PLAIN = 'harness = "hyperfine"\ncommand = "true"\n'


def test_they_are_read_once_each_and_are_no_part_of_the_digest(read):
    """Names and kinds arrive in order; what is run is the same, so the baseline stays."""
    told = read(
        PLAIN + 'companions = ["postgres", "postgres", "pgbouncer"]\n'
        'expects = ["foreign_io", "memory_pressure"]\n[metric.wall]\n'
    )
    assert told.companions == ("postgres", "pgbouncer")
    assert told.expects == ("foreign_io", "memory_pressure")
    assert told.digest == read(PLAIN + "[metric.wall]\n").digest


def test_every_kind_can_be_expected():
    """The form knows the kinds of the model, no more and no fewer."""
    assert set(get_args(Disturbing)) == set(KINDS)


@pytest.mark.parametrize("name", ["/usr/bin/postgres", "", "  ", "a\\u001bb"])
def test_a_name_that_no_process_has_is_refused(name, read):
    """A path, nothing, or an escape would match no process, and nobody would notice."""
    with pytest.raises(InputError, match="is no name of a process") as wrong:
        read(PLAIN + f'companions = ["{name}"]\n[metric.wall]\n')
    assert wrong.value.place.endswith("p.toml:3")


def test_an_unknown_kind_is_refused(read):
    """A slip of the pen would leave the trials disturbed."""
    with pytest.raises(InputError, match="foreign_cpu") as wrong:
        read(PLAIN + 'expects = ["foreign"]\n[metric.wall]\n')
    assert wrong.value.place.endswith("p.toml:3")
