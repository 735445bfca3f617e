"""Validators for large files: in each list they stop at the first item that is wrong.

pydantic collects every mistake before it says one. A file of 600 kB in which everything is missing
makes millions of them, and takes more memory than the machine has.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic_core import SchemaValidator

if TYPE_CHECKING:
    from pydantic import TypeAdapter

LARGE = 48 << 10
"""Characters of compact JSON from which on mistakes are not counted but met."""


@cache
def eager(adapter: TypeAdapter[Any]) -> SchemaValidator:
    """The same validator, but for how many mistakes it tells; built once."""
    return SchemaValidator(_eager(adapter.core_schema))


def _eager(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_eager(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    copied = {key: _eager(value) for key, value in schema.items()}
    return copied | {"fail_fast": True} if schema.get("type") in {"list", "tuple"} else copied
