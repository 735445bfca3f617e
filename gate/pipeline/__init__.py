"""The program in its steps: check, judge handovers, calibrate, accept, diagnose."""
