"""All hostile files, each with what must come of it."""

from __future__ import annotations

from hostile import identity, markup, schema, texts

HOSTILE = (*texts.SMALL, *schema.EVERY, *markup.EVERY, *identity.EVERY)
"""Files that are judged inside of the test process."""
GIANT = tuple(texts.GIANT)
WORST = tuple(texts.WORST)
"""Files that are judged in a process of their own, with 2 GiB of memory."""
