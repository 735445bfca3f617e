"""`profiles/<name>.toml`: from the text that a person wrote to the model."""
