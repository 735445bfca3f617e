"""A large file is read by a validator that stops at the first wrong item; every format has one."""

from __future__ import annotations

import pytest
from pydantic_core import SchemaValidator

from gate.formats.document import adapter_of, stopping_early
from gate.formats.schemas import _FORMS


@pytest.mark.parametrize("kind", _FORMS)
def test_every_format_has_a_validator_that_stops_early(kind):
    """Forms are built when they are first read, large files included."""
    adapter_of.cache_clear()
    assert isinstance(stopping_early(adapter_of(_FORMS[kind])), SchemaValidator)
