"""One series from its sessions to its finding: validity, screen, confirmation, waivers."""
