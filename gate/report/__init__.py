"""Renderers: a report in, text out. Leaves; none looks anything up, and none imports another."""
