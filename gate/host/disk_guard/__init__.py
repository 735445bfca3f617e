"""May this block device be written? Only if nothing is found against it."""
