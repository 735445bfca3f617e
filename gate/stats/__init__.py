"""Deciding from noisy measurements: pure functions on log costs.

A *log cost* is the logarithm of a value, signed so that larger is worse: `log x` where lower is
better, `-log x` where higher is better. A difference of log costs is a loss inside the gate.
Only this room may use numpy, and no check needs it: `gate power` without sides and the laboratory
do.
"""
