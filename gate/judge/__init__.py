"""Sessions and baselines to a report: pure, replayable from files, no clock and no disk."""
