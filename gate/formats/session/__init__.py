"""session.json, the handover and report.json: they cross a trust boundary."""
