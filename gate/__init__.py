"""driftgate: a performance regression gate for CI.

The rooms, in the direction the data flows: profile -> measure -> session -> judge -> report.
"""

__version__ = "0.1.0"
