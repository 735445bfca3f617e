"""Figures that a publication prints, and recordings of series."""
