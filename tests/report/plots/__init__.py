"""Tests of the plots of a page."""
