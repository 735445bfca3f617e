"""How files are held to the model; a plain dict, so that the model imports nothing."""

STRICT = {
    "extra": "forbid",
    "allow_inf_nan": False,
    "use_attribute_docstrings": True,
}
"""Read by the files room: unknown keys, NaN and infinities are refused."""
