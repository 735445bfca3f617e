"""TOML and JSON to the model and back. pydantic lives here and nowhere else."""
