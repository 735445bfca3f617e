"""The report as one HTML file: everything inline, no network."""
