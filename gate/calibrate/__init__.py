"""How often a rule is right, on recorded sessions in which nothing was changed.

Every difference between two recorded sessions of a series is noise, so each closure is a false
alarm; a loss is planted by multiplying the values of the head. Whole sessions and whole trials
are drawn, never values inside a process, and sessions keep their order in time. Randomness comes
in from outside.
"""
