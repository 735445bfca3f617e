"""TOML and JSON to the model and back. pydantic lives here and nowhere else.

Whatever is wrong in a file, every reader raises `InputError` for it, with code, file, line and
cure; and a writer that fails raises it too and leaves what was there. Docstrings name only the
codes that a caller counts on.
"""
