"""CPU cost of a trial, of the whole machine, by who paid."""
