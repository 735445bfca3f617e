"""The state of the storage before each trial, and how much may be written."""
