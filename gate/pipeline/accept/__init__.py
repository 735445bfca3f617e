"""Accepting a level: sessions taken in, judged again, written as a baseline."""
