"""The plots of a page: frozen places and texts; templates draw them, nothing is computed there."""
