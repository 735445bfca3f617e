"""What the owner of a machine writes down: host.toml and devices.toml."""
